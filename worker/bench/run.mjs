// The benchmark: `cargo xtask bench [--quick] [--only plane|limits|workers|read|batch|scale|cold]`.
//
// What counts are ratios between two workers on the same workerd, in the same minutes, on this
// machine. Exits with 1 if a minimum is missed or a measure breaks; a missed goal is only printed.

import { parseArgs } from "node:util";
import { requireWrk } from "./load.mjs";
import * as measures from "./measures.mjs";
import { markdown, table } from "./report.mjs";
import { bundleHono, stopAll } from "./services.mjs";

const NAMES = ["plane", "limits", "workers", "read", "batch", "scale", "cold"];
const USAGE = `cargo xtask bench [--quick] [--only ${NAMES.join("|")}]`;
const PACE = { rounds: 5, seconds: 4 };
const QUICK = { rounds: 3, seconds: 2 };

function options() {
  const { values } = parseArgs({ options: { quick: { type: "boolean" }, only: { type: "string" } } });
  if (values.only !== undefined && !NAMES.includes(values.only)) throw new Error(`no such measure: ${values.only}`);
  return values;
}

async function run({ quick, only }) {
  requireWrk();
  bundleHono();
  const rows = [];
  let broken = false;
  for (const name of only === undefined ? NAMES : [only]) {
    const say = (what) => console.error(`${name}: ${what}`);
    try {
      rows.push(...(await measures[name]({ pace: quick ? QUICK : PACE, say })));
    } catch (error) {
      // What the other measures found is worth printing all the same.
      broken = true;
      say(`FAILED: ${error.message}`);
    } finally {
      stopAll();
    }
  }
  if (rows.length > 0) console.log(`\n${table(rows)}\n\n${markdown(rows, process.argv.slice(2))}`);
  return broken || rows.some((row) => row.goal?.failed) ? 1 : 0;
}

let code = 1;
try {
  code = await run(options());
} catch (error) {
  console.error(`bench: ${error.message}\n${USAGE}`);
} finally {
  stopAll();
}
process.exit(code);
