// Streams of events, cut into their events.

import assert from "node:assert/strict";
import { test } from "node:test";
import { HeldEvents } from "../src/held-events.js";

const bytes = (text) => new TextEncoder().encode(text);
const text = (bytes) => bytes && new TextDecoder().decode(bytes);

/** Adds a text in parts of this size; returns the events as they are completed, and what is held at the end. */
function cut(stream, size) {
  const held = new HeldEvents();
  const events = [];
  for (let at = 0; at < stream.length; at += size) {
    const complete = text(held.add(bytes(stream.slice(at, at + size))));
    if (complete !== undefined) events.push(complete);
  }
  return { events, held: text(held.take()) };
}

test("an event ends with an empty line, however lines end and parts are cut", () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    const [one, other] = [`event: a${end}data: 1${end}${end}`, `data: 2${end}data: 3${end}${end}`];
    const stream = `${one}${other}data: 4${end}`;
    for (let size = 1; size <= stream.length; size++) {
      const { events, held } = cut(stream, size);
      assert.equal(events.join("") + held, stream);
      assert.ok(!events.slice(0, -1).join("").includes("4"), JSON.stringify(events));
      // With CRLF, the CR alone ends the empty line, so the LF may come with the next event.
      assert.equal(held.trim(), "data: 4", JSON.stringify([end, size]));
    }
  }
  assert.deepEqual(cut("data: a\n\ndata: b\n\nc", 100), { events: ["data: a\n\ndata: b\n\n"], held: "c" });
  assert.deepEqual(cut("\ndata: a\r\ndata: b", 3), { events: [], held: "\ndata: a\r\ndata: b" });
});

test("a long event in many small parts is looked at once, not with each part", { timeout: 20_000 }, () => {
  const held = new HeldEvents();
  const part = bytes("data: xyz\n");
  const count = 800_000;
  const started = performance.now();
  for (let at = 0; at < count; at++) {
    assert.equal(held.add(part), undefined);
    if (performance.now() - started > 10_000) assert.fail(`${at} of ${count} parts in ten seconds`);
  }
  assert.equal(held.add(bytes("\n")).length, count * part.length + 1);
  assert.equal(held.length, 0);
});
