// The benchmark: `cargo xtask bench [links] [--quick] [--only
// plane|limits|credentials|openapi|workers|read|batch|keys|scale|cold|many] [--keys N]`. Very many keys (`many`, a
// million unless `--keys` is given) are measured only if named.
//
// The meaningful figures are ratios between two workers on the same workerd, in the same minutes, on this machine.
// Exits with 1 if a minimum is missed or a measure breaks; a missed goal is only printed.

import { parseArgs } from "node:util";
import { credentials } from "./credentials.mjs";
import { openapi } from "./described.mjs";
import { requireWrk } from "./load.mjs";
import { links } from "./links.mjs";
import { many } from "./many.mjs";
import * as measures from "./measures.mjs";
import { markdown, table } from "./report.mjs";
import { bundleHono, stopAll } from "./services.mjs";

const NAMES = ["plane", "limits", "credentials", "openapi", "workers", "read", "batch", "keys", "scale", "cold"];
/** Measures that take as long as all the others together, and run only if named. */
const ALONE = ["many"];
const USAGE = `cargo xtask bench [links] [--quick] [--only ${[...NAMES, ...ALONE].join("|")}] [--keys N]`;
const PACE = { rounds: 5, seconds: 4 };
const QUICK = { rounds: 3, seconds: 2 };

function options() {
  const [first, ...rest] = process.argv.slice(2);
  // The cost of each link is a benchmark of its own: it takes as long as all the others together.
  const args = first === "links" ? rest : process.argv.slice(2);
  const { values } = parseArgs({ args, options: { quick: { type: "boolean" }, only: { type: "string" }, keys: { type: "string" } } });
  if (first === "links") return { ...values, names: ["links"] };
  if (values.only !== undefined && ![...NAMES, ...ALONE].includes(values.only)) throw new Error(`no such measure: ${values.only}`);
  return { ...values, names: values.only === undefined ? NAMES : [values.only] };
}

async function run({ quick, names, keys = "1000000" }) {
  requireWrk();
  bundleHono();
  const rows = [];
  let broken = false;
  for (const name of names) {
    const say = (what) => console.error(`${name}: ${what}`);
    try {
      rows.push(...(await { ...measures, credentials, links, many, openapi }[name]({ pace: quick ? QUICK : PACE, say, keys: Number(keys) })));
    } catch (error) {
      // The results of the other measures are still worth printing.
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
