// How response headers are treated, whose names the upstream chooses.

import assert from "node:assert/strict";
import { test } from "node:test";
import { clean, described, edited, outgoing } from "../src/headers.js";

test("headers are passed on by any name, even that of an Object.prototype member", () => {
  const headers = new Headers([["constructor", "1"], ["__proto__", "2"], ["x-a", "3"], ["x-a", "4"]]);
  const { status, headers: told } = JSON.parse(described({ status: 201, headers }));
  assert.equal(status, 201);
  assert.deepEqual(Object.entries(told), [["__proto__", ["2"]], ["constructor", ["1"]], ["x-a", ["3, 4"]]]);
});

test("an upstream can't set the console's sign-in cookie, however it spells it", () => {
  const own = [
    "gateway-session=x; Path=/",
    "__Host-gateway-session=x; Secure; Path=/",
    " gateway-session = x",
    "\tgateway-session\t=x",
    "=gateway-session=x",
    " = gateway-session=x",
    "==__Host-gateway-session=x",
    "gateway-session",
    "gateway-session;Max-Age=0",
    "__host-Gateway-Session=x",
  ];
  const others = ["a=gateway-session=x", "my-gateway-session=x", "gateway-session2=x", "gateway-sessions=x, y"];
  for (const cookies of [own, [...own, ...others]]) {
    const headers = new Headers({ "X-Kept": "1" });
    for (const cookie of cookies) headers.append("Set-Cookie", cookie);
    const cleaned = clean(new Response("body", { status: 201, headers }), new Request("http://a.example/"));
    assert.deepEqual(cleaned.headers.getSetCookie(), cookies.slice(own.length));
    assert.deepEqual([cleaned.status, cleaned.headers.get("x-kept")], [201, "1"]);
  }
  // It signs an API's own users out, and at worst those of the console as well (docs/console.md).
  const clearing = new Response("body", { headers: { "Clear-Site-Data": '"cookies"' } });
  assert.equal(clean(clearing, new Request("http://a.example/")), clearing);
  const untouched = new Response("body", { headers: [["Set-Cookie", "a=1"], ["Set-Cookie", "b=2"]] });
  assert.equal(clean(untouched, new Request("http://a.example/")), untouched);
});

test("addresses of the target become those that clients know, also in angle brackets", () => {
  const deep = "http://up:1/v2 https://api.example/base http://up:1 https://api.example /v2 /base";
  const flat = "http://up https://api.example/base http://up https://api.example  /base";
  for (const [moves, value, moved] of [
    [deep, "http://up:1/v2/a?b=http://up:1/v2/c", "https://api.example/base/a?b=http://up:1/v2/c"],
    [deep, "http://up:1/v2", "https://api.example/base"],
    [deep, "http://up:1/v20", "https://api.example/v20"],
    [deep, "http://up:1?x", "https://api.example?x"],
    [deep, "http://up:12/v2/a", "http://up:12/v2/a"],
    [deep, "https://login.example/v2/", "https://login.example/v2/"],
    [deep, "/v2/a", "/base/a"],
    [deep, "/other", "/other"],
    [deep, "relative", "relative"],
    [deep, '<http://up:1/v2/a>; rel="next", </v2/b>; rel="http://up:1/v2/c", <http://else/v2>', '<https://api.example/base/a>; rel="next", </base/b>; rel="http://up:1/v2/c", <http://else/v2>'],
    [deep, "<http://up:1/v2", "<http://up:1/v2"],
    [flat, "http://up/a/b", "https://api.example/base/a/b"],
    [flat, "http://up", "https://api.example/base"],
    [flat, "/a", "/base/a"],
    [flat, "//up/a", "//up/a"],
  ]) {
    const response = edited(new Response(null, { headers: { "X-At": value } }), ["move", "x-at", moves]);
    assert.equal(response.headers.get("x-at"), moved, value);
  }
});

const request = (headers, method = "GET") => new Request("http://a.example/", { method, headers });
const encodedAs = (encoding) => new Response("body", { headers: { "Content-Encoding": encoding } });

test("a body is decoded if the client or a rule wants no encoding", () => {
  const [accepts, silent] = [request({ "Accept-Encoding": "gzip" }), request({})];
  for (const [client, sent, encoding] of [
    [accepts, accepts, "gzip"],
    [accepts, undefined, "gzip"],
    [accepts, silent, null],
    [silent, accepts, null],
    [silent, silent, null],
  ]) {
    assert.equal(clean(encodedAs("gzip"), client, sent).headers.get("content-encoding"), encoding);
  }
});

test("an encoding is named as long as the body has it", () => {
  for (const encoding of ["deflate", "zstd", "identity", "gzip, br"]) {
    assert.equal(clean(encodedAs(encoding), request({})).headers.get("content-encoding"), encoding);
  }
  for (const client of [request({}, "HEAD"), request({ Range: "bytes=0-3" })]) {
    assert.equal(clean(encodedAs("gzip"), client).headers.get("content-encoding"), "gzip");
  }
});

test("only the handshake of a WebSocket is an upgrade", () => {
  const upgrade = (headers) => {
    const request = new Request("http://a.example/", { headers });
    return outgoing(request, request, { url: "http://b.example/" }).headers.get("upgrade");
  };
  assert.equal(upgrade({ Upgrade: "websocket", "Sec-WebSocket-Version": "13" }), "websocket");
  assert.equal(upgrade({ Upgrade: "websocket" }), null);
});
