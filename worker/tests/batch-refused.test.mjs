// What a batch must not do is refused before any of it runs (attacks A1, A5, A6, A7).

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { send } from "./http.mjs";
import { listen } from "./upstream.mjs";

const MALFORMED = "Batch request malformed";
const CREATION = "Batch request creation failed , request structure malformed";

let gateway;
let upstream;
let other;
let path;
before(async () => {
  [gateway, upstream, other] = await Promise.all([start(), listen(), listen()]);
  const definition = api({ enable_batch_request_support: true }, { target_url: upstream.url });
  path = `${definition.proxy.listen_path}gateway/batch/`;
  await publish(gateway, definition, api({ enable_batch_request_support: true }, { listen_path: "/other/", target_url: other.url }));
});
after(() => Promise.all([gateway.stop(), upstream.close(), other.close()]));

const post = (body) => send(gateway.ports.gateway, { method: "POST", path, body });

/** Sends a batch whose second item is `item`, and asserts that it is refused with nothing sent. */
async function assertRefused(item, pointer, message, what) {
  const before = upstream.seen.length;
  const answer = await post({ requests: [{ relative_url: "first" }, item, { relative_url: "last" }] });
  assert.equal(answer.status, 400, `${what}: ${answer.text}`);
  assert.equal(answer.json.status, "error", what);
  assert.equal(answer.json.message, message, what);
  assert.ok(answer.json.issues.some((issue) => issue.pointer === pointer && issue.line >= 1), `${what}: ${answer.text}`);
  assert.equal(upstream.seen.length, before, `${what}: something was sent`);
  assert.equal(other.seen.length, 0, `${what}: another API was reached`);
}

const ESCAPES = [
  "..",
  "../other/x",
  "./../other/x",
  "x/../../other/x",
  "/../other/x",
  "%2e%2e/other/x",
  "%2e%2e%2fother/x",
  "..%2fother/x",
  "..%5cother/x",
  ".%2e/other/x",
  "%252e%252e/other/x",
  "%252e%252e%252fother/x",
  "..;/other/x",
  "..;a=b/other/x",
  "\\\\evil.test\\x",
  "\\evil.test",
  "/\\evil.test/x",
  "..\\other\\x",
  "x\r\nHost: evil.test",
  "x\r\n\r\nGET /other/x HTTP/1.1",
  "x\nX-Evil: 1",
  "x\u0000",
  "\u0000../other",
  "\t//evil.test",
  "x\u007f",
  "%",
  "x%zz",
];

test("a relative URL that could escape the API is refused", async () => {
  for (const relative_url of ESCAPES) await assertRefused({ relative_url }, "/requests/1/relative_url", CREATION, JSON.stringify(relative_url));
});

test("a batch within a batch is refused, however it is spelled", async () => {
  for (const relative_url of ["gateway/batch", "gateway/batch/", "/gateway/batch/", "./gateway/batch", "gateway//batch", "x/../gateway/batch/", "g%61teway/batch", "gateway/%62atch/", "gateway/batch?x=1", "gateway/batch#x", "gateway/batch/."]) {
    await assertRefused({ relative_url, method: "POST", body: '{"requests":[{"relative_url":"x"}]}' }, "/requests/1/relative_url", CREATION, relative_url);
  }
});

test("an invalid or forbidden method is refused", async () => {
  for (const method of ["GET /x HTTP/1.1", "GE T", "GET\r\nX-Evil: 1", "GET\u0000", "ä", "CONNECT", "TRACE", "TRACK", "connect", " ", "(comment)"]) {
    await assertRefused({ relative_url: "x", method }, "/requests/1/method", CREATION, JSON.stringify(method));
  }
});

test("a header that would split the request is refused", async () => {
  for (const [name, value, pointer = name] of [
    ["X-A", "1\r\nX-Evil: 1"],
    ["X-A", "1\n"],
    ["X-A", "1\u0000"],
    ["X-A", "\u2603"],
    ["X A", "1"],
    ["X-A:", "1"],
    ["", "1"],
    ["X-A\r\nX-Evil", "1"],
    ["X/A", "1", "X~1A"],
  ]) await assertRefused({ relative_url: "x", headers: { [name]: value } }, `/requests/1/headers/${pointer}`, CREATION, JSON.stringify([name, value]));
});

test("a body is refused, not dropped, where the platform can't send one", async () => {
  for (const method of ["GET", "HEAD", "get", ""]) await assertRefused({ relative_url: "x", method, body: "x" }, "/requests/1/body", CREATION, method);
});

