// Starts the WebAssembly module and says so on the page if it can't be started.
/* global WASM_URL */
import init from "gatewright-web";

init({ module_or_path: WASM_URL }).catch((error) => {
  console.error(error);
  const note = document.getElementById("start-failed");
  if (note) note.hidden = false;
});
