// Starts the WebAssembly module of an area and says so on the page if it can't be started.
/* global WASM_URL, STYLES_URL */
import init from "gatewright-web";

// The script may be here before the document is.
const parsed = document.readyState === "loading" && new Promise((done) => addEventListener("DOMContentLoaded", done, { once: true }));

/** The styles of the area alone, behind those of the console. Without them it is plain, but works. */
const styled = () =>
  new Promise((done) => {
    document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: STYLES_URL, onload: done, onerror: done }));
  });

Promise.all([parsed, globalThis.connected])
  .then(styled)
  .then(() => init({ module_or_path: WASM_URL }))
  .catch((error) => {
    console.error(error);
    const note = document.getElementById("start-failed");
    if (note) note.hidden = false;
  });
