// Clients whose bodies are cut off or never arrive: the fault is theirs, so no circuit breaker opens, and a partial
// body is never taken for a complete one.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { extended } from "./enforced-stage.mjs";
import { start } from "./harness.mjs";
import { begin, send, sendLine } from "./http.mjs";
import { body, listen } from "./upstream.mjs";

let gateway;
let upstream;
/** Bodies that the upstream received completely. */
let complete = [];
/** Promises that the upstream settles for a request that starts to arrive and is then cut off. */
let held;
const hold = () => {
  held = { begun: Promise.withResolvers(), broken: Promise.withResolvers() };
};
const routes = {
  "/whole": async (request, response) => {
    const sent = await body(request).catch(() => undefined);
    if (sent === undefined) return;
    complete.push(sent.toString());
    response.end("whole");
  },
  "/held": (request) => {
    request.once("data", held.begun.resolve);
    request.once("end", () => held.broken.reject(new Error("it was whole")));
    request.once("error", held.broken.resolve);
  },
  "/dies": (request) => request.socket.destroy(),
  "/dies-late": (request) => request.once("data", () => request.socket.destroy()),
  "/early": (request, response) => response.writeHead(413).end("too much"),
  "/echo-parts": (request, response) => {
    response.writeHead(200);
    request.on("data", (part) => response.write(`<${part}>`));
    request.on("end", () => response.end());
  },
};
before(async () => {
  [gateway, upstream] = await Promise.all([start(), listen(routes)]);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

const breaker = { path: "/", method: "POST", samples: 1, threshold_percent: 0.5, return_to_service_after: 3600, disable_half_open_state: true };

/** Loads an API behind a breaker that a single failure opens. */
async function loaded(paths = {}) {
  const definition = api(extended({ circuit_breakers: [breaker], ...paths }), { target_url: upstream.url });
  await publish(gateway, definition);
  return definition.proxy.listen_path;
}

const CHUNKED = ["Transfer-Encoding: chunked"];
const ofLength = (length) => [`Content-Length: ${length}`];
const post = (path, fields, sent) => sendLine(gateway.ports.gateway, `POST ${path} HTTP/1.1`, fields, sent);
const status = async (path) => (await send(gateway.ports.gateway, { method: "POST", path: `${path}whole`, body: "x" })).status;

const breakOff = (path, fields, sent, end) => begin(gateway.ports.gateway, `POST ${path} HTTP/1.1`, fields, sent, end);

test("an aborted request body trips no breaker, and never looks complete to the upstream", async () => {
  const path = await loaded();
  complete = [];
  const bodies = [
    [CHUNKED, "5\r\nhello\r\n"],
    [CHUNKED, ""],
    [ofLength(50), "hello"],
  ];
  for (const sent of ["5\r\nhello\r\nZZZ\r\n", "ZZZ\r\nhello", "5\r\nhelloXX", "-1\r\n"]) {
    assert.equal((await post(`${path}whole`, CHUNKED, sent)).status, 499, JSON.stringify(sent));
  }
  for (const [fields, sent] of bodies) {
    assert.equal(await breakOff(`${path}whole`, fields, sent, (socket) => socket.end()), 499, sent);
    if (sent === "") continue;
    hold();
    await breakOff(`${path}held`, fields, sent, (socket) => held.begun.promise.then(() => socket.resetAndDestroy()));
    await held.broken.promise;
  }
  assert.deepEqual(complete, []);
  assert.equal(await status(path), 200);
  assert.deepEqual(complete, ["x"]);
});

test("an upstream that aborts trips the breaker, even while the client is still sending", async () => {
  for (const [at, fields, sent] of [
    ["dies", ofLength(5), "hello"],
    ["dies", CHUNKED, "5\r\nhello\r\n"],
    ["dies-late", ofLength(50), "hello"],
    ["dies-late", CHUNKED, "5\r\nhello\r\n"],
  ]) {
    const path = await loaded();
    assert.equal((await post(`${path}${at}`, fields, sent)).status, 500, at);
    assert.equal(await status(path), 503, at);
  }
});

test("a client too slow to send its body trips no breaker", async () => {
  const path = await loaded({ hard_timeouts: [{ path: "/", method: "POST", duration: "100ms" }] });
  const late = await post(`${path}whole`, ofLength(50), "hello");
  assert.deepEqual([late.status, late.json.error], [408, "The request did not arrive in time"]);
  assert.equal(await status(path), 200);
  const slow = await loaded({ hard_timeouts: [{ path: "/", method: "POST", duration: "100ms" }] });
  assert.equal((await post(`${slow}dies-never`, ofLength(5), "hello")).status, 200);
});

test("bodies arrive unchanged, and a response may precede the end of the request", async () => {
  const path = await loaded();
  const large = "x".repeat(3_000_000);
  complete = [];
  for (const headers of [{}, { "Transfer-Encoding": "chunked" }]) {
    const sent = await send(gateway.ports.gateway, { method: "POST", path: `${path}whole`, body: large, headers });
    assert.equal(sent.status, 200);
  }
  assert.deepEqual(complete.map((text) => text === large), [true, true]);
  const echoed = await post(`${path}x`, [...ofLength(2), "X-Bytes: \xe4"], "hi");
  assert.deepEqual([echoed.json.body, new Map(echoed.json.headers).get("content-length")], ["hi", "2"]);
  assert.equal(new Map(echoed.json.headers).get("x-bytes"), "\xe4");
  assert.equal((await post(`${path}early`, ofLength(500), "hello")).status, 413);
  const parts = await post(`${path}echo-parts`, CHUNKED, "5\r\nhello\r\n3\r\nyou\r\n0\r\n\r\n");
  assert.equal(parts.text.replaceAll("><", ""), "<helloyou>");
});

test("a body aborted while the gateway reads it counts as the client's fault too", async () => {
  const definition = api(extended({ validate_json: [{ path: "/", method: "POST", schema: { type: "object" } }] }), { target_url: upstream.url });
  await publish(gateway, definition);
  const path = `${definition.proxy.listen_path}whole`;
  assert.equal((await post(path, CHUNKED, "5\r\nhello\r\nZZZ\r\n")).status, 499);
  assert.equal(await breakOff(path, ofLength(50), "{}", (socket) => socket.end()), 499);
  assert.equal((await post(path, ofLength(2), "{}")).status, 200);
});

test("an aborted batch gets a response, and none of its items are run", async () => {
  const definition = api({ enable_batch_request_support: true }, { target_url: upstream.url });
  await publish(gateway, definition);
  const path = `${definition.proxy.listen_path}gateway/batch/`;
  const seen = upstream.seen.length;
  const sent = '{"requests":[{"method":"GET","relative_url":"x"}]}';
  assert.equal((await post(path, CHUNKED, `${sent.length.toString(16)}\r\n${sent}\r\nZZZ\r\n`)).status, 499);
  assert.equal(await breakOff(path, ofLength(sent.length + 1), sent, (socket) => socket.end()), 499);
  assert.equal(upstream.seen.length, seen);
});
