// No part of the dashboard API is reachable without a credential that permits it (attacks A10, A11, A13). The routes
// come from the OpenAPI document, so none can be forgotten.

import assert from "node:assert/strict";
import net from "node:net";
import { after, before, describe, test } from "node:test";
import { ALL, caller, issue, revoke, routes } from "./dashboard.mjs";
import { start } from "./harness.mjs";
import { send, sendLine } from "./http.mjs";

const RULESET = { name: "kept", ruleset_id: "kept" };
const PROVIDER = { name: "kept", client_idp_id: "kept", jwks_uri: "https://idp.example/jwks", api_mappings: { api: { scope_to_policy: { s: "p" } } } };
const WEBHOOK = { name: "kept", webhook_id: "kept", method: "POST", target_path: "https://hooks.example/x" };

/** Returns a body that the writing route would accept. */
function bodyOf({ method, path, group }, org = "other") {
  if (method === "GET" || method === "DELETE") return undefined;
  if (path.endsWith("/mappings")) return { api: { scope_to_policy: { s: "stolen" } } };
  if (path.includes("/mappings/")) return { scope_to_policy: { s: "stolen" } };
  const body = { rulesets: RULESET, clientidps: PROVIDER, hooks: WEBHOOK }[group];
  return { ...body, name: "stolen", org_id: org };
}

/** Asserts the specification's 401, with nothing of the route's own. */
function assertUnauthorised(answer, what) {
  assert.equal(answer.status, 401, `${what}: ${answer.text}`);
  const { ID: id, ...rest } = answer.json;
  const { details, ...refusal } = rest;
  assert.match(details, /Authorization: Bearer/, what);
  assert.deepEqual(refusal, { Message: "Not authorised", Meta: null, Status: "Error" }, what);
  assert.equal(id, answer.headers["x-request-id"], what);
  assert.equal(answer.headers["www-authenticate"], "Bearer", what);
}

/** Asserts the 403 of reference 1.11. */
function assertDenied(answer, path, what) {
  assert.equal(answer.status, 403, `${what}: ${answer.text}`);
  const { ID: id, ...rest } = answer.json;
  assert.deepEqual(rest, { Message: `access denied: You do not have permission to access  ${path}`, Meta: null, Status: "Error" }, what);
  assert.equal(id, answer.headers["x-request-id"], what);
}

