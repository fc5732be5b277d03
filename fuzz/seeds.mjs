// Writes the inputs of the shared cases into fuzz/corpus/, so that a fuzzer begins with real texts.
//
//   node fuzz/seeds.mjs
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";

const cases = new URL("../crates/testkit/cases/model/", import.meta.url);
const corpus = new URL("./corpus/", import.meta.url);

function seed(target, text) {
  const folder = new URL(`${target}/`, corpus);
  mkdirSync(folder, { recursive: true });
  const name = createHash("sha256").update(text).digest("hex").slice(0, 16);
  writeFileSync(new URL(name, folder), text);
}

for (const file of readdirSync(cases)) {
  for (const { run, input, patch, after } of JSON.parse(readFileSync(new URL(file, cases), "utf8"))) {
    if (run === "validate" || run === "check") seed("validate", input);
    if (run === "validate" && file !== "members.json") seed("assist", input);
    if (run === "merge") seed("merge", `${input}\0${patch}`);
    if (after !== undefined) seed("diff", `${input}\0${after}`);
    if (run === "import") seed("openapi", input);
    // Every text of a document may be a path, an expression or a template.
    for (const text of texts(input)) seed("paths", text);
  }
}

function texts(json) {
  const found = [];
  try {
    JSON.parse(json, (_, value) => {
      if (typeof value === "string") found.push(value);
      return value;
    });
  } catch {
    // Some cases aren't JSON on purpose.
  }
  return found;
}
