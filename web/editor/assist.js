// The model's assistance in the form that CodeMirror expects. Every function here calls the WebAssembly module of
// `web/src/editor.rs`, which uses the code that runs at the edge.
/* global EDITOR_WASM_URL, EXTRAS_URL, YAML_URL */
import { pickedCompletion } from "@codemirror/autocomplete";
import { hoverTooltip } from "@codemirror/view";
import init, { apply, applyFix, broken, change, complete, explain, find, fixAll, fixes, formPage, locate, sources, unknown, validate } from "gatewright-editor";
import { utf8 } from "./utf8.js";

let loaded = false;
const bytes = utf8();

/**
 * Settles once the module is loaded. Without it the editor still edits; the gateway validates when the text is stored.
 */
export const ready = init({ module_or_path: EDITOR_WASM_URL }).then(
  () => (loaded = true),
  (error) => console.error(error),
);

/** The module's functions for pages that need them outside the editor; null if it could not be loaded. */
export const assist = () => (loaded ? { apply, applyFix, change, find, fixAll, fixes, formPage, locate, validate: check, yaml } : null);

/** Converts YAML to JSON. Returns a JSON object: json, or error. */
async function yaml(text) {
  const { readYaml } = await import(new URL(YAML_URL, location.href).href);
  const { json, issues } = readYaml(text);
  return JSON.stringify(json === undefined ? { error: `Line ${issues[0].line}: ${issues[0].message}` } : { json });
}

/** Returns the issues of a text as JSON text. */
export function check(root, text) {
  return loaded && root ? validate(root, bytes(text)) : "[]";
}

/** Returns the issues of a text given the ids that exist. */
export function misnamed(root, text, ids) {
  return loaded && root && ids ? JSON.parse(unknown(root, text, ids)) : [];
}

let extras;
/** Reports on texts, by module and text. */
const reports = new Map();
const REPORTS_MAX = 500;

/** Returns a module's report on a filter or a template, cached. Rejects if the module can't be loaded. */
async function reported({ module, text }) {
  const name = `${module} ${text}`;
  const known = reports.get(name);
  if (known !== undefined) return known;
  extras ??= import(new URL(EXTRAS_URL, location.href).href);
  const { report } = await (await extras).run(module, "check", text, "", "");
  if (reports.size >= REPORTS_MAX) reports.clear();
  reports.set(name, report);
  return report;
}

/**
 * Returns the issues of the filters and templates in a text, as found by the modules that run them at the edge. The
 * modules are loaded for the first text that contains any.
 */
export async function rewritten(text) {
  const found = loaded && text.includes('"transform') ? JSON.parse(sources(text)) : [];
  try {
    const said = await Promise.all(found.map(reported));
    return found.length === 0 ? [] : JSON.parse(broken(text, said.map((report) => JSON.stringify(report)).join("\n")));
  } catch (error) {
    // The gateway reports it when the text is stored.
    console.info("check", error);
    extras = undefined;
    return [];
  }
}

/** Returns the offset of a line and column (both from 1, UTF-16 units), clamped to the document. */
export function offset(doc, line, column) {
  const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return Math.min(at.from + Math.max(column, 1) - 1, at.to);
}

/** Turns an issue into a CodeMirror diagnostic. Its fixes are computed when it is displayed. */
export function diagnostic(root, doc, issue) {
  const from = offset(doc, issue.line, issue.column);
  const to = Math.max(from, offset(doc, issue.end_line, issue.end_column));
  const renderMessage = (view) => message(root, view, issue);
  return { from, to, severity: issue.severity, message: issue.message, renderMessage };
}

