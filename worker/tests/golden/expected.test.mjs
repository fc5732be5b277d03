// The player itself, and expected.json: each entry has to mean something.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { ROOT } from "../harness.mjs";
import { differences, comparable, deviations } from "./compare.mjs";
import { compareScenario, DECIDED, expected, FILES, read } from "./expected.mjs";
import { flat } from "./player.mjs";
import { spaced } from "./text.mjs";

const { not_yet: notYet, otherwise } = expected();
const recorded = Object.fromEntries(FILES.map((file) => [file, read(file).scenarios]));
const scenarios = new Map(Object.values(recorded).flat().map((scenario) => [scenario.name, scenario]));
const entries = Object.entries(otherwise).flatMap(([name, list]) => list.map((entry) => ({ name, ...entry })));

describe("expected.json", () => {
  test("lists existing scenarios, each with what is missing", () => {
    for (const [file, list] of Object.entries(notYet)) {
      for (const [name, reason] of Object.entries(list)) {
        assert(recorded[file]?.some((scenario) => scenario.name === name), `${file} has no scenario ${name}`);
        assert(reason.trim(), `${name} has no reason`);
      }
    }
  });

  test("lists existing steps, once each, with either instead or accept", () => {
    for (const { name, steps, instead, accept } of entries) {
      const count = flat(scenarios.get(name) ?? { steps: [] }).length;
      assert((steps.length > 0 || accept) && steps.every((step) => step < count), `${name} has ${count} steps`);
      assert((instead === undefined) !== (accept === undefined), `${name}: either instead or accept`);
    }
    for (const [name, list] of Object.entries(otherwise)) {
      const steps = list.flatMap((entry) => entry.steps);
      assert.equal(new Set(steps).size, steps.length, `${name}: a step has two entries`);
    }
  });

  test("explains each difference under a heading of docs/differences.md", () => {
    const text = readFileSync(join(ROOT, "docs/differences.md"), "utf8");
    const headings = text.split("\n").filter((line) => line.startsWith("### ")).map((line) => line.slice(4));
    assert.equal(new Set(headings).size, headings.length, "duplicate heading");
    for (const { name, steps, heading, because } of entries) {
      if (heading !== undefined) assert(headings.includes(heading), `${name}: there is no heading "${heading}"`);
      // What no user sees needs no heading, but only where the recording isn't authoritative.
      else assert(because && steps.every((step) => scenarios.get(name).doubtful?.[step]), `${name}: a difference needs a heading`);
    }
  });

  test("also explains differences that a recording accepts by itself", () => {
    for (const [file, list] of Object.entries(recorded)) {
      const played = list.filter(({ name, differs }) => differs && !notYet[file]?.[name]);
      for (const { name } of played) assert(otherwise[name]?.some(({ heading }) => heading), `${name}: its differences need a heading`);
    }
  });

  test("decides every doubtful response", () => {
    for (const { name, doubtful = {} } of DECIDED.flatMap((file) => recorded[file])) {
      const decided = (otherwise[name] ?? []).filter(({ instead }) => instead).flatMap(({ steps }) => steps.map(String));
      assert.deepEqual(Object.keys(doubtful).filter((step) => !decided.includes(step)), [], name);
    }
  });
});

