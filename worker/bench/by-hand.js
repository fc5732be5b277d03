// What any worker that forwards other people's requests has to do, written by hand: it drops the headers that must not
// reach an upstream or a client, passes on the client's address, and gives up on an upstream that doesn't respond. And
// what it takes to count a key's rate and quota in memory.

const ENDED = [
  "cf-connecting-ip", "cf-connecting-ipv6", "cf-pseudo-ipv4", "client-ip", "fastly-client-ip", "forwarded",
  "proxy-authorization", "proxy-connection", "true-client-ip", "x-client-ip", "x-cluster-client-ip",
  "x-gateway-authorization", "x-http-method", "x-http-method-override", "x-method-override", "x-original-url", "x-rewrite-url",
];
const NOT_ANSWERED = ["proxy-authenticate", "proxy-connection", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];
const LIMIT_MS = 30_000;
const RULES = Array.from({ length: 10 }, (_, n) => ({ path: new RegExp(`/item${n || ""}$`), add: ["x-rule", `${n}`], remove: "x-gone" }));
const [RATE, WINDOW_MS, QUOTA, RENEWAL_SECONDS] = [1_000_000, 1000, 1_000_000_000, 3600];

/**
 * Forwards a request to a path of `env.TARGET`. With `isRuled`, it also applies the benchmark's rules: ten path rules,
 * headers in both directions, CORS. `quota` is reported in the response; `body` is what has been read of the request.
 */
export async function forward(request, env, path, { isRuled = false, quota, body }) {
  const { host, protocol } = new URL(request.url);
  const { method } = request;
  const sent = new Request(env.TARGET + path, body === undefined ? request : { method, headers: request.headers, body });
  const headers = sent.headers;
  for (const name of ENDED) if (headers.has(name)) headers.delete(name);
  if (isRuled) {
    headers.set("x-gateway", "bench");
    for (const rule of RULES) {
      if (!rule.path.test(path)) continue;
      headers.delete(rule.remove);
      headers.set(...rule.add);
    }
  }
  const address = request.cf?.clientIp?.replace(/:\d+$/, "") ?? "";
  const from = headers.get("x-forwarded-for");
  headers.set("x-forwarded-for", from === null ? address : `${from}, ${address}`);
  headers.set("x-real-ip", address);
  headers.set("x-forwarded-proto", protocol.slice(0, -1));
  headers.set("x-forwarded-host", host);
  if (!headers.has("x-request-id")) headers.set("x-request-id", crypto.randomUUID());
  const answer = await new Promise((resolve, reject) => {
    setTimeout(() => reject(new Error("timeout")), LIMIT_MS);
    fetch(sent).then(resolve, reject);
  });
  const unwanted = NOT_ANSWERED.filter((name) => answer.headers.has(name));
  if (answer.headers.has("content-encoding") && !request.headers.has("accept-encoding")) unwanted.push("content-encoding", "content-length");
  if (unwanted.length === 0 && !isRuled && quota === undefined) return answer;
  const copy = new Response(answer.body, answer);
  for (const name of unwanted) copy.headers.delete(name);
  if (isRuled) {
    copy.headers.delete("x-powered-by");
    copy.headers.set("x-answer", "1");
    copy.headers.append("vary", "Origin");
  }
  for (const name in quota) copy.headers.set(name, String(quota[name]));
  return copy;
}

// Every key is known here. A real worker would read its session from somewhere, and keep it for a few seconds.
const sessions = new Map();

/**
 * Counts a request of a key, exactly over the last second. Returns the status of a refusal, or else 200 and the headers
 * that report the quota.
 */
export function counted(key) {
  const now = Date.now();
  let session = sessions.get(key);
  if (session === undefined) {
    session = { admitted: [], within: 0, used: 0, renewsAt: Math.floor(now / 1000) + RENEWAL_SECONDS };
    sessions.set(key, session);
  }
  const { admitted } = session;
  let old = 0;
  for (; old < admitted.length && admitted[old][0] + WINDOW_MS <= now; old += 1) session.within -= admitted[old][1];
  if (old > 0) admitted.splice(0, old);
  if (session.within >= RATE) return { status: 429 };
  if (session.used >= QUOTA) return { status: 403 };
  const last = admitted.at(-1);
  if (last?.[0] === now) last[1] += 1;
  else admitted.push([now, 1]);
  session.within += 1;
  session.used += 1;
  return { status: 200, quota: { "x-ratelimit-limit": QUOTA, "x-ratelimit-remaining": QUOTA - session.used, "x-ratelimit-reset": session.renewsAt } };
}
