// Runs before the first paint, before anything that could fail.
/* global AREAS */
import { connect } from "./connect.js";

// A page must never flash in the wrong theme. "light" and "dark" are explicit choices; anything else means the system's
// theme.
try {
  const choice = localStorage.getItem("gatewright.theme");
  if (choice === "light" || choice === "dark") document.documentElement.dataset.theme = choice;
} catch {
  // Storage can be switched off; then the system's theme applies.
}

// The module reads the session when it starts, so it waits until that is known.
globalThis.connected = connect();

// If a script fails to load, the page says so instead of staying a skeleton.
addEventListener(
  "error",
  (event) => {
    const note = document.getElementById("start-failed");
    if (note && event.target instanceof HTMLScriptElement) note.hidden = false;
  },
  true,
);

// The console is several modules; only the one with the current page is loaded. These lists are those of
// `web/src/routes.rs`.
const PAGES = {
  reference: /^\/console\/(reference|compare)(\/|$)/,
  trust: /^\/console\/(oauth|certificates|jwt|keys\/new)(\/|$)/,
  dashboard: /^\/console\/(client-idps|notifications|audit)(\/|$)/,
  documents: /^\/console\/(rulesets|webhooks|credentials)(\/|$)/,
  offered: /^\/console\/(openapi\/[^/]+\/(versions|yaml)|mcp\/[^/]+\/(catalogue|yaml))\/?$/,
  described: /^\/console\/(openapi|mcp)(\/|$)/,
  access: /^\/console\/(keys|policies|organisations)(\/|$)/,
  overview: /^\/console(\/(connect|overview|try)(\/|$)|\/?$)/,
  traffic: /^\/console\/((reload|batch)(\/|$)|apis\/[^/]+\/(cache|upstreams)\/?$)/,
};
const area = AREAS[Object.keys(PAGES).find((name) => PAGES[name].test(location.pathname)) ?? "gateway"];
const add = (tag, members) => document.head.append(Object.assign(document.createElement(tag), members));
// Compiled while it downloads, and while the document is parsed; the area's script reports a failure.
const compile = async () => WebAssembly.compileStreaming(fetch(area.wasm));
globalThis.code = compile();
globalThis.code.catch(() => {});
add("link", { rel: "preload", as: "style", href: area.styles });
add("script", { type: "module", src: area.script });
