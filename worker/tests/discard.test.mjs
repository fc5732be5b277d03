// A body that is refused unread is read to its end, so that a client that is still sending gets the response, but not
// for ever.

import assert from "node:assert/strict";
import { test } from "node:test";
import { discard, readBody } from "../src/glue.js";

/** Returns a request whose body has this many parts, and then ends or stalls. */
function sending(parts, ends) {
  const sent = { parts: 0, cancelled: false };
  const body = new ReadableStream({
    pull(controller) {
      if (sent.parts < parts) controller.enqueue(new Uint8Array(1024 * 1024));
      else if (ends) controller.close();
      else return new Promise(() => {});
      sent.parts += 1;
    },
    cancel: () => void (sent.cancelled = true),
  }, { highWaterMark: 0 });
  return [new Request("http://h/", { method: "POST", body, duplex: "half" }), sent];
}

test("a body is read to its end", async () => {
  const [request, sent] = sending(12, true);
  await discard(request);
  assert.deepEqual(sent, { parts: 13, cancelled: false });
});

test("a body that is too long, or stalls, is abandoned", async () => {
  const [endless, read] = sending(Infinity, false);
  await discard(endless);
  assert.equal(read.parts, 33);
  const [silent, waited] = sending(1, false);
  await discard(silent);
  assert.deepEqual(waited, { parts: 1, cancelled: true });
});

test("the rest of a body above the limit is read too", async () => {
  const [request, sent] = sending(5, true);
  assert.equal((await readBody(request, 1024)).length, 1025);
  assert.deepEqual(sent, { parts: 1, cancelled: false });
  await discard(request);
  assert.deepEqual(sent, { parts: 6, cancelled: false });
});

test("consumed bodies, and requests without one, are left alone", async () => {
  const [request] = sending(1, true);
  await request.arrayBuffer();
  await discard(request);
  await discard(new Request("http://h/"));
});
