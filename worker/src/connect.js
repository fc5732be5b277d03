// Connects a console on one's own machine once, with the code of the link that `cargo xtask serve` prints.
//
// The code is in the fragment of the link, which no browser sends, and in the body of this one request; the secret
// is in no address at all. `CONNECT_CODE` is the code and, behind a blank, until when it holds (Unix milliseconds).
// At the edge it is not set, and there is no such path.

const PATH = "/console/connect";
const HEADERS = { "content-type": "application/json", "cache-control": "no-store", "x-content-type-options": "nosniff" };
/** More is no code, and is not read. */
const CODE_BYTES = 128;

let used = false;

/** Whether a request is one for `connect`; every other one to this path is for a page of the console. */
export const connects = (request, env) =>
  Boolean(env.CONNECT_CODE) && request.method === "POST" && new URL(request.url).pathname === PATH;

/** Signs in whoever has the code, once, with the secret and the token; `signIn` answers the request that does so. */
export async function connect(request, env, signIn) {
  const [expected, until] = env.CONNECT_CODE.split(" ");
  // A foreign page knows no code; it shall not try some either.
  const isForeign = ![null, "same-origin"].includes(request.headers.get("sec-fetch-site"));
  const isShort = Number(request.headers.get("content-length") ?? CODE_BYTES + 1) <= CODE_BYTES;
  const sent = !isForeign && isShort ? await request.text() : "";
  if (used || Date.now() > Number(until) || !isSame(sent, expected)) {
    const message = "The link has ended: it connects one page, within a minute of the start";
    return Response.json({ status: "error", message }, { status: 403, headers: HEADERS });
  }
  used = true;
  // Neither of the two goes to the browser.
  const { origin } = new URL(request.url);
  const headers = { "x-gateway-console": "1", "sec-fetch-site": "same-origin", origin, cookie: request.headers.get("cookie") ?? "" };
  const keys = { "x-gateway-authorization": env.GATEWAY_SECRET, authorization: `Bearer ${env.DASHBOARD_TOKEN}` };
  return signIn(new Request(`${origin}/console/session`, { method: "POST", headers: { ...headers, ...keys } }));
}

/** In constant time but for the length, which is no secret. */
function isSame(sent, expected) {
  const [one, other] = [sent, expected].map((text) => new TextEncoder().encode(text));
  return one.byteLength === other.byteLength && crypto.subtle.timingSafeEqual(one, other);
}
