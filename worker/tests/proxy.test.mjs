// What passes through the gateway: headers, statuses and bodies, in both directions (issue: data plane; attack A15;
// reference 3.2).

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { open, send, sendLine } from "./http.mjs";
import { BINARY, BROTLI, GZIP, PLAIN, listen, values } from "./upstream.mjs";

const LARGE = "v".repeat(6000);

let gateway;
let upstream;
let path;
before(async () => {
  const routes = {
    "/length": (request, response) => response.writeHead(200, { "Content-Length": 5 }).end("12345"),
    "/large": (request, response) => response.writeHead(200, { "X-Large": LARGE, "X-Other": LARGE }).end(),
    "/limits": (request, response) => response.writeHead(200, { "X-RateLimit-Limit": "50", "X-RateLimit-Other": "7" }).end(),
    "/status": (request, response, url) => response.writeHead(Number(url.searchParams.get("code")), { "X-Kept": "1" }).end(),
    "/encoded": (request, response, url) => response.writeHead(200, { "Content-Encoding": url.searchParams.get("as") }).end("as it is"),
    "/part": (request, response) => response.writeHead(206, { "Content-Encoding": "gzip", "Content-Range": `bytes 2-5/${GZIP.length}` }).end(GZIP.subarray(2, 6)),
    "/quota": (request, response) => response.writeHead(200, { "X-RateLimit-Limit": "99", "X-RateLimit-Remaining": "98", "X-RateLimit-Reset": "1", "X-RateLimit-Other": "1" }).end("q"),
    "/vary": (request, response) => response.writeHead(200, { Vary: "a", "Cache-Control": "max-age=1", ETag: 'W/"x"', "X-Twice": ["1", "2"], Server: "theirs" }).end("x"),
  };
  [gateway, upstream] = await Promise.all([start(), listen(routes)]);
  const definition = api({}, { target_url: upstream.url });
  await publish(gateway, definition);
  path = definition.proxy.listen_path;
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

const call = (rest, options) => send(gateway.ports.gateway, { path: path + rest, ...options });
const echo = async (headers, options) => (await call("echo", { headers, ...options })).json;

test("method, query, headers and body arrive as sent", async () => {
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]) {
    const body = method === "GET" || method === "OPTIONS" ? undefined : `body of ${method}`;
    const echoed = (await call("echo?q=1", { method, body, headers: { "X-Mine": "1", Cookie: "a=1; b=2", Authorization: "Bearer t", "Content-Type": "text/x" } })).json;
    assert.equal(echoed.method, method);
    assert.equal(echoed.url, "/echo?q=1");
    assert.equal(echoed.body, body ?? "");
    for (const [name, value] of [["x-mine", "1"], ["cookie", "a=1; b=2"], ["authorization", "Bearer t"], ["content-type", "text/x"]]) {
      assert.deepEqual(values(echoed, name), [value], `${method} ${name}`);
    }
  }
});

test("non-ASCII bytes in a header arrive as sent", async () => {
  for (const text of ["gr\u00fcn", Buffer.from("grün €").toString("latin1")]) {
    const answer = await sendLine(gateway.ports.gateway, `GET ${path}echo HTTP/1.1`, [`X-Word: ${text}`]);
    assert.deepEqual(values(answer.json, "x-word"), [text]);
  }
});

test("a HEAD gets the headers of the GET and no body", async () => {
  const answer = await call("length", { method: "HEAD" });
  assert.equal(upstream.seen.at(-1).method, "HEAD");
  assert.equal(answer.status, 200);
  assert.equal(answer.headers["content-length"], "5");
  assert.equal(answer.text, "");
});

test("statuses are passed with their headers, and those without a body have none", async () => {
  for (const code of [200, 201, 202, 204, 301, 304, 307, 308, 400, 401, 404, 410, 418, 429, 500, 502, 503]) {
    const answer = await call(`status?code=${code}`);
    assert.equal(answer.status, code);
    assert.equal(answer.headers["x-kept"], "1", `${code}`);
    assert.equal(answer.text, "");
  }
  assert.equal((await call("304")).headers.etag, '"x"');
  assert.equal((await call("503")).headers["retry-after"], "7");
});

test("redirects are left to the client", async () => {
  const answer = await call("redirect");
  assert.equal(answer.status, 302);
  assert.equal(answer.headers.location, "http://127.0.0.1:9/elsewhere");
  assert.equal(answer.text, "moved");
});

