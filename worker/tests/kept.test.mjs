// What an isolate keeps of what it has looked up.

import assert from "node:assert/strict";
import { test } from "node:test";
import { keep, responsesTo } from "../src/kept.js";

test("a full map loses its oldest entry", () => {
  const map = new Map();
  for (let at = 0; at <= 500; at++) keep(map, at, at);
  assert.deepEqual([map.size, map.has(0), map.has(1)], [500, false, true]);
});

test("responses about tokens, however many are made up, evict no key set", () => {
  keep(responsesTo(""), "https://idp.example/jwks", "keys");
  for (let at = 0; at <= 500; at++) keep(responsesTo(`token=${at}`), `token ${at}`, "unknown");
  assert.equal(responsesTo("").get("https://idp.example/jwks"), "keys");
  assert.equal(responsesTo("token=500").get("token 500"), "unknown");
});
