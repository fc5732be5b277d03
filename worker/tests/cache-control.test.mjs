// The cache of an API whose upstream controls it, on workerd: what RFC 9111, RFC 5861 and RFC 9213 require of a shared
// cache. Once as on one machine, and once as at the edge, with a Cache API (cache.capnp).

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { send } from "./http.mjs";
import { body, gate, listen } from "./upstream.mjs";

let counted = 0;
/** Opened by the next response to `/late`. */
let late = gate();
/** Responses to addresses with a number, which take precedence over their queries. */
const answers = new Map();

/**
 * Responds with a running number, and with the headers that the query asks for: `h` in ordinary responses, `again` in
 * those to a revalidation. `then` is the status of the latter.
 */
async function answer(request, response, url) {
  await body(request);
  counted += 1;
  const add = (name) => {
    for (const line of url.searchParams.getAll(name)) response.appendHeader(...line.split(/:(.*)/s, 2));
  };
  const { "if-none-match": tag, "if-modified-since": since } = request.headers;
  const then = url.searchParams.get("then");
  const override = answers.get(url.searchParams.get("number"));
  response.setHeader("X-Number", counted);
  if (override !== undefined) {
    for (const line of override.headers) response.appendHeader(...line.split(/:(.*)/s, 2));
    response.writeHead(override.status).end(request.method === "HEAD" ? "" : `body ${counted}`);
    return;
  }
  if (then === "close" && counted > 1) {
    response.socket.destroy();
  } else if (then !== null && (tag ?? since ?? (then !== "304" && counted > 1 ? "again" : undefined)) !== undefined) {
    add("again");
    response.writeHead(Number(then)).end();
  } else {
    add("h");
    response.writeHead(Number(url.searchParams.get("status") ?? 200)).end(request.method === "HEAD" ? "" : `body ${counted}`);
  }
}

const routes = {
  "/answer": answer,
  "/answer/named": answer,
  "/late": async (request, response, url) => {
    await answer(request, response, url);
    late.open();
  },
};

const date = (seconds) => new Date(Date.now() + seconds * 1000).toUTCString();
const TAG = 'ETag:"v1"';
/** A response that is stale on arrival. */
const OLD = ["Age:10", "Cache-Control:max-age=10"];
const ago = date(-86_400);

const CONFIGS = { "in memory": undefined, "with a Cache API": fileURLToPath(new URL("cache.capnp", import.meta.url)) };
for (const [name, config] of Object.entries(CONFIGS)) describe(name, () => suite(config));

