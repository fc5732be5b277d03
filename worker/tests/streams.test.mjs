// How many streams of notifications may be open: in total, and of one credential.

import assert from "node:assert/strict";
import { test } from "node:test";
import { begin } from "../src/stream.js";

/** Opens streams until one is refused; returns the functions that end them, and the limit. */
function fill(env, credential) {
  const opened = [];
  for (;;) {
    const ended = begin(env, credential);
    if (typeof ended === "string") return { opened, limit: ended };
    opened.push(ended);
  }
}

test("no credential gets all streams, and the total is limited", () => {
  const env = { NOTIFICATION_STREAMS_MAX: "25", NOTIFICATION_STREAMS_PER_CREDENTIAL: "10" };
  const a = fill(env, "a");
  assert.deepEqual([a.opened.length, a.limit], [10, "NOTIFICATION_STREAMS_PER_CREDENTIAL=10"]);
  const b = fill(env, "b");
  assert.deepEqual([b.opened.length, b.limit], [10, "NOTIFICATION_STREAMS_PER_CREDENTIAL=10"]);
  const c = fill(env, "c");
  assert.deepEqual([c.opened.length, c.limit], [5, "NOTIFICATION_STREAMS_MAX=25"]);
  // A stream may be told twice that it has ended.
  a.opened[0]();
  a.opened[0]();
  const again = fill(env, "a");
  assert.deepEqual([again.opened.length, again.limit], [1, "NOTIFICATION_STREAMS_PER_CREDENTIAL=10"]);
  for (const ended of [...a.opened, ...again.opened, ...b.opened, ...c.opened]) ended();
  const rest = fill(env, "a");
  assert.equal(rest.opened.length, 10, "all have ended");
  for (const ended of rest.opened) ended();
});

test("an invalid setting keeps its default", () => {
  for (const set of [undefined, "", "0", "-1", "1.5", "many"]) {
    const { opened, limit } = fill({ NOTIFICATION_STREAMS_PER_CREDENTIAL: set }, "a");
    assert.deepEqual([opened.length, limit], [100, "NOTIFICATION_STREAMS_PER_CREDENTIAL=100"]);
    for (const ended of opened) ended();
  }
});
