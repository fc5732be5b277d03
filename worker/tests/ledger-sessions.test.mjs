// Sessions in the objects that hold Ledgers: kept through restarts and moves, found by every hash, and asked of the
// Registry only until it says that all are kept.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT, start } from "./harness.mjs";
import { send } from "./http.mjs";
import { until } from "./ledgers.mjs";
import { place } from "../src/places.js";

const CONFIG = join(ROOT, "worker/tests/ledger-calls.capnp");

/** Encodes values as the protocol's `wire` does: a struct is an array, of which a shorter one has defaults. */
function wire(value) {
  if (typeof value === "number") return `${value};`;
  if (typeof value === "boolean") return `${Number(value)};`;
  if (typeof value === "string") return `${value.length};${value}`;
  if (Array.isArray(value)) {
    const fields = value.map(wire).join("");
    return `${fields.length};${fields}`;
  }
  if (value.list === undefined) return `${value.variant};${wire(value.fields)}`;
  return `${value.list.length};${value.list.map(wire).join("")}`;
}
const list = (...values) => ({ list: values });
const MARK = "gw5|";

/** `ledger::Keep` with the session's text. */
const keep = (revision, { reset = 1, ends = 0, gone = false, text = `{"r":${revision}}` } = {}) => (gone ? `${revision}` : `${revision} ${reset} ${ends} 0\n${text}`);
/** `Reply::Session`, as a Ledger or the Registry answers. */
const found = (id, revision, reset = 1) => `${MARK}6;${wire([id, revision, reset, 0])}\n{"r":${revision}}`;
const UNKNOWN = `${MARK}0;0;\n`;
const SETTLED = `${MARK}0;15;\n`;
const elsewhere = (...shards) => `${MARK}0;16;${wire([shards.join(",")])}\n`;
/** `Command::Session` that looks up keys. */
const lookup = (...ids) => `${MARK}14;${wire([0, 0, list(...ids), true])}\n${ids.map((id) => `key:${id}`).join("\n")}`;
/** `ledger::Consume` with a quota of three. The first count stores one more in advance. */
const count = (revision) => `${MARK}${wire([list(revision), list(["quota", { variant: 1, fields: [3, 3_600_000] }, list()]), list(0), false, list(), list(), false])}`;
/** The names of the variants of `ledger::Verdict`. */
const VERDICTS = ["admitted", "refused", "stale", "unknown", "leased"];

/** Starts Ledgers, and returns functions that call the Ledger of a name, and set the Registry's reply. */
async function ledgers({ shards = 16, before, dataDir } = {}) {
  const running = await start({ config: CONFIG, env: { LEDGER_SHARDS: String(shards), LEDGER_SHARDS_BEFORE: before }, dataDir });
  const post = async (path, values) => {
    const { status, text } = await send(running.ports.gateway, { method: "POST", path, body: JSON.stringify(values) });
    if (status !== 200) throw new Error(text);
    return JSON.parse(text);
  };
  const call = (name, method, ...values) => post(`/${encodeURIComponent(place(name, shards))}/${method}`, values);
  return {
    running,
    call,
    find: (name, ...ids) => call(name, "find", name, lookup(...ids)),
    consume: async (name, revision) => VERDICTS[Number((await call(name, "consume", name, count(revision))).slice(MARK.length).split(";")[0])],
    keep: async (name, message, counters = "", places = "") => (await call(name, "keep", [[name, message, counters]], false, places))[0],
    kept: async (name) => (await call(name, "kept", [name]))[0],
    /** Sets what the Registry replies; returns how often it was asked since. */
    replies: async (reply, ms = 0) => (await post("/registry", [reply, ms])).length,
  };
}

