// Endpoints that need no secret (reference 1.1), and what every response of the administration contains.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { start } from "./harness.mjs";
import { send } from "./http.mjs";

let gateway;
before(async () => (gateway = await start()));
after(() => gateway.stop());

const get = (path, options) => send(gateway.ports.gateway, { path, ...options });

test("hello and ready report the state of each component", async () => {
  for (const [path, description] of [["/hello", "Gatewright GW"], ["/hello/", "Gatewright GW"], ["/ready", "Gatewright GW Ready"], ["/ready/", "Gatewright GW Ready"]]) {
    const answer = await get(path);
    assert.equal(answer.status, 200, path);
    const { status, version, description: described, details } = answer.json;
    assert.equal(status, "pass", path);
    assert.match(version, /^v\d+\.\d+\.\d+$/, path);
    assert.equal(described, description, path);
    assert.deepEqual(Object.keys(details).sort(), ["kv", "registry"]);
    for (const detail of Object.values(details)) {
      assert.equal(detail.status, "pass");
      assert.equal(detail.componentType, "datastore");
      assert.ok(!Number.isNaN(Date.parse(detail.time)), detail.time);
    }
  }
});

// Returns who may call a path: anybody, the holder of the secret, or also credentials with a right at the gateway.
function security(path) {
  if (!path.startsWith("/gateway")) return [];
  return /^\/gateway\/(dashboard\/credentials|export|import)/.test(path) ? [{ secret: [] }] : [{ secret: [] }, { token: [] }];
}

test("the OpenAPI document describes every path once, with who may call it", async () => {
  const document = (await get("/openapi/gateway.json")).json;
  assert.match(document.openapi, /^3\.1\./);
  const ids = [];
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const what = `${method} ${path}`;
      ids.push(operation.operationId);
      assert.ok(operation.summary, what);
      assert.deepEqual(operation.security, security(path), what);
      assert.ok(operation.responses["200"], what);
      const variables = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      const declared = [...(operation.parameters ?? []), ...(methods.parameters ?? [])].filter((parameter) => parameter.in === "path");
      assert.deepEqual(declared.map(({ name }) => name), variables, what);
    }
  }
  assert.equal(new Set(ids).size, ids.length);
  const { secret, token } = document.components.securitySchemes;
  assert.deepEqual([secret.name.toLowerCase(), secret.in], ["x-gateway-authorization", "header"]);
  assert.deepEqual([token.type, token.scheme], ["http", "bearer"]);
});

test("an unsupported method is refused in JSON, with the allowed ones in Allow", async () => {
  const { paths } = (await get("/openapi/gateway.json")).json;
  for (const [template, operations] of Object.entries(paths)) {
    const path = template.replace("{apiID}", "x").replace("{revision}", "1");
    const right = Object.keys(operations).map((method) => method.toUpperCase());
    for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"].filter((method) => !right.includes(method))) {
      // A missing id has its own message, and a path that is a route only for POST is otherwise the id of a key.
      if (/^\/gateway\/(policies|keys)$/.test(path) && (method === "PUT" || method === "DELETE")) continue;
      if (/^\/gateway\/keys\/(create|preview)$/.test(path) && ["GET", "PUT", "DELETE"].includes(method)) continue;
      if (/^\/gateway\/oauth\/clients\/[^/]+$/.test(path) && method === "DELETE") continue;
      // In place of an id, the fixed word is an unknown one (reference 1.4).
      if (/^\/gateway\/apis\/oas(\/(import|export))?$/.test(path) && ["GET", "PUT", "DELETE"].includes(method)) continue;
      // For the routes of one client, `apis` is the id of an API.
      if (path.startsWith("/gateway/oauth/clients/apis/")) continue;
      const answer = await gateway.admin(method, path);
      assert.equal(answer.status, 405, `${method} ${path}`);
      assert.equal(answer.json.status, "error");
      assert.equal(answer.json.message, path.startsWith("/gateway") ? "Method not supported" : "Method Not Allowed");
      assert.deepEqual(answer.headers.allow.split(/,\s*/).sort(), right.sort(), `${method} ${path}`);
    }
  }
});

test("an unknown administrative path is a 404, in JSON if the client asks for that", async () => {
  for (const path of ["/gateway", "/gateway/", "/gateway/nothing", "/gateway/apis/x/nothing", "/gateway/apis/x/revisions/1/nothing", "/gateway//apis", "/openapi/nothing.json"]) {
    const plain = await gateway.admin("GET", path);
    assert.deepEqual([plain.status, plain.text], [404, "404 page not found\n"], path);
    const answer = await gateway.admin("GET", path, { headers: { Accept: "application/json" } });
    assert.equal(answer.status, 404, path);
    const { request_id: id, ...message } = answer.json;
    assert.deepEqual(message, { status: "error", message: "Not found" }, path);
    assert.equal(id, answer.headers["x-request-id"]);
  }
});

test("a harmless request id is adopted, and otherwise one is generated", async () => {
  const sent = async (id) => (await get("/hello", { headers: { "X-Request-Id": id } })).headers["x-request-id"];
  assert.equal(await sent("my-trace_1.2"), "my-trace_1.2");
  for (const id of ["a b", "<script>", "x".repeat(65), "a,b", "é"]) assert.match(await sent(id), /^[0-9a-f]{32}$/, id);
  const made = [await get("/hello"), await get("/hello")].map((answer) => answer.headers["x-request-id"]);
  assert.notEqual(made[0], made[1]);
});

test("administrative responses must not be cached, sniffed or rendered as pages", async () => {
  // Responses that are the same for everybody may be cached, but must be revalidated.
  for (const [path, caching] of [["/gateway/apis", "no-store"], ["/gateway/nothing", "no-store"], ["/hello", "no-store"], ["/openapi/gateway.json", "no-cache"]]) {
    const { headers } = await gateway.admin("GET", path);
    assert.equal(headers["cache-control"], caching, path);
    assert.equal(headers["x-content-type-options"], "nosniff", path);
    assert.match(headers["content-security-policy"], /default-src 'none'/, path);
    const type = path === "/gateway/nothing" ? "text/plain; charset=utf-8" : "application/json";
    assert.equal(headers["content-type"], type, path);
  }
});
