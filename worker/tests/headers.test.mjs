// What extras are told of an answer, whose headers its upstream names.

import assert from "node:assert/strict";
import { test } from "node:test";
import { head } from "../src/headers.js";

test("a header is told whatever it is called, also as what every object has", () => {
  const headers = new Headers([["constructor", "1"], ["__proto__", "2"], ["x-a", "3"], ["x-a", "4"]]);
  const { status, headers: told } = JSON.parse(head({ status: 201, headers }));
  assert.equal(status, 201);
  assert.deepEqual(Object.entries(told), [["__proto__", ["2"]], ["constructor", ["1"]], ["x-a", ["3, 4"]]]);
});
