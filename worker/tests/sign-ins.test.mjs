// Signing in to the console: one cookie for all tabs, which opens what its credentials open, and nothing for a page of
// somebody else (attack A13). How long it lasts is tested where the clock can be moved:
// crates/controlplane/tests/controlplane/sign_ins.rs.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { ALL, issue, revoke } from "./dashboard.mjs";
import { start } from "./harness.mjs";
import { send } from "./http.mjs";

const PATH = "/console/session";
let gateway;
before(async () => {
  gateway = await start({ env: { ENVIRONMENT_NAME: "Production", ENVIRONMENT_COLOR: "red" } });
});
after(() => gateway.stop());

/** Sends a request as a page of the console does. */
const page = (method, path, { cookie, headers, port = gateway.ports.console, ...rest } = {}) =>
  send(port, { method, path, headers: { "X-Gateway-Console": "1", "Sec-Fetch-Site": "same-origin", ...(cookie && { Cookie: cookie }), ...headers }, ...rest });
const bySecret = () => ({ "X-Gateway-Authorization": gateway.secret });
const byToken = (token = gateway.token) => ({ Authorization: `Bearer ${token}` });

/** Signs in and returns the cookie. */
async function signIn(headers, cookie) {
  const answer = await page("POST", PATH, { headers, cookie });
  assert.equal(answer.status, 200, answer.text);
  return answer.headers["set-cookie"].split(";")[0];
}

/** Returns the statuses of the administration and of the dashboard API. */
const opens = async (cookie, how) => [(await page("GET", "/gateway/apis", { cookie, ...how })).status, (await page("GET", "/api/notifications", { cookie, ...how })).status];

test("a browser signs in once for all its tabs, and is told its identity", async () => {
  const answer = await page("POST", PATH, { headers: { ...bySecret(), ...byToken() } });
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.headers["set-cookie"], /^gateway-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
  assert.equal(answer.headers["cache-control"], "no-store");
  const cookie = answer.headers["set-cookie"].split(";")[0];
  const who = await page("GET", PATH, { cookie });
  assert.deepEqual(who.json, answer.json);
  const { kind, name, gateway: holdsSecret, dashboard, rights, environment, version } = who.json;
  assert.deepEqual({ kind, name, holdsSecret, dashboard }, { kind: "gateway", name: "gateway", holdsSecret: true, dashboard: true });
  assert.deepEqual([rights.hooks, rights.gateway.apis, rights.gateway.tools], ["write", "write", "write"]);
  assert.deepEqual(environment, { name: "Production", color: "red" });
  assert.match(version, /^v\d/);
  assert.deepEqual(await opens(cookie), [200, 200]);
  const made = await page("POST", "/api/rulesets", { cookie, body: { name: "by a cookie" } });
  assert.equal(made.status, 201, made.text);
});

test("over HTTPS the cookie can't be set by another host, even if TLS ends in front of the gateway", async () => {
  const host = `127.0.0.1:${gateway.ports.console}`;
  const headers = { "X-Gateway-Console": "1", Origin: `https://${host}`, ...bySecret() };
  const answer = await send(gateway.ports.console, { method: "POST", path: PATH, headers });
  assert.match(answer.headers["set-cookie"], /^__Host-gateway-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure$/);
  assert.deepEqual(await opens(answer.headers["set-cookie"].split(";")[0]), [200, 401]);
});

test("without the cookie, or with an unknown one, access is refused", async () => {
  for (const cookie of [undefined, `gateway-session=${"a".repeat(43)}`, "gateway-session=", `other=${"a".repeat(43)}`]) {
    assert.deepEqual(await opens(cookie), [403, 401]);
    const who = await page("GET", PATH, { cookie });
    assert.equal(who.status, 401);
    assert.deepEqual(who.json.environment, { name: "Production", color: "red" });
    assert.equal(who.json.version, undefined);
  }
  for (const headers of [{}, { "X-Gateway-Authorization": "wrong" }, { Authorization: "Bearer wrong" }, { ...bySecret(), Authorization: "Bearer wrong" }]) {
    const answer = await page("POST", PATH, { headers });
    assert.ok(answer.status >= 400 && answer.status < 500, answer.text);
    assert.equal(answer.headers["set-cookie"], undefined);
  }
});