test("wrong types are malformed", async () => {
  for (const [item, pointer] of [
    [1, ""],
    ["x", ""],
    [null, ""],
    [[], ""],
    [{ relative_url: 1 }, "/relative_url"],
    [{ relative_url: "x", method: 1 }, "/method"],
    [{ relative_url: "x", body: {} }, "/body"],
    [{ relative_url: "x", headers: [] }, "/headers"],
    [{ relative_url: "x", headers: { A: 1 } }, "/headers/A"],
    [{ relative_url: "x", headers: { A: ["1"] } }, "/headers/A"],
  ]) await assertRefused(item, `/requests/1${pointer}`, MALFORMED, JSON.stringify(item));
});

test("a malformed batch is refused", async () => {
  for (const body of ["", " ", "x", "[]", "1", '"x"', "{", '{"requests":{}}', '{"requests":"x"}', '{"requests":[],"suppress_parallel_execution":"yes"}', '{"requests":[],"requests":[{"relative_url":"x"}]}', `{"requests":${"[".repeat(100_000)}`, Buffer.from([0x7b, 0xff, 0x7d])]) {
    const before = upstream.seen.length;
    const answer = await post(body);
    assert.equal(answer.status, 400, String(body).slice(0, 60));
    assert.equal(answer.json.status, "error");
    assert.equal(answer.json.message, MALFORMED);
    assert.equal(upstream.seen.length, before);
  }
});

test("all invalid items are named, not only the first", async () => {
  const answer = await post({ requests: [{ relative_url: "../x" }, { relative_url: "ok" }, { relative_url: "x", method: "A B" }] });
  const pointers = answer.json.issues.map(({ pointer }) => pointer);
  assert.deepEqual(pointers, ["/requests/0/relative_url", "/requests/2/method"]);
});

// These look like escapes but aren't: they stay below the API unchanged.
const HARMLESS = [
  ["", "/"],
  ["/", "/"],
  ["x", "/x"],
  ["/x", "/x"],
  ["./x", "/x"],
  ["x/../y", "/y"],
  ["x//y", "/x/y"],
  ["@evil.test/x", "/@evil.test/x"],
  ["evil.test", "/evil.test"],
  ["./a:b", "/a:b"],
  ["x?u=http://evil.test/../y", "/x?u=http://evil.test/../y"],
  ["items:search", "/items:search"],
  ["//other/x", "/other/x"],
  ["///evil.test/x", "/evil.test/x"],
  ["http://evil.test/x", "/http:/evil.test/x"],
  ["HTTPS://evil.test/x", "/HTTPS:/evil.test/x"],
  ["http:evil.test", "/http:evil.test"],
  ["file:///etc/passwd", "/file:/etc/passwd"],
  ["javascript:alert(1)", "/javascript:alert%281%29"],
  ["gateway://self/x", "/gateway:/self/x"],
  ["?q=1", "/?q=1"],
  ["x#../../y", "/x"],
  ["...", "/..."],
  ["x%2fy", "/x%2fy"],
  ["x%00", "/x%00"],
  ["x%0d%0aX-Evil:1", "/x%0d%0aX-Evil:1"],
  ["x/..%00/other", "/x/..%00/other"],
  ["x/..;/y", "/x/..;/y"],
  ["gateway/batches", "/gateway/batches"],
  ["other/x", "/other/x"],
  ["a b", "/a%20b"],
  ["ä", "/%C3%A4"],
  ["x?a=1%0d%0aX-Evil:1", "/x?a=1%0d%0aX-Evil:1"],
];

test("URLs that stay within the API are sent to the right place", async () => {
  for (const [relative_url, url] of HARMLESS) {
    const answer = await post({ requests: [{ relative_url }] });
    assert.equal(answer.status, 200, `${relative_url}: ${answer.text}`);
    const [unit] = answer.json;
    assert.equal(unit.relative_url, relative_url);
    assert.equal(JSON.parse(unit.body).url, url, relative_url);
  }
  assert.equal(other.seen.length, 0);
});

test("URLs are not built from what clients claim about themselves", async () => {
  const headers = { Host: `127.0.0.1:${other.port}`, "X-Forwarded-Host": `127.0.0.1:${other.port}`, Forwarded: `host=127.0.0.1:${other.port}` };
  const before = other.seen.length;
  const answer = await send(gateway.ports.gateway, { method: "POST", path, headers, body: { requests: [{ relative_url: "x" }] } });
  assert.deepEqual(answer.json.map(({ code }) => code), [200]);
  assert.equal(other.seen.length, before);
});

test("a method override neither makes a batch nor changes an item", async () => {
  const answer = await send(gateway.ports.gateway, { path: path.replace("batch/", "batch/?_method=POST"), headers: { "X-HTTP-Method-Override": "POST" } });
  assert.equal(answer.status, 405);
  const [unit] = (await post({ requests: [{ relative_url: "x?_method=DELETE", headers: { "X-HTTP-Method-Override": "DELETE" } }] })).json;
  assert.equal(JSON.parse(unit.body).method, "GET");
});
