// Ids that must not be guessable have as many random bits as their length suggests.

import assert from "node:assert/strict";
import { test } from "node:test";
import { randomId } from "../src/glue.js";

test("every bit of an id is random", () => {
  const ids = Array.from({ length: 400 }, randomId);
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) assert.match(id, /^[0-9a-f]{32}$/);
  for (let bit = 0; bit < 128; bit += 1) {
    const set = ids.filter((id) => (Number.parseInt(id[bit >> 2], 16) >> (bit & 3)) & 1).length;
    // Both values occur among 400 ids, except with a probability of 2 to the power of -391.
    assert.ok(set > 0 && set < ids.length, `bit ${bit} is always ${set > 0 ? 1 : 0}`);
  }
});
