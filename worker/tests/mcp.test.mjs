// MCP proxies through workerd: what is streamed, what is filtered, and that no spelling of a message gets around that.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { start } from "./harness.mjs";
import { open, send } from "./http.mjs";
import { gate, listen } from "./upstream.mjs";

const JSON_TYPE = { "Content-Type": "application/json" };
const EVENTS = { "Content-Type": "text/event-stream" };
const on = { enabled: true };
const TOOLS = { tools: [{ name: "get" }, { name: "drop" }] };
const listed = (id, result) => ({ jsonrpc: "2.0", id, result });
const event = (data) => `event: message\ndata: ${JSON.stringify(data)}\n\n`;

let gateway;
let upstream;
let handler;
before(async () => {
  [gateway, upstream] = await Promise.all([start(), listen({ "/mcp": (...args) => handler(...args) })]);
  const middleware = { mcpTools: { get: { allow: on } }, mcpResources: { "file:///secret": { block: on } } };
  const methods = { operations: { call: { allow: on } } };
  const breaker = (sampleSize) => ({ circuitBreaker: { ...on, threshold: 0.5, sampleSize, coolDownPeriod: 60, halfOpenStateEnabled: false } });
  const breakers = { operations: { call: breaker(2) }, mcpTools: { get: breaker(1) } };
  const paths = { "/tools/call": { post: { operationId: "call", responses: { 200: { description: "" } } } } };
  for (const [id, more, of = {}] of [["ruled", { middleware }], ["bare", {}], ["calls", { middleware: methods }, paths], ["broken", { middleware: breakers }, paths]]) {
    const body = {
      openapi: "3.0.3",
      info: { title: id, version: "1" },
      paths: of,
      "x-gateway-api-gateway": {
        info: { id, name: id, state: { active: true } },
        upstream: { url: `${upstream.url}/mcp` },
        server: { listenPath: { value: `/${id}/`, strip: true } },
        ...more,
      },
    };
    const made = await gateway.admin("POST", "/gateway/mcps", { body });
    assert.equal(made.status, 200, made.text);
  }
  const reloaded = await gateway.admin("GET", "/gateway/reload", { query: { block: "true" } });
  assert.equal(reloaded.status, 200, reloaded.text);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

const post = (id, body, headers = JSON_TYPE) => send(gateway.ports.gateway, { method: "POST", path: `/${id}/`, headers, body });
const message = (method, params) => ({ jsonrpc: "2.0", id: 1, method, params });

/** Makes the upstream return each message's body unchanged. */
function echoes() {
  const bodies = [];
  handler = async (request, response) => {
    const chunks = [];
    for await (const chunk of request) chunks.push(chunk);
    bodies.push(Buffer.concat(chunks).toString());
    response.writeHead(200, JSON_TYPE).end(JSON.stringify(listed(1, TOOLS)));
  };
  return bodies;
}

test("a message is forwarded byte for byte", async () => {
  const bodies = echoes();
  const body = ' {"jsonrpc" : "2.0","id":1.50,"method":"tools\\/call","params":{"name":"g\\u0065t","n":9007199254740993}}\n';
  assert.equal((await post("ruled", body)).status, 200);
  assert.deepEqual(bodies, [body]);
});

test("no alternative spelling evades a rule", async () => {
  const bodies = echoes();
  const call = (params) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`;
  for (const [status, body, headers] of [
    [403, call('{"name":"drop"}')],
    [403, call('{"name":"dr\\u006fp"}')],
    [400, call('{"name":"get","name":"drop"}')],
    [403, call('{"name":"Get"}')],
    [403, call('{"name":"get "}')],
    [400, call('{"name":"get","Name":"drop"}')],
    [400, call('{"name":"get"}').replace("{", '{"Method":"tools/call","METHOD":"ping",')],
    [400, `[${call('{"name":"drop"}')}]`],
    [400, `${call('{"name":"get"}')}${call('{"name":"drop"}')}`],
    [403, call('{"name":"drop"}'), { "Content-Type": "text/plain" }],
    [403, call('{"name":"drop"}'), {}],
    [400, call('{"name":"drop"}'), { ...JSON_TYPE, "Mcp-Name": "get" }],
    [400, call('{"name":"get"}'), { ...JSON_TYPE, "Mcp-Method": "tools/list" }],
    [400, call(`{"name":"get","a":${"[".repeat(5000)}${"]".repeat(5000)}}`)],
    [403, '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///%73ecret"}}'],
    [403, '{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file:///a/../secret"}}'],
    [403, '{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"file:///secret"}}'],
  ]) {
    const answer = await post("ruled", body, headers);
    assert.equal(answer.status, status, `${body.slice(0, 200)} ${JSON.stringify(headers)}: ${answer.text}`);
    assert.equal(answer.json.jsonrpc, "2.0", answer.text);
  }
  assert.deepEqual(bodies, []);
});

test("every page of a list is filtered, also in event streams", async () => {
  handler = (request, response) => {
    const page = listed(1, { ...TOOLS, nextCursor: "2", cacheScope: "public" });
    const isStream = request.headers.accept === "text/event-stream";
    response.writeHead(200, isStream ? EVENTS : JSON_TYPE).end(isStream ? event(page) : JSON.stringify(page));
  };
  const expected = listed(1, { tools: [{ name: "get" }], nextCursor: "2", cacheScope: "private" });
  for (const params of [undefined, { cursor: "2" }]) {
    assert.deepEqual((await post("ruled", message("tools/list", params))).json, expected);
    const events = await post("ruled", message("tools/list", params), { ...JSON_TYPE, Accept: "text/event-stream" });
    assert.equal(events.text, event(expected));
  }
  assert.deepEqual((await post("bare", message("tools/list"))).json.result.tools, TOOLS.tools);
});

test("an unreadable list is not passed on", async () => {
  for (const body of ["{broken", '{"result":{"tools":[{"name":"drop","x":"\\ud800"}]}}']) {
    handler = (request, response) => response.writeHead(200, JSON_TYPE).end(body);
    const answer = await post("ruled", message("tools/list"));
    assert.deepEqual([answer.status, answer.json.error.code], [500, -32603], body);
  }
});

test("events are streamed while a call is running", async () => {
  const held = gate();
  handler = async (request, response) => {
    response.writeHead(200, EVENTS).write(event({ jsonrpc: "2.0", method: "notifications/progress" }));
    await held.opened;
    response.end(event(listed(1, {})));
  };
  const body = JSON.stringify(message("tools/call", { name: "get" }));
  const headers = { ...JSON_TYPE, "Content-Length": Buffer.byteLength(body) };
  const { response } = await open(gateway.ports.gateway, { method: "POST", path: "/ruled/", headers }, (request) => request.end(body));
  const events = response[Symbol.asyncIterator]();
  assert.match((await events.next()).value.toString(), /notifications\/progress/);
  held.open();
  assert.match((await events.next()).value.toString(), /"result"/);
});

test("lists on a stream of the session are filtered, event by event, also on one that is resumed", async () => {
  const end = gate();
  const seen = [];
  handler = async (request, response) => {
    seen.push(request.headers["last-event-id"]);
    response.writeHead(200, { "Content-Type": "Text/Event-Stream; charset=utf-8" }).write("event: endpoint\ndata: /messages?session=1\n\n");
    await end.opened;
    const list = event(listed(1, TOOLS)).replaceAll("\n", "\r\n");
    // Sent apart, so that the gateway gets events in parts.
    for (const part of [list.slice(0, 30), list.slice(30, -1), `${list.slice(-1)}: more\n\n`]) await new Promise((sent) => response.write(part, sent));
    response.end(event(listed(2, TOOLS)).trimEnd());
  };
  const headers = { Accept: "text/event-stream", "Last-Event-ID": "7" };
  const { response } = await open(gateway.ports.gateway, { path: "/ruled/", headers }, (request) => request.end());
  const parts = response[Symbol.asyncIterator]();
  let text = (await parts.next()).value.toString();
  assert.equal(text, "event: endpoint\ndata: /messages?session=1\n\n", "it does not wait for the next event");
  end.open();
  for await (const part of parts) text += part;
  const messages = text.split("\n").filter((line) => line.startsWith("data: {"));
  const allowed = { tools: [{ name: "get" }] };
  assert.deepEqual(messages.map((line) => JSON.parse(line.slice(6))), [listed(1, allowed), listed(2, allowed)], text);
  assert.match(text, /\n: more\n\n/);
  assert.deepEqual(seen, ["7"]);
});

test("a stream with an event that can't be read is broken off before it", async () => {
  handler = (request, response) => response.writeHead(200, EVENTS).end(`${event(listed(1, {}))}data: {"result":{"tools":[{"name":"drop"}\n\n${event(listed(2, {}))}`);
  const { response } = await open(gateway.ports.gateway, { path: "/ruled/" }, (request) => request.end());
  let text = "";
  await assert.rejects(async () => {
    for await (const part of response) text += part;
  });
  assert.doesNotMatch(text, /drop|"id":2/);
});

test("an allow list of methods permits streams and ending a session", async () => {
  echoes();
  assert.equal((await post("calls", message("tools/call", { name: "get" }))).status, 200);
  for (const method of ["tools/list", "initialize"]) {
    const refused = await post("calls", message(method));
    assert.deepEqual([refused.status, refused.json.error.code], [403, -32002], method);
  }
  for (const method of ["GET", "DELETE"]) assert.equal((await send(gateway.ports.gateway, { method, path: "/calls/" })).status, 200, method);
});

test("a call counts for the breakers of its method and its tool", async () => {
  const bodies = [];
  handler = (request, response) => {
    bodies.push(request.url);
    response.writeHead(500).end();
  };
  const statuses = [];
  for (const name of ["get", "get", "other", "another"]) statuses.push((await post("broken", message("tools/call", { name }))).status);
  assert.deepEqual(statuses, [500, 503, 500, 503]);
  assert.equal(bodies.length, 2);
  assert.equal((await post("broken", message("tools/list"))).status, 500, "other methods have no breaker");
});
