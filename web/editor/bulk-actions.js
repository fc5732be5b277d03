// <bulk-actions>: the bulk actions of a list, rendered by the WebAssembly module of `web/src/bulk.rs`.
//
// Properties: kind (the noun of a kind of document; read when the element is connected), picks (the selection, JSON
// text) and matching (what else matches in the list). The events are those of `Bulk` there.
/* global BULK_STYLES_URL, BULK_WASM_URL */
import init, { Bulk } from "gatewright-bulk";
import { style } from "./style.js";

class BulkActions extends HTMLElement {
  #bulk = null;

  kind = "";

  connectedCallback() {
    this.#bulk ??= new Bulk(this, this.kind);
  }

  disconnectedCallback() {
    this.#bulk?.free();
    this.#bulk = null;
  }

  set matching(text) {
    this.#bulk?.setMatching(text);
  }

  set picks(json) {
    this.#bulk?.setPicks(json);
  }
}

await Promise.all([init({ module_or_path: BULK_WASM_URL }), style(BULK_STYLES_URL)]);
customElements.define("bulk-actions", BulkActions);