describe("every route", () => {
  let gateway;
  let call;
  let table;

  before(async () => {
    gateway = await start();
    call = caller(gateway);
    for (const [path, body] of [["/api/rulesets", RULESET], ["/api/clientidps", PROVIDER], ["/api/hooks", WEBHOOK]]) {
      const made = await call("POST", path, { body });
      assert.ok(made.status === 201 || made.status === 200, made.text);
    }
    table = await routes(gateway);
  });
  after(() => gateway.stop());

  /** Returns everything that must not change without the right to it. */
  const state = async () => {
    const texts = await Promise.all(["/api/rulesets/kept", "/api/clientidps/kept", "/api/hooks/kept", "/api/rulesets", "/api/clientidps", "/api/hooks", "/api/notifications"].map((path) => call("GET", path)));
    return texts.map(({ status, text }) => `${status} ${text}`);
  };

  const unchanged = async (run) => {
    const was = await state();
    assert.ok(was.every((text) => text.startsWith("200 ")), was.join("\n"));
    await run();
    assert.deepEqual(await state(), was);
  };

  test("is in the table used by these tests", () => {
    const lines = table.map(({ method, path }) => `${method} ${path}`);
    for (const line of ["PATCH /api/clientidps/kept/mappings", "PUT /api/hooks/kept", "POST /api/rulesets/kept/restore", "GET /api/audit/1", "GET /api/apis/categories"]) {
      assert.ok(lines.includes(line), line);
    }
    assert.ok(lines.length >= 32, `${lines.length} routes`);
  });

  const wrong = (token, secret) => [
    ["no credential", {}],
    ["an empty one", { Authorization: "" }],
    ["a scheme without a token", { Authorization: "Bearer " }],
    ["a wrong token", { Authorization: `Bearer ${"f".repeat(token.length)}` }],
    ["a prefix of the token", { Authorization: `Bearer ${token.slice(0, -1)}` }],
    ["the token with an extra character", { Authorization: `Bearer ${token}0` }],
    ["the token without its scheme", { Authorization: token }],
    ["the token as a password", { Authorization: `Basic ${Buffer.from(`admin:${token}`).toString("base64")}` }],
    ["the token in the gateway's header", { "X-Gateway-Authorization": token }],
    ["the token in a cookie", { Cookie: `Authorization=Bearer ${token}` }],
    ["the gateway secret", { Authorization: `Bearer ${secret}`, "X-Gateway-Authorization": secret }],
    ["the token from a cross-site page", { Authorization: `Bearer ${token}`, "Sec-Fetch-Site": "cross-site" }],
  ];

  test("refuses requests without a valid credential", () =>
    unchanged(async () => {
      for (const route of table) {
        for (const [what, headers] of wrong(gateway.dashboardToken, gateway.secret)) {
          const answer = await send(gateway.ports.console, { ...route, headers, body: bodyOf(route) });
          assertUnauthorised(answer, `${route.method} ${route.path} with ${what}`);
        }
      }
    }));

  test("reads a small body before refusing, but not a large one", async () => {
    const targets = [[gateway.ports.console, "POST /api/hooks", 401], [gateway.ports.console, "DELETE /api/hooks/kept", 401], [gateway.ports.gateway, "POST /gateway/apis", 403]];
    for (const [port, line, status] of targets) {
      const socket = net.connect(port, "127.0.0.1");
      let text = "";
      socket.on("data", (chunk) => (text += chunk));
      const ended = new Promise((resolve, reject) => socket.on("close", resolve).on("error", reject));
      const head = (length) => `${line} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\nContent-Length: ${length}\r\n\r\n`;
      socket.write(head(4));
      // A later request has been answered, so an early response would have arrived by now.
      assert.equal((await send(port, { path: "/hello" })).status, 200);
      assert.equal(text, "", line);
      socket.write("null");
      await ended;
      assert.ok(text.startsWith(`HTTP/1.1 ${status} `), text);
      const large = await sendLine(port, `${line} HTTP/1.1`, [`Content-Length: ${64 * 1024 + 1}`]);
      assert.equal(large.status, status, line);
    }
  });

  test("refuses a token in the query", async () => {
    const token = gateway.dashboardToken;
    const answer = await send(gateway.ports.console, { path: "/api/rulesets", query: { token, access_token: token, authorization: `Bearer ${token}` } });
    assertUnauthorised(answer, "query");
  });

  test("refuses a revoked credential at once", () =>
    unchanged(async () => {
      const { token, id } = await issue(gateway, { name: "gone", permissions: ALL });
      assert.equal((await caller(gateway, token)("GET", "/api/rulesets")).status, 200);
      assert.equal((await revoke(gateway, id)).status, 200);
      for (const route of table) {
        assertUnauthorised(await caller(gateway, token)(route.method, route.path, { body: bodyOf(route) }), `${route.method} ${route.path}`);
      }
    }));

  test("refuses an expired credential", () =>
    unchanged(async () => {
      // Long enough for a busy machine to store it before that.
      const expires = new Date(Date.now() + 2000).toISOString();
      const { token } = await issue(gateway, { name: "short", permissions: ALL, expires_at: expires });
      // The clock decides; until it expires, the credential is valid.
      for (const deadline = Date.now() + 10_000; ; ) {
        const { status } = await caller(gateway, token)("GET", "/api/rulesets");
        if (status === 401) break;
        assert.ok(status === 200 && Date.now() < deadline, `${status}`);
      }
      for (const route of table) {
        assertUnauthorised(await caller(gateway, token)(route.method, route.path, { body: bodyOf(route) }), `${route.method} ${route.path}`);
      }
    }));

  test("refuses writes with a read-only credential", () =>
    unchanged(async () => {
      const permissions = { rulesets: "read", clientidps: "read", hooks: "read", apis: "read" };
      const { token } = await issue(gateway, { name: "reader", permissions });
      for (const route of table.filter(({ access }) => access === "write")) {
        const answer = await caller(gateway, token)(route.method, route.path, { body: bodyOf(route) });
        assertDenied(answer, route.path, `${route.method} ${route.path}`);
        const dry = await caller(gateway, token)(route.method, route.path, { body: bodyOf(route), query: { dry_run: "true" } });
        assertDenied(dry, route.path, `${route.method} ${route.path} as a dry run`);
      }
    }));

  test("refuses a credential that has every permission but the required one", () =>
    unchanged(async () => {
      for (const group of Object.keys(ALL)) {
        const { token } = await issue(gateway, { name: `not ${group}`, permissions: { ...ALL, [group]: "deny" } });
        for (const route of table.filter((route) => route.group === group)) {
          const answer = await caller(gateway, token)(route.method, route.path, { body: bodyOf(route) });
          assertDenied(answer, route.path, `${route.method} ${route.path}`);
        }
      }
    }));

  test("hides documents of other organisations", () =>
    unchanged(async () => {
      const { token } = await issue(gateway, { name: "foreign", org_id: "acme", permissions: ALL });
      const foreign = caller(gateway, token);
      const ids = {};
      for (const [path, name] of [["rulesets", "_id"], ["clientidps", "_id"], ["hooks", "id"]]) {
        ids[path] = (await call("GET", `/api/${path}/kept`)).json[name];
      }
      for (const internal of [false, true]) {
        for (const route of await routes(gateway, internal ? ids : {})) {
          if (!/^\/api\/(rulesets|clientidps|hooks)\/./.test(route.path)) continue;
          const answer = await foreign(route.method, route.path, { body: bodyOf(route, "default") });
          const missing = await foreign(route.method, route.path.replace(/^(\/api\/[a-z]+\/)[^/]+/, "$1none"), { body: bodyOf(route, "default") });
          const what = `${route.method} ${route.path}: ${answer.text}`;
          assert.ok(answer.status >= 400 && answer.status < 500, what);
          assert.deepEqual([answer.status, answer.json.Message], [missing.status, missing.json.Message], what);
        }
      }
      for (const [path, list] of [["/api/rulesets", "rulesets"], ["/api/clientidps", "client_idps"], ["/api/hooks", "hooks"], ["/api/notifications", "notifications"], ["/api/apis/categories", "categories"]]) {
        assert.deepEqual((await foreign("GET", path)).json[list], [], path);
      }
      const trail = (await foreign("GET", "/api/audit")).json.entries;
      assert.ok(trail.every(({ org_id: org }) => org === "acme"), JSON.stringify(trail));
    }));

  test("reveals nothing about the request to callers it refuses", async () => {
    for (const route of table.filter(({ method }) => method === "POST" || method === "PUT" || method === "PATCH")) {
      for (const body of ["", "{", "[]"]) {
        const answer = await caller(gateway, "gwd_wrong")(route.method, route.path, { body });
        assertUnauthorised(answer, `${route.method} ${route.path} with ${body}`);
      }
      // Only the start of a long body: the gateway closes the connection on the rest, and a client still writing may
      // lose the response.
      const fields = ["Authorization: Bearer gwd_wrong", `Content-Length: ${2 * 1024 * 1024}`];
      const long = await sendLine(gateway.ports.console, `${route.method} ${route.path} HTTP/1.1`, fields, "xx");
      assertUnauthorised(long, `${route.method} ${route.path} with a long body`);
    }
    for (const query of [{ format: "xml" }, { from: "x" }, { limit: "x" }]) {
      assertUnauthorised(await caller(gateway, "gwd_wrong")("GET", "/api/audit", { query }), JSON.stringify(query));
    }
  });

  test("is on the console's origin only", async () => {
    for (const { method, path } of table) {
      const answer = await send(gateway.ports.gateway, { method, path, headers: { Authorization: `Bearer ${gateway.dashboardToken}` } });
      assert.equal(answer.status, 404, `${method} ${path}`);
      assert.equal(answer.text, "Not Found", `${method} ${path}`);
    }
    const rebound = await send(gateway.ports.console, { path: "/api/rulesets", headers: { Host: "evil.example", Authorization: `Bearer ${gateway.dashboardToken}` } });
    assert.equal(rebound.status, 421);
  });

  test("can't be called by a cross-site form, nor pass its preflight", async () => {
    await unchanged(async () => {
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
        const headers = { "Content-Type": type, Origin: "http://evil.example", "Sec-Fetch-Site": "cross-site" };
        for (const authorization of [{}, { Authorization: `Bearer ${gateway.dashboardToken}` }]) {
          const answer = await send(gateway.ports.console, { method: "POST", path: "/api/rulesets", body: JSON.stringify({ name: "x" }), headers: { ...headers, ...authorization } });
          assertUnauthorised(answer, type);
        }
      }
    });
    const headers = { Origin: "http://evil.example", "Access-Control-Request-Method": "PATCH", "Access-Control-Request-Headers": "authorization" };
    const answer = await send(gateway.ports.console, { method: "OPTIONS", path: "/api/clientidps/kept/mappings", headers });
    assert.equal(answer.headers["access-control-allow-origin"], undefined);
    assert.equal(answer.headers["access-control-allow-headers"], undefined);
  });

  test("lists the methods its path allows", async () => {
    const answer = await call("POST", "/api/rulesets/kept");
    assert.deepEqual([answer.status, answer.headers.allow], [405, "GET, PUT, DELETE"]);
    assert.equal((await call("GET", "/api/nothing")).status, 404);
  });
});

