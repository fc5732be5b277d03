// The cache on workerd: what is answered without the upstream, to whom, and for how long. Once as on one machine, in
// the isolate's memory, and once as at the edge, with a Cache API (cache.capnp).

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { open, send } from "./http.mjs";
import { keyring, rights } from "./keyring.mjs";
import { GZIP, PLAIN, body, gate, listen } from "./upstream.mjs";

const OPTIONS = { enable_cache: true, cache_all_safe_requests: true };
const LONG = randomBytes(1024 * 1024 + 1);
const SHORTER = LONG.subarray(1);

let counted = 0;
let held = gate();
/** Responds with a running number, and with the headers that the query asks for. */
async function count(request, response, url) {
  await body(request);
  counted += 1;
  const headers = url.searchParams.getAll("h").map((line) => line.split(/:(.*)/s, 2));
  for (const [name, value] of headers) response.setHeader(name, value);
  response.writeHead(Number(url.searchParams.get("status") ?? 200)).end(request.method === "HEAD" ? "" : String(counted));
}
async function pieces(request, response) {
  response.writeHead(200).write("first ");
  await held.opened;
  response.end("last");
}
const routes = {
  "/count": count,
  "/undated": (request, response) => {
    response.sendDate = false;
    response.writeHead(200).end();
  },
  // The server sends a byte for each character, which is not UTF-8.
  "/latin": (request, response) => response.writeHead(200, { "X-Name": "J\u00fcrgen" }).end(),
  "/long": (request, response) => response.writeHead(200, { "Content-Length": LONG.length }).end(LONG),
  "/shorter": (request, response) => response.writeHead(200, { "Content-Length": SHORTER.length }).end(SHORTER),
  "/chunked-long": (request, response) => response.writeHead(200).end(LONG),
  "/pieces": pieces,
  "/broken": (request, response) => {
    response.writeHead(200, { "Content-Length": 100_000 }).write("x".repeat(70_000));
    setTimeout(() => response.socket.resetAndDestroy(), 50);
  },
};

const CONFIGS = { "in memory": undefined, "with a Cache API": fileURLToPath(new URL("cache.capnp", import.meta.url)) };
for (const [name, config] of Object.entries(CONFIGS)) describe(name, () => suite(config));

