// <command-palette>: the palette, rendered by the WebAssembly module of `web/src/palette.rs`.
//
// Properties: typed, the text typed before the element was there, and entered, whether Enter was pressed as well. The
// events are those of `Palette` there.
/* global PALETTE_WASM_URL */
import init, { Palette } from "gatewright-palette";

class CommandPalette extends HTMLElement {
  #palette = null;

  typed = "";
  entered = false;

  connectedCallback() {
    this.#palette ??= new Palette(this, this.typed, this.entered);
  }

  disconnectedCallback() {
    this.#palette?.free();
    this.#palette = null;
  }
}

await init({ module_or_path: PALETTE_WASM_URL });
customElements.define("command-palette", CommandPalette);
