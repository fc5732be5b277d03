// Finds out who is signed in before the console starts; the code in a link (`#connect=…`, printed by `cargo xtask
// serve`) is exchanged for a session first. The session is a cookie that no script can read.

import { first } from "./first.js";

const LINK = /^#connect=([\w-]+)$/;

/**
 * Storage keys: the session, which `web/src/state/session.rs` reads from storage or from the page itself, and the note
 * for an expired link, shown by the page Connect.
 */
const [SESSION, ENDED] = ["gatewright.session", "gatewright.link-ended"];
/** Without this header the gateway ignores the cookie. */
const HEADERS = { "x-gateway-console": "1" };
/** How long to wait for a gateway that does not respond; the console then says so. */
const PATIENCE_MS = 8000;

/** Resolves once it is known who is signed in. */
export function connect() {
  // Opening such a link in a tab of the console only changes the fragment.
  addEventListener("hashchange", () => LINK.test(location.hash) && location.reload());
  const code = LINK.exec(location.hash)?.[1];
  if (!code) {
    const looked = look();
    first(known(), HEADERS);
    return looked;
  }
  // Keeps the code out of the history and of copied addresses.
  history.replaceState(history.state, "", location.pathname + location.search);
  return exchange(code);
}

async function look() {
  const answer = await fetch("/console/session", { headers: HEADERS, signal: AbortSignal.timeout(PATIENCE_MS) }).catch(() => undefined);
  // If the gateway can't be reached, the last known session stays: the console reports the gateway as unreachable.
  if (answer?.ok || answer?.status === 401) keep("localStorage", SESSION, await answer.text());
}

/** Returns the last known session, which need not be valid any more. */
function known() {
  try {
    return JSON.parse(localStorage.getItem(SESSION)) ?? {};
  } catch {
    return {};
  }
}

async function exchange(code) {
  const answer = await fetch("/console/connect", { method: "POST", body: code, headers: HEADERS }).catch(() => undefined);
  if (answer?.ok) return keep("localStorage", SESSION, await answer.text());
  keep("sessionStorage", ENDED, "true");
  return look();
}

function keep(storage, name, text) {
  try {
    globalThis[storage].setItem(name, text);
  } catch {
    // Storage can be switched off or full: then only this page has the value, and the next one asks again.
    globalThis[name] = text;
  }
}
