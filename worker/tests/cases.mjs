// The shared case files, which also run natively and in a browser (crates/testkit/cases).

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "./harness.mjs";

const FOLDER = join(ROOT, "crates/testkit/cases/model");

// The case files list an object's members alphabetically, the wire in the order of the structs; so an expected result
// is reordered before its bytes are compared.
const ORDER = {
  issue: ["pointer", "code", "severity", "message", "line", "column", "end_line", "end_column"],
  change: ["pointer", "kind", "before", "after"],
  note: ["pointer", "taken", "stored", "message"],
  summary: ["openapi", "version", "paths", "operations", "servers", "schemes"],
  server: ["url", "written", "description"],
};

function ordered(kind, object) {
  const unknown = Object.keys(object).filter((name) => !ORDER[kind].includes(name));
  if (unknown.length > 0) throw new Error(`${kind} has the members ${unknown} too`);
  return Object.fromEntries(ORDER[kind].filter((name) => name in object).map((name) => [name, object[name]]));
}

const all = (kind, list) => list?.map((object) => ordered(kind, object));

/** Returns what a case expects, as the gateway serialises it. */
function wire({ issues, target, patch, changes, report, summary, ...rest }) {
  return {
    ...rest,
    ...(issues && { issues: all("issue", issues) }),
    ...(target && { target: all("issue", target) }),
    ...(patch && { patch: all("issue", patch) }),
    ...(changes && { changes: all("change", changes) }),
    ...(report && { report: all("note", report) }),
    ...(summary && { summary: ordered("summary", { ...summary, servers: all("server", summary.servers) }) }),
  };
}

/** Every case, with `name`: its file and position. */
export const CASES = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".json"))
  .flatMap((file) => {
    const cases = JSON.parse(readFileSync(join(FOLDER, file), "utf8"));
    return cases.map((one, index) => ({ ...one, expect: wire(one.expect), name: `${file}#${index} (${one.comment})` }));
  });

/** Returns the kind of document that a case of `validate` or `check` is about. */
export const rootOf = (one) => one.root ?? "api_definition";
