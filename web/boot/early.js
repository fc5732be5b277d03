// Runs before the first paint, before everything that could fail.
/* global AREAS */
import { connect } from "./connect.js";

// A chosen theme must never flash in the other one. "light" and "dark" are choices; anything else
// means: as the system says.
try {
  const choice = localStorage.getItem("gatewright.theme");
  if (choice === "light" || choice === "dark") document.documentElement.dataset.theme = choice;
} catch {
  // Storage can be switched off; the system's theme is right then.
}

// The module reads who is signed in when it starts, so it waits until that is known.
globalThis.connected = connect();

// Scripts that don't load say so on the page, which would stay a skeleton otherwise.
addEventListener(
  "error",
  (event) => {
    const note = document.getElementById("start-failed");
    if (note && event.target instanceof HTMLScriptElement) note.hidden = false;
  },
  true,
);

// The console is several modules; only the one that has the page is loaded. The lists are those of
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
add("link", { rel: "preload", as: "fetch", type: "application/wasm", crossOrigin: "anonymous", href: area.wasm });
add("link", { rel: "preload", as: "style", href: area.styles });
add("script", { type: "module", src: area.script });
