// <body-playground>: tries a rule that rewrites bodies, with the modules that run it at the edge (`extras/`).
//
// Property: rule, JSON text: kind (the list of the definition that it is in), pointer, source (the filter, or the
// template in Base64), input ("json" or "xml"), context and meta (whether the edge passes them to the rule). Read when
// the element is connected.
// Event: `playground-take` (detail: JSON text: source as above, and input) when what was tried is to become the rule.
/* global EXTRAS_URL, PLAYGROUND_STYLES_URL */
import { facts, firstBody, firstFacts, fromBase64, problems, shown, toBase64 } from "./playground-rule.js";
import { style } from "./style.js";

const PAUSE_MS = 120;
/** The last inputs for each rule, kept for the lifetime of the page. */
const kept = new Map();

const element = (tag, members = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), members);
  made.append(...children);
  return made;
};

class BodyPlayground extends HTMLElement {
  #rule;
  #editors = {};
  #timer;
  #runs = 0;
  #place;

  rule = "{}";

  connectedCallback() {
    if (this.#rule) return;
    this.#rule = JSON.parse(this.rule);
    this.classList.add("playground");
    this.#render();
    this.#try();
  }

  disconnectedCallback() {
    clearTimeout(this.#timer);
    const { source, body, facts: known } = this.#editors;
    kept.set(this.#key(), { of: this.#rule.source, source: source.value, input: this.#input, body: body.value, facts: known.value });
  }

  #key() {
    const { kind, pointer } = this.#rule;
    return `${kind} ${pointer}`;
  }

  get #isJq() {
    return this.#rule.kind.startsWith("transform_jq");
  }

  get #isAnswer() {
    return this.#rule.kind.endsWith("_response");
  }

