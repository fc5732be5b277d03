// Requests the rows of a list while the console's module is still loading. `web/src/api/first.rs` takes the response if
// the module asks for exactly this path; so the paths are built as there (`web/src/state/filters.rs`, `listing.rs`).

/** The property that holds the path and the promise of its response. */
const SENT = "gatewrightFirst";
/** How long a response that nobody has asked for is kept: later, it could be out of date. */
const KEPT_MS = 10_000;

const encode = (text) => encodeURIComponent(text).replace(/[!'()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`);
const join = (pairs) => pairs.flatMap(([name, value]) => (value ? [`${name}=${encode(value)}`] : [])).join("&");
const page = (given) => String(Math.max(1, Math.trunc(Number(given)) || 1));

/** The list of APIs, or of those with one kind of document. */
const apis = (more) => (given) => {
  const value = (name, otherwise = "") => given.get(name) || otherwise;
  const query = [
    ["view", "summary"],
    ["q", value("q").trim()],
    ["state", value("state")],
    ["tag", value("tag")],
    ["sort", value("sort", "name")],
    ["p", page(value("p"))],
    ["per_page", value("per_page", "50")],
  ];
  return `/gateway/apis?${join(query)}${more}`;
};

/** A list of other documents, whose filters follow the rest. */
const documents = (path, order) => (given) => {
  const own = ["q", "sort", "p"];
  const query = [
    ["q", (given.get("q") ?? "").trim()],
    ["sort", given.get("sort") || order],
    ["p", page(given.get("p"))],
    ["per_page", "50"],
    ...[...given].filter(([name]) => !own.includes(name)),
  ];
  return path + join(query);
};

const LISTS = {
  "/console/apis": apis(""),
  "/console/openapi": apis("&document=oas"),
  "/console/mcp": apis("&document=mcp"),
  "/console/keys": documents("/gateway/keys?view=summary&", "-updated_at"),
  "/console/webhooks": documents("/api/hooks?", "-last_updated"),
  "/console/client-idps": documents("/api/clientidps?", "-last_updated"),
  "/console/rulesets": documents("/api/rulesets?", "-last_updated"),
};

/** Sends the request for the list at this address, if whoever was last known to be signed in may see it. */
export function first(session, headers) {
  const path = LISTS[location.pathname]?.(new URLSearchParams(location.search));
  if (!path || !session[path.startsWith("/api/") ? "dashboard" : "gateway"]) return;
  // Read at once, so that the module has the rows before it paints for the first time.
  const answer = fetch(path, { headers }).then((response) => {
    const text = response.text();
    return Object.assign(response, { text: () => text });
  });
  // Whoever takes it handles the failure.
  answer.catch(() => {});
  globalThis[SENT] = [path, answer];
  setTimeout(() => delete globalThis[SENT], KEPT_MS);
}
