// The recorded responses of the family, played against the worker: one gateway for each recording, one test for each
// scenario. Known failures are played too and reported as to-do; see expected.mjs.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { compareScenario, expected, FILES, read } from "./expected.mjs";
import { raise } from "./stage.mjs";

const { not_yet: notYet, otherwise } = expected();

/** Returns the outcome of a scenario; `reason` is why it is on the list. */
function outcome({ faults, otherwise: differs }, reason) {
  if (reason) return faults.length > 0 ? "waiting" : "failed";
  if (faults.length > 0) return "failed";
  return differs ? "differs" : "pass";
}

for (const file of FILES) {
  describe(file, () => {
    const { scenarios } = read(file);
    const list = notYet[file] ?? {};
    const count = { pass: 0, differs: 0, waiting: 0, failed: 0 };
    let stage;
    before(async () => {
      stage = await raise(scenarios);
    });
    after(() => stage?.close());

    for (const scenario of scenarios) {
      const { name } = scenario;
      test(name, async (t) => {
        const found = compareScenario(scenario, await stage.play(scenario), otherwise[name]);
        const fails = found.faults.length > 0;
        count[outcome(found, list[name])] += 1;
        if (list[name]) {
          assert(fails, `${name} now passes: take it off the list (expected.json)`);
          t.todo(`not yet: ${list[name]}`);
          return;
        }
        assert(!fails, found.faults.join("\n"));
      });
    }

    test("every scenario is played and counted", (t) => {
      const { pass, differs, waiting, failed } = count;
      const wrong = failed > 0 ? `, ${failed} failed` : "";
      t.diagnostic(`${file}: ${scenarios.length} scenarios, ${pass} pass, ${differs} differ on purpose, ${waiting} not yet${wrong}`);
      assert.equal(pass + differs + waiting + failed, scenarios.length);
    });
  });
}