test("cross-site pages can't use it", async () => {
  const cookie = await signIn({ ...bySecret(), ...byToken() });
  const console = `http://127.0.0.1:${gateway.ports.console}`;
  const foreign = [
    { "X-Gateway-Console": undefined },
    { "X-Gateway-Console": "0" },
    { "Sec-Fetch-Site": "cross-site" },
    // A page sent by an upstream, on the same host at the gateway's port.
    { "Sec-Fetch-Site": "same-site", Origin: gateway.gateway },
    { "Sec-Fetch-Site": "none" },
    { "Sec-Fetch-Site": undefined, Origin: gateway.gateway },
    { "Sec-Fetch-Site": undefined, Origin: "null" },
  ];
  for (const given of foreign) {
    const sent = { Cookie: cookie, "X-Gateway-Console": "1", "Sec-Fetch-Site": "same-origin", ...given };
    const headers = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined));
    const status = async (method, path) => (await send(gateway.ports.console, { method, path, headers })).status;
    assert.equal(await status("GET", "/gateway/apis"), 403, JSON.stringify(given));
    assert.equal(await status("POST", "/gateway/reload"), 403, JSON.stringify(given));
    assert.equal(await status("GET", "/gateway/export"), 403, JSON.stringify(given));
    assert.equal(await status("GET", "/api/notifications"), 401, JSON.stringify(given));
    assert.equal(await status("DELETE", PATH), 403, JSON.stringify(given));
  }
  // At the gateway's own port such a page has the same origin, and cookies ignore ports.
  const there = { port: gateway.ports.gateway, headers: { Origin: gateway.gateway } };
  assert.equal((await opens(cookie, there))[0], 403);
  assert.equal((await page("POST", PATH, { ...there, headers: bySecret() })).status, 404);
  // No other origin is allowed to send the header.
  const preflight = await send(gateway.ports.console, { method: "OPTIONS", path: "/gateway/apis", headers: { Origin: "https://evil.example", "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-gateway-console" } });
  assert.equal(preflight.headers["access-control-allow-origin"], undefined);
  assert.deepEqual(await opens(cookie), [200, 200]);
  assert.deepEqual(await opens(cookie, { headers: { Origin: console } }), [200, 200]);
});

test("it ends with its credential, by signing out once or everywhere, and survives a restart", async () => {
  const { token, id } = await issue(gateway, { name: "anna", permissions: ALL });
  const [one, two, three] = [await signIn(byToken(token)), await signIn(byToken(token)), await signIn(byToken(token))];
  const secret = await signIn(bySecret());
  assert.equal((await page("GET", PATH, { cookie: one })).json.name, "anna");
  await gateway.restart();
  assert.deepEqual(await opens(one), [403, 200]);
  const out = await page("DELETE", PATH, { cookie: one });
  assert.match(out.headers["set-cookie"], /^gateway-session=; Path=\/; Max-Age=0; /);
  assert.deepEqual(await opens(one), [403, 401]);
  assert.deepEqual(await opens(two), [403, 200]);
  assert.equal((await page("DELETE", PATH, { cookie: two, query: { everywhere: "true" } })).status, 200);
  assert.deepEqual(await opens(three), [403, 401]);
  const again = await signIn(byToken(token));
  assert.equal((await revoke(gateway, id)).status, 200);
  assert.deepEqual(await opens(again), [403, 401]);
  assert.deepEqual(await opens(secret), [200, 401]);
});

test("it covers exports and imports, and its streams end with it", async () => {
  const cookie = await signIn({ ...bySecret(), ...byToken() });
  const backup = await page("GET", "/gateway/export", { cookie });
  assert.equal(backup.status, 200, backup.text);
  assert.ok(!backup.text.includes("sign_in"), "an export has no sign-ins");
  // Refused because the gateway isn't empty, not because of the requester.
  assert.equal((await page("POST", "/gateway/import", { cookie, body: backup.text })).status, 409);
  const stream = page("GET", "/api/notifications/stream", { cookie });
  await page("DELETE", PATH, { cookie });
  // If the sign-out came before it was opened, it is refused; else it ends.
  assert.ok([200, 401].includes((await stream).status));
});

test("a credential's rights at the gateway apply to its token and to a cookie", async () => {
  const { token } = await issue(gateway, { name: "robot", permissions: { gateway: { apis: "read", reload: "write" } } });
  const status = async (method, path, port = gateway.ports.gateway) => (await send(port, { method, path, headers: byToken(token) })).status;
  assert.equal(await status("GET", "/gateway/apis"), 200);
  assert.equal(await status("GET", "/gateway/apis", gateway.ports.console), 200);
  assert.equal(await status("GET", "/gateway/reload?block=true"), 200);
  for (const [method, path] of [["POST", "/gateway/apis"], ["GET", "/gateway/keys"], ["GET", "/gateway/export"], ["POST", "/gateway/import"], ["GET", "/gateway/dashboard/credentials"]]) {
    assert.equal(await status(method, path), 403, path);
  }
  const cookie = await signIn(byToken(token));
  assert.equal((await page("GET", "/gateway/apis", { cookie })).status, 200);
  assert.match((await page("POST", "/gateway/apis", { cookie, body: {} })).json.message, /the right to write the gateway's apis/);
  const { entries } = (await gateway.dashboard("GET", "/api/audit", { query: { subject: "reload" } })).json;
  assert.equal(entries[0].actor, "robot");
});

test("neither a cookie nor a secret is logged", async () => {
  const cookie = await signIn({ ...bySecret(), ...byToken() });
  for (const text of [cookie.split("=")[1], gateway.secret, gateway.token]) assert.ok(!gateway.log().includes(text));
});