test("a session lives in its Ledger, through a SIGKILL, and its counters end with it", async () => {
  const { running, find, consume, keep: hand, kept, replies } = await ledgers();
  try {
    await replies(UNKNOWN);
    assert.equal(await kept("key:a"), "");
    assert.equal(await hand("key:a", keep(5)), "");
    assert.equal(await consume("key:a", 4), "stale");
    assert.deepEqual([await consume("key:a", 5), await consume("key:a", 5)], ["admitted", "admitted"]);
    await running.kill();
    await running.restart();
    await replies(UNKNOWN);
    assert.equal(await find("key:a", "a"), found("a", 5));
    assert.equal(await kept("key:a"), found("a", 5));
    // Older revisions and repeated ones change nothing, a newer one that doesn't reset leaves the counters.
    for (const revision of [4, 5, 6, 6]) await hand("key:a", keep(revision));
    assert.deepEqual([await consume("key:a", 6), await consume("key:a", 6)], ["admitted", "refused"]);
    const counters = await hand("key:a", keep(6, { gone: true }));
    assert.match(counters, /"used":3/);
    await running.kill();
    await running.restart();
    await replies(found("a", 5));
    assert.equal(await hand("key:a", keep(6, { gone: true })), counters);
    await hand("key:a", keep(6));
    assert.deepEqual([await consume("key:a", 6), await find("key:a", "a"), await kept("key:a")], ["unknown", "", ""]);
    assert.equal(await replies(""), 3, "another may have begun elsewhere, but what is older than the end has not");
    // Another key goes on with them.
    await hand("key:b", keep(7, { reset: 7 }), counters);
    assert.equal(await consume("key:b", 7), "refused");
    assert.equal(await replies(""), 0, "nobody asked");
  } finally {
    await running.stop();
  }
});

test("the Registry is asked until it says that every session is kept, and once by a restarted object", async () => {
  const { running, find, consume, replies } = await ledgers({ shards: 1 });
  try {
    await replies(UNKNOWN);
    assert.deepEqual([await find("key:a", "a"), await consume("key:a", 0)], ["", "unknown"]);
    assert.equal(await replies(found("a", 3), 200), 2);
    const all = await Promise.all([find("key:a", "a"), find("key:a", "a"), consume("key:a", 3)]);
    assert.deepEqual(all, [found("a", 3), found("a", 3), "admitted"]);
    assert.equal(await replies(SETTLED), 1, "all wait for one call");
    assert.equal(await find("key:b", "b"), "");
    assert.equal(await replies(UNKNOWN), 1);
    assert.deepEqual([await find("key:c", "c"), await consume("key:d", 0)], ["", "unknown"]);
    await running.kill();
    await running.restart();
    await replies(SETTLED);
    const two = [await find("key:c", "c"), await find("key:d", "d"), await find("key:a", "a")];
    assert.deepEqual(two, ["", "", found("a", 3)]);
    assert.equal(await replies(""), 1);
  } finally {
    await running.stop();
  }
});

test("an object with a single owner asks once, too", async () => {
  const { running, find, keep: hand, replies } = await ledgers({ shards: 0 });
  try {
    await replies(SETTLED);
    assert.deepEqual([await find("key:a", "a"), await find("key:a", "a")], ["", ""]);
    assert.equal(await replies(SETTLED), 1);
    await hand("key:b", keep(1));
    await running.kill();
    await running.restart();
    assert.equal(await find("key:b", "b"), found("b", 1));
    assert.equal(await replies(""), 0);
  } finally {
    await running.stop();
  }
});

test("a token is looked for under each of its hashes", async () => {
  const { running, find, keep: hand, replies } = await ledgers();
  try {
    await replies(SETTLED);
    for (const [id, revision] of [["c", 3], ["d", 4]]) await hand(`key:${id}`, keep(revision));
    assert.equal(await find("key:b", "a", "b", "c", "d"), found("c", 3));
    assert.equal(await find("key:d", "a", "d", "c"), found("d", 4), "the one that is asked is the first");
    assert.equal(await find("key:b", "a", "b"), "");
  } finally {
    await running.stop();
  }
});

