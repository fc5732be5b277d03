// What isolates and objects keep of what they have looked up.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Kept, Responses } from "../src/kept.js";

test("the oldest entries make room", () => {
  const kept = new Kept();
  for (let at = 0; at <= 500; at++) kept.put(`${at}`, at);
  assert.deepEqual([kept.get("0"), kept.get("1"), kept.get("500")], [undefined, 1, 500]);
  // One that is there already takes no room from others.
  kept.put("500", "new");
  assert.deepEqual([kept.get("1"), kept.get("500")], [1, "new"]);
});

test("long names and long values leave room for few", () => {
  const megabyte = 1024 * 1024;
  for (const [name, length] of [["x".repeat(megabyte), 0], ["", megabyte]]) {
    const kept = new Kept();
    for (let at = 0; at < 100; at++) kept.put(name + at, at, length);
    const found = Array.from({ length: 100 }, (_, at) => at).filter((at) => kept.get(name + at) !== undefined);
    assert.deepEqual(found, [93, 94, 95, 96, 97, 98, 99]);
    for (const at of found) kept.delete(name + at);
    for (let at = 0; at < 8; at++) kept.put(`${at}`, at, megabyte - 1);
    assert.equal(kept.get("0"), 0, "what was deleted takes no room");
  }
});

test("responses about tokens, however many are made up, evict no key set", () => {
  const responses = new Responses();
  responses.to("").put("https://idp.example/jwks", "keys");
  for (let at = 0; at <= 500; at++) responses.to(`token=${at}`).put(`token ${at}`, "unknown");
  assert.equal(responses.to("").get("https://idp.example/jwks"), "keys");
  assert.equal(responses.to("token=500").get("token 500"), "unknown");
});