function message(root, view, issue) {
  const box = element("div", "problem");
  box.append(element("p", "problem-text", issue.message));
  if (issue.pointer) box.append(element("code", "problem-pointer", issue.pointer));
  for (const fix of fixesOf(root, view, issue)) {
    const button = element("button", "fix", fix.title);
    button.type = "button";
    // Otherwise the editor would take the click for one into the text.
    button.addEventListener("mousedown", (event) => event.preventDefault());
    button.addEventListener("click", () => {
      view.dispatch({ changes: fix.edits, userEvent: "input.fix" });
      view.focus();
    });
    box.append(button);
  }
  return box;
}

function fixesOf(root, view, issue) {
  if (!loaded || !root || view.state.readOnly) return [];
  return JSON.parse(fixes(root, view.state.doc.toString(), JSON.stringify(issue)));
}

/** Completes member names and values; `ids` are those that the page knows. */
export function completions(root, ids) {
  return (context) => {
    const before = context.matchBefore(/["\w-]+/);
    if (!loaded || !root() || !(context.explicit || before)) return null;
    const text = context.state.doc.toString();
    const offers = JSON.parse(complete(root(), text, context.pos, ids()));
    if (offers.length === 0) return null;
    // CodeMirror compares the text from here on with the labels, which have no quotes.
    const begin = offers[0].from + (text[offers[0].from] === '"' && !offers[0].label.startsWith('"') ? 1 : 0);
    return { from: Math.min(begin, context.pos), options: offers.map(option) };
  };
}

function option(offer, index) {
  return {
    label: offer.label,
    detail: offer.detail,
    // In the order of the table, as the reference documents it; what can't work here comes last.
    boost: -Math.min(index, 60) - (offer.support === "unsupported" ? 39 : 0),
    type: offer.support || offer.kind,
    info: () => card(undefined, offer.doc, offer.support, undefined),
    apply(view, picked) {
      view.dispatch({
        changes: { from: offer.from, to: offer.to, insert: offer.insert },
        selection: { anchor: offer.from + offer.caret },
        annotations: pickedCompletion.of(picked),
        userEvent: "input.complete",
      });
    },
  };
}

/** Documents whose members are not in the reference. */
const OPENAPI = ["openapi_api", "mcp_proxy"];

/** Returns the address of the reference for the member at a path. */
const referenceAt = (root, path) => `/console/reference?${new URLSearchParams({ of: root, path })}`;

/**
 * Binds the key that opens the reference at the member under the cursor, in a new tab, so that what is being edited
 * stays.
 */
export function reference(root) {
  return {
    key: "F1",
    run(view) {
      if (!loaded || !root() || OPENAPI.includes(root())) return false;
      const found = JSON.parse(explain(root(), view.state.doc.toString(), view.state.selection.main.head));
      window.open(referenceAt(root(), found?.title ?? ""), "_blank", "noopener");
      return true;
    },
  };
}

/** Explains the member under the pointer in a tooltip, once the module is loaded: the pointer may be there before. */
export function explanations(root) {
  return hoverTooltip(async (view, pos) => {
    await ready;
    if (!loaded || !root()) return null;
    const hover = JSON.parse(explain(root(), view.state.doc.toString(), pos));
    if (!hover) return null;
    const dom = card(`${hover.title}: ${hover.kind}`, hover.doc, hover.support, hover.support_note);
    if (!OPENAPI.includes(root())) {
      const more = element("a", "card-more", "Reference");
      more.href = referenceAt(root(), hover.title);
      // Keeps what is being edited.
      more.target = "_blank";
      dom.append(more);
    }
    return { pos: hover.from, end: hover.to, above: true, create: () => ({ dom }) };
  });
}

function card(title, doc, support, note) {
  const box = element("div", "card");
  if (title) box.append(element("code", "card-title", title));
  if (doc) box.append(element("p", "card-doc", doc));
  const words = { enforced: "Enforced", stored: "No effect yet", unsupported: "No effect here" };
  if (words[support]) box.append(element("p", `card-support ${support}`, note || words[support]));
  return box;
}

function element(name, className, text) {
  const made = document.createElement(name);
  made.className = className;
  if (text !== undefined) made.textContent = text;
  return made;
}
