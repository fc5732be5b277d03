// Attacks on MCP proxies through workerd: batches of many calls, partial responses or those meant for somebody else,
// and rights that are withdrawn between a list and a call.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { start } from "./harness.mjs";
import { open, send } from "./http.mjs";
import { listen } from "./upstream.mjs";

const JSON_TYPE = { "Content-Type": "application/json" };
const TOOLS = ["get", "set", "drop"].map((name) => ({ name }));
const MOST = 100_000;

let gateway;
let upstream;
/** The bodies that have reached the upstream. */
const bodies = [];
/** How the upstream responds to a list. */
let answers;
before(async () => {
  const handler = async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    bodies.push(Buffer.concat(chunks).toString());
    answers(request, response, JSON.stringify({ jsonrpc: "2.0", id: 1, result: { tools: TOOLS } }));
  };
  [gateway, upstream] = await Promise.all([start({ env: { MAX_REQUEST_BODY_SIZE: String(MOST) } }), listen({ "/mcp": handler })]);
  const token = { type: "apiKey", in: "header", name: "Authorization" };
  const keyed = { security: [{ token: [] }], components: { securitySchemes: { token } } };
  const authentication = { enabled: true, securitySchemes: { token: { enabled: true } } };
  const rules = { mcpTools: { drop: { block: { enabled: true } } } };
  await document("bare", {});
  await document("ruled", { middleware: rules });
  await document("keyed", { more: keyed, server: { authentication } });
  const operation = { operationId: "a", responses: { 200: { description: "" } } };
  await document("source", { kind: "apis/oas", paths: { "/a": { post: operation } } });
  await document("tools", { url: "gateway://source/mcp" });
  const reloaded = await gateway.admin("GET", "/gateway/reload", { query: { block: "true" } });
  assert.equal(reloaded.status, 200, reloaded.text);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

async function document(id, { kind = "mcps", url = `${upstream.url}/mcp`, paths = {}, middleware = {}, server = {}, more = {} }) {
  const body = {
    openapi: "3.0.3",
    info: { title: id, version: "1" },
    paths,
    ...more,
    "x-gateway-api-gateway": {
      info: { id, name: id, state: { active: true } },
      upstream: { url },
      server: { listenPath: { value: `/${id}/`, strip: true }, ...server },
      middleware,
    },
  };
  const made = await gateway.admin("POST", `/gateway/${kind}`, { body });
  assert.equal(made.status, 200, made.text);
}

const post = (id, body, headers = {}) => send(gateway.ports.gateway, { method: "POST", path: `/${id}/`, headers: { ...JSON_TYPE, ...headers }, body });
const message = (method, params) => ({ jsonrpc: "2.0", id: 1, method, params });
const listed = (request, response, body) => response.writeHead(200, { ...JSON_TYPE, "Cache-Control": "public, max-age=600", ETag: '"1"' }).end(body);

test("a JSON-RPC batch is refused as a whole, and nothing is sent to the server", async () => {
  answers = listed;
  const call = JSON.stringify(message("tools/call", { name: "get" }));
  const batch = (length) => `[${Array(length).fill(call).join(",")}]`;
  const most = Math.floor((MOST - 2) / (call.length + 1));
  for (const [status, code, body] of [
    [400, -32700, batch(1)],
    [400, -32700, batch(most)],
    [413, -32000, batch(most + 2)],
    [400, -32700, `${" ".repeat(MOST - 2)}[]`],
    [400, -32700, `[${"[],".repeat(most)}[]]`],
    [400, -32700, "[".repeat(MOST)],
    [400, -32700, Array(most).fill(call).join("\n")],
    [400, -32600, JSON.stringify({ requests: Array(most - 2).fill(message("tools/call", { name: "get" })) })],
  ]) {
    for (const id of ["bare", "ruled", "tools"]) {
      const answer = await post(id, body);
      assert.equal(answer.status, status, `${id} ${body.slice(0, 100)}: ${answer.text}`);
      if (status === 400) assert.equal(answer.json.error.code, code, answer.text);
    }
  }
  // The gateway's own batches aren't available at such a proxy either.
  const relative = { requests: [{ method: "POST", relative_url: "", body: call, headers: JSON_TYPE }] };
  const own = await send(gateway.ports.gateway, { method: "POST", path: "/ruled/gateway/batch/", headers: JSON_TYPE, body: relative });
  assert.deepEqual([own.status, own.json.error.code], [400, -32600]);
  assert.deepEqual(bodies, []);
  assert.equal((await post("ruled", call)).status, 200, "later calls still work");
});

test("partial and cached lists never show hidden tools", async () => {
  const shown = ["get", "set"];
  const names = (answer) => answer.json.result.tools.map(({ name }) => name);
  answers = listed;
  assert.deepEqual(names(await post("ruled", message("tools/list"))), shown);
  for (const headers of [{ "If-None-Match": '"0"' }, { "Cache-Control": "only-if-cached" }, { Accept: "*/*" }]) {
    assert.deepEqual(names(await post("ruled", message("tools/list"), headers)), shown, JSON.stringify(headers));
  }
  // An upstream that sends a partial response, for whatever reason.
  answers = (request, response, body) => response.writeHead(206, { ...JSON_TYPE, "Content-Range": "bytes 40-80/90" }).end(body.slice(40));
  const part = await post("ruled", message("tools/list"), { Range: "bytes=40-" });
  assert.deepEqual([part.status, part.json.error.code], [500, -32603]);
  answers = (request, response) => response.writeHead(200, { ...JSON_TYPE, "Content-Encoding": "zstd" }).end("drop");
  assert.equal((await post("ruled", message("tools/list"))).status, 500);
});

test("a key's rights are checked on each call, and its lists are not shared with others", async () => {
  answers = listed;
  const access = (allowed) => ({
    access_rights: { keyed: { api_id: "keyed", api_name: "keyed", versions: ["Default"], mcp_access_rights: { tools: { allowed } } } },
    allowance: 100,
    rate: 100,
    per: 1,
  });
  const issue = async (allowed) => (await gateway.admin("POST", "/gateway/keys", { body: access(allowed) })).json.key;
  const [one, other] = [await issue(["get", "set"]), await issue(["drop"])];
  const names = async (key) => (await post("keyed", message("tools/list"), { Authorization: key })).json.result.tools.map(({ name }) => name);
  assert.deepEqual([await names(one), await names(other), await names(one)], [["get", "set"], ["drop"], ["get", "set"]]);
  const call = (key) => post("keyed", message("tools/call", { name: "set" }), { Authorization: key });
  assert.equal((await call(one)).status, 200);
  const put = await gateway.admin("PUT", `/gateway/keys/${one}`, { body: access(["get"]) });
  assert.equal(put.status, 200, put.text);
  const seen = bodies.length;
  const refused = await call(one);
  assert.deepEqual([refused.status, refused.json.error.code], [403, -32002]);
  assert.equal(bodies.length, seen);
  assert.deepEqual(await names(one), ["get"]);
  const gone = await gateway.admin("DELETE", `/gateway/keys/${one}`);
  assert.equal(gone.status, 200, gone.text);
  assert.equal((await call(one)).status, 403);
});

/** Sends an event every 50 ms until the connection ends. */
const endless = (request, response) => {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  const timer = setInterval(() => response.write("data: {}\n\n"), 50);
  response.on("close", () => clearInterval(timer));
};

test("a stream ends when its key is deleted or written, and no other one does", async () => {
  answers = endless;
  const session = { access_rights: { keyed: { api_id: "keyed", versions: ["Default"] } }, rate: 100, per: 1 };
  const issue = async () => (await gateway.admin("POST", "/gateway/keys", { body: session })).json.key;
  const streams = [];
  for (const key of [await issue(), await issue(), await issue()]) {
    const { request, response } = await open(gateway.ports.gateway, { path: "/keyed/", headers: { Authorization: key, Accept: "text/event-stream" } });
    assert.equal(response.statusCode, 200);
    response.resume();
    const ended = new Promise((resolve) => response.on("end", () => resolve("end")).on("error", () => resolve("error")));
    streams.push({ key, request, ended });
  }
  const [deleted, written, kept] = streams;
  assert.equal((await gateway.admin("DELETE", `/gateway/keys/${deleted.key}`)).status, 200);
  assert.equal((await gateway.admin("PUT", `/gateway/keys/${written.key}`, { body: { ...session, rate: 50 } })).status, 200);
  assert.deepEqual([await deleted.ended, await written.ended], ["end", "end"]);
  kept.request.destroy();
  assert.equal(await kept.ended, "error");
});