function suite(config) {
  let gateway;
  let upstream;
  const keys = keyring(() => gateway);
  before(async () => {
    [gateway, upstream] = await Promise.all([start({ config }), listen(routes)]);
  });
  after(() => Promise.all([gateway.stop(), upstream.close()]));

  async function loaded(members, cache_options) {
    const definition = api({ cache_options: { ...OPTIONS, ...cache_options }, ...members }, { target_url: upstream.url });
    await publish(gateway, definition);
    return definition;
  }
  const call = ({ proxy }, path = "count", options = {}) => send(gateway.ports.gateway, { path: proxy.listen_path + path, ...options });
  const isCached = ({ headers }) => headers["x-gateway-cached-response"] === "1";
  const twice = async (...of) => [isCached(await call(...of)), isCached(await call(...of))];
  const clear = ({ api_id }) => gateway.admin("DELETE", `/gateway/cache/${api_id}`);

  test("a cached response is identical, and doesn't call the upstream", async () => {
    const definition = await loaded();
    const path = "count?h=X-Up:1&h=Link:%3C/a%3E&h=Link:%3C/b%3E&status=404";
    const first = await call(definition, path);
    const before = upstream.seen.length;
    const second = await call(definition, path);
    assert.deepEqual([first.status, second.status, second.text], [404, 404, first.text]);
    assert.deepEqual([isCached(first), isCached(second)], [false, true]);
    assert.deepEqual([second.headers["x-up"], second.headers.link, second.headers.date], ["1", first.headers.link, first.headers.date]);
    assert.equal(upstream.seen.length, before);
    assert.deepEqual(await twice(definition, "count?x", { method: "HEAD" }), [false, true]);
  });

  test("a cached response to HEAD states the length that a GET would have", async () => {
    const definition = await loaded();
    const answers = [await call(definition, "shorter", { method: "HEAD" }), await call(definition, "shorter", { method: "HEAD" })];
    assert.deepEqual(answers.map(isCached), [false, true]);
    for (const { headers } of answers) assert.equal(headers["content-length"], String(SHORTER.length));
  });

  test("a cached response states when it was received, if the upstream doesn't say when it was made", async () => {
    const definition = await loaded();
    const before = Math.floor(Date.now() / 1000) * 1000;
    await call(definition, "undated");
    const after = Date.now();
    const kept = await call(definition, "undated");
    assert.equal(isCached(kept), true);
    const date = Date.parse(kept.headers.date);
    assert.ok(before <= date && date <= after, kept.headers.date);
  });

  test("a response with header bytes that aren't text is passed on, not stored", async () => {
    const definition = await loaded();
    for (let time = 0; time < 2; time += 1) {
      const answer = await call(definition, "latin");
      assert.deepEqual([isCached(answer), answer.headers["x-name"]], [false, "J\u00fcrgen"]);
    }
  });

  test("a body in an encoding that the runtime can't decode stays marked as that", async () => {
    const definition = await loaded();
    for (const expected of [false, true]) {
      const answer = await call(definition, "count?h=Content-Encoding:zstd");
      assert.deepEqual([isCached(answer), answer.headers["content-encoding"]], [expected, "zstd"]);
    }
  });

  test("after purging, no earlier response is served", async () => {
    const definition = await loaded();
    const other = await loaded();
    await Promise.all([call(definition), call(other)]);
    const { status, json } = await clear(definition);
    assert.deepEqual([status, json], [200, { status: "ok", message: "cache invalidated" }]);
    assert.deepEqual(await twice(definition), [false, true]);
    assert.equal(isCached(await call(other)), true);
    assert.equal((await clear({ api_id: "nobody" })).status, 200);
    const path = `/gateway/cache/${definition.api_id}`;
    assert.equal((await send(gateway.ports.gateway, { method: "DELETE", path })).status, 403);
    assert.equal(isCached(await call(definition)), true);
  });

  test("a response in flight while the cache is purged is not stored", async () => {
    const definition = await loaded();
    held = gate();
    const { response } = await open(gateway.ports.gateway, { path: `${definition.proxy.listen_path}pieces` });
    assert.equal((await clear(definition)).status, 200);
    held.open();
    for await (const _ of response) continue;
    assert.equal(response.complete, true);
    assert.deepEqual(await twice(definition, "pieces"), [false, true]);
  });

  test("a write to a URL invalidates its cached response", async () => {
    const definition = await loaded();
    const guarded = { "If-Match": '"v1"' };
    for (const [method, status, kept, headers] of [
      ["POST", 200, false],
      ["DELETE", 204, false],
      ["PUT", 201, false, guarded],
      ["PUT", 412, true, guarded],
      ["PUT", 500, true],
    ]) {
      await call(definition, `count?status=${status}`);
      await call(definition, "count?other");
      await call(definition, `count?status=${status}`, { method, body: "x", headers });
      assert.equal(isCached(await call(definition, `count?status=${status}`)), kept, method);
      assert.equal(isCached(await call(definition, "count?other")), true);
    }
  });

  test("each key has its own cached responses, and each request counts", async () => {
    const definition = await loaded({ use_keyless: false });
    const session = { access_rights: rights(definition), quota_max: 3, quota_renewal_rate: 3600 };
    const [one, other] = [await keys.issue(session), await keys.issue(session)];
    const answers = await keys.calls(one.key, definition, 4, { rest: "count" });
    assert.deepEqual(answers.map(({ status }) => status), [200, 200, 200, 403]);
    assert.deepEqual(answers.slice(0, 3).map(isCached), [false, true, true]);
    assert.deepEqual(answers.slice(0, 3).map(({ headers }) => headers["x-ratelimit-remaining"]), ["2", "1", "0"]);
    assert.equal(isCached(await keys.call(other.key, definition, { rest: "count" })), false);
  });

  test("a response is streamed while it is stored, and not stored if interrupted", async () => {
    const definition = await loaded();
    held = gate();
    const { response } = await open(gateway.ports.gateway, { path: `${definition.proxy.listen_path}pieces` });
    const chunks = response[Symbol.asyncIterator]();
    assert.equal(String((await chunks.next()).value), "first ");
    held.open();
    for await (const _ of response) continue;
    const kept = await call(definition, "pieces");
    assert.deepEqual([isCached(kept), kept.text], [true, "first last"]);
    for (let time = 0; time < 2; time += 1) {
      const before = upstream.seen.length;
      await call(definition, "broken").catch(() => {});
      assert.equal(upstream.seen.length, before + 1);
    }
  });

  test("too large a body is not stored", async () => {
    const definition = await loaded();
    for (const path of ["long", "chunked-long"]) {
      for (let time = 0; time < 2; time += 1) {
        const answer = await call(definition, path);
        assert.equal(isCached(answer), false);
        assert.ok(LONG.equals(answer.bytes), path);
      }
    }
    assert.equal(isCached(await call(definition, "shorter")), false);
    const kept = await call(definition, "shorter");
    assert.ok(isCached(kept) && SHORTER.equals(kept.bytes));
  });

  test("a compressed response is sent compressed to clients that accept it, and otherwise decompressed", async () => {
    const definition = await loaded();
    const takes = { headers: { "Accept-Encoding": "gzip" } };
    const first = await call(definition, "gzip", takes);
    assert.equal(first.headers["content-encoding"], "gzip");
    const packed = await call(definition, "gzip", takes);
    assert.deepEqual([isCached(packed), packed.headers["content-encoding"]], [true, "gzip"]);
    assert.ok(packed.bytes.length < PLAIN.length && GZIP.length < PLAIN.length);
    const plain = await call(definition, "gzip");
    assert.deepEqual([isCached(plain), plain.headers["content-encoding"]], [true, undefined]);
    assert.ok(PLAIN.equals(plain.bytes));
    for (const isStored of [false, true]) {
      const head = await call(definition, "gzip", { method: "HEAD" });
      assert.deepEqual([isCached(head), head.headers["content-encoding"]], [isStored, "gzip"]);
    }
  });

  test("a conditional request gets a 304", async () => {
    const definition = await loaded();
    const path = "count?h=ETag:%22v1%22&h=Content-Type:text/plain";
    await call(definition, path);
    const known = await call(definition, path, { headers: { "If-None-Match": '"v0", "v1"' } });
    assert.deepEqual([known.status, isCached(known), known.text, known.headers["content-type"]], [304, true, "", undefined]);
    assert.equal((await call(definition, path)).status, 200);
  });

  test("a range is served from the cached response", async () => {
    const definition = await loaded();
    held = gate();
    held.open();
    assert.equal((await call(definition, "pieces")).text, "first last");
    const before = upstream.seen.length;
    for (const [range, status, text, content] of [
      ["bytes=0-4", 206, "first", "bytes 0-4/10"],
      ["bytes=6-", 206, "last", "bytes 6-9/10"],
      ["bytes=-2", 206, "st", "bytes 8-9/10"],
      ["bytes=-99", 206, "first last", "bytes 0-9/10"],
      ["bytes=9-99", 206, "t", "bytes 9-9/10"],
      ["bytes=10-", 416, "", "bytes */10"],
      ["bytes=-0", 416, "", "bytes */10"],
      ["bytes=0-1,3-4", 200, "first last", undefined],
      ["bytes=4-1", 200, "first last", undefined],
      ["pieces=0-1", 200, "first last", undefined],
    ]) {
      const answer = await call(definition, "pieces", { headers: { Range: range } });
      assert.deepEqual([answer.status, answer.text, answer.headers["content-range"]], [status, text, content], range);
      assert.equal(isCached(answer), true);
      if (status === 206) assert.equal(answer.headers["content-length"], String(text.length));
    }
    const head = await call(definition, "pieces", { method: "HEAD", headers: { Range: "bytes=0-4" } });
    assert.deepEqual([head.status, head.headers["content-range"]], [200, undefined]);
    assert.equal(upstream.seen.length, before + 1);
    // Later requests get all of it.
    assert.equal((await call(definition, "pieces")).text, "first last");
  });

  test("If-Range applies a range only to the response the client has", async () => {
    const definition = await loaded();
    const path = "count?h=ETag:%22v1%22";
    const { text } = await call(definition, path);
    const ranged = async (condition) => {
      const { status, text } = await call(definition, path, { headers: { Range: "bytes=0-0", "If-Range": condition } });
      return [status, text];
    };
    assert.deepEqual(await ranged('"v1"'), [206, text.slice(0, 1)]);
    assert.deepEqual(await ranged('"v0"'), [200, text]);
    assert.deepEqual(await ranged('W/"v1"'), [200, text]);
    const known = await call(definition, path, { headers: { Range: "bytes=0-0", "If-None-Match": '"v1"' } });
    assert.deepEqual([known.status, known.text], [304, ""]);
  });

  test("ranges of an uncached response are left to the upstream, and compressed responses are sent complete", async () => {
    const definition = await loaded();
    const range = { headers: { Range: "bytes=0-0" } };
    // This cache doesn't cut ranges, so its response is complete.
    const first = await call(definition, "count", range);
    assert.deepEqual([first.status, isCached(first), upstream.seen.at(-1).headers.range], [200, false, "bytes=0-0"]);
    const kept = await call(definition, "count", range);
    assert.deepEqual([kept.status, isCached(kept), kept.text], [206, true, first.text.slice(0, 1)]);
    const takes = { headers: { "Accept-Encoding": "gzip", ...range.headers } };
    await call(definition, "gzip", takes);
    const packed = await call(definition, "gzip", takes);
    assert.deepEqual([packed.status, isCached(packed), packed.headers["content-range"]], [200, true, undefined]);
  });

  test("variants of a response are cached side by side", async () => {
    const definition = await loaded();
    const path = "count?h=Vary:Accept-Language";
    const language = (name) => ({ headers: { "Accept-Language": name } });
    assert.deepEqual(await twice(definition, path, language("en")), [false, true]);
    assert.deepEqual(await twice(definition, path, language("de")), [false, true]);
    assert.equal(isCached(await call(definition, path, language("en"))), true);
  });

  test("a client's request for a fresh response refreshes the cache for others", async () => {
    const definition = await loaded();
    const old = (await call(definition)).text;
    const fresh = await call(definition, "count", { headers: { "Cache-Control": "no-cache" } });
    assert.equal(isCached(fresh), false);
    assert.notEqual(fresh.text, old);
    const kept = await call(definition);
    assert.deepEqual([isCached(kept), kept.text], [true, fresh.text]);
  });

  test("a batch item uses the same cache", async () => {
    const definition = await loaded({ enable_batch_request_support: true });
    const item = { method: "GET", relative_url: "count" };
    const path = `${definition.proxy.listen_path}gateway/batch/`;
    const batch = async () => (await send(gateway.ports.gateway, { method: "POST", path, body: { requests: [item] } })).json[0];
    const [first, second] = [await batch(), await batch()];
    assert.equal(second.body, first.body);
  });
}
