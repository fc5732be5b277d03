// The import from OpenAPI, in a worker: a document of some megabytes would otherwise hold the page up.
//
// Takes [number, "import", text, options] and [number, "update", stored, imported, parts], all of them texts;
// a text of null is the one of the last import. Answers [number, answer], the answers being those of
// `web/src/editor/openapi.rs` with `format` ("json" or "yaml") beside what became of a document.
// ["0", "failed"] says that the code didn't load.
/* global EDITOR_WASM_URL */
import init, { import_openapi, update_definition } from "gatewright-editor";
import { issue, readYaml } from "./yaml.js";

const ready = init({ module_or_path: EDITOR_WASM_URL });
ready.catch(() => postMessage(["0", "failed"]));

const MARKUP = "this is a web page or XML, no OpenAPI document; use the address of the document itself (on GitHub: Raw)";

/** The last document: { text, format, json?, yaml? }. */
let last = read("");

self.addEventListener("message", async ({ data: [number, call, ...values] }) => {
  await ready;
  postMessage([number, call === "update" ? update_definition(...values) : imported(...values)]);
});
// What was thrown in there is said to the page as an error of the worker.
self.addEventListener("unhandledrejection", ({ reason }) => reportError(reason));

function imported(text, options) {
  if (text !== null) last = read(text);
  const { format, json, yaml, issues } = last;
  if (issues) return JSON.stringify({ format, issues });
  // Only texts and small numbers are in there: what a definition holds is a text, too.
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

/** Puts the positions in the JSON text back to those in the YAML text. */
function moved(answer, yaml) {
  for (const note of answer.report ?? []) {
    const { line, column } = yaml.rangeOf(note.pointer);
    Object.assign(note, { line, column });
  }
  answer.report?.push(...yaml.notes);
  for (const found of answer.issues ?? []) Object.assign(found, yaml.rangeOf(found.pointer));
}
