// What the Meter makes of reports and tables of the release before: two releases serve side by side while one
// takes the other's place. Its statements are tested on SQLite itself (`crates/protocol/tests/meter.rs`).

import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const SOURCE = join(dirname(fileURLToPath(import.meta.url)), "../src/objects/meter.js");
const STATEMENTS = {
  columns: 3,
  fewer: [["a", 2], ["b", 2]],
  trimMs: Number.MAX_SAFE_INTEGER,
  schema: ["make"],
  known: "known",
  added: [["third", "add the third"]],
  add: ["add"],
};

async function load() {
  const workers = {
    name: "workers",
    setup(build) {
      build.onResolve({ filter: /^cloudflare:workers$/ }, ({ path }) => ({ path, namespace: "fake" }));
      build.onLoad({ filter: /.*/, namespace: "fake" }, () => ({ contents: "export class DurableObject { constructor(ctx) { this.ctx = ctx; } }" }));
    },
  };
  const { outputFiles } = await build({ entryPoints: [SOURCE], bundle: true, format: "esm", write: false, plugins: [workers] });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

const { Meter, useMeterStatements } = await load();
useMeterStatements(JSON.stringify(STATEMENTS));

/** A Meter whose table has these columns, and what it runs from now on. */
function meter(columns) {
  const run = [];
  const exec = (statement, ...values) => {
    run.push([statement, ...values]);
    return { raw: () => (statement === "known" ? columns.map((name, index) => [index, name]) : []) };
  };
  return { object: new Meter({ storage: { sql: { exec } } }), run };
}

test("a table of the release before gets the columns that it does not have, one of this release is left alone", () => {
  assert.deepEqual(meter(["first", "second"]).run, [["make"], ["known"], ["add the third"]]);
  assert.deepEqual(meter(["first", "second", "third"]).run, [["make"], ["known"]]);
});

test("the line of an isolate of an earlier release counts nothing in the columns that it does not know", () => {
  const { object, run } = meter(["third"]);
  run.length = 0;
  object.add("c 1 2 3 an api\na 4 5 a 1 b\nb 6 7 8 b\nz 6");
  const bound = run.map(([statement, _now, ...values]) => [statement, ...values]);
  assert.deepEqual(bound, [["add", "an api", 1, 2, 3], ["add", "a 1 b", 4, 5, 0], ["add", "8 b", 6, 7, 0]]);
});