  get #source() {
    return this.#editors.source.value;
  }

  get #input() {
    return this.input?.value ?? "json";
  }

  #render() {
    const { source, input } = this.#rule;
    const { text, broken } = this.#isJq ? { text: source } : fromBase64(source);
    this.before = { text, input };
    const before = kept.get(this.#key());
    const typed = before?.of === source ? before : { source: text, input };
    const subject = this.#isAnswer ? "answer" : "request";
    const name = this.#isJq ? "Filter" : "Template";
    this.status = element("p", { className: "playground-status" });
    this.status.setAttribute("role", "status");
    this.go = element("button", { type: "button", className: "btn btn-small", textContent: "Go to it", hidden: true });
    this.go.addEventListener("click", () => this.#place && this.#editors.source.reveal(this.#place.line, this.#place.column));
    this.take = element("button", { type: "button", className: "btn btn-primary", textContent: `Use this ${name.toLowerCase()}`, disabled: true });
    this.take.addEventListener("click", () => this.#use());
    this.sets = element("div", { className: "playground-sets" });
    const left = element("div", { className: "playground-side" });
    const right = element("div", { className: "playground-side" });
    left.append(this.#part("source", name, typed.source, { tall: true }), element("div", { className: "playground-result" }, this.status, this.go));
    if (broken) left.append(element("p", { className: "field-problem", textContent: broken }));
    if (!this.#isJq) left.append(this.#kinds(typed.input));
    left.append(this.#part("facts", this.#isAnswer ? "What is known about request and answer" : "What is known about the request", before?.facts ?? firstFacts(this.#rule), { language: "json", hint: this.#notes() }));
    right.append(this.#part("body", `Body of the ${subject}`, before?.body ?? firstBody(input), { language: "auto" }));
    right.append(this.#part("made", "What is sent instead", "", { language: "auto", readOnly: true }), this.sets);
    const note = element("span", { className: "foot-note", textContent: "Runs in this browser, in the gateway's own module. Nothing is sent anywhere." });
    // Escape leaves an editor (`json-editor.js`); only outside of one does it close the dialog.
    this.addEventListener("keydown", (event) => {
      if (event.key === "Escape" && event.target.localName === "json-editor") event.preventDefault();
    });
    this.append(element("div", { className: "dialog-body playground-sides" }, left, right), element("footer", { className: "dialog-foot" }, note, this.take));
  }

  /** Adds an editor with a heading. */
  #part(name, title, text, { language = "text", readOnly = false, tall = false, hint = "" } = {}) {
    const editor = element("json-editor", { language, label: title, readOnly, value: text, className: tall ? "playground-tall" : "" });
    this.#editors[name] = editor;
    if (!readOnly) editor.addEventListener("editor-change", () => this.#soon());
    const head = element("h3", { textContent: title });
    const part = element("section", { className: "playground-part" }, head);
    part.setAttribute("aria-label", title);
    if (hint) part.append(element("p", { className: "muted small", textContent: hint }));
    part.append(element("div", { className: "playground-editor" }, editor));
    return part;
  }

  #kinds(input) {
    this.input = element("select", { className: "input input-small" });
    for (const [value, label] of [["json", "JSON"], ["xml", "XML"]]) this.input.append(element("option", { value, textContent: label, selected: value === input }));
    this.input.addEventListener("change", () => this.#soon());
    return element("label", { className: "playground-kind" }, element("span", { textContent: "The body is read as" }), this.input);
  }

  /** Explains what the definition withholds from the rule. */
  #notes() {
    const { context, meta } = this.#rule;
    const missing = [];
    if (!context) missing.push("context variables are missing: enable_context_vars is off");
    if (!meta && !this.#isJq) missing.push("the key's metadata is missing: enable_session is off");
    if (missing.length === 0) return "";
    const text = missing.join(", and ");
    return `${text[0].toUpperCase()}${text.slice(1)}.`;
  }

  #soon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#try(), PAUSE_MS);
  }

  async #try() {
    const number = (this.#runs += 1);
    const source = this.#source;
    this.take.disabled = source === this.before.text && this.#input === this.before.input;
    let passed;
    try {
      passed = facts(this.#rule, source, this.#editors.facts.value);
    } catch (error) {
      this.#show({ error: `What is known about the request can't be read: ${error.message}` });
      return;
    }
    const [name, call, settings] = this.#isJq ? ["jq", "transform", source] : ["transform", this.#isAnswer ? "response" : "request", `${this.#input}\n${source}`];
    const outcome = await run(name, call, settings, passed, this.#editors.body.value).catch(() => ({ failed: true }));
    // The input may have changed since.
    if (number !== this.#runs) return;
    if (outcome.failed) this.#show({ error: "The module could not be loaded. Check the connection, and change something to try again." });
    else this.#show(outcome.report, outcome.made);
  }

  /** Shows a report, and the new body. */
  #show(report, made) {
    const { text, state, place } = shown(report, made, this.#isAnswer);
    this.status.textContent = text;
    this.status.dataset.state = state;
    this.#place = place;
    this.go.hidden = place === undefined;
    this.#editors.source.setProblems(JSON.stringify(problems(report)));
    this.#editors.made.value = made ?? "";
    this.sets.replaceChildren(...[["headers", "Headers that are set"], ["context", "Context variables that are set"]].flatMap(([member, title]) => table(title, report[member])));
  }

  #use() {
    const source = this.#isJq ? this.#source : toBase64(this.#source);
    this.dispatchEvent(new CustomEvent("playground-take", { detail: JSON.stringify({ source, input: this.#input }) }));
  }
}

/** Returns a table of names and texts, or nothing if there are none. */
function table(title, members) {
  const rows = Object.entries(members ?? {});
  if (rows.length === 0) return [];
  const list = element("dl", { className: "facts" });
  for (const [name, value] of rows) list.append(element("div", {}, element("dt", { textContent: name }), element("dd", {}, element("code", { textContent: value }))));
  return [element("h3", { textContent: title }), list];
}

const [{ run }] = await Promise.all([import(new URL(EXTRAS_URL, location.href).href), style(PLAYGROUND_STYLES_URL), customElements.whenDefined("json-editor")]);
customElements.define("body-playground", BodyPlayground);
