// Signs in a console on the operator's own machine, once, with the code in the link that `cargo xtask serve` prints.
//
// The code is in the link's fragment, which browsers don't send, and in the body of this one request; the secret is in
// no URL at all. `CONNECT_CODE` is the code, a space, and the time it expires (Unix milliseconds). At the edge it is
// not set, and the path doesn't exist.

const PATH = "/console/connect";
const HEADERS = { "content-type": "application/json", "cache-control": "no-store", "x-content-type-options": "nosniff" };
/** A longer body can't be a code, and is not read. */
const CODE_BYTES = 128;

let used = false;

/** Whether a request is one for `connect`; any other request to this path is for a page of the console. */
export const connects = (request, env) =>
  Boolean(env.CONNECT_CODE) && request.method === "POST" && new URL(request.url).pathname === PATH;

/** Signs in the sender of the code, once, with the secret and the token; `signIn` handles the request that does so. */
export async function connect(request, env, signIn) {
  const [expected, until] = env.CONNECT_CODE.split(" ");
  // A page of another site doesn't know the code, and must not be able to guess either.
  const isForeign = ![null, "same-origin"].includes(request.headers.get("sec-fetch-site"));
  const isShort = Number(request.headers.get("content-length") ?? CODE_BYTES + 1) <= CODE_BYTES;
  const sent = !isForeign && isShort ? await request.text().catch(() => "") : "";
  if (used || Date.now() > Number(until) || !isSame(sent, expected)) {
    const message = "The link has ended: it connects one page, within a minute of the start";
    return Response.json({ status: "error", message }, { status: 403, headers: HEADERS });
  }
  used = true;
  // Neither the secret nor the token is sent to the browser.
  const { origin } = new URL(request.url);
  const headers = { "x-gateway-console": "1", "sec-fetch-site": "same-origin", origin, cookie: request.headers.get("cookie") ?? "" };
  const keys = { "x-gateway-authorization": env.GATEWAY_SECRET, authorization: `Bearer ${env.DASHBOARD_TOKEN}` };
  return signIn(new Request(`${origin}/console/session`, { method: "POST", headers: { ...headers, ...keys } }));
}

/** Compares in constant time, except for the length, which isn't secret. */
function isSame(sent, expected) {
  const [one, other] = [sent, expected].map((text) => new TextEncoder().encode(text));
  return one.byteLength === other.byteLength && crypto.subtle.timingSafeEqual(one, other);
}
