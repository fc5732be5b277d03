// The benchmark of the dashboard's merge patch: `cargo xtask bench dashboard [--quick]`.
//
// Gateway, Hono worker and Kinto get the same patches for the same documents, in turns. A service that has not stored
// what it acknowledged is an error; a missed goal is only printed. Kinto is measured if KINTO names a virtual
// environment that contains it.

import { parseArgs } from "node:util";
import { compared, inRounds, Patching, provider } from "./patching.mjs";
import { against, markdown, table } from "./report.mjs";
import { bundleHono, stopAll } from "./services.mjs";
import { gatewaySide, honoSides, kintoSide } from "./sides.mjs";

const COUNTS = [1, 100, 1000];
const PACE = { rounds: 5, seconds: 3 };
const QUICK = { rounds: 3, seconds: 1 };
const GOALS = { kinto: 2, hono: 1 };

/** Loads one document on all sides and returns its rows. */
async function measure(sides, count, pace) {
  const document = provider(count);
  const names = Object.keys(sides);
  for (const name of names) await sides[name].create(document);
  const patchings = names.map((name) => new Patching(sides[name], document));
  const runs = await inRounds(patchings, pace);
  for (const [at, name] of names.entries()) {
    patchings[at].close();
    await sides[name].check(document, patchings[at]);
    sides[name].patched = (sides[name].patched ?? 0) + patchings[at].acknowledged;
  }
  const found = Object.fromEntries(names.map((name, at) => [name, runs[at]]));
  const size = `${(JSON.stringify(document).length / 1000).toFixed(count > 1 ? 0 : 1)} kB`;
  const what = `patch 1 of ${count} mappings (${size}) against`;
  const row = (words, name, goal) => against(`${what} ${words}`, compared(found.gateway, found[name]), { goal });
  return [
    row("Hono", "hono", GOALS.hono),
    { ...row("Hono without notification and audit", "bare", GOALS.hono), goal: undefined },
    ...(found.kinto ? [row("Kinto", "kinto", GOALS.kinto)] : []),
  ];
}

async function run({ quick }) {
  bundleHono();
  const [hono, bare] = await honoSides();
  const sides = { gateway: await gatewaySide(), hono, bare };
  if (process.env.KINTO) sides.kinto = await kintoSide(process.env.KINTO);
  const rows = [];
  for (const count of COUNTS) {
    console.error(`dashboard: ${count} mappings, ${Object.keys(sides).join(", ")} in turns`);
    rows.push(...(await measure(sides, count, quick ? QUICK : PACE)));
  }
  for (const side of [sides.gateway, hono]) await side.checkNotifications(side.patched);
  console.log(`\n${table(rows)}\n\n${markdown(rows, ["dashboard", ...process.argv.slice(2)])}`);
}

let code = 1;
try {
  await run(parseArgs({ options: { quick: { type: "boolean" } } }).values);
  code = 0;
} catch (error) {
  console.error(`bench dashboard: ${error.message}`);
} finally {
  stopAll();
}
process.exit(code);