describe("credentials", () => {
  let gateway;
  before(async () => (gateway = await start()));
  after(() => gateway.stop());

  test("are shown once, and nowhere else", async () => {
    const { token, id } = await issue(gateway, { name: "canary", permissions: ALL });
    const call = caller(gateway, token);
    await call("POST", "/api/clientidps", { body: PROVIDER });
    const [entry] = (await call("GET", "/api/audit", { query: { subject: "client_idp" } })).json.entries;
    assert.equal(entry.actor, "canary");
    const answers = await Promise.all([
      gateway.admin("GET", "/gateway/dashboard/credentials"),
      ...["/api/audit", "/api/notifications", `/api/audit/${entry.seq}`, "/api/clientidps/kept"].map((path) => call("GET", path)),
    ]);
    for (const { text } of answers) assert.ok(!text.includes(token), text);
    assert.ok(answers[0].text.includes(id));
    assert.ok(!gateway.log().includes(token) && !gateway.log().includes(gateway.dashboardToken));
  });

  test("can't take names reserved in the audit trail", async () => {
    for (const name of ["gateway", "Dashboard", " gateway "]) {
      const answer = await gateway.admin("POST", "/gateway/dashboard/credentials", { body: { name, permissions: ALL } });
      assert.equal(answer.status, 400, name);
    }
  });

  test("stay revoked after a restart", async () => {
    const [kept, gone] = await Promise.all([issue(gateway, { name: "kept", permissions: ALL }), issue(gateway, { name: "gone", permissions: ALL })]);
    await revoke(gateway, gone.id);
    await gateway.kill("SIGKILL");
    await gateway.restart();
    assert.equal((await caller(gateway, kept.token)("GET", "/api/rulesets")).status, 200);
    assertUnauthorised(await caller(gateway, gone.token)("GET", "/api/rulesets"), "revoked");
  });
});

for (const [what, token] of [["no DASHBOARD_TOKEN", undefined], ["an empty one", ""], ["a short one", "0123456789abcde"]]) {
  test(`with ${what} an issued credential is required`, async () => {
    const gateway = await start({ env: { DASHBOARD_TOKEN: token } });
    try {
      for (const sent of ["", token ?? "undefined", "null"]) {
        for (const { method, path } of await routes(gateway)) {
          assertUnauthorised(await caller(gateway, sent)(method, path), `${method} ${path} with ${sent}`);
        }
      }
      const { token: issued } = await issue(gateway, { name: "first", permissions: ALL });
      assert.equal((await caller(gateway, issued)("GET", "/api/rulesets")).status, 200);
    } finally {
      await gateway.stop();
    }
  });
}
