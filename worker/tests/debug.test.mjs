// POST /gateway/debug through workerd: its steps show what the data plane does with the same request, it counts like
// any other, and no text in it contains a token (reference 1.8; attacks A1, A7, A12).

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { send } from "./http.mjs";
import { keyring, rights } from "./keyring.mjs";
import { BINARY, PLAIN, listen } from "./upstream.mjs";

const LONG = 300 * 1024;

let gateway;
let upstream;
before(async () => {
  const long = (request, response) => response.writeHead(200, { "Content-Type": "text/plain" }).end("é".repeat(LONG / 2));
  [gateway, upstream] = await Promise.all([start(), listen({ "/long": long })]);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

const { issue, call } = keyring(() => gateway);

/** Loads an API, keyless by default. */
async function served(members, proxy) {
  const definition = api(members, { target_url: upstream.url, ...proxy });
  await publish(gateway, definition);
  return definition;
}

const debug = (body, options) => gateway.admin("POST", "/gateway/debug", { body, ...options });

/** Returns the response to a debugged request. */
async function debugged({ api_id }, request, more = {}) {
  const answer = await debug({ api_id, request, ...more });
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

const steps = ({ trace }, decision) => trace.filter((step) => step.decision === decision).map(({ name }) => name);
const detail = ({ trace }, name) => trace.findLast((step) => step.name === name).detail;

test("a trace ends at the link that refuses, with the data plane's status and body", async () => {
  const renewal = { per: 3600, quota_renewal_rate: 3600 };
  const cases = [
    [{}, undefined, 401, "auth_token"],
    [{}, "unknown", 403, "auth_token"],
    [{}, {}, 200],
    [{}, { expires: 1 }, 401, "key_state"],
    [{}, { is_inactive: true }, 403, "key_state"],
    [{}, { access: { versions: ["other"] } }, 403, "access_rights"],
    [{}, { access: { allowed_urls: [{ url: "/never", methods: ["GET"] }] } }, 403, "granular_access"],
    [{}, { access: { allowed_urls: [{ url: "/echo", methods: ["GET"] }] } }, 200],
    [{}, { rate: 2, ...renewal }, 429, "counters"],
    [{}, { quota_max: 2, ...renewal }, 403, "counters"],
    [{ global_rate_limit: { rate: 2, per: 3600 } }, {}, 429, "counters"],
    [{ use_keyless: true, global_rate_limit: { rate: 2, per: 3600 } }, undefined, 429, "counters"],
    [{ use_keyless: true }, undefined, 200],
  ];
  for (const [members, session, status, refuses] of cases) {
    const what = JSON.stringify([members, session]);
    const definition = await served({ use_keyless: false, ...members });
    const { access, ...limits } = typeof session === "object" ? session : {};
    const made = typeof session === "object" ? await issue({ ...limits, access_rights: rights(definition, access) }) : { key: session };
    // The limits of the table are two requests: one from a client, one debugged; the next is refused.
    await call(made.key, definition, { rest: "echo" });
    const headers = made.key === undefined ? {} : { Authorization: [made.key] };
    const request = { method: "GET", path: "/echo", headers };
    await debugged(definition, request);
    const plain = await call(made.key, definition, { rest: "echo" });
    const traced = await debugged(definition, request);
    assert.equal(plain.status, status, what);
    assert.equal(traced.answer.status, status, `${what}: ${JSON.stringify(traced)}`);
    assert.deepEqual(steps(traced, "refused"), refuses ? [refuses] : [], what);
    assert.equal(traced.trace.at(-1).name, refuses ?? "upstream", what);
    if (status !== 200) assert.equal(traced.answer.body, plain.text, what);
    const shown = (name) => [plain.headers[name], traced.answer.headers[name.replace(/(^|-)[a-z]/g, (c) => c.toUpperCase())]?.[0]];
    for (const name of ["content-type", "x-ratelimit-limit", "x-ratelimit-remaining", "ratelimit-policy"]) {
      const [own, other] = shown(name);
      assert.equal(other, own, `${what} ${name}`);
    }
    const secret = made.key?.length > 10 ? made.key : undefined;
    if (secret) for (const member of ["response", "logs", "trace"]) assert.ok(!JSON.stringify(traced[member]).includes(secret), `${what} ${member}`);
    assert.ok(traced.trace.every(({ at_ms, ms }) => at_ms >= ms && ms >= 0), what);
  }
  assert.ok(!gateway.log().includes("unknown"), gateway.log());
});

test("a stored key is used by its hash, counts, and forwards no token", async () => {
  const definition = await served({ use_keyless: false });
  const { key, key_hash } = await issue({ alias: "Shop", quota_max: 3, quota_renewal_rate: 3600, access_rights: rights(definition) });
  for (const left of [2, 1]) {
    const traced = await debugged(definition, { path: "/echo" }, { key_hash });
    assert.match(detail(traced, "counters"), new RegExp(`^The key has ${left} of 3 requests left of its quota, which is renewed in \\d+ s$`));
    assert.match(detail(traced, "key_state"), /^The key Shop is active, never expires and has no policies$/);
    assert.equal(new Map(JSON.parse(traced.answer.body).headers).get("authorization"), undefined);
  }
  assert.equal((await call(key_hash, definition)).status, 403);
  assert.equal((await call(key, definition)).status, 200);
  assert.equal((await debugged(definition, {}, { key_hash })).answer.status, 403);
  const unknown = await debugged(definition, {}, { key_hash: "f".repeat(64) });
  assert.equal(unknown.answer.status, 403);
  assert.deepEqual(steps(unknown, "refused"), ["auth_token"]);
});

test("the request is sent as given, except for connection headers and the client's address", async () => {
  const definition = await served({ strip_auth_data: true, use_keyless: false });
  const { key } = await issue({ access_rights: rights(definition) });
  const headers = {
    Authorization: [`Bearer ${key}`], "X-A": ["1", "2"], Cookie: ["a=b", "c=d"], "X-Real-IP": ["6.6.6.6"], Forwarded: ["for=6.6.6.6"],
    "X-Forwarded-For": ["6.6.6.6"], Host: ["evil.example"], Connection: ["x-a"], "X-Gateway-Authorization": [gateway.secret],
  };
  const traced = await debugged(definition, { method: "POST", path: "echo?x=%C3%A9&y", headers, body: "héllo" });
  const { method, url, headers: pairs, body } = JSON.parse(traced.answer.body);
  assert.deepEqual([method, url, body], ["POST", "/echo?x=%C3%A9&y", "héllo"]);
  const got = new Map(pairs.map(([name, value]) => [name.toLowerCase(), value]));
  assert.deepEqual([got.get("x-a"), got.get("cookie"), got.get("authorization")], ["1, 2", "a=b; c=d", undefined]);
  assert.ok(!traced.answer.body.includes("6.6.6.6") && !traced.answer.body.includes("evil"), traced.answer.body);
  assert.ok(!traced.answer.body.includes(gateway.secret));
  assert.match(detail(traced, "forward"), /^POST http:\/\/127\.0\.0\.1:\d+\/echo\?x=%C3%A9&y$/);
  assert.match(detail(traced, "route"), /\. Not sent: x-real-ip, forwarded, x-forwarded-for, host, connection, x-gateway-authorization$/);
  assert.ok(steps(traced, "passed").includes("strip_auth_data"));
  assert.match(detail(traced, "upstream"), /^200, \d+ bytes, /);
  assert.match(traced.response, /^====== Request ======\nPOST \/.*\r\nAuthorization: \[hidden\]\r\n/s);
});

test("on the console's origin too, the upstream gets the gateway's host", async () => {
  const definition = await served({});
  const body = JSON.stringify({ api_id: definition.api_id, request: { path: "echo" } });
  const headers = { "X-Gateway-Authorization": gateway.secret };
  for (const port of [gateway.ports.gateway, gateway.ports.console]) {
    const answer = await send(port, { method: "POST", path: "/gateway/debug", headers, body });
    const sent = new Map(JSON.parse(JSON.parse(answer.text).answer.body).headers.map(([name, value]) => [name.toLowerCase(), value]));
    assert.equal(sent.get("x-forwarded-host"), `127.0.0.1:${gateway.ports.gateway}`);
  }
});

test("requests that would leave the API are not sent", async () => {
  const definition = await served();
  const before = upstream.seen.length;
  for (const path of ["../x", "/..%2fx", "%2e%2e/x", "//evil/x", "http://evil/x", "\\\\evil", "/a\r\nHost: evil", "x\0"]) {
    const answer = await debug({ api_id: definition.api_id, request: { path } });
    assert.equal(answer.status, 500, path);
    assert.match(answer.json.message, /^Unexpected failure: \/request\/path: /, path);
  }
  assert.equal(upstream.seen.length, before);
});

test("responses are shown unprocessed: binary, decoded, separate cookies, no redirects followed, long ones cut off", async () => {
  const definition = await served();
  const of = async (path) => (await debugged(definition, { path })).answer;
  const binary = await of("/binary");
  assert.deepEqual([binary.body_encoding, binary.body], ["base64", BINARY.toString("base64")]);
  assert.equal((await of("/gzip")).body, PLAIN.toString());
  assert.deepEqual((await of("/cookies")).headers["Set-Cookie"], ["a=1; Path=/", "b=2, with comma"]);
  assert.equal((await of("/redirect")).status, 302);
  assert.deepEqual([(await of("/204")).status, (await of("/204")).body], [204, ""]);
  const long = await of("/long");
  assert.equal(long.truncated, true);
  const bytes = Buffer.byteLength(long.body);
  assert.ok(bytes <= 256 * 1024 && bytes > 200 * 1024, `${bytes}`);
  assert.ok(/^é+$/.test(long.body) && long.body_encoding === undefined);
  const reset = await debugged(definition, { path: "/reset", headers: { "X-Request-ID": ["mine-1"] } });
  assert.deepEqual([reset.answer.status, steps(reset, "refused")], [500, ["upstream"]]);
  assert.match(reset.details, new RegExp(`took no connection, or ended it, API ${definition.api_id}, request mine-1$`));
  await gateway.logged(new RegExp(`upstream of ${definition.api_id} mine-1: it took no connection`));
});

test("a definition in the request is used without being stored or loaded", async () => {
  const spec = api({}, { target_url: upstream.url });
  const answer = await debug({ spec, request: { method: "GET", path: "/echo", headers: { "X-A": ["1"] } } });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(JSON.parse(answer.json.answer.body).url, "/echo");
  assert.equal((await send(gateway.ports.gateway, { path: spec.proxy.listen_path })).status, 404);
  assert.equal((await gateway.admin("GET", `/gateway/apis/${spec.api_id}`)).status, 404);
  const closed = await debug({ spec: api({ enable_coprocess_auth: true, use_keyless: false }), request: {} });
  assert.equal(closed.status, 400);
  assert.deepEqual(Object.keys(closed.json).slice(0, 2), ["message", "logs"]);
  assert.equal(closed.json.message, "error");
  assert.match(JSON.parse(closed.json.logs).msg, /Not served: /);
});

test("errors are those of the reference", async () => {
  const { api_id } = await served();
  const spec = api();
  for (const [body, status, message] of [
    ["", 400, "Request malformed"],
    ["{", 400, "Request malformed"],
    [{ spec: [], request: {} }, 400, "Request malformed"],
    [{ api_id, request: { headers: { a: 1 } } }, 400, "Request malformed"],
    [{}, 400, "Spec field is missing"],
    [{ request: {} }, 400, "Spec field is missing"],
    [{ spec }, 400, "Request field is missing"],
    [{ api_id }, 400, "Request field is missing"],
    [{ api_id: "nobody", request: {} }, 404, "API not found."],
    [{ api_id, request: { body: "x".repeat(1024 * 1024) } }, 413, undefined],
  ]) {
    const answer = await debug(body);
    const what = JSON.stringify(body).slice(0, 100);
    assert.equal(answer.status, status, `${what}: ${answer.text}`);
    if (message) assert.equal(answer.json.message, message, what);
  }
});

test("a skipped API shows the reason", async () => {
  const definition = await served({ enable_coprocess_auth: true, use_keyless: false });
  const traced = await debug({ api_id: definition.api_id, request: {} });
  assert.deepEqual([traced.status, traced.json.message], [404, "API not found."]);
  assert.match(traced.json.details, /^The last reload skipped it: .*enable_coprocess_auth/);
  const health = await gateway.admin("GET", `/gateway/health?api_id=${definition.api_id}`);
  assert.equal(health.status, 404);
  assert.match(health.json.details, /enable_coprocess_auth/);
});
