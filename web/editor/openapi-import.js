// <openapi-import>: the import from OpenAPI, rendered by the WebAssembly module of `web/src/form.rs`.
//
// Methods: take(text, name), finish(), merge(), connect(). The events are those of `Import` in
// `web/src/form/import.rs`.
/* global FORM_WASM_URL, IMPORT_STYLES_URL */
import init, { Import } from "gatewright-form";
import { style } from "./style.js";

class OpenApiImport extends HTMLElement {
  #import = null;

  connectedCallback() {
    this.#import ??= new Import(this);
  }

  disconnectedCallback() {
    this.#import?.free();
    this.#import = null;
  }

  take(text, name) {
    this.#import?.take(text, name);
  }

  finish() {
    this.#import?.finish();
  }

  merge() {
    this.#import?.merge();
  }

  connect() {
    this.#import?.connect();
  }
}

await Promise.all([init({ module_or_path: FORM_WASM_URL }), style(IMPORT_STYLES_URL)]);
customElements.define("openapi-import", OpenApiImport);
