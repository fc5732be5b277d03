// How the Meter handles reports and tables of the previous release: during a deployment, two releases serve side by
// side. Its statements are tested on SQLite itself (`crates/protocol/tests/meter/`).

import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const SOURCE = join(dirname(fileURLToPath(import.meta.url)), "../src/objects/meter.js");
const STATEMENTS = {
  columns: 3,
  lines: [["a", 2], ["b", 2], ["c", 3]],
  trimMs: Number.MAX_SAFE_INTEGER,
  version: { make: "versions", found: "version?", reached: "version!", known: 4 },
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
      build.onLoad({ filter: /statements\.json$/ }, () => ({ contents: JSON.stringify(STATEMENTS), loader: "json" }));
      build.onLoad({ filter: /.*/, namespace: "fake" }, () => ({ contents: "export class DurableObject { constructor(ctx) { this.ctx = ctx; } }" }));
    },
  };
  const { outputFiles } = await build({ entryPoints: [SOURCE], bundle: true, format: "esm", write: false, plugins: [workers] });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

const { Meter } = await load();

/** Returns a Meter over tables of this version, one of them with these columns, and the statements it runs. */
function meter(version, columns) {
  const run = [];
  const found = { known: columns.map((name, index) => [index, name]), "version?": [[version]] };
  const exec = (statement, ...values) => {
    run.push([statement, ...values]);
    return { raw: () => found[statement] ?? [] };
  };
  const transactionSync = (change) => {
    run.push(["begin"]);
    change();
    run.push(["commit"]);
  };
  const open = () => new Meter({ storage: { sql: { exec }, transactionSync } });
  return { open, run };
}

test("a previous release's table gets the missing columns, and a current one is left alone", () => {
  const opened = (...tables) => {
    const { open, run } = meter(...tables);
    open();
    return run;
  };
  const seen = [["versions"], ["version?"]];
  const made = (...added) => [...seen, ["begin"], ["make"], ["known"], ...added, ["version!", 4], ["commit"]];
  assert.deepEqual(opened(0, ["first", "second"]), made(["add the third"]));
  assert.deepEqual(opened(0, ["first", "second", "third"]), made());
  assert.deepEqual(opened(3, ["first", "second"]), made(["add the third"]));
  assert.deepEqual(opened(4, ["first", "second", "third"]), seen);
});

test("tables of a later release are refused and left alone", () => {
  const { open, run } = meter(5, ["first", "second", "third", "fourth"]);
  assert.throws(open, /version 5, made by a later release; this one knows version 4/);
  assert.deepEqual(run, [["versions"], ["version?"]]);
});

test("reports from isolates of other releases count the columns known to both", () => {
  const { open, run } = meter(4, ["third"]);
  const object = open();
  run.length = 0;
  object.add("c 1 2 3 an api\na 4 5 a 1 b\nb 6 7 8 b\nz 6\nd 5 1 2 3 4 5 an api\nd 1 9 7 a");
  const bound = run.map(([statement, _now, ...values]) => [statement, ...values]);
  assert.deepEqual(bound, [["add", "an api", 1, 2, 3], ["add", "a 1 b", 4, 5, 0], ["add", "8 b", 6, 7, 0], ["add", "an api", 1, 2, 3], ["add", "7 a", 9, 0, 0]]);
});
