// Sessions of an MCP server with several upstreams (revision 2025-11-25, *Session Management*), through workerd: each
// stays with the upstream that started it, even after the gateway is restarted.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { start } from "./harness.mjs";
import { send } from "./http.mjs";
import { listen } from "./upstream.mjs";

const JSON_TYPE = { "Content-Type": "application/json" };

/** Starts a server that knows the sessions it has started; all servers use the same ids. */
async function server(name) {
  const sessions = new Set();
  const upstream = await listen({
    "/mcp": async (request, response) => {
      const chunks = [];
      for await (const chunk of request) chunks.push(chunk);
      const { method } = chunks.length > 0 ? JSON.parse(Buffer.concat(chunks)) : {};
      const session = request.headers["mcp-session-id"];
      if (method === "initialize") {
        const id = `${name}:${sessions.size + 1}`;
        sessions.add(id);
        return response.writeHead(200, { ...JSON_TYPE, "Mcp-Session-Id": id }).end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: {} }));
      }
      if (!sessions.has(session)) return response.writeHead(404).end();
      if (request.method === "DELETE") return response.writeHead(sessions.delete(session) ? 204 : 404).end();
      if (request.method === "GET") return response.writeHead(200, { "Content-Type": "text/event-stream" }).end(`data: ${name}\n\n`);
      return response.writeHead(200, { ...JSON_TYPE, "Mcp-Session-Id": session }).end(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { name, session } }));
    },
  });
  return { ...upstream, name };
}

let gateway;
let upstreams;
before(async () => {
  [gateway, ...upstreams] = await Promise.all([start(), server("a"), server("b")]);
  const targets = upstreams.map(({ url }) => ({ url: `${url}/mcp`, weight: 1 }));
  await document("several", { loadBalancing: { enabled: true, targets } });
  await document("others", { loadBalancing: { enabled: true, targets } });
  await document("one", { url: targets[0].url });
  const reloaded = await gateway.admin("GET", "/gateway/reload", { query: { block: "true" } });
  assert.equal(reloaded.status, 200, reloaded.text);
});
after(() => Promise.all([gateway.stop(), ...upstreams.map((upstream) => upstream.close())]));

async function document(id, upstream) {
  const body = {
    openapi: "3.0.3",
    info: { title: id, version: "1" },
    paths: {},
    "x-gateway-api-gateway": {
      info: { id, name: id, state: { active: true } },
      upstream,
      server: { listenPath: { value: `/${id}/`, strip: true } },
    },
  };
  const made = await gateway.admin("POST", "/gateway/mcps", { body });
  assert.equal(made.status, 200, made.text);
}

const sessionHeader = (session) => (session === undefined ? {} : { "Mcp-Session-Id": session });
const request = (id, method, session) =>
  send(gateway.ports.gateway, { method: "POST", path: `/${id}/`, headers: { ...JSON_TYPE, ...sessionHeader(session) }, body: { jsonrpc: "2.0", id: 1, method } });
const sent = (id, method, session) => send(gateway.ports.gateway, { method, path: `/${id}/`, headers: { Accept: "text/event-stream", ...sessionHeader(session) } });
const startSession = async (id) => (await request(id, "initialize")).headers["mcp-session-id"];

test("a session stays with the upstream that started it, and each side has its own id", async () => {
  const sessions = [await startSession("several"), await startSession("several")];
  for (let round = 0; round < 3; round += 1) {
    const found = [];
    for (const session of sessions) {
      const answer = await request("several", "ping", session);
      assert.equal(answer.headers["mcp-session-id"], session, "its id is the same in every response");
      found.push(answer.json.result);
      const stream = await sent("several", "GET", session);
      assert.equal(stream.text, `data: ${answer.json.result.name}\n\n`);
    }
    assert.deepEqual(found.map(({ name }) => name).sort(), ["a", "b"]);
    for (const { name, session } of found) assert.match(session, new RegExp(`^${name}:\\d$`));
    if (round === 1) await gateway.restart();
  }
  assert.equal((await sent("several", "DELETE", sessions[0])).status, 204);
  assert.equal((await request("several", "ping", sessions[0])).status, 404);
  assert.equal((await request("several", "ping", sessions[1])).status, 200);
});

test("a session not started here reaches no upstream", async () => {
  const session = await startSession("several");
  const last = session.at(-1) === "1" ? "2" : "1";
  const seen = () => upstreams.reduce((sum, upstream) => sum + upstream.seen.length, 0);
  const before = seen();
  for (const [id, wrong] of [
    ["several", session.slice(0, -1) + last],
    ["several", (session[0] === "0" ? "1" : "0") + session.slice(1)],
    ["several", session.slice(32)],
    ["several", session.slice(0, 32)],
    ["several", session.toUpperCase()],
    ["several", `${session}, ${session}`],
    ["several", "a:1"],
    ["others", session],
  ]) {
    for (const answer of [await request(id, "ping", wrong), await sent(id, "GET", wrong), await sent(id, "DELETE", wrong)]) {
      assert.equal(answer.status, 404, `${id} ${wrong}: ${answer.text}`);
    }
    const { error } = (await request(id, "ping", wrong)).json;
    assert.deepEqual(error, { code: -32601, message: "Session not found", data: { http_code: 404 } });
  }
  assert.equal(seen(), before);
});

test("with a single upstream, its session id is passed through", async () => {
  const session = await startSession("one");
  assert.match(session, /^a:\d$/);
  assert.equal((await request("one", "ping", session)).json.result.session, session);
  assert.equal((await request("one", "ping", "a:99")).status, 404, "with the upstream's status");
});
