// The recordings, and the known differences: expected.json.
//
//   "not_yet": { "paths": { "<scenario>": "<what is missing>" } }
//     Scenarios that are expected to fail. They are played all the same, and once one passes, the test asks to take it
//     off the list.
//   "otherwise": { "<scenario>": [{ "steps": [0], "heading": "…", "instead": { … } }] }
//     Responses, counted from 0, that deliberately differ from the recording. `heading` is where docs/differences.md
//     explains it; `because` is the reason for what no user sees, such as an unspecified order. Either `instead` says
//     what the response has to be (`deviations` in compare.mjs), or each expression of `accept` matches a difference,
//     and the rest is compared as usual. Without steps, it is about what is stored before them.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { differences, deviations } from "./compare.mjs";
import { flat } from "./player.mjs";

const at = (name) => fileURLToPath(new URL(name, import.meta.url));

/** The recordings by name, in the order in which they are played. */
export const FILES = ["paths", "transform", "guard", "auth", "oas", "mcp", "admin"];
/** Those in which every doubtful response has an entry that says what it has to be. */
export const DECIDED = ["paths", "transform", "guard"];

/** Reads a recording: `{ about, scenarios }`. */
export const read = (file) => JSON.parse(readFileSync(FILES.includes(file) ? at(`${file}.json`) : file, "utf8"));

/** Reads the known differences. */
export const expected = () => JSON.parse(readFileSync(at("expected.json"), "utf8"));

/** Writes them back, one scenario per line. */
export function write({ not_yet: notYet, otherwise }) {
  const block = (entries, line) => entries.map(line).join(",\n");
  const member = (indent) => ([name, value]) => `${indent}${JSON.stringify(name)}: ${JSON.stringify(value)}`;
  const files = Object.entries(notYet).filter(([, names]) => Object.keys(names).length > 0);
  const lists = block(files, ([file, names]) => `    ${JSON.stringify(file)}: {\n${block(Object.entries(names), member("      "))}\n    }`);
  const rows = (entries) => block(entries, (entry) => `      ${JSON.stringify(entry)}`);
  const others = block(Object.entries(otherwise), ([name, entries]) => `    ${JSON.stringify(name)}: [\n${rows(entries)}\n    ]`);
  writeFileSync(at("expected.json"), `{\n  "not_yet": {\n${lists}\n  },\n  "otherwise": {\n${others}\n  }\n}\n`);
}

/**
 * Judges a played scenario: `{ faults, otherwise, same, steps }`, with `faults` in words, `otherwise` whether an
 * accepted difference occurred, and `same` out of `steps` responses without a fault. `entries` are those of the
 * scenario, none for the bare recording.
 */
export function compareScenario(scenario, { stored, answers }, entries = []) {
  const accepted = (scenario.differs ?? []).map((pattern) => new RegExp(pattern));
  const found = { faults: [], otherwise: false, same: 0, steps: 0 };
  const unaccepted = (texts) => {
    const left = texts.filter((text) => !accepted.some((pattern) => pattern.test(text)));
    found.otherwise ||= left.length < texts.length;
    return left;
  };
  const beforehand = entries.filter(({ steps }) => steps.length === 0).flatMap(({ accept }) => accept);
  const setup = storedDifferences(scenario, stored).filter((text) => !beforehand.some((pattern) => new RegExp(pattern).test(text)));
  found.faults.push(...unaccepted(setup));
  flat(scenario).forEach((step, number) => {
    const entry = entries.find(({ steps }) => steps.includes(number));
    if (scenario.doubtful?.[number] && !entry) return;
    const { texts, otherwise } = judgeStep(scenario.answers[number], answers[number], step, entry);
    const faults = unaccepted(texts.map((text) => `step ${number}: ${text}`));
    found.steps += 1;
    found.same += Number(faults.length === 0);
    found.otherwise ||= otherwise;
    found.faults.push(...faults);
  });
  return found;
}

function storedDifferences({ setup = [] }, stored) {
  const [theirs, ours] = [setup, stored].map((list) => list.map(({ status }) => status).join(" "));
  if (theirs === ours) return [];
  return [`setup ${JSON.stringify(stored.filter(({ status }) => status !== 200)).slice(0, 300)}, recorded ${theirs}`];
}

function judgeStep(want, got, step, entry) {
  if (entry?.instead) return { texts: deviations(entry.instead, got), otherwise: entry.heading !== undefined };
  const texts = differences(want, got, step);
  const accept = (entry?.accept ?? []).map((pattern) => new RegExp(pattern));
  const left = texts.filter((text) => !accept.some((pattern) => pattern.test(text)));
  const unused = accept.filter((pattern) => !texts.some((text) => pattern.test(text)));
  return { texts: [...left, ...unused.map((pattern) => `no difference fits ${pattern} any more`)], otherwise: accept.length > 0 };
}
