// The import from OpenAPI, in a worker: a document of several megabytes would otherwise block the page.
//
// Receives [number, "import", text, options] and [number, "update", stored, imported, parts], all of them strings; a
// text of null stands for that of the last import. Replies with [number, result]; the results are those of
// `web/src/editor/openapi.rs`, with `format` ("json" or "yaml") added to that of an import. ["0", "failed"] means that
// the code failed to load.
/* global EDITOR_WASM_URL */
import init, { import_openapi, update_definition } from "gatewright-editor";
import { issue, readYaml } from "./yaml.js";

const ready = init({ module_or_path: EDITOR_WASM_URL });
ready.catch(() => postMessage(["0", "failed"]));

const MARKUP = "this is a web page or XML, not an OpenAPI document; use the address of the document itself (on GitHub: Raw)";

/** The last document: { text, format, json?, yaml? }. */
let last = read("");

self.addEventListener("message", async ({ data: [number, call, ...values] }) => {
  await ready;
  postMessage([number, call === "update" ? update_definition(...values) : imported(...values)]);
});
// Reports exceptions from there to the page as an error of the worker.
self.addEventListener("unhandledrejection", ({ reason }) => reportError(reason));

function imported(text, options) {
  if (text !== null) last = read(text);
  const { format, json, yaml, issues } = last;
  if (issues) return JSON.stringify({ format, issues });
  // It contains only strings and small numbers: even the definition is a string.
  const answer = JSON.parse(import_openapi(json, options));
  if (yaml) moved(answer, yaml);
  return JSON.stringify({ format, ...answer });
}

function read(text) {
  const first = /\S/.exec(text)?.[0];
  if (first === "<") return { format: "", issues: [issue(MARKUP, "")] };
  if (first === "{" || first === "[") return { format: "json", json: text };
  const yaml = readYaml(text);
  return yaml.issues ? { format: "yaml", issues: yaml.issues } : { format: "yaml", json: yaml.json, yaml };
}

/** Maps the positions in the JSON text back to the YAML text. */
function moved(answer, yaml) {
  for (const note of answer.report ?? []) {
    const { line, column } = yaml.rangeOf(note.pointer);
    Object.assign(note, { line, column });
  }
  answer.report?.push(...yaml.notes);
  for (const found of answer.issues ?? []) Object.assign(found, yaml.rangeOf(found.pointer));
}
