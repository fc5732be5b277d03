// Bodies are streamed in both directions: nothing is buffered, nothing waits for an end that may never come.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import http from "node:http";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { open, send } from "./http.mjs";
import { gate, listen } from "./upstream.mjs";

const MIB = 1024 * 1024;
const LARGE = 200 * MIB;
// The memory that connections, sockets and the isolate itself may need; a buffered body would be three times as much.
const ROOM = 64 * MIB;
const CHUNK = Buffer.alloc(256 * 1024, "gatewright ");

let gateway;
let upstream;
let path;
let port;
/** Set by the test that uses the route. */
let handler;
before(async () => {
  const use = (request, response, url) => handler(request, response, url);
  [gateway, upstream] = await Promise.all([start(), listen({ "/use": use })]);
  const definition = api({}, { target_url: upstream.url });
  await publish(gateway, definition);
  path = `${definition.proxy.listen_path}use`;
  port = gateway.ports.gateway;
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

/** Returns the runtime's resident memory in bytes. */
function memory() {
  const [, kilobytes] = readFileSync(`/proc/${gateway.pid()}/status`, "utf8").match(/VmRSS:\s+(\d+) kB/);
  return Number(kilobytes) * 1024;
}

/** Writes this many bytes as fast as the other side reads them; `sent.bytes` counts them. */
function pour(stream, bytes, sent) {
  const more = () => {
    while (sent.bytes < bytes && !stream.destroyed) {
      sent.bytes += CHUNK.length;
      if (!stream.write(CHUNK)) return stream.once("drain", more);
    }
    stream.end();
  };
  more();
}

/** Downloads this many bytes; returns the peak memory, and how far the upstream was ahead of the client. */
async function download(bytes) {
  const sent = { bytes: 0 };
  handler = (request, response) => {
    response.writeHead(200, { "Content-Length": bytes });
    pour(response, bytes, sent);
  };
  const { response } = await open(port, { path });
  assert.equal(response.headers["content-length"], String(bytes));
  let received = 0;
  let most = 0;
  let ahead = 0;
  for await (const chunk of response) {
    received += chunk.length;
    ahead = Math.max(ahead, sent.bytes - received);
    if (received % (8 * MIB) < chunk.length) most = Math.max(most, memory());
  }
  assert.equal(received, bytes);
  return { most, ahead };
}

test("a download of 200 MB passes with constant memory", async () => {
  // The memory for the first response, compiled code and buffers, is allocated only once.
  await download(LARGE / 10);
  const before = memory();
  const { most, ahead } = await download(LARGE);
  assert.ok(most - before < ROOM, `${Math.round((most - before) / MIB)} MiB more memory`);
  assert.ok(ahead < ROOM, `the gateway took ${Math.round(ahead / MIB)} MiB ahead of the client`);
});

test("a client that does not read slows the upstream down", async () => {
  const sent = { bytes: 0 };
  handler = (request, response) => pour(response, Infinity, sent);
  // Excludes what the process compiles and retains for its first requests.
  for (let n = 0; n < 200; n += 1) await send(port, { path: "/hello" });
  const before = memory();
  const { request, response } = await open(port, { path });
  response.pause();
  // Until nothing has moved while the gateway answered fifty other requests. A gateway that buffers what the client
  // does not read would run into the limit instead.
  for (let last = -1; last !== sent.bytes; ) {
    last = sent.bytes;
    for (let n = 0; n < 50; n += 1) await send(port, { path: "/hello" });
    assert.ok(sent.bytes < ROOM, `the gateway took ${Math.round(sent.bytes / MIB)} MiB`);
  }
  assert.ok(memory() - before < ROOM, `${Math.round((memory() - before) / MIB)} MiB more memory`);
  response.on("error", () => {});
  request.destroy();
});

test("an upload is streamed: the upstream gets its start before the client sends its end", async () => {
  const first = gate();
  handler = async (request, response) => {
    let received = 0;
    for await (const chunk of request) {
      received += chunk.length;
      first.open(chunk.toString());
    }
    response.end(String(received));
  };
  const before = memory();
  let most = 0;
  const { response } = await open(port, { method: "POST", path }, (request) => {
    request.write("beginning");
    first.opened.then(() => {
      const sent = { bytes: 0 };
      request.on("drain", () => (most = Math.max(most, memory())));
      pour(request, LARGE, sent);
    });
  });
  const chunks = [];
  for await (const chunk of response) chunks.push(chunk);
  assert.equal(Buffer.concat(chunks).toString(), String(LARGE + "beginning".length));
  assert.ok(most - before < ROOM, `${Math.round((most - before) / MIB)} MiB more memory`);
});

test("server-sent events arrive one by one, each before the next one is sent", async () => {
  let stream;
  const opened = gate();
  handler = (request, response) => {
    stream = response.writeHead(200, { "Content-Type": "text/event-stream", "Cache-Control": "no-store" });
    stream.flushHeaders();
    opened.open();
  };
  const { response } = await open(port, { path, headers: { Accept: "text/event-stream" } });
  await opened.opened;
  assert.equal(response.headers["content-type"], "text/event-stream");
  const events = response[Symbol.asyncIterator]();
  for (let n = 1; n <= 5; n += 1) {
    stream.write(`id: ${n}\ndata: event ${n}\n\n`);
    const { value } = await events.next();
    assert.equal(value.toString(), `id: ${n}\ndata: event ${n}\n\n`);
  }
  stream.end();
  assert.equal((await events.next()).done, true);
});

test("a client that disconnects cancels the upstream request", async () => {
  const ended = gate();
  handler = (request, response) => {
    response.on("close", ended.open);
    // Endless: only the other side can end it.
    pour(response, Infinity, { bytes: 0 });
  };
  const { request, response } = await open(port, { path });
  response.on("error", () => {});
  await response[Symbol.asyncIterator]().next();
  request.destroy();
  await ended.opened;
});

test("a response interrupted by the upstream is interrupted, not apparently complete", async () => {
  handler = (request, response) => {
    response.writeHead(200, { "Content-Length": 1000 });
    response.write("beginning", () => request.socket.resetAndDestroy());
  };
  const broken = await send(port, { path }).then(({ bytes }) => bytes.length, (error) => error.code);
  assert.equal(broken, "ECONNRESET");
});

test("an early response reaches a client that is still sending", async () => {
  handler = (request, response) => response.writeHead(413, { Connection: "close" }).end("enough");
  const { request, response } = await open(port, { method: "POST", path, headers: { "Transfer-Encoding": "chunked" } }, (request) => request.write("beginning"));
  assert.equal(response.statusCode, 413);
  response.on("error", () => {});
  request.on("error", () => {});
  request.destroy();
});

test("a WebSocket passes text and binary in both directions", async () => {
  const socket = new WebSocket(`${gateway.gateway.replace("http", "ws")}${path}?q=1`);
  socket.binaryType = "arraybuffer";
  const next = () => new Promise((resolve, reject) => {
    socket.onmessage = ({ data }) => resolve(data);
    socket.onclose = ({ code }) => reject(new Error(`closed with ${code}`));
    socket.onerror = ({ error }) => reject(error);
  });
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = ({ error }) => reject(error);
  });
  const { url, headers } = upstream.seen.at(-1);
  assert.equal(url, "/use?q=1");
  assert.equal(headers["x-forwarded-for"], "127.0.0.1");
  for (const text of ["first", "second"]) {
    const answer = next();
    socket.send(text);
    assert.equal(await answer, text);
  }
  const answer = next();
  socket.send(new Uint8Array([0, 255, 128]));
  assert.deepEqual(new Uint8Array(await answer), new Uint8Array([0, 255, 128]));
  const closed = new Promise((resolve) => (socket.onclose = ({ code }) => resolve(code)));
  socket.close(4001, "done");
  assert.equal(await closed, 4001);
});

test("an upgrade the upstream declines is an ordinary response", async () => {
  const plain = http.createServer((request, response) => response.writeHead(426, { "X-Kept": "1" }).end("no"));
  await new Promise((resolve) => plain.listen(0, "127.0.0.1", resolve));
  const definition = api({}, { target_url: `http://127.0.0.1:${plain.address().port}` });
  await publish(gateway, definition);
  const headers = { Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==" };
  const answer = await send(port, { path: definition.proxy.listen_path, headers });
  assert.equal(answer.status, 426);
  assert.equal(answer.text, "no");
  plain.closeAllConnections();
  await new Promise((resolve) => plain.close(resolve));
});
