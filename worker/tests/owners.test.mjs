// Which object an owner lives in, and what an object stores of its owners.

import assert from "node:assert/strict";
import { test } from "node:test";
import { DatabaseSync } from "node:sqlite";
import { Own, Rows } from "../src/objects/owners.js";
import { place, shards, shardsBefore } from "../src/places.js";

const VERSION = {
  make: "CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY)",
  found: "SELECT coalesce(max(version), 0) FROM schema_version",
  reached: "INSERT INTO schema_version (version) VALUES (?)",
};

/** Returns a Durable Object's storage over an in-memory SQLite. */
function storage() {
  const database = new DatabaseSync(":memory:");
  const alarms = [];
  return {
    database,
    alarms,
    setAlarm: (at) => alarms.push(at),
    transactionSync: (run) => run(),
    sql: {
      exec(statement, ...values) {
        const prepared = database.prepare(statement);
        prepared.setReturnArrays(true);
        const rows = prepared.all(...values);
        return { raw: () => rows };
      },
    },
  };
}

test("an owner's object never changes", () => {
  assert.equal(place("key:a", 0), "key:a");
  for (const [owner, count, at] of [
    // Two of the test vectors of FNV-1a, 0xe40c292c and 0xbf9cf968.
    ["a", 1_000_000, "shard:1000000:2220"],
    ["foobar", 1_000_000, "shard:1000000:735720"],
    ["key:a", 16, "shard:16:9"],
    ["org:größe", 16, "shard:16:14"],
    ["", 7, "shard:7:2"],
  ]) {
    assert.equal(place(owner, count), at, owner);
  }
});

test("owners spread evenly", () => {
  const counts = new Map();
  for (let key = 0; key < 16_000; key += 1) {
    const at = place(`key:${key.toString(16).padStart(64, "0")}`, 16);
    counts.set(at, (counts.get(at) ?? 0) + 1);
  }
  assert.equal(counts.size, 16);
  for (const [at, count] of counts) assert.ok(count > 800 && count < 1200, `${at}: ${count}`);
});

test("an invalid number of objects is refused, and the current number is not among the earlier ones", () => {
  assert.equal(shards({}), 0);
  assert.equal(shards({ LEDGER_SHARDS: "" }), 0);
  assert.equal(shards({ LEDGER_SHARDS: " 16 " }), 16);
  for (const wrong of ["x", "-1", "1.5", "1000001"]) {
    assert.throws(() => shards({ LEDGER_SHARDS: wrong }), { message: `LEDGER_SHARDS is "${wrong}": write a whole number from 0 to 1000000` });
  }
  assert.deepEqual(shardsBefore({ LEDGER_SHARDS: "16" }), []);
  assert.deepEqual(shardsBefore({ LEDGER_SHARDS: "16", LEDGER_SHARDS_BEFORE: "4, 16,0" }), [4, 0]);
  assert.throws(() => shardsBefore({ LEDGER_SHARDS_BEFORE: "0,x" }), /LEDGER_SHARDS_BEFORE is "x"/);
});

test("each owner has its own row, and a reopened database is unchanged", () => {
  const disk = storage();
  const rows = new Rows(disk, VERSION);
  assert.deepEqual(rows.get("a"), [undefined, undefined]);
  rows.put("a", "1");
  rows.put("b", "2");
  rows.put("a", "3");
  const state = (known, name) => known.get(name)[0];
  assert.deepEqual([state(rows, "a"), state(rows, "b")], ["3", "2"]);
  rows.drop("a");
  const again = new Rows(disk, VERSION);
  assert.deepEqual([state(again, "a"), state(again, "b")], [undefined, "2"]);
});

test("a session is replaced, deleted by itself, and deleted with its owner", () => {
  const stored = new Map();
  const kv = { get: (name) => stored.get(name), put: (name, value) => stored.set(name, value), delete: (name) => stored.delete(name) };
  for (const known of [new Rows(storage(), VERSION), new Own({ kv, deleteAll: () => stored.clear() })]) {
    known.put("a", "state");
    known.putSession("a", "1");
    known.putSession("a", "2");
    assert.deepEqual(known.get("a"), ["state", "2"]);
    known.putSession("a", "");
    assert.deepEqual(known.get("a"), ["state", undefined]);
    known.putSession("a", "3");
    known.drop("a");
    known.put("a", "new");
    assert.deepEqual(known.get("a"), ["new", undefined]);
  }
});

test("tables of a later release are left alone", (context) => {
  context.mock.method(console, "error", () => {});
  const disk = storage();
  new Rows(disk, VERSION);
  disk.sql.exec(VERSION.reached, 3);
  assert.throws(() => new Rows(disk, VERSION), /its tables are of version 3, made by a later release/);
});

test("of the previous release's tables the counters stay and the copies of sessions go", () => {
  const disk = storage();
  for (const statement of [
    VERSION.make,
    "CREATE TABLE owner (name TEXT PRIMARY KEY, state TEXT NOT NULL, due INTEGER) WITHOUT ROWID",
    "CREATE TABLE session (name TEXT PRIMARY KEY, copy TEXT NOT NULL) WITHOUT ROWID",
    "INSERT INTO owner VALUES ('a', 'counters', NULL)",
    "INSERT INTO session VALUES ('a', 'copy')",
  ]) disk.sql.exec(statement);
  disk.sql.exec(VERSION.reached, 1);
  for (let opened = 0; opened < 2; opened += 1) assert.deepEqual(new Rows(disk, VERSION).get("a"), ["counters", undefined]);
});

test("the alarm is set for whichever owner is due first, then for the next", () => {
  const disk = storage();
  let rows = new Rows(disk, VERSION);
  for (const name of ["a", "b", "c"]) rows.put(name, name);
  rows.wake("b", 20);
  rows.wake("a", 10);
  rows.wake("c", 30);
  assert.deepEqual(disk.alarms, [20, 10]);
  // After a restart, it doesn't replace an earlier one.
  rows = new Rows(disk, VERSION);
  rows.wake("c", 40);
  assert.deepEqual(disk.alarms.slice(2), [10]);
  const rung = [];
  const look = (name) => {
    rung.push(name);
    if (name === "b") rows.wake("b", 50);
    else rows.drop(name);
  };
  rows.rung(25, look);
  assert.deepEqual(rung, ["a", "b"]);
  assert.equal(disk.alarms.at(-1), 40);
  rows.rung(60, look);
  assert.deepEqual(rung, ["a", "b", "c", "b"]);
  assert.deepEqual(["a", "b", "c"].map((name) => rows.get(name)[0]), [undefined, "b", undefined]);
});
