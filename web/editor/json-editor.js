// <json-editor>: CodeMirror 6 for JSON in a shadow root, checked by the model's own validator.
//
// In a shadow root, CodeMirror puts its styles into an adopted style sheet instead of a <style> element, as required by
// the console's Content Security Policy (`style-src 'self'`). Colours come from the page's custom properties, which
// cross the shadow boundary, so themes need no code here.
//
// Properties: value, readOnly, wrap, label, root (a kind of document, in the words of `gatewright-model`; empty for any
// JSON), ids (the APIs and policies that the page knows, JSON text as `web/src/editor/ids.rs` reads it), quiet (reports
// no issues as long as nothing has been written yet). Methods: setProblems(json) for problems found elsewhere,
// reveal(line, column), focus().
// Events: `editor-change` (detail: the whole text) for the user's edits, not for `value =`; `editor-issues` (detail:
// the issues as JSON text) after each validation, and once more when the modules that run filters and templates have
// parsed them.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab, isolateHistory } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, codeFolding, foldGutter, foldKeymap, indentOnInput, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Annotation, Compartment, EditorSelection, EditorState, Transaction } from "@codemirror/state";
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
  rectangularSelection,
} from "@codemirror/view";
import { assist, check, completions, explanations, diagnostic, misnamed, offset, ready, reference, rewritten } from "./assist.js";
import { theme } from "./theme.js";
import { yaml } from "./yaml-language.js";

/** Marks a change made by the page, which must not be reported as an edit. */
const fromPage = Annotation.define();

const HINT = "JSON editor. Press Escape, then Tab to leave it.";

/** Milliseconds without typing before filters and templates are parsed. */
const PAUSE_MS = 300;

/** Whether the page accepts files dropped anywhere: see `web/src/components/file_drop.rs`. */
const pageReadsFiles = () => document.querySelector(".drop-over") !== null;

/**
 * Returns the cursor's offset after a mere change of formatting: behind the same character; undefined if more than the
 * formatting differs.
 */
function relaid(old, text, head) {
  const ink = (text) => text.replace(/\s+/g, "");
  if (ink(old) !== ink(text)) return undefined;
  let left = ink(old.slice(0, head)).length;
  let at = 0;
  for (; left > 0; at += 1) if (/\S/.test(text[at])) left -= 1;
  return { anchor: at };
}

class JsonEditor extends HTMLElement {
  #view = null;
  #locked = new Compartment();
  #labelled = new Compartment();
  #written = new Compartment();
  #wrapped = new Compartment();
  #readOnly = false;
  #wrap = true;
  #label = "JSON";
  #initial = "";
  #issues = [];
  #others = [];
  #rewritten = [];
  #pause;

  /** The kind of document; read when the element is connected. */
  root = "";
  /**
   * The language of the texts: json, text, auto (JSON if it looks like it, else text), or else YAML or JSON; read when
   * the element is connected.
   */
  language = "json";
  hint = "";
  quiet = "";
  #ids = "";

  /** The model's functions; see `assist.js`. */
  static get assist() {
    return assist();
  }

