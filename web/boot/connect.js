// Finds out who is signed in before the console starts; the code of a link (`#connect=…`, printed by
// `cargo xtask serve`) signs in first. What opens the gateway is a cookie that no script can read.

const LINK = /^#connect=([\w-]+)$/;

/** What `web/src/state/session.rs` reads, there or on the page itself, and the note that the page Connect shows. */
const [SESSION, ENDED] = ["gatewright.session", "gatewright.link-ended"];
/** Without it nobody is answered by a cookie. */
const HEADERS = { "x-gateway-console": "1" };

/** Resolves when it is known. */
export function connect() {
  // A link that is opened in a tab of the console changes the fragment only.
  addEventListener("hashchange", () => LINK.test(location.hash) && location.reload());
  const code = LINK.exec(location.hash)?.[1];
  if (!code) return look();
  // Neither the history nor a copied address keeps it.
  history.replaceState(history.state, "", location.pathname + location.search);
  return exchange(code);
}

async function look() {
  const answer = await fetch("/console/session", { headers: HEADERS }).catch(() => undefined);
  // Where nobody answers, what was known stays: the console says that the gateway can't be reached.
  if (answer?.ok || answer?.status === 401) keep("localStorage", SESSION, await answer.text());
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
    // Storage can be switched off or full: the page has it then, and the next one asks anew.
    globalThis[name] = text;
  }
}