test("hop-by-hop headers end at the gateway, including those named by Connection", async () => {
  const fields = [
    "Connection: X-Nominated, keep-alive , X-Other",
    "X-Nominated: 1",
    "X-Other: 2",
    "X-Kept: 3",
    "Keep-Alive: timeout=5",
    "Proxy-Authorization: Basic eA==",
    "Proxy-Connection: keep-alive",
    "TE: trailers",
    "Trailer: X-T",
    "Upgrade: h2c",
  ];
  const echoed = (await sendLine(gateway.ports.gateway, `GET ${path}echo HTTP/1.1`, fields)).json;
  for (const name of ["x-nominated", "x-other", "keep-alive", "proxy-authorization", "proxy-connection", "te", "trailer", "upgrade"]) {
    assert.deepEqual(values(echoed, name), [], name);
  }
  assert.deepEqual(values(echoed, "x-kept"), ["3"]);
  for (const value of values(echoed, "connection")) assert.match(value, /^keep-alive$/i);
});

test("the upstream's hop-by-hop headers end at the gateway too", async () => {
  const answer = await call("hop");
  for (const name of ["x-nominated", "keep-alive", "proxy-authenticate", "transfer-encoding-x"]) assert.equal(answer.headers[name], undefined, name);
  assert.equal(answer.headers["x-kept"], "1");
  assert.equal(answer.text, "hop");
});

test("an upstream's quota headers are removed", async () => {
  const answer = await call("quota");
  for (const name of ["limit", "remaining", "reset"]) assert.equal(answer.headers[`x-ratelimit-${name}`], undefined, name);
  assert.deepEqual([answer.status, answer.headers["x-ratelimit-other"], answer.text], [200, "1", "q"]);
});

test("Connection can't strip headers the gateway sets", async () => {
  const fields = ["Connection: X-Forwarded-For, X-Real-IP, X-Forwarded-Host, X-Request-Id, Host, Authorization"];
  const echoed = (await sendLine(gateway.ports.gateway, `GET ${path}echo HTTP/1.1`, fields)).json;
  for (const name of ["x-forwarded-for", "x-real-ip", "x-forwarded-host", "x-request-id", "host"]) assert.equal(values(echoed, name).length, 1, name);
});

