// <json-editor>: CodeMirror 6 for JSON in a shadow root.
//
// In a shadow root CodeMirror's styles go into an adopted style sheet instead of a <style> element,
// which is what the console's Content Security Policy (`style-src 'self'`) asks for. Colours come
// from the page's custom properties, which cross the shadow boundary, so themes need no code here.
//
// Properties: value, readOnly, label. Methods: setProblems(json), reveal(line, column), focus().
// Event: `editor-change` (detail: the whole text), only for edits of the person, not for `value =`.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { bracketMatching, codeFolding, foldGutter, foldKeymap, indentOnInput, indentUnit } from '@codemirror/language';
import { lintGutter, lintKeymap, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Annotation, Compartment, EditorSelection, EditorState } from '@codemirror/state';
import {
  EditorView,
  drawSelection,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
} from '@codemirror/view';
import { theme } from './theme.js';

/** Marks a change made by the page, which must not come back as an edit. */
const fromPage = Annotation.define();

const HINT = 'JSON editor. Press Escape, then Tab to leave it.';

/** The offset of a line and column (both from 1, UTF-16 units), held inside the document. */
function offset(doc, line, column) {
  const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
  return Math.min(at.from + Math.max(column, 1) - 1, at.to);
}

/** One issue of the Rust validator as a CodeMirror diagnostic. */
function diagnostic(doc, issue) {
  const from = offset(doc, issue.line, issue.column);
  const to = Math.max(from, offset(doc, issue.end_line, issue.end_column));
  return { from, to, severity: issue.severity, message: issue.message, source: issue.pointer || undefined };
}

class JsonEditor extends HTMLElement {
  #view = null;
  #locked = new Compartment();
  #labelled = new Compartment();
  #readOnly = false;
  #label = 'JSON';
  #initial = '';

  connectedCallback() {
    if (this.#view) return;
    const root = this.shadowRoot ?? this.attachShadow({ mode: 'open' });
    const state = EditorState.create({ doc: this.#initial, extensions: this.#extensions() });
    this.#view = new EditorView({ state, root, parent: root });
  }

  disconnectedCallback() {
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
    if (text === this.value) return;
    const { doc } = this.#view.state;
    this.#view.dispatch({
      changes: { from: 0, to: doc.length, insert: text },
      annotations: fromPage.of(true),
    });
  }

  get readOnly() {
    return this.#readOnly;
  }

  set readOnly(locked) {
    this.#readOnly = locked;
    this.#view?.dispatch({ effects: this.#locked.reconfigure(this.#lock()) });
  }

  get label() {
    return this.#label;
  }

  set label(text) {
    this.#label = text;
    this.#view?.dispatch({ effects: this.#labelled.reconfigure(this.#attributes()) });
  }

  /** Shows issues (`[{severity, message, pointer, line, column, end_line, end_column}]` as JSON text). */
  setProblems(text) {
    if (!this.#view) return;
    const { state } = this.#view;
    const diagnostics = JSON.parse(text).map((issue) => diagnostic(state.doc, issue));
    this.#view.dispatch(setDiagnostics(state, diagnostics));
  }

  /** Puts the cursor at a place, scrolls there and takes the focus. */
  reveal(line, column) {
    if (!this.#view) return;
    const at = offset(this.#view.state.doc, line, column);
    this.#view.dispatch({
      selection: EditorSelection.cursor(at),
      effects: EditorView.scrollIntoView(at, { y: 'center' }),
    });
    this.#view.focus();
  }

  focus() {
    this.#view?.focus();
  }

  #lock() {
    return [EditorState.readOnly.of(this.#readOnly), EditorView.editable.of(true)];
  }

  #attributes() {
    return EditorView.contentAttributes.of({
      'aria-label': this.#label,
      'aria-description': HINT,
      spellcheck: 'false',
      autocorrect: 'off',
      autocapitalize: 'off',
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
      indentOnInput(),
      indentUnit.of('  '),
      bracketMatching(),
      closeBrackets(),
      autocompletion({ override: [] }),
      highlightActiveLine(),
      highlightSelectionMatches(),
      search({ top: true }),
      lintGutter(),
      json(),
      theme,
      this.#locked.of(this.#lock()),
      this.#labelled.of(this.#attributes()),
      keymap.of([
        ...closeBracketsKeymap,
        ...defaultKeymap,
        ...searchKeymap,
        ...historyKeymap,
        ...foldKeymap,
        ...completionKeymap,
        ...lintKeymap,
        indentWithTab,
      ]),
      EditorView.updateListener.of((update) => this.#report(update)),
    ];
  }

  #report(update) {
    if (!update.docChanged) return;
    if (update.transactions.some((transaction) => transaction.annotation(fromPage))) return;
    this.dispatchEvent(new CustomEvent('editor-change', { detail: this.value }));
  }
}

customElements.define('json-editor', JsonEditor);
