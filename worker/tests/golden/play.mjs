// Plays recorded scenarios by hand.
//
//   node worker/tests/golden/play.mjs [options] [paths|transform|guard|auth|oas|mcp|admin|FILE.json …]
//
//   --gateway URL --secret S   a running, empty gateway on this machine; by default, one of the
//                              built worker is started for each file
//   --only EXPRESSION          some scenarios of the files
//   --try                      print the gateway's responses, without judging them
//   --plain                    compare with the recording alone, without expected.json
//   --quiet                    names only
//   --write-expected           remove from expected.json what passes; with --reason TEXT, also add
//                              what fails and isn't there
//
// Exits with 1 if a scenario fails that isn't on the list, or passes although it is.

import { basename } from "node:path";
import { parseArgs } from "node:util";
import { compareScenario, expected, FILES, read, write } from "./expected.mjs";
import { flat } from "./player.mjs";
import { raise } from "./stage.mjs";

const FAULTS_SHOWN = 6;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    gateway: { type: "string" },
    secret: { type: "string", default: process.env.GATEWAY_SECRET },
    only: { type: "string", default: "" },
    reason: { type: "string" },
    try: { type: "boolean", default: false },
    plain: { type: "boolean", default: false },
    quiet: { type: "boolean", default: false },
    "write-expected": { type: "boolean", default: false },
  },
});

/** Plays the chosen scenarios of a file and passes each to `each(scenario, played)`. */
async function perform(file, each) {
  const only = new RegExp(options.only);
  const scenarios = read(file).scenarios.filter(({ name }) => only.test(name));
  const stage = await raise(scenarios, { gateway: options.gateway?.replace(/\/$/, ""), secret: options.secret });
  try {
    for (const scenario of scenarios) each(scenario, await stage.play(scenario));
  } finally {
    await stage.close();
  }
}

function show(scenario, { stored, answers }) {
  console.log(`== ${scenario.name} ${JSON.stringify(stored)}`);
  answers.forEach((answer, at) => console.log(`  ${at} ${JSON.stringify(flat(scenario)[at].request ?? flat(scenario)[at].admin)}\n    ${JSON.stringify(answer)}`));
}

/** Plays a file and compares it with the recording; `notYet` is its list, which is updated on request. */
async function check(file, notYet, otherwise) {
  const count = { passed: 0, failed: 0, waiting: 0, same: 0, steps: 0, wrong: 0 };
  await perform(file, (scenario, played) => {
    const { name } = scenario;
    const { faults, same, steps } = compareScenario(scenario, played, options.plain ? [] : otherwise[name]);
    count.same += same;
    count.steps += steps;
    if (options["write-expected"]) settle(notYet, name, faults);
    const reason = options.plain ? undefined : notYet[name];
    count[faults.length === 0 ? "passed" : reason ? "waiting" : "failed"] += 1;
    count.wrong += Number((faults.length === 0) === Boolean(reason));
    if (faults.length === 0) {
      if (reason) console.log(`✗ ${name} now passes: take it off the list`);
      return;
    }
    console.log(reason ? `… ${name} (not yet: ${reason})` : `✗ ${name}`);
    if (!options.quiet) faults.slice(0, FAULTS_SHOWN).forEach((fault) => console.log(`    ${fault}`));
  });
  console.log(`${file}: ${count.passed} passed, ${count.failed} failed, ${count.waiting} not yet; ${count.same} of ${count.steps} steps as asked for`);
  return count.wrong;
}

/** Removes a scenario that passes from a list, and adds one that fails if there is a reason. */
function settle(notYet, name, faults) {
  if (faults.length === 0) delete notYet[name];
  else if (options.reason) notYet[name] ??= options.reason;
}

const list = expected();
let wrong = 0;
for (const file of positionals.length > 0 ? positionals : FILES) {
  if (options.try) await perform(file, show);
  else wrong += await check(file, (list.not_yet[basename(file, ".json")] ??= {}), list.otherwise);
}
if (options["write-expected"]) write(list);
process.exit(wrong > 0 ? 1 : 0);
