// <document-form>: the form of a document, rendered by the WebAssembly module of `web/src/form.rs`.
//
// Properties: root (a kind of document, in the words of `gatewright-model`; read when the element is connected), text,
// at (the pointer of the page), problems (JSON text). Method: reveal(pointer). The events are those of `Form` there.
/* global FORM_STYLES_URL, FORM_WASM_URL */
import init, { Form } from "gatewright-form";
import { style } from "./style.js";

class DocumentForm extends HTMLElement {
  #form = null;

  root = "";

  connectedCallback() {
    this.#form ??= new Form(this, this.root);
  }

  disconnectedCallback() {
    this.#form?.free();
    this.#form = null;
  }

  set text(text) {
    this.#form?.setText(text);
  }

  set at(pointer) {
    this.#form?.setAt(pointer);
  }

  set problems(json) {
    this.#form?.setProblems(json);
  }

  reveal(pointer) {
    this.#form?.reveal(pointer);
  }
}

await Promise.all([init({ module_or_path: FORM_WASM_URL }), style(FORM_STYLES_URL)]);
customElements.define("document-form", DocumentForm);