  connectedCallback() {
    if (this.#view) return;
    const root = this.shadowRoot ?? this.attachShadow({ mode: "open" });
    const state = EditorState.create({ doc: this.#initial, extensions: this.#extensions() });
    this.#view = new EditorView({ state, root, parent: root });
    this.#check();
  }

  disconnectedCallback() {
    clearTimeout(this.#pause);
    this.#initial = this.value;
    this.#view?.destroy();
    this.#view = null;
  }

  get value() {
    return this.#view ? this.#view.state.doc.toString() : this.#initial;
  }

  set value(text) {
    if (!this.#view) {
      this.#initial = text;
      return;
    }
    const old = this.value;
    if (text === old) return;
    // Replaces only what differs, so that the cursor, folds and the undo history stay.
    const shorter = Math.min(old.length, text.length);
    let from = 0;
    while (from < shorter && old[from] === text[from]) from += 1;
    let same = 0;
    while (same < shorter - from && old[old.length - 1 - same] === text[text.length - 1 - same]) same += 1;
    const changes = { from, to: old.length - same, insert: text.slice(from, text.length - same) };
    const selection = relaid(old, text, this.#view.state.selection.main.head);
    // The initial text of an editor is not a step that can be undone.
    const annotations = [fromPage.of(true), Transaction.addToHistory.of(old !== "")];
    // A change made by the page, such as formatting, is undone as one step, separately from earlier typing.
    if (changes.insert.length + changes.to - changes.from > 1) annotations.push(isolateHistory.of("full"));
    this.#view.dispatch({ changes, selection, scrollIntoView: selection !== undefined, annotations });
  }

  get readOnly() {
    return this.#readOnly;
  }

  set readOnly(locked) {
    this.#readOnly = locked;
    this.#view?.dispatch({ effects: this.#locked.reconfigure(this.#lock()) });
  }

  get wrap() {
    return this.#wrap;
  }

  /** Whether long lines are wrapped. */
  set wrap(on) {
    this.#wrap = on;
    this.#view?.dispatch({ effects: this.#wrapped.reconfigure(this.#wrapping()) });
  }

  set ids(text) {
    if (text === this.#ids) return;
    this.#ids = text;
    if (this.#view) this.#check();
  }

  get label() {
    return this.#label;
  }

  set label(text) {
    this.#label = text;
    this.#view?.dispatch({ effects: this.#labelled.reconfigure(this.#attributes()) });
  }

  /** Shows problems found elsewhere, in addition to those found here. */
  setProblems(text) {
    this.#others = JSON.parse(text);
    this.#mark();
  }

  /** Moves the cursor to a position, scrolls there and takes the focus. */
  reveal(line, column) {
    if (!this.#view) return;
    const at = offset(this.#view.state.doc, line, column);
    this.#view.dispatch({
      selection: EditorSelection.cursor(at),
      effects: EditorView.scrollIntoView(at, { y: "center" }),
    });
    this.#view.focus();
  }

  focus() {
    this.#view?.focus();
  }

  #check() {
    const text = this.value;
    const said = text === "" || text !== this.quiet;
    this.#issues = said ? [...JSON.parse(check(this.root, text)), ...misnamed(this.root, text, this.#ids)] : [];
    this.#tell();
    clearTimeout(this.#pause);
    if (this.root) this.#pause = setTimeout(() => this.#read(), PAUSE_MS);
  }

  async #read() {
    const text = this.value;
    const found = await rewritten(text);
    // The text may have changed since; a later run parses it.
    if (!this.#view || text !== this.value || found.length + this.#rewritten.length === 0) return;
    this.#rewritten = found;
    this.#tell();
  }

  #tell() {
    this.#mark();
    this.dispatchEvent(new CustomEvent("editor-issues", { detail: JSON.stringify([...this.#issues, ...this.#rewritten]) }));
  }

  #mark() {
    if (!this.#view) return;
    const { state } = this.#view;
    const marks = [...this.#issues, ...this.#rewritten, ...this.#others].map((issue) => diagnostic(this.root, state.doc, issue));
    this.#view.dispatch(setDiagnostics(state, marks));
  }

  #colour(before) {
    if (this.language === "text") return;
    const now = this.#isJson(this.#view.state.doc.sliceString(0, 99));
    if (now !== before) this.#view.dispatch({ effects: this.#written.reconfigure(this.#grammar(this.value)) });
  }

  #grammar(text) {
    if (this.language === "text") return [];
    if (this.#isJson(text)) return json();
    return this.language === "auto" ? [] : yaml;
  }

  #isJson(text) {
    return this.language === "json" || /^\s*[{[]/.test(text);
  }

  #lock() {
    return EditorState.readOnly.of(this.#readOnly);
  }

  #wrapping() {
    return this.#wrap ? EditorView.lineWrapping : [];
  }

  #attributes() {
    return EditorView.contentAttributes.of({
      "aria-label": this.#label,
      "aria-description": HINT,
      // It is focusable anyway, but not every accessibility checker knows that.
      tabindex: "0",
      spellcheck: "false",
      autocorrect: "off",
      autocapitalize: "off",
    });
  }

  #extensions() {
    return [
      lineNumbers(),
      highlightActiveLineGutter(),
      highlightSpecialChars(),
      history(),
      foldGutter(),
      codeFolding(),
      drawSelection(),
      rectangularSelection(),
      EditorState.allowMultipleSelections.of(true),
      this.#wrapped.of(this.#wrapping()),
      indentOnInput(),
      indentUnit.of("  "),
      bracketMatching(),
      closeBrackets(),
      autocompletion({ override: [completions(() => this.root, () => this.#ids)], icons: false }),
      explanations(() => this.root),
      highlightActiveLine(),
      highlightSelectionMatches(),
      search({ top: true }),
      lintGutter(),
      this.#written.of(this.#grammar(this.#initial)),
      placeholder(this.hint),
      // A dropped file would be inserted into the text, unless the page reads it.
      EditorView.domEventHandlers({ drop: (event) => pageReadsFiles() && (event.dataTransfer?.types.includes("Files") ?? false) }),
      theme,
      this.#locked.of(this.#lock()),
      this.#labelled.of(this.#attributes()),
      // The page of an OpenAPI document uses this shortcut to continue; in the editor it would add a line.
      keymap.of(this.language === "json" ? [] : [{ key: "Mod-Enter", run: () => true }]),
      keymap.of([
        reference(() => this.root),
        ...closeBracketsKeymap,
        ...completionKeymap,
        ...defaultKeymap,
        ...searchKeymap,
        ...historyKeymap,
        ...foldKeymap,
        ...lintKeymap,
        indentWithTab,
      ]),
      EditorView.updateListener.of((update) => this.#report(update)),
    ];
  }

  #report(update) {
    if (!update.docChanged) return;
    if (!update.transactions.some((transaction) => transaction.annotation(fromPage))) {
      this.dispatchEvent(new CustomEvent("editor-change", { detail: this.value }));
    }
    // An update must not dispatch another one before it has finished.
    queueMicrotask(() => {
      if (!this.#view) return;
      this.#colour(this.#isJson(update.startState.doc.sliceString(0, 99)));
      this.#check();
    });
  }
}

await ready;
customElements.define("json-editor", JsonEditor);