function suite(config) {
  let gateway;
  let upstream;
  before(async () => {
    [gateway, upstream] = await Promise.all([start({ config }), listen(routes)]);
  });
  after(() => Promise.all([gateway.stop(), upstream.close()]));

  /** Loads an API of its own; `call` requests an address whose responses have these headers. */
  async function loaded(cache_options) {
    counted = 0;
    const options = { enable_cache: true, cache_all_safe_requests: true, enable_upstream_cache_control: true, ...cache_options };
    const definition = api({ cache_options: options }, { target_url: upstream.url });
    await publish(gateway, definition);
    return {
      path: definition.proxy.listen_path,
      call: (headers, { query = {}, path = "answer", ...options } = {}) => {
        const search = new URLSearchParams([...headers.map((line) => ["h", line]), ...Object.entries(query)]);
        return send(gateway.ports.gateway, { path: `${definition.proxy.listen_path}${path}?${search}`, ...options });
      },
    };
  }
  const isCached = ({ headers }) => headers["x-gateway-cached-response"] === "1";

  /** Whether a second request with these headers is answered without the upstream. */
  async function reused(headers, { asked = {}, first = {}, status, ...options } = {}) {
    const { call } = await loaded(options);
    const query = status === undefined ? {} : { status };
    await call(headers, { query, headers: first });
    const before = upstream.seen.length;
    const answer = await call(headers, { query, headers: asked });
    assert.equal(isCached(answer), upstream.seen.length === before);
    return isCached(answer);
  }

  // Each with whether a second request is answered from what the first one stored.
  const FRESHNESS = [
    ["max-age", ["Cache-Control:max-age=60"], true],
    ["max-age 0", ["Cache-Control:max-age=0"], false],
    ["an exceeded max-age", OLD, false],
    ["max-age in upper case", ["Cache-Control:MAX-AGE=0"], false],
    ["max-age in quotation marks", ['Cache-Control:max-age="60"'], true],
    ["max-age larger than any", ["Cache-Control:max-age=99999999999999999999"], true],
    ["max-age below zero", ["Cache-Control:max-age=-1"], false],
    ["max-age that is not a number", ["Cache-Control:max-age=soon"], false],
    ["max-age twice", ["Cache-Control:max-age=60", "Cache-Control:max-age=0"], false],
    ["s-maxage over max-age", ["Cache-Control:max-age=0, s-maxage=60"], true],
    ["a shorter s-maxage", ["Cache-Control:max-age=60, s-maxage=0"], false],
    ["max-age over Expires", ["Cache-Control:max-age=60", `Expires:${ago}`], true],
    ["max-age 0 over Expires", ["Cache-Control:max-age=0", `Expires:${date(60)}`], false],
    ["Expires", [`Expires:${date(60)}`], true],
    ["an expired Expires", [`Expires:${ago}`], false],
    ["Expires that is not a date", ["Expires:0"], false],
    ["Age that is not a number", ["Cache-Control:max-age=60", "Age:old"], true],
    ["the first of two ages", ["Cache-Control:max-age=60", "Age:0, 90"], true],
    ["an unknown directive", ["Cache-Control:max-age=60, fresh"], true],
    ["a directive inside quotation marks", ['Cache-Control:max-age=60, x="no-store"'], true],
    ["no-store", ["Cache-Control:No-Store, max-age=60"], false],
    ["private", ["Cache-Control:private, max-age=60"], false],
    ["private for a header", ['Cache-Control:private="x-number", max-age=60'], false],
    ["no-cache", ["Cache-Control:no-cache, max-age=60"], false],
    ["no-cache for a header", ['Cache-Control:no-cache="x-number", max-age=60'], false],
    ["must-understand", ["Cache-Control:must-understand, no-store, max-age=60"], true],
    ["Vary on everything", ["Cache-Control:max-age=60", "Vary:*"], false],
    ["for caches like this one", ["Cache-Control:no-store", "CDN-Cache-Control:max-age=60"], true],
    ["not for caches like this one", ["Cache-Control:max-age=60", "CDN-Cache-Control:no-store"], false],
    ["for such caches, not well-formed", ["Cache-Control:no-store", 'CDN-Cache-Control:max-age="60"'], false],
  ];
  test("Cache-Control of a response", async () => {
    for (const [name, headers, expected] of FRESHNESS) assert.equal(await reused(headers), expected, name);
  });

  test("a HEAD confirms or invalidates the cached GET", async () => {
    const { call } = await loaded();
    /** The same address, from now on with these responses. */
    let number = 0;
    async function revalidated(kept, said, status = 200) {
      number += 1;
      const query = { number: String(number) };
      answers.set(query.number, { status: 200, headers: kept });
      assert.equal(isCached(await call([], { query })), false);
      assert.equal(isCached(await call([], { query })), true);
      answers.set(query.number, { status, headers: said });
      await call([], { query, method: "HEAD" });
      return call([], { query });
    }
    const fresh = "Cache-Control:max-age=60";
    assert.equal(isCached(await revalidated([fresh, TAG], [fresh, 'ETag:"v2"'])), false);
    assert.equal(isCached(await revalidated([fresh, TAG], [fresh], 500)), true);
    const renewed = await revalidated([fresh, TAG, "X-Said:before"], [fresh, TAG, "X-Said:now"]);
    assert.deepEqual([isCached(renewed), renewed.headers["x-said"], renewed.text.startsWith("body ")], [true, "now", true]);
    assert.equal(isCached(await revalidated([fresh, TAG], ["Cache-Control:no-store", TAG])), false);
    const varied = [fresh, TAG, "Vary:X-Kind"];
    assert.equal(isCached(await revalidated(varied, [fresh, 'ETag:"v2"', "Vary:X-Kind"])), false);
  });

  test("statuses without explicit freshness", async () => {
    for (const status of [200, 203, 204, 300, 301, 404, 405, 410, 414, 501]) {
      assert.equal(await reused([`Last-Modified:${ago}`], { status }), true, String(status));
    }
    for (const status of [201, 202, 403, 502, 503, 504, 599]) {
      assert.equal(await reused([`Last-Modified:${ago}`], { status }), false, String(status));
    }
    assert.equal(await reused(["Cache-Control:public"], { status: 599 }), true);
    assert.equal(await reused(["Cache-Control:max-age=60"], { status: 403 }), true);
    assert.equal(await reused(["Cache-Control:max-age=60, must-understand"], { status: 599 }), false);
  });

  test("Cache-Control of a request", async () => {
    const fresh = ["Cache-Control:max-age=60", "Age:10"];
    const asked = (value) => ({ asked: { "Cache-Control": value } });
    for (const [value, expected] of [["max-age=0", false], ["max-age=5", false], ["max-age=30", true], ["min-fresh=40", true], ["min-fresh=55", false], ["no-cache", false]]) {
      assert.equal(await reused(fresh, asked(value)), expected, value);
    }
    assert.equal(await reused(fresh, { asked: { Pragma: "no-cache" } }), false);
    assert.equal(await reused(fresh, { asked: { Pragma: "no-cache", "Cache-Control": "max-age=30" } }), true);
    assert.equal(await reused(fresh, { first: { "Cache-Control": "no-store" } }), false);
    const { call } = await loaded();
    assert.equal((await call(fresh, { headers: { "Cache-Control": "only-if-cached" } })).status, 504);
    const stale = [...OLD, TAG];
    await call(stale);
    const { status, text, headers } = await call(stale, { headers: { "Cache-Control": "max-stale=60" } });
    assert.deepEqual([status, text, headers.age], [200, "body 1", "10"]);
    assert.equal((await call(stale, { headers: { "Cache-Control": "only-if-cached" } })).status, 504);
  });

  test("responses to requests with Authorization", async () => {
    const authorized = { first: { Authorization: "Basic eDp5" }, asked: { Authorization: "Basic eDp5" } };
    assert.equal(await reused(["Cache-Control:max-age=60"], authorized), false);
    for (const shared of ["public, max-age=60", "must-revalidate, max-age=60", "s-maxage=60"]) {
      assert.equal(await reused([`Cache-Control:${shared}`], authorized), true, shared);
      assert.equal(await reused([`Cache-Control:${shared}`], { first: authorized.first }), false, "for another client");
    }
  });

  test("headers named by Vary match regardless of notation", async () => {
    const headers = ["Cache-Control:max-age=60", "Vary:Accept-Language, Foo"];
    const first = { "Accept-Language": "en, de;q=0.5", Foo: "1, 2" };
    for (const [asked, expected] of [
      [{ "Accept-Language": "EN,de;q=0.5", Foo: "1,2" }, true],
      [{ "Accept-Language": "de;q=0.5, en", Foo: "1,2" }, false],
      [{ "Accept-Language": "en, de;q=0.5", Foo: "2, 1" }, false],
      [{ "Accept-Language": "en, de;q=0.5" }, false],
    ]) assert.equal(await reused(headers, { first, asked }), expected, JSON.stringify(asked));
  });

  test("a stale response is revalidated with its validators", async () => {
    for (const [headers, condition] of [
      [[TAG], { "if-none-match": '"v1"' }],
      [[`Last-Modified:${ago}`], { "if-modified-since": ago }],
      [[TAG, `Last-Modified:${ago}`], { "if-none-match": '"v1"', "if-modified-since": ago }],
    ]) {
      const { call } = await loaded();
      const again = { query: { then: 304 } };
      await call([...OLD, ...headers], again);
      const answer = await call([...OLD, ...headers], { ...again, headers: { "If-None-Match": '"of the client"' } });
      const asked = upstream.seen.at(-1).headers;
      assert.deepEqual([answer.status, answer.text, isCached(answer)], [200, "body 1", true]);
      for (const name of ["if-none-match", "if-modified-since"]) assert.equal(asked[name], condition[name], name);
    }
  });

  test("headers of a 304 update the cached response", async () => {
    const { call } = await loaded();
    const headers = ["Cache-Control:no-cache", TAG, "X-One:a", "X-Two:a", "Content-Type:text/plain", "Content-MD5:a"];
    const query = { then: 304, again: "Cache-Control:max-age=60" };
    const search = new URLSearchParams([...headers.map((line) => ["h", line]), ...Object.entries(query), ["again", "X-Two:b"], ["again", "Content-MD5:b"]]);
    const path = `answer?${search}`;
    const ask = (headers) => call([], { path: `${path}&`, headers });
    assert.equal((await ask()).text, "body 1");
    const second = await ask();
    assert.deepEqual([second.text, second.headers["x-number"], second.headers["x-one"]], ["body 1", "2", "a"]);
    assert.equal(second.headers["content-md5"], "a");
    const third = await ask();
    assert.deepEqual([third.text, third.headers["x-number"]], ["body 1", "2"], "fresh again");
    assert.ok(third.headers["x-two"].includes("b"));
    const known = await ask({ "If-None-Match": '"v1"' });
    assert.deepEqual([known.status, known.text], [304, ""]);
  });

  test("a changed response replaces the stale one", async () => {
    const { call } = await loaded();
    const headers = [...OLD, TAG];
    await call(headers);
    const second = await call(headers);
    assert.deepEqual([second.status, second.text, isCached(second)], [200, "body 2", false]);
    assert.equal(upstream.seen.at(-1).headers["if-none-match"], '"v1"');
  });

  test("a stale response replaces an error where that is allowed", async () => {
    for (const [control, then, expected] of [
      ["stale-if-error=60", "503", 200],
      ["stale-if-error=60", "500", 200],
      ["stale-if-error=60", "close", 200],
      ["stale-if-error=60", "404", 404],
      ["stale-if-error=60, must-revalidate", "503", 503],
      ["stale-if-error=60, proxy-revalidate", "503", 503],
      ["stale-if-error=60, s-maxage=10", "503", 503],
      ["x", "503", 503],
    ]) {
      const { call } = await loaded();
      const headers = ["Age:10", `Cache-Control:max-age=10, ${control}`, TAG];
      await call(headers, { query: { then } });
      const answer = await call(headers, { query: { then } });
      assert.deepEqual([answer.status, isCached(answer)], [expected, expected === 200], `${control} ${then}`);
      if (expected === 200) assert.deepEqual([answer.text, answer.headers.age], ["body 1", "10"]);
    }
  });

  test("stale-while-revalidate serves the stale response during revalidation", async () => {
    const { call } = await loaded();
    late = gate();
    const headers = ["Age:10", "Cache-Control:max-age=10, stale-while-revalidate=60", TAG];
    const options = { path: "late" };
    await call(headers, options);
    late = gate();
    const old = await call(headers, options);
    assert.deepEqual([old.text, isCached(old)], ["body 1", true]);
    await late.opened;
    assert.equal(upstream.seen.at(-1).headers["if-none-match"], '"v1"');
    // The new response is cached before the client sees its end, so some of the next requests may still get the old
    // one.
    let text;
    for (let times = 0; times < 100 && text !== "body 2"; times += 1) ({ text } = await call(headers, options));
    assert.equal(text, "body 2");
  });

  test("a write invalidates the URLs it names", async () => {
    const { call, path } = await loaded();
    const fresh = ["Cache-Control:max-age=60"];
    const named = { path: "answer/named" };
    const target = `${path}answer/named?${new URLSearchParams([["h", fresh[0]]])}`;
    for (const [name, value, expected] of [
      ["Location", target, false],
      ["Content-Location", target, false],
      ["Location", `${gateway.gateway}${target}`, false],
      ["Location", "answer/named?h=Cache-Control%3Amax-age%3D60", false],
      ["Location", `/${target.slice(path.length)}`, false],
      ["Location", `${upstream.url}/${target.slice(path.length)}`, false],
      ["Location", `http://elsewhere.test${target}`, true],
      ["Location", "::", true],
    ]) {
      await call(fresh, named);
      await call([`${name}:${value}`], { method: "POST", body: "x" });
      assert.equal(isCached(await call(fresh, named)), expected, `${name}: ${value}`);
    }
  });

  test("partial responses are neither stored nor taken for complete ones", async () => {
    const { call } = await loaded();
    const fresh = ["Cache-Control:max-age=60", "Content-Range:bytes 0-3/6"];
    const options = { query: { status: 206 }, headers: { Range: "bytes=0-3" } };
    assert.equal((await call(fresh, options)).status, 206);
    assert.equal(isCached(await call(fresh, { query: { status: 206 } })), false);
  });
}
