// A batch is limited in items, bytes and time (attack A2): beyond a limit there is a clear response, never an isolate
// out of memory.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { send } from "./http.mjs";
import { gate, listen } from "./upstream.mjs";

const MIB = 1024 * 1024;

/**
 * Starts a gateway with these variables and an upstream with these routes, and returns a function that sends batches.
 */
async function setUp(env, routes) {
  const [gateway, upstream] = await Promise.all([start({ env }), listen(routes)]);
  const definition = api({ enable_batch_request_support: true }, { target_url: upstream.url });
  await publish(gateway, definition);
  const path = `${definition.proxy.listen_path}gateway/batch/`;
  return {
    gateway,
    upstream,
    post: (body, options) => send(gateway.ports.gateway, { method: "POST", path, body, ...options }),
    stop: () => Promise.all([gateway.stop(), upstream.close()]),
  };
}

const items = (count, item) => ({ requests: Array.from({ length: count }, (_, n) => ({ relative_url: `x?n=${n}`, ...item })) });

describe("with configured limits", () => {
  const ended = gate();
  const routes = {
    "/bytes": (request, response, url) => response.end("x".repeat(Number(url.searchParams.get("n")))),
    "/never": (request, response) => response.on("close", ended.open),
    "/stalls": (request, response) => response.write("beginning"),
    "/endless": (request, response) => {
      const chunk = Buffer.alloc(64 * 1024);
      const more = () => {
        while (!response.destroyed && response.write(chunk));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    },
  };
  let setup;
  before(async () => {
    const env = { BATCH_MAX_REQUESTS: "3", BATCH_MAX_REQUEST_BYTES: "2000", BATCH_MAX_RESPONSE_BYTES: "1000", BATCH_MAX_TOTAL_BYTES: "1500", BATCH_TIMEOUT_SECONDS: "1" };
    setup = await setUp(env, routes);
  });
  after(() => setup.stop());

  test("too many items are refused before any is sent", async () => {
    assert.deepEqual((await setup.post(items(3))).json.map(({ code }) => code), [200, 200, 200]);
    const before = setup.upstream.seen.length;
    const answer = await setup.post(items(4));
    assert.equal(answer.status, 413);
    assert.equal(answer.json.status, "error");
    assert.match(answer.json.message, /BATCH_MAX_REQUESTS/);
    assert.equal(setup.upstream.seen.length, before);
  });

  test("too large a body is refused, with and without Content-Length", async () => {
    const empty = JSON.stringify(items(1, { method: "POST", body: "" }));
    const fill = (bytes) => empty.replace('"body":""', `"body":"${"x".repeat(bytes - empty.length)}"`);
    assert.equal((await setup.post(fill(2000))).status, 200);
    const before = setup.upstream.seen.length;
    for (const headers of [{}, { "Transfer-Encoding": "chunked" }]) {
      const answer = await setup.post(fill(2001), { headers });
      assert.equal(answer.status, 413);
      assert.match(answer.json.message, /BATCH_MAX_REQUEST_BYTES/);
    }
    assert.equal(setup.upstream.seen.length, before);
  });

  test("too large a response is cut off, and its item says so", async () => {
    const { json } = await setup.post({ requests: [{ relative_url: "bytes?n=1000" }, { relative_url: "bytes?n=1001" }, { relative_url: "bytes?n=10" }] });
    assert.deepEqual(json.map(({ code }) => code), [200, 413, 200]);
    assert.equal(json[1].relative_url, "bytes?n=1001");
    assert.match(json[1].error, /BATCH_MAX_RESPONSE_BYTES/);
    assert.ok(json[1].body.length < 1000, "nothing of the response is included");
    assert.equal(json[0].body.length, 1000);
  });

  test("the total size of responses is limited too", async () => {
    const { json } = await setup.post({ requests: Array(3).fill({ relative_url: "bytes?n=700" }), suppress_parallel_execution: true });
    assert.deepEqual(json.map(({ code }) => code), [200, 200, 413]);
    assert.match(json[2].error, /BATCH_MAX_TOTAL_BYTES/);
  });

  test("an endless response is cut off", async () => {
    const { json } = await setup.post({ requests: [{ relative_url: "endless" }, { relative_url: "bytes?n=1" }] });
    assert.deepEqual(json.map(({ code }) => code), [413, 200]);
  });

  test("slow items time out, and their upstream requests are cancelled", async () => {
    const began = performance.now();
    const { status, json } = await setup.post({ requests: [{ relative_url: "never" }, { relative_url: "x" }, { relative_url: "stalls" }] });
    assert.equal(status, 200);
    assert.deepEqual(json.map(({ code }) => code), [504, 200, 504]);
    assert.equal(json[0].relative_url, "never");
    assert.equal(json[0].error, "Upstream service reached hard timeout.");
    const seconds = (performance.now() - began) / 1000;
    assert.ok(seconds >= 0.9, `it waited ${seconds} s`);
    await ended.opened;
  });

  test("the time limit is that of the batch, not of each item", async () => {
    const began = performance.now();
    const { json } = await setup.post({ requests: Array(3).fill({ relative_url: "never" }), suppress_parallel_execution: true });
    assert.deepEqual(json.map(({ code }) => code), [504, 504, 504]);
    assert.ok(performance.now() - began < 2900, "three items did not wait one after the other");
  });
});

describe("with the default limits", () => {
  // 64 MiB that take 64 kB on the wire.
  const bomb = gzipSync(Buffer.alloc(64 * MIB));
  const routes = {
    "/bomb": (request, response) => response.writeHead(200, { "Content-Encoding": "gzip" }).end(bomb),
    "/mib": (request, response) => response.end(Buffer.alloc(MIB, "x")),
  };
  let setup;
  before(async () => (setup = await setUp({}, routes)));
  after(() => setup.stop());

  test("a hundred items are allowed, one more is refused", async () => {
    const { json } = await setup.post(items(100));
    assert.equal(json.length, 100);
    assert.ok(json.every(({ code, relative_url }, n) => code === 200 && relative_url === `x?n=${n}`));
    assert.equal((await setup.post(items(101))).status, 413);
  });

  test("a body of exactly 1 MiB is allowed, and invalid variables change no limit", async () => {
    const fill = (bytes) => `{"requests":[],"x":"${"x".repeat(bytes - 22)}"}`;
    assert.equal((await setup.post(fill(MIB))).status, 200);
    assert.equal((await setup.post(fill(MIB + 1))).status, 413);
    const foul = await setUp({ BATCH_MAX_REQUESTS: "-1", BATCH_MAX_REQUEST_BYTES: "0", BATCH_MAX_RESPONSE_BYTES: "many" }, routes);
    try {
      assert.equal((await foul.post(items(100))).json.length, 100);
      assert.equal((await foul.post(items(101))).status, 413);
      assert.equal((await foul.post(fill(MIB + 1))).status, 413);
    } finally {
      await foul.stop();
    }
  });

  test("a hundred large responses stay within 16 MiB, and a compressed bomb within 1 MiB", async () => {
    const kilobytes = () => Number(readFileSync(`/proc/${setup.gateway.pid()}/status`, "utf8").match(/VmRSS:\s+(\d+)/)[1]);
    const large = (await setup.post(items(100, { relative_url: "mib" }))).json;
    const complete = large.filter(({ code }) => code === 200);
    assert.ok(complete.length >= 1 && complete.length <= 16, `${complete.length} answers`);
    assert.ok(large.every(({ code }) => code === 200 || code === 413));
    assert.ok(complete.every(({ body }) => body.length === MIB));
    const before = kilobytes();
    const bombs = (await setup.post(items(20, { relative_url: "bomb" }))).json;
    assert.ok(bombs.every(({ code }) => code === 413));
    assert.ok(kilobytes() - before < 128 * 1024, `${Math.round((kilobytes() - before) / 1024)} MiB more memory`);
    assert.equal((await setup.post(items(1))).json[0].code, 200, "it still serves");
  });
});

test("the size of a response includes its JSON escapes", async () => {
  const controls = (request, response) => response.end("\u0001".repeat(900 * 1024));
  const setup = await setUp({}, { "/controls": controls });
  try {
    const answer = await setup.post({ requests: [{ relative_url: "controls" }] });
    assert.deepEqual([answer.status, answer.json[0].code], [200, 413]);
    assert.ok(answer.text.length < MIB, `${answer.text.length}`);
  } finally {
    await setup.stop();
  }
});
