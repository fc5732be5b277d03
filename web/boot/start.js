// Starts the WebAssembly module of an area and says so on the page if it can't be started.
/* global WASM_URL */
import init from "gatewright-web";

// The script may be here before the document is.
const parsed = document.readyState === "loading" && new Promise((done) => addEventListener("DOMContentLoaded", done, { once: true }));

Promise.resolve(parsed)
  .then(() => init({ module_or_path: WASM_URL }))
  .catch((error) => {
    console.error(error);
    const note = document.getElementById("start-failed");
    if (note) note.hidden = false;
  });
