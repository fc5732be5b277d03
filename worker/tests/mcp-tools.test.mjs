// MCP proxies whose tools are the operations of an OpenAPI API (`gateway://{id}/mcp`), through workerd: both kinds of
// revisions, what the chains of the API and of the proxy do, and what a call can't reach.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { start } from "./harness.mjs";
import { send } from "./http.mjs";
import { listen } from "./upstream.mjs";

const on = { enabled: true };
const ok = { 200: { description: "" } };
const text = { type: "string" };

const PATHS = {
  "/orders": {
    get: { operationId: "listOrders", summary: "All orders", parameters: [{ name: "limit", in: "query", schema: { type: "integer", maximum: 50 } }], responses: ok },
    post: {
      operationId: "createOrder",
      requestBody: { required: true, content: { "application/json": { schema: { type: "object", required: ["item"], properties: { item: text, n: { type: "number" } } } } } },
      responses: ok,
    },
  },
  "/orders/{id}": {
    parameters: [{ name: "id", in: "path", required: true, schema: text }],
    get: { operationId: "getOrder", parameters: [{ name: "X-Trace", in: "header", schema: text }], responses: ok },
    delete: { operationId: "dropOrder", responses: ok },
  },
  "/mocked": { get: { operationId: "mocked", responses: { 200: { description: "", content: { "application/json": { example: { mocked: true } } } } } } },
  "/missing": { get: { operationId: "missing", responses: ok } },
  "/partial": { get: { operationId: "partial", responses: ok } },
  "/large": { get: { operationId: "large", responses: ok } },
  "/sized": {
    parameters: [{ name: "size", in: "query", schema: text }],
    get: {
      operationId: "sized",
      responses: { 200: { description: "", content: { "application/json": { schema: { type: "object", required: ["size"], properties: { size: { type: "integer" } } } } } } },
    },
  },
};

