// Which Meter an API's figures are added up in. One object takes some hundred reports a second; with more isolates
// than that, APIs are shared out among METER_SHARDS of them. Whoever reads asks all.

import { shard, wholeNumber } from "./places.js";

/** The names of the Meters. The first one has the name that the only one has. */
export function meters(env) {
  const count = wholeNumber(env.METER_SHARDS ?? 1, "METER_SHARDS", 1, 1000);
  return Array.from({ length: count }, (_, at) => (at === 0 ? "meter" : `meter:${at}`));
}

/** The lines of a report (`crates/protocol/src/figures/lines.rs`) for each of so many Meters. */
export function parts(report, count) {
  if (count === 1) return [report];
  const parts = Array.from({ length: count }, () => "");
  for (const line of report.split("\n").filter(Boolean)) parts[shard(apiOf(line), count)] += `${line}\n`;
  return parts;
}

// Numbers come first: as many as a line of sums says, four things of a key. An id may have spaces. What has failed is
// an object.
function apiOf(line) {
  const [kind, first, ...rest] = line.split(" ");
  if (kind === "f") return JSON.parse(line.slice(2)).api;
  return rest.slice(kind === "d" ? Number(first) : 3).join(" ");
}
