// Starts the WebAssembly module of an area and says so on the page if it can't be started.
/* global STYLES_URL */
import "./focus.js";
import "./hover.js";
import "./scroll.js";
import init from "gatewright-web";

// The script may run before the document is parsed.
const parsed = document.readyState === "loading" && new Promise((done) => addEventListener("DOMContentLoaded", done, { once: true }));

/** The styles of this area only, after those of the console. Without them the page is plain, but works. */
const styled = () =>
  new Promise((done) => {
    document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href: STYLES_URL, onload: done, onerror: done }));
  });

Promise.all([globalThis.code, globalThis.connected, Promise.resolve(parsed).then(styled)])
  .then(([module]) => init({ module_or_path: module }))
  .catch((error) => {
    console.error(error);
    const note = document.getElementById("start-failed");
    if (note) note.hidden = false;
  });