test("a new session waits until clients have forgotten that there was none, each of several that are handed over", async () => {
  const { running, call, find, keep: hand, kept, replies } = await ledgers({ shards: 1 });
  try {
    await replies(SETTLED);
    const timed = async (work) => {
      const from = Date.now();
      await work();
      return Date.now() - from;
    };
    assert.ok((await timed(() => hand("key:a", keep(1)))) < 1500);
    await find("key:b", "b");
    const entries = ["b", "c"].map((id) => [`key:${id}`, keep(2), ""]);
    const handed = timed(async () => assert.deepEqual(await call("key:b", "keep", entries), ["", ""]));
    // It is stored at once, and works for whoever asks.
    await until(async () => (await kept("key:c")) === found("c", 2));
    assert.deepEqual(await call("key:b", "kept", ["key:a", "key:b", "key:none"]), [found("a", 1), found("b", 2), ""]);
    const waited = await handed;
    assert.ok(waited > 2000 && waited < 4000, String(waited));
  } finally {
    await running.stop();
  }
});

test("what a release without sessions in Ledgers has written is asked for again", async () => {
  const { running, call, find, keep: hand, replies } = await ledgers();
  try {
    await replies(found("a", 3));
    assert.equal(await find("key:a", "a"), found("a", 3));
    // The answer to a question from before the write arrives after it.
    await call("key:a", "hold", "key:a", "write");
    await call("key:a", "release", "key:a", "write");
    await replies(found("a", 3), 500);
    const early = find("key:a", "a");
    await new Promise((resolve) => setTimeout(resolve, 100));
    await replies(found("a", 4));
    await call("key:a", "release", "key:a", "write");
    assert.equal(await early, found("a", 4));
    // One that is kept stays.
    await hand("key:a", keep(4));
    await call("key:a", "release", "key:a", "write");
    await replies("");
    assert.equal(await find("key:a", "a"), found("a", 4));
    assert.equal(await replies(""), 0);
  } finally {
    await running.stop();
  }
});

test("a session moves to a different number of objects, with and without the list of earlier ones", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "ledgers-"));
  const inObjects = async (options, use) => {
    const opened = await ledgers({ ...options, dataDir });
    try {
      await use(opened);
    } finally {
      await opened.running.stop();
    }
  };
  try {
    await inObjects({ shards: 4 }, async ({ call, consume, find, keep: hand, replies }) => {
      await replies(SETTLED);
      await find("key:none", "none");
      for (const id of ["a", "b", "c"]) await hand(`key:${id}`, keep(1));
      await hand("key:c", keep(2, { gone: true }));
      for (const id of ["a", "a", "b", "b"]) assert.equal(await consume(`key:${id}`, 1), "admitted");
      // An object of an earlier deployment takes nothing from where it lives now.
      await assert.rejects(call("key:a", "giveUp", "key:a", 4), /LEDGER_SHARDS was changed meanwhile/);
      await call("key:a", "forget", "key:a", 4);
    });
    await inObjects({ shards: 3, before: "4" }, async ({ consume, find, keep: hand, kept, replies }) => {
      await replies(UNKNOWN);
      assert.equal(await consume("key:b", 1), "unknown", "only the Registry knows whether it has ended since");
      assert.equal(await replies(elsewhere(4)), 1);
      assert.deepEqual([await consume("key:a", 1), await consume("key:a", 1)], ["admitted", "refused"]);
      await replies(UNKNOWN);
      assert.equal(await find("key:c", "c"), "");
      // A write brings its end along.
      await hand("key:c", keep(1), "", "3,4");
      assert.equal(await kept("key:c"), "");
    });
    await inObjects({ shards: 0 }, async ({ running, consume, find, replies }) => {
      await replies(elsewhere(3, 4));
      assert.equal(await find("key:a", "a"), found("a", 1));
      assert.equal(await consume("key:a", 1), "refused");
      assert.deepEqual([await consume("key:b", 1), await consume("key:b", 1)], ["admitted", "refused"]);
      assert.equal(await replies(elsewhere(3, 0)), 2);
      assert.equal(await find("key:lost", "lost"), "");
      await running.logged(/a session is kept in no object for LEDGER_SHARDS=3 or 0/);
    });
    // Nothing of it is left where it was.
    await inObjects({ shards: 4 }, async ({ find, kept, replies }) => {
      await replies(UNKNOWN);
      assert.deepEqual([await kept("key:a"), await kept("key:b"), await find("key:b", "b")], ["", "", ""]);
      assert.equal(await replies(""), 3, "an object that has just started asks again");
    });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
