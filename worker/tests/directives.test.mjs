// How directives are read, and how a response is changed as they say.

import assert from "node:assert/strict";
import { test } from "node:test";
import { directive } from "../src/directives.js";
import { clean, outgoing } from "../src/headers.js";

test("a directive to send a request means the same in lines and in JSON", () => {
  const plain = directive("7\n5\nhttp://up.example/");
  assert.deepEqual(plain, { run: undefined, figures: 7, send: { url: "http://up.example/", timeout: 5, headers: [], edits: [] } });
  // The tests of `driver/directive.rs` have the same lines.
  const lines = "7\n5\nhttp://up.example/\n3\n400\n6\nset\nx-a\n1\nremove\nx-b\n\nremove\na\n\nset\nb\n1";
  const send = { url: "http://up.example/", timeout: 5, headers: ["set", "x-a", "1", "remove", "x-b", ""], edits: ["remove", "a", "", "set", "b", "1"], inspect_from: 400 };
  assert.deepEqual(directive(lines), { run: 3, figures: 7, send });
  assert.deepEqual(directive(JSON.stringify({ run: 3, figures: 7, send })), { run: 3, figures: 7, send });
  const none = directive("7\n0\nhttp://up.example/\n3\n\n0");
  assert.deepEqual(none, { run: 3, figures: 7, send: { url: "http://up.example/", timeout: 0, headers: [], edits: [], inspect_from: undefined } });
});

test("a directive to check a credential ends with the facts, however many lines they have", () => {
  // The tests of `driver/directive.rs` have the same lines.
  assert.deepEqual(directive('proof\n3\n7\njwt\n{"now":1}\n'), { run: 3, figures: 7, proof: ["jwt", '{"now":1}\n'] });
});

test("the headers of a request are changed as a directive says, and one that a rule has touched is left alone", () => {
  const request = new Request("http://a.example/", { headers: { "X-B": "2", "X-Kept": "3" } });
  const headers = ["set", "x-a", "x-forwarded-host", "remove", "x-b", "", "set", "x-real-ip", "", "remove", "x-forwarded-proto", ""];
  const sent = outgoing(request, request, { url: "http://up.example/", headers }, undefined, undefined);
  const value = (name) => sent.headers.get(name);
  assert.deepEqual(["x-a", "x-b", "x-kept", "x-real-ip", "x-forwarded-proto"].map(value), ["x-forwarded-host", null, "3", "", null]);
  // The value of another header is not its name.
  assert.equal(value("x-forwarded-host"), "a.example");
});

test("a response that is changed loses what no response keeps, and its original stays as it is", async () => {
  const headers = { "X-RateLimit-Limit": "1", "Connection": "x-hop", "X-Hop": "1", "X-Gone": "2", "X-Kept": "3" };
  const response = new Response("body", { status: 201, headers });
  const request = new Request("http://a.example/");
  const changed = clean(response, request, request, ["set", "x-ratelimit-limit", "9", "remove", "x-gone", "", "prepend", "vary", "Origin"]);
  const pairs = (headers) => Object.fromEntries([...headers].filter(([name]) => name !== "content-type"));
  assert.deepEqual(pairs(changed.headers), { connection: "x-hop", vary: "Origin", "x-kept": "3", "x-ratelimit-limit": "9" });
  assert.equal(response.headers.get("x-ratelimit-limit"), "1");
  assert.deepEqual([changed.status, await changed.text()], [201, "body"]);
});
