// Exchanges the code of a link (`#connect=…`, printed by `cargo xtask serve`) for the keys of this tab.

const LINK = /^#connect=([\w-]+)$/;

/** The keys that `web/src/state/session.rs` reads, and the note that the page Connect shows. */
const [SECRET, TOKEN, ENDED] = ["gatewright.secret", "gatewright.token", "gatewright.link-ended"];

/** Resolves when the tab has its keys, or the link has turned out to be an old one; `undefined` without a link. */
export function connect() {
  // A link that is opened in a tab of the console changes the fragment only.
  addEventListener("hashchange", () => LINK.test(location.hash) && location.reload());
  const code = LINK.exec(location.hash)?.[1];
  if (!code) return undefined;
  // Neither the history nor a copied address keeps it.
  history.replaceState(history.state, "", location.pathname + location.search);
  return exchange(code);
}

async function exchange(code) {
  const answer = await fetch("/console/connect", { method: "POST", body: code }).catch(() => undefined);
  const keys = answer?.ok ? await answer.json() : undefined;
  try {
    if (keys === undefined) return sessionStorage.setItem(ENDED, "true");
    sessionStorage.setItem(SECRET, keys.secret);
    sessionStorage.setItem(TOKEN, keys.token);
  } catch {
    // Storage can be switched off; the page Connect asks for the keys then.
  }
}
