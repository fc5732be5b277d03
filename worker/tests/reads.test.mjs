// Reads of the Registry that need no call, because nothing was written since the same one before.

import assert from "node:assert/strict";
import { test } from "node:test";
import { once, read, recordStatement } from "../src/reads.js";

/** Returns a Registry that replies with the number of the call, after running `during`, and counts the calls. */
function registry(during = () => {}) {
  const counted = { calls: 0 };
  counted.call = async (message) => {
    counted.calls += 1;
    during();
    return `${message} ${counted.calls}`;
  };
  return counted;
}

const write = () => recordStatement("UPDATE document SET revision = 2");

// The first test: the module counts for the process, as it does for an isolate.
test("where the Registry lives elsewhere, every read is a call", async () => {
  const far = registry();
  assert.equal(await read("a", true, far.call), "a 1");
  assert.equal(await read("a", true, far.call), "a 2");
});

test("a repeated read needs no call until something is written", async () => {
  write();
  const near = registry();
  for (let at = 0; at < 3; at++) assert.equal(await read("a", true, near.call), "a 1");
  recordStatement("SELECT text FROM revision");
  assert.equal(await read("a", true, near.call), "a 1");
  assert.equal(await read("b", true, near.call), "b 2");
  for (const statement of ["INSERT INTO document VALUES (1)", "WITH gone AS (SELECT 1) DELETE FROM document", "CREATE TABLE t (n)"]) {
    recordStatement(statement);
    const { calls } = near;
    assert.equal(await read("a", true, near.call), `a ${calls + 1}`);
    assert.equal(await read("a", true, near.call), `a ${calls + 1}`);
  }
});

test("what was read while something was written is not remembered", async () => {
  write();
  const near = registry(write);
  assert.equal(await read("a", true, near.call), "a 1");
  assert.equal(await read("a", true, near.call), "a 2");
});

test("an object that may be replaced is always asked", async () => {
  write();
  const near = registry();
  assert.equal(await read("a", true, near.call), "a 1");
  assert.equal(await read("a", false, near.call), "a 2");
});

test("a failed read is asked again", async () => {
  write();
  await assert.rejects(read("a", true, async () => Promise.reject(new Error("gone"))), { message: "gone" });
  assert.equal(await read("a", true, registry().call), "a 1");
});

test("only so much is remembered", async () => {
  write();
  const asked = [];
  const call = async (message) => {
    asked.push(message);
    return "x".repeat(1024 * 1024);
  };
  for (const message of ["a", "b", "c", "c", "a", "d", "a"]) await read(message, true, call);
  assert.deepEqual(asked, ["a", "b", "c", "d", "a"]);
  const large = async (message) => {
    asked.push(message);
    return "x".repeat(5 * 1024 * 1024);
  };
  for (const message of ["e", "e", "a"]) await read(message, true, large);
  assert.deepEqual(asked.slice(5), ["e", "e"]);
});

test("a text is made once between two changes of the rows", () => {
  let calls = 0;
  const make = () => `text ${(calls += 1)}`;
  assert.equal(once("orgs", make), "text 1");
  recordStatement("SELECT text FROM record_revision");
  assert.equal(once("orgs", make), "text 1");
  write();
  assert.equal(once("orgs", make), "text 2");
  assert.equal(once("generation", make), "text 3");
  assert.equal(once("orgs", make), "text 4");
});

test("a text whose making writes or fails is made again", () => {
  const writes = () => {
    write();
    return "early";
  };
  assert.equal(once("a", writes), "early");
  assert.throws(() =>
    once("a", () => {
      throw new Error("gone");
    }),
  );
  assert.equal(once("a", () => undefined), undefined);
  assert.equal(once("a", () => "late"), undefined);
});
