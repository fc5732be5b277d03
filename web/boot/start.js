// Starts the WebAssembly module and says so on the page if it can't be started.
/* global MODULE_URL, WASM_URL */
const fail = (error) => {
  console.error(error);
  const note = document.getElementById('start-failed');
  if (note) note.hidden = false;
};

import(MODULE_URL)
  .then(({ default: init }) => init({ module_or_path: WASM_URL }))
  .catch(fail);