describe("the comparison", () => {
  const step = {};
  const want = {
    status: 200,
    headers: { "content-type": "application/json", "x-ratelimit-limit": "0" },
    body: '{"a": 1, "at": "2026-01-02T03:04:05Z"}',
    upstream: [{ upstream: "one", method: "GET", path: "/a", headers: { "x-a": "1" }, body: "" }, { upstream: "one", method: "GET", path: "/b", headers: {}, body: "" }],
  };
  const changed = (change, of = step) => differences(want, { ...want, ...change }, of);

  test("matches each recording with itself", () => {
    for (const scenario of scenarios.values()) {
      const { faults, same, steps } = compareScenario(scenario, { stored: scenario.setup, answers: scenario.answers });
      assert.deepEqual([faults, same], [[], steps], scenario.name);
    }
  });

  test("ignores what differs between any two gateways", () => {
    assert.deepEqual(changed({ body: ' {"at":"2027-01-02T03:04:05+01:00","a":1,"request_id":"x","issues":[]}\n' }), []);
    assert.deepEqual(changed({ headers: { "content-type": "application/json; charset=utf-8" } }), []);
    assert.deepEqual(changed({ upstream: want.upstream.toReversed() }), []);
    assert.deepEqual(changed({ body: "other", headers: { ...want.headers, "x-a": "1" } }, { any_body: true, ignore_headers: ["x-a"] }), []);
  });

  test("reports everything else", () => {
    assert.deepEqual(changed({ status: 404 }), ["status 404, recorded 200"]);
    assert.match(changed({ body: '{"a": "1", "at": "2026-01-02T03:04:05Z"}' }).join(), /^body \{"a":"1"/);
    assert.deepEqual(changed({ headers: { ...want.headers, "x-a": "1" } }), ['header x-a: "1", recorded none']);
    assert.deepEqual(changed({ headers: { ...want.headers, "x-ratelimit-limit": "5" } }), ['header x-ratelimit-limit: "5", recorded "0"']);
    assert.deepEqual(changed({ upstream: want.upstream.slice(0, 1) }), ["1 upstream calls, recorded 2"]);
    assert.deepEqual(changed({ upstream: [{ ...want.upstream[0], path: "/c", headers: {} }, want.upstream[1]] }).length, 3);
    assert.deepEqual(differences(want, { failed: "no answer" }, step), ["no answer, recorded 200"]);
  });

  test("parses batch bodies, and apostrophes escaped as JSON doesn't allow", () => {
    const unit = { relative_url: "a", code: 200, headers: { Date: ["x"], "X-Ratelimit-Limit": ["-1"], "X-A": ["1"] }, body: '{"n": 1}' };
    assert.deepEqual(comparable(JSON.stringify([unit])), [{ relative_url: "a", code: 200, headers: { "x-a": ["1"] }, body: { n: 1 } }]);
    assert.deepEqual(comparable("{\"error\": \"doesn\\'t\"}"), { error: "doesn't" });
    assert.equal(comparable(" a\n  b "), "a b");
  });

  test("checks what an entry specifies, and nothing else", () => {
    assert.deepEqual(deviations({ status: 200, headers: { "x-b": null }, body: { a: { any: [2, 1] } }, upstream: [{ path: "/a" }, { path: { match: "^/[bc]$" } }] }, want), []);
    assert.equal(deviations({ upstream: [] }, want).length, 1);
    assert.deepEqual(deviations({ status: 404, body: { a: null } }, want), ["status 200, asked for 404", "body a 1, asked for null"]);
    assert.deepEqual(deviations({ status: 404 }, { failed: "no answer" }), ["status none, asked for 404"]);
  });

  test("accepts a listed difference, and reports one that no longer occurs", () => {
    const scenario = { name: "x", steps: [{ request: {} }], setup: [], answers: [want] };
    const accept = [{ steps: [0], heading: "…", accept: ["^status 404"] }];
    const compared = (answer) => compareScenario(scenario, { stored: [], answers: [answer] }, accept);
    assert.deepEqual(compared({ ...want, status: 404 }), { faults: [], otherwise: true, same: 1, steps: 1 });
    assert.deepEqual(compared(want).faults, ["step 0: no difference fits /^status 404/ any more"]);
    assert.match(compared({ ...want, status: 404, body: "" }).faults.join(), /^step 0: body ""/);
  });
});

test("JSON bodies are formatted like the recorded ones", () => {
  assert.equal(spaced({ a: [1, 0.5, 1e-6, null], "é": "\u007f\n" }), '{"a": [1, 0.5, 1e-06, null], "\\u00e9": "\\u007f\\n"}');
});
