// What any worker that forwards other people's requests has to do, written by hand: it drops the headers that must not
// reach an upstream or a client, passes on the client's address, and gives up on an upstream that doesn't respond.
// Below `/ruled/` it also applies the benchmark's rules: ten path rules, headers in both directions, CORS.

const ENDED = [
  "cf-connecting-ip", "cf-connecting-ipv6", "cf-pseudo-ipv4", "client-ip", "fastly-client-ip", "forwarded",
  "proxy-authorization", "proxy-connection", "true-client-ip", "x-client-ip", "x-cluster-client-ip",
  "x-gateway-authorization", "x-http-method", "x-http-method-override", "x-method-override", "x-original-url", "x-rewrite-url",
];
const NOT_ANSWERED = ["proxy-authenticate", "proxy-connection", "x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];
const LIMIT_MS = 30_000;
const RULES = Array.from({ length: 10 }, (_, n) => ({ path: new RegExp(`/item${n || ""}$`), add: ["x-rule", `${n}`], remove: "x-gone" }));

export default {
  async fetch(request, env) {
    const { host, pathname, protocol, search } = new URL(request.url);
    const sent = new Request(env.TARGET + pathname + search, request);
    const headers = sent.headers;
    for (const name of ENDED) if (headers.has(name)) headers.delete(name);
    const isRuled = pathname.startsWith("/ruled/");
    if (isRuled) {
      headers.set("x-gateway", "bench");
      for (const { path, add, remove } of RULES) {
        if (!path.test(pathname)) continue;
        headers.delete(remove);
        headers.set(...add);
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
    if (unwanted.length === 0 && !isRuled) return answer;
    const copy = new Response(answer.body, answer);
    for (const name of unwanted) copy.headers.delete(name);
    if (isRuled) {
      copy.headers.delete("x-powered-by");
      copy.headers.set("x-answer", "1");
      copy.headers.append("vary", "Origin");
    }
    return copy;
  },
};