test("rules can't set connection headers, and clients can't strip what rules add", async () => {
  const version = {
    global_headers: { "X-Trusted": "ours", "X-Real-IP": "rule", "X-Forwarded-Proto": "https", "X-Id": "$gateway_context.request_id" },
    global_headers_remove: ["X-Forwarded-For", "X-Forwarded-Host"],
    global_response_headers: { "Proxy-Authenticate": "Basic", "Keep-Alive": "timeout=1", Trailer: "X-T", "X-Own": "1" },
  };
  const ruled = api({ enable_context_vars: true, version_data: { not_versioned: true, versions: { Default: { name: "Default", ...version } } } }, { target_url: upstream.url });
  await publish(gateway, ruled);
  const fields = ["Connection: X-Trusted, X-Own", "X-Trusted: theirs", "X-Forwarded-For: 10.1.1.1"];
  const answer = await sendLine(gateway.ports.gateway, `GET ${ruled.proxy.listen_path}echo HTTP/1.1`, fields);
  const sent = (name) => values(answer.json, name);
  assert.deepEqual(sent("x-trusted"), ["ours"]);
  assert.deepEqual([sent("x-real-ip"), sent("x-forwarded-proto")], [["rule"], ["https"]]);
  assert.deepEqual([sent("x-forwarded-for"), sent("x-forwarded-host")], [[], []]);
  assert.match(sent("x-id")[0], /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.deepEqual(sent("x-request-id"), sent("x-id"));
  for (const name of ["proxy-authenticate", "keep-alive", "trailer"]) assert.equal(answer.headers[name], undefined, name);
  assert.equal(answer.headers["x-own"], "1");
});

test("an answer that a rule for errors replaces varies by origin once, cached or not", async () => {
  const error_overrides = { 404: [{ response: { message: "gone", headers: { "X-Own": "1" } } }] };
  const cache_options = { enable_cache: true, cache_timeout: 60, cache_all_safe_requests: true };
  for (const more of [{}, { cache_options }]) {
    const ruled = api({ CORS: { enable: true }, error_overrides, ...more }, { target_url: upstream.url });
    await publish(gateway, ruled);
    for (const turn of [1, 2]) {
      const answer = await send(gateway.ports.gateway, { path: `${ruled.proxy.listen_path}status?code=404` });
      const { vary, "x-own": own } = answer.headers;
      assert.deepEqual([vary, own, answer.json.error], ["Origin", "1", "gone"], `${turn}`);
    }
  }
});

test("an upstream's rate limit headers are removed", async () => {
  const answer = await call("limits");
  assert.equal(answer.headers["x-ratelimit-limit"], undefined);
  assert.equal(answer.headers["x-ratelimit-other"], "7");
});

test("a malformed URL produced by rules is an error, not a trap", async () => {
  const row = { path: "/go", method: "GET", match_pattern: "to=(.*)", rewrite_to: "http://$gateway_context.request_data_to/x" };
  const versions = { Default: { name: "Default", use_extended_paths: true, extended_paths: { url_rewrites: [row] } } };
  const composed = api({ enable_context_vars: true, version_data: { not_versioned: true, versions } }, { target_url: upstream.url });
  await publish(gateway, composed);
  const answer = await send(gateway.ports.gateway, { path: `${composed.proxy.listen_path}go?to=a%3Ab%2Fc` });
  assert.equal(answer.status, 500);
  assert.equal(answer.json.error, "There was a problem proxying the request");
});

test("the upstream is told where the request comes from", async () => {
  const host = `127.0.0.1:${gateway.ports.gateway}`;
  const echoed = await echo({});
  assert.deepEqual(values(echoed, "x-forwarded-for"), ["127.0.0.1"]);
  assert.deepEqual(values(echoed, "x-real-ip"), ["127.0.0.1"]);
  assert.deepEqual(values(echoed, "x-forwarded-proto"), ["http"]);
  assert.deepEqual(values(echoed, "x-forwarded-host"), [host]);
  assert.match(values(echoed, "x-request-id")[0], /^[0-9a-f-]{32,36}$/);
});

test("a client's claims about itself are overwritten or appended to, never trusted", async () => {
  const echoed = await echo({ "X-Forwarded-For": "10.1.1.1", "X-Real-IP": "10.1.1.2", "X-Forwarded-Proto": "https", "X-Forwarded-Host": "evil.test", Forwarded: "for=10.1.1.3" });
  assert.deepEqual(values(echoed, "x-forwarded-for"), ["10.1.1.1, 127.0.0.1"]);
  assert.deepEqual(values(echoed, "x-real-ip"), ["127.0.0.1"]);
  assert.deepEqual(values(echoed, "x-forwarded-proto"), ["http"]);
  assert.notEqual(values(echoed, "x-forwarded-host")[0], "evil.test");
  assert.deepEqual(values(echoed, "forwarded"), []);
});

test("alternative headers for the client's address, URL or method reach no upstream", async () => {
  const claims = ["True-Client-IP", "X-Client-IP", "Client-IP", "CF-Connecting-IP", "Fastly-Client-IP", "X-Cluster-Client-IP"];
  const overrides = ["X-Original-URL", "X-Rewrite-URL", "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"];
  const names = [...claims, ...overrides];
  const echoed = await echo({ ...Object.fromEntries(names.map((name) => [name, "10.1.1.1"])), "X-Kept": "1" });
  for (const name of names) assert.deepEqual(values(echoed, name.toLowerCase()), [], name);
  assert.deepEqual(values(echoed, "x-kept"), ["1"]);
});

// All spellings of a name with at least one underscore.
function spellings(name) {
  const [first, ...others] = name.split("-");
  const all = others.reduce((begun, part) => begun.flatMap((text) => [`${text}-${part}`, `${text}_${part}`]), [first]);
  return all.filter((text) => text.includes("_"));
}

test("headers that end at the gateway end there in every spelling with underscores", async () => {
  const own = ["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip"];
  const claims = ["true-client-ip", "x-client-ip", "client-ip", "cf-connecting-ip", "x-cluster-client-ip", "proxy-authorization"];
  const overrides = ["x-original-url", "x-rewrite-url", "x-http-method-override", "x-http-method", "x-method-override"];
  const spelt = [...own, ...claims, ...overrides].flatMap(spellings);
  assert(spelt.includes("x_http-method_override") && spelt.includes("true_client_ip"), spelt.join(" "));
  const headers = (spell) => ({ ...Object.fromEntries(spelt.map((name) => [spell(name), "10.1.1.1"])), X_Kept: "1" });
  for (const spell of [(name) => name, (name) => name.toUpperCase()]) {
    const echoed = await echo(headers(spell));
    for (const name of spelt) assert.deepEqual(values(echoed, name), [], name);
    assert.deepEqual([values(echoed, "x-real-ip"), values(echoed, "x_kept")], [["127.0.0.1"], ["1"]]);
  }
  const open = api({ enable_batch_request_support: true }, { target_url: upstream.url });
  // A rule may set one all the same.
  const rules = { version_data: { not_versioned: true, versions: { Default: { name: "Default", global_headers: { x_real_ip: "192.0.2.9" } } } } };
  const setting = api(rules, { target_url: upstream.url });
  await publish(gateway, open, setting);
  const arrived = (echoed) => spelt.filter((name) => values(echoed, name).length > 0);
  const body = { requests: [{ relative_url: "echo", headers: headers((name) => name) }] };
  const batch = await send(gateway.ports.gateway, { method: "POST", path: `${open.proxy.listen_path}gateway/batch/`, body });
  assert.deepEqual(arrived(JSON.parse(batch.json[0].body)), []);
  const lists = Object.fromEntries(spelt.map((name) => [name, ["10.1.1.1"]]));
  const debugged = await gateway.admin("POST", "/gateway/debug", { body: { api_id: open.api_id, request: { method: "GET", path: "/echo", headers: lists } } });
  assert.deepEqual([debugged.status, arrived(JSON.parse(debugged.json.answer.body))], [200, []], debugged.text);
  const { json } = await send(gateway.ports.gateway, { path: `${setting.proxy.listen_path}echo`, headers: { x_real_ip: "10.1.1.1" } });
  assert.deepEqual(values(json, "x_real_ip"), ["192.0.2.9"]);
});

test("behind a trusted proxy, only its header determines the client's address", async () => {
  const behind = await start({ env: { CLIENT_IP_HEADER: "CF-Connecting-IP" } });
  try {
    const definition = api({ enable_batch_request_support: true }, { target_url: upstream.url });
    await publish(behind, definition);
    const headers = { "CF-Connecting-IP": "203.0.113.7", "X-Real-IP": "10.1.1.1", "True-Client-IP": "10.1.1.2" };
    const single = await send(behind.ports.gateway, { path: `${definition.proxy.listen_path}echo`, headers });
    const body = { requests: [{ relative_url: "echo", headers: { "CF-Connecting-IP": "10.1.1.3", "X-Real-IP": "10.1.1.4" } }] };
    const batch = await send(behind.ports.gateway, { method: "POST", path: `${definition.proxy.listen_path}gateway/batch/`, headers, body });
    for (const echoed of [single.json, JSON.parse(batch.json[0].body)]) {
      assert.deepEqual(values(echoed, "x-real-ip"), ["203.0.113.7"]);
      assert.deepEqual(values(echoed, "x-forwarded-for"), ["203.0.113.7"]);
    }
  } finally {
    await behind.stop();
  }
});

test("a client's request id is passed on, and other requests get their own", async () => {
  assert.deepEqual(values(await echo({ "X-Request-Id": "my-trace" }), "x-request-id"), ["my-trace"]);
  const [one, other] = [values(await echo({}), "x-request-id"), values(await echo({}), "x-request-id")];
  assert.notEqual(one[0], other[0]);
});

test("the console's sign-in cookie never reaches an upstream, and other cookies do", async () => {
  for (const [sent, arrives] of [
    ["a=1; gateway-session=secret; b=2", ["a=1; b=2"]],
    ["__Host-gateway-session=secret;gateway-session=secret", []],
    ["my-gateway-session=1; b=2", ["my-gateway-session=1; b=2"]],
    ["a=1;b=2", ["a=1;b=2"]],
  ])
    assert.deepEqual(values(await echo({ Cookie: sent }), "cookie"), arrives, sent);
  // The runtime merges them into one header.
  const lines = await sendLine(gateway.ports.gateway, `GET ${path}echo HTTP/1.1`, ["Cookie: a=1", "Cookie: gateway-session=secret", "Cookie: b=2"]);
  assert.ok(!lines.text.includes("secret"), lines.text);
});

test("an API's rules can't read the console's sign-in cookie", async () => {
  const global_headers = { "x-one": "$gateway_context.cookies_gateway_session", "x-all": "$gateway_context.headers_Cookie" };
  const members = {
    use_keyless: false,
    auth: { use_cookie: true, cookie_name: "tok" },
    strip_auth_data: true,
    enable_context_vars: true,
    version_data: { not_versioned: true, versions: { Default: { name: "Default", global_headers } } },
  };
  const definition = api(members, { target_url: upstream.url });
  await publish(gateway, definition);
  const key = await gateway.admin("POST", "/gateway/keys/create", { body: { access_rights: { [definition.api_id]: { api_id: definition.api_id } } } });
  const headers = { Cookie: `tok=${key.json.key}; gateway-session=secret; b=2` };
  const answer = await send(gateway.ports.gateway, { path: `${definition.proxy.listen_path}echo`, headers });
  assert.equal(answer.status, 200, answer.text);
  assert.ok(!answer.text.includes("secret"), answer.text);
  assert.equal(values(answer.json, "x-all").length, 1);
  assert.deepEqual(values(answer.json, "cookie"), ["b=2"]);
});

test("the administration secret never reaches an upstream", async () => {
  const echoed = await echo({ "X-Gateway-Authorization": gateway.secret });
  assert.ok(!JSON.stringify(echoed).includes(gateway.secret));
});

test("compressed responses pass unchanged if the client accepts them, and are otherwise decompressed", async () => {
  for (const [rest, encoding, bytes] of [["gzip", "gzip", GZIP], ["br", "br", BROTLI]]) {
    for (const accepted of ["gzip, br", "identity"]) {
      const answer = await call(rest, { headers: { "Accept-Encoding": accepted } });
      assert.equal(answer.headers["content-encoding"], encoding);
      assert.ok(answer.bytes.equals(bytes), `${rest} for ${accepted}`);
    }
    const plain = await call(rest);
    assert.equal(plain.headers["content-encoding"], undefined);
    assert.ok(plain.bytes.equals(PLAIN), rest);
  }
  assert.deepEqual(values(await echo({ "Accept-Encoding": "gzip;q=0.5, zstd" }), "accept-encoding"), ["gzip;q=0.5, zstd"]);
  assert.deepEqual(values(await echo({}), "accept-encoding"), [], "the gateway adds no Accept-Encoding");
});

test("an encoding that is not decoded is named: an unknown one, one of a range, and that of a HEAD", async () => {
  for (const encoding of ["deflate", "zstd", "identity", "GZIP", "x-gzip"]) {
    const answer = await call(`encoded?as=${encoding}`);
    assert.equal(answer.headers["content-encoding"], encoding);
    assert.equal(answer.text, "as it is");
  }
  const head = await call("gzip", { method: "HEAD" });
  assert.equal(head.headers["content-encoding"], "gzip");
  const part = await call("part", { headers: { Range: "bytes=2-5" } });
  assert.deepEqual([part.status, part.headers["content-encoding"]], [206, "gzip"]);
  assert.ok(part.bytes.equals(GZIP.subarray(2, 6)));
});

test("a compressed request body arrives as sent", async () => {
  const answer = await call("echo", { method: "POST", body: GZIP, headers: { "Content-Encoding": "gzip" } });
  assert.deepEqual(values(answer.json, "content-encoding"), ["gzip"]);
  assert.equal(answer.json.body, GZIP.toString());
});

test("binary bodies pass unchanged", async () => {
  assert.ok((await call("binary")).bytes.equals(BINARY));
});

test("response headers are passed, including repeated ones", async () => {
  const cookies = (await call("cookies")).raw.filter(([name]) => name === "set-cookie").map(([, value]) => value);
  assert.deepEqual(cookies, ["a=1; Path=/", "b=2, with comma"]);
  const { headers } = await call("vary");
  assert.deepEqual([headers.vary, headers["cache-control"], headers.etag, headers["x-twice"], headers.server], ["a", "max-age=1", 'W/"x"', "1, 2", "theirs"]);
});

test("large headers pass in both directions", async () => {
  const answer = await call("large");
  assert.equal(answer.headers["x-large"], LARGE);
  assert.equal(answer.headers["x-other"], LARGE);
  assert.deepEqual(values(await echo({ "X-Large": LARGE }), "x-large"), [LARGE]);
});

test("a header value that would split the request is refused or stays one value", async () => {
  for (const field of ["X-A: 1\x00Evil: 1", "X-A: 1\rEvil: 1", "Evil : 1", "X-A\x00: 1"]) {
    const before = upstream.seen.length;
    const answer = await sendLine(gateway.ports.gateway, `GET ${path}echo HTTP/1.1`, [field]);
    if (upstream.seen.length === before) assert.notEqual(answer.status, 200, JSON.stringify(field));
    else assert.equal(upstream.seen.at(-1).headers.evil, undefined, JSON.stringify(field));
  }
});

test("a request with two lengths is refused, or forwarded with one", async () => {
  const before = upstream.seen.length;
  // Five bytes by one reading, none by the other.
  const fields = ["Content-Length: 5", "Transfer-Encoding: chunked"];
  const answer = await sendLine(gateway.ports.gateway, `POST ${path}echo HTTP/1.1`, fields, "0\r\n\r\n");
  if (upstream.seen.length === before) return assert.notEqual(answer.status, 200);
  const { headers } = upstream.seen.at(-1);
  assert.ok(!(headers["content-length"] && headers["transfer-encoding"]), JSON.stringify(headers));
  assert.equal(answer.json.body, "");
});

test("an upstream that refuses, disconnects or can't be resolved gets the reference's response", async () => {
  const gone = await listen();
  await gone.close();
  const definitions = {
    refuses: api({}, { target_url: gone.url }),
    "is not found": api({}, { target_url: "http://no-such-host.invalid/" }),
    "speaks no HTTP": api({}, { target_url: `http://127.0.0.1:${upstream.port}` }),
  };
  await publish(gateway, ...Object.values(definitions));
  for (const [what, definition] of Object.entries(definitions)) {
    const rest = what === "speaks no HTTP" ? "reset" : "x";
    const answer = await send(gateway.ports.gateway, { path: definition.proxy.listen_path + rest });
    assert.equal(answer.status, 500, what);
    const message = what === "is not found" ? "Upstream host lookup failed" : "There was a problem proxying the request";
    assert.equal(answer.text, `{\n    "error": "${message}"\n}`);
    assert.equal(answer.headers["content-type"], "application/json");
    const xml = await send(gateway.ports.gateway, { path: definition.proxy.listen_path + rest, headers: { "Content-Type": "text/xml" } });
    assert.match(xml.text, /<error>/, what);
    assert.equal(xml.status, 500);
  }
});

test("a client that disconnects affects nothing else", async () => {
  const { request, response } = await open(gateway.ports.gateway, { path: `${path}echo` });
  response.on("error", () => {});
  request.destroy();
  assert.equal((await call("echo")).status, 200);
});

test("an upstream slower than the default time limit is abandoned", async () => {
  const slow = await listen({ "/slow": () => {} });
  const limited = await start({ env: { PROXY_DEFAULT_TIMEOUT: "1" } });
  try {
    const definition = api({}, { target_url: slow.url });
    await publish(limited, definition);
    const answer = await send(limited.ports.gateway, { path: `${definition.proxy.listen_path}slow` });
    assert.deepEqual([answer.status, answer.json.error], [504, "Upstream service reached hard timeout."]);
    await limited.logged(new RegExp(`upstream of ${definition.api_id} ${answer.headers["x-request-id"]}: it did not answer in time`));
  } finally {
    await Promise.all([limited.stop(), slow.close()]);
  }
});

test("an unreachable upstream is named in the log, also when requests are merely forwarded", async () => {
  const plain = await start({ env: { PROXY_DEFAULT_TIMEOUT: "0" } });
  try {
    const definition = api({}, { target_url: "http://127.0.0.1:1/" });
    await publish(plain, definition);
    const answer = await send(plain.ports.gateway, { path: `${definition.proxy.listen_path}x`, headers: { "X-Request-ID": "mine-2" } });
    assert.deepEqual([answer.status, answer.headers["x-request-id"]], [500, "mine-2"]);
    await plain.logged(new RegExp(`upstream of ${definition.api_id} mine-2: it took no connection`));
  } finally {
    await plain.stop();
  }
});

test("headers claiming a client address or another URL end at the gateway, and no caching headers are added", async () => {
  const claims = ["True-Client-IP", "X-Client-IP", "X-Original-URL", "X-Rewrite-URL", "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "Forwarded", "CF-Connecting-IP"];
  const echoed = await echo(Object.fromEntries(claims.map((name) => [name, "6.6.6.6"])));
  for (const name of [...claims, "Cache-Control", "Pragma"]) assert.deepEqual(values(echoed, name.toLowerCase()), [], name);
});