let gateway;
let upstream;
before(async () => {
  const missing = (request, response) => response.writeHead(404, { "Content-Type": "application/json", "Set-Cookie": "a=1" }).end('{"error":"none"}');
  const partial = (request, response) => response.writeHead(200, { "Content-Length": 9 }).write("{", () => request.socket.destroy());
  const large = (request, response) => response.writeHead(200, { "Content-Type": "application/json" }).end(`"${"x".repeat(2_000_000)}"`);
  const sized = (request, response) => response.writeHead(200, { "Content-Type": "application/json" }).end(`{"size":${new URL(request.url, "http://u").searchParams.get("size")}}`);
  [gateway, upstream] = await Promise.all([start({ env: { FIGURES_REPORT_SECONDS: "1" } }), listen({ "/missing": missing, "/partial": partial, "/large": large, "/sized": sized })]);
  const operations = {
    createOrder: { validateRequest: { ...on, errorResponseCode: 422 } },
    listOrders: { validateRequest: { ...on, errorResponseCode: 422 } },
    mocked: { mockResponse: { ...on, fromOASExamples: on } },
  };
  await document("apis/oas", "orders", { paths: PATHS, url: `${upstream.url}/`, middleware: { operations } });
  const keyed = {
    paths: { "/a": { get: { operationId: "a", responses: ok } } },
    url: `${upstream.url}/`,
    server: { authentication: { enabled: true, securitySchemes: { token: { enabled: true } } } },
    more: { security: [{ token: [] }], components: { securitySchemes: { token: { type: "apiKey", in: "header", name: "Authorization" } } } },
  };
  await document("apis/oas", "keyed", keyed);
  const at = (id) => ({ url: `gateway://${id}/mcp` });
  await document("mcps", "tools", at("orders"));
  const primitives = [
    { source: { operationId: "getOrder" }, name: "order", allow: true, parameters: [{ param: "id", name: "number", description: "Its number" }] },
    { source: { method: "DELETE", path: "/orders/{id}" }, allow: true },
  ];
  const middleware = { mcpTools: { dropOrder: { block: on }, order: { rateLimit: { enabled: true, rate: 3, per: "1h" } } } };
  await document("mcps", "chosen", { ...at("orders"), middleware, more: { "x-gateway-mcp-server": { primitives } } });
  const schemes = keyed.more;
  await document("mcps", "held", { ...at("orders"), server: keyed.server, more: schemes });
  await document("mcps", "through", at("keyed"));
  const basic = { enabled: true, basicAuth: { ...on, username: "u", password: "p", header: { ...on, name: "X-Up" } } };
  await document("mcps", "shows", { ...at("orders"), upstream: { authentication: basic } });
  const reloaded = await gateway.admin("GET", "/gateway/reload", { query: { block: "true" } });
  assert.equal(reloaded.status, 200, reloaded.text);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

async function document(kind, id, { url, upstream = {}, paths = {}, server = {}, middleware = {}, more = {} }) {
  const body = {
    openapi: "3.0.3",
    info: { title: id, version: "1.5" },
    paths,
    ...more,
    "x-gateway-api-gateway": {
      info: { id, name: id, state: { active: true } },
      upstream: { url, ...upstream },
      server: { listenPath: { value: `/${id}/`, strip: true }, ...server },
      middleware,
    },
  };
  const made = await gateway.admin("POST", `/gateway/${kind}`, { body });
  assert.equal(made.status, 200, made.text);
}

const post = (id, body, headers = {}) =>
  send(gateway.ports.gateway, { method: "POST", path: `/${id}/`, headers: { "Content-Type": "application/json", ...headers }, body });
const request = (id, method, params, headers) => post(id, { jsonrpc: "2.0", id: 1, method, params }, headers);
const callTool = async (id, name, args, headers) => (await request(id, "tools/call", { name, arguments: args }, headers)).json;
const names = async (id, headers) => (await request(id, "tools/list", {}, headers)).json.result.tools.map(({ name }) => name);

/** Returns what the upstream has received from a call. */
async function got(id, name, args, headers) {
  const { result } = await callTool(id, name, args, headers);
  assert.equal(result.isError, false, JSON.stringify(result));
  return result.structuredContent;
}

test("a client of the revisions with initialize lists and calls tools", async () => {
  const greeting = await request("tools", "initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } });
  assert.deepEqual(greeting.json.result, { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "tools", version: "1.5" } });
  assert.equal(greeting.headers["mcp-session-id"], undefined);
  const noted = await post("tools", { jsonrpc: "2.0", method: "notifications/initialized" });
  assert.deepEqual([noted.status, noted.text], [202, ""]);
  assert.deepEqual((await request("tools", "ping")).json.result, {});
  assert.deepEqual(await names("tools"), ["listOrders", "createOrder", "getOrder", "dropOrder", "mocked", "missing", "partial", "large", "sized"]);
  const { method, url, headers, body } = await got("tools", "getOrder", { id: "a/b?c", "X-Trace": "t1" });
  assert.deepEqual([method, url, body], ["GET", "/orders/a%2Fb%3Fc", ""]);
  const sent = Object.fromEntries(headers);
  assert.equal(sent["x-trace"], "t1");
  assert.deepEqual([sent["content-type"], sent["content-length"]], [undefined, undefined]);
  const made = await got("tools", "createOrder", { item: "tea", n: 1.5 }, { "Mcp-Name": "createOrder" });
  assert.deepEqual([made.method, made.url, made.body], ["POST", "/orders", '{"item":"tea","n":1.5}']);
  const lines = Object.fromEntries(made.headers);
  assert.deepEqual([lines["content-type"], lines["mcp-name"]], ["application/json", undefined]);
  assert.equal((await got("tools", "listOrders", { limit: 5 })).url, "/orders?limit=5");
  for (const method of ["GET", "DELETE"]) {
    const answer = await send(gateway.ports.gateway, { method, path: "/tools/", headers: { Accept: "text/event-stream" } });
    assert.deepEqual([answer.status, answer.headers.allow], [405, "POST"]);
  }
});

test("a client of the stateless revision sends everything in each message", async () => {
  const params = (more = {}, version = "2026-07-28") => ({
    ...more,
    _meta: { "io.modelcontextprotocol/protocolVersion": version, "io.modelcontextprotocol/clientCapabilities": {} },
  });
  const version = { "MCP-Protocol-Version": "2026-07-28" };
  const found = await request("tools", "server/discover", params(), { ...version, "Mcp-Method": "server/discover" });
  assert.equal(found.json.result.supportedVersions[0], "2026-07-28", found.text);
  const list = await request("tools", "tools/list", params(), { ...version, "Mcp-Method": "tools/list" });
  assert.deepEqual([list.json.result.resultType, list.json.result.cacheScope], ["complete", "public"]);
  const filtered = await request("chosen", "tools/list", params(), { ...version, "Mcp-Method": "tools/list" });
  assert.equal(filtered.json.result.cacheScope, "private");
  const call = { ...version, "Mcp-Method": "tools/call", "Mcp-Name": "listOrders" };
  const made = await request("tools", "tools/call", params({ name: "listOrders" }), call);
  assert.deepEqual([made.json.result.resultType, made.json.result.structuredContent.url], ["complete", "/orders"]);
  for (const [status, code, method, sent, headers] of [
    [400, -32020, "tools/call", params({ name: "dropOrder" }), call],
    [400, -32020, "tools/list", params(), version],
    [400, -32020, "tools/list", params(), { ...version, "Mcp-Method": "tools/call" }],
    [400, -32020, "tools/list", params(), { "Mcp-Method": "tools/list" }],
    [400, -32022, "tools/list", params({}, "2099-01-01"), { "MCP-Protocol-Version": "2099-01-01", "Mcp-Method": "tools/list" }],
    [400, -32602, "tools/list", {}, { ...version, "Mcp-Method": "tools/list" }],
    [404, -32601, "resources/list", params(), { ...version, "Mcp-Method": "resources/list" }],
  ]) {
    const answer = await request("tools", method, sent, headers);
    assert.deepEqual([answer.status, answer.json.error.code], [status, code], `${method} ${answer.text}`);
  }
});

test("a call passes through the API's entire chain and reports its errors", async () => {
  const result = async (...call) => (await callTool("tools", ...call)).result;
  const seen = upstream.seen.length;
  const invalid = await result("createOrder", { item: 5 });
  assert.equal(invalid.isError, true);
  assert.match(invalid.content[0].text, /item/);
  assert.equal((await result("listOrders", { limit: 500 })).isError, true);
  assert.deepEqual((await result("mocked", {})).structuredContent, { mocked: true });
  assert.match((await result("getOrder", {})).content[0].text, /missing required argument: id/);
  assert.match((await result("getOrder", { id: "a", other: 1 })).content[0].text, /unknown argument: other/);
  assert.match((await result("getOrder", { id: ".." })).content[0].text, /leads to another path/);
  assert.equal(upstream.seen.length, seen, "nothing was sent to the API");
  const missing = await request("tools", "tools/call", { name: "missing" });
  assert.deepEqual(missing.json.result, { content: [{ type: "text", text: '{"error":"none"}' }], isError: true });
  assert.deepEqual([missing.status, missing.headers["set-cookie"]], [200, undefined]);
  const { content, isError } = await result("partial");
  assert.deepEqual([JSON.parse(content[0].text), isError], [{ error: "There was a problem proxying the request" }, true]);
  const large = await result("large", {});
  assert.deepEqual([large.content[0].text.length, large.structuredContent], [1024 * 1024, undefined]);
});

test("a call of a tool whose response breaks off is counted once", async () => {
  const counted = async () => {
    const { json } = await gateway.admin("GET", "/gateway/health/figures", { query: { api_id: "tools", window: "15m" } });
    return [json.totals.requests, json.totals.errors];
  };
  const [requests, errors] = await counted();
  for (const _ of [1, 2]) await callTool("tools", "partial", {});
  await callTool("tools", "listOrders", {});
  assert.deepEqual(await counted(), [requests + 3, errors + 2]);
});

test("a result is what the tool returned, or an error", async () => {
  const list = (await request("tools", "tools/list", {})).json.result.tools;
  const schemas = list.filter(({ outputSchema }) => outputSchema).map(({ name, outputSchema }) => [name, outputSchema]);
  assert.deepEqual(schemas, [["sized", { type: "object", required: ["size"], properties: { size: { type: "integer" } } }]]);
  const expanded = await gateway.admin("GET", "/gateway/mcps/tools", { query: { expand: "true" } });
  const shown = expanded.json["x-gateway-mcp-server"].primitives.find(({ name }) => name === "sized");
  assert.deepEqual(shown.outputSchema, schemas[0][1]);
  const { result } = await callTool("tools", "sized", { size: "5" });
  assert.deepEqual([result.isError, result.structuredContent], [false, { size: 5 }]);
  const other = (await callTool("tools", "sized", { size: '"5"' })).result;
  assert.deepEqual([other.isError, other.structuredContent, other.content[0].text], [true, undefined, '{"size":"5"}']);
  assert.match(other.content[1].text, /\/size: it is a string, not integer/);
});

test("the proxy's rules use its own tool names", async () => {
  assert.deepEqual(await names("chosen"), ["order"]);
  assert.equal((await got("chosen", "order", { number: "7" })).url, "/orders/7");
  for (const [name, code] of [["dropOrder", -32002], ["getOrder", -32602], ["Order", -32602], ["order ", -32602], ["DropOrder", -32602], ["constructor", -32602]]) {
    const answer = await callTool("chosen", name, { id: "1" });
    assert.equal(answer.error?.code, code, `${name}: ${JSON.stringify(answer)}`);
  }
  const seen = upstream.seen.length;
  const statuses = [];
  for (let sent = 0; sent < 3; sent += 1) statuses.push((await request("chosen", "tools/call", { name: "order", arguments: { number: "8" } })).status);
  assert.deepEqual(statuses, [200, 200, 429]);
  assert.equal(upstream.seen.length, seen + 2);
});

test("keys are required where proxy or API require them, and their rights apply to lists and calls", async () => {
  const issue = async (access) => (await gateway.admin("POST", "/gateway/keys", { body: { access_rights: access, allowance: 100, rate: 100, per: 1 } })).json;
  const held = { api_id: "held", api_name: "held", versions: ["Default"] };
  const key = await issue({ held: { ...held, mcp_access_rights: { tools: { allowed: ["getOrder", "listOrders"] } } } });
  const headers = { Authorization: key.key };
  assert.equal((await request("held", "tools/list", {})).status, 401);
  assert.deepEqual(await names("held", headers), ["listOrders", "getOrder"]);
  assert.equal((await got("held", "getOrder", { id: "1" }, headers)).url, "/orders/1");
  assert.equal((await callTool("held", "dropOrder", { id: "1" }, headers)).error.code, -32002);
  // Rights that are withdrawn between a list and a call apply to the call.
  const less = { access_rights: { held: { ...held, mcp_access_rights: { tools: { allowed: ["listOrders"] } } } }, allowance: 100, rate: 100, per: 1 };
  const put = await gateway.admin("PUT", `/gateway/keys/${key.key}`, { body: less });
  assert.equal(put.status, 200, put.text);
  assert.equal((await callTool("held", "getOrder", { id: "1" }, headers)).error.code, -32002);
  assert.deepEqual(await names("held", headers), ["listOrders"]);

  // The proxy is open, the API is not, and the key's rates apply there.
  assert.equal((await callTool("through", "a", {})).result.isError, true);
  const own = await gateway.admin("POST", "/gateway/keys", {
    body: { access_rights: { keyed: { api_id: "keyed", api_name: "keyed", versions: ["Default"] } }, allowance: 2, rate: 2, per: 3600 },
  });
  const through = [];
  for (let sent = 0; sent < 3; sent += 1) through.push((await callTool("through", "a", {}, { Authorization: own.json.key })).result.isError);
  assert.deepEqual(through, [false, false, true]);
});

test("the API receives the proxy's credential for its upstream", async () => {
  const { headers } = await got("shows", "getOrder", { id: "1" }, { "X-Up": "mine" });
  assert.equal(Object.fromEntries(headers)["x-up"], `Basic ${btoa("u:p")}`);
});

test("tools follow the API after a reload, and a proxy without any is not served", async () => {
  const reload = async () => assert.equal((await gateway.admin("GET", "/gateway/reload", { query: { block: "true" } })).status, 200);
  const problem = async () => (await gateway.admin("GET", "/gateway/apis", { query: { view: "summary" } })).json.apis.find(({ api_id }) => api_id === "late").problem;
  const source = (paths) => document("apis/oas", "source", { paths, url: `${upstream.url}/` });
  await source({ "/a": { get: { operationId: "a", responses: ok } } });
  await document("mcps", "late", { url: "gateway://source/mcp" });
  await reload();
  assert.deepEqual(await names("late"), ["a"]);
  await source({ "/a": { get: { operationId: "b", responses: ok } } });
  await reload();
  assert.deepEqual(await names("late"), ["b"]);
  await source({ "/a": { get: { operationId: "x y", responses: ok }, put: { operationId: "x_y", responses: ok } } });
  await reload();
  assert.match(await problem(), /duplicate tool name/);
  assert.equal((await request("late", "tools/list", {})).status, 404);
});
