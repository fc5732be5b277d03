// Which Meter adds up an API's figures. One object handles a few hundred reports a second; with more isolates than
// that, the APIs are distributed over METER_SHARDS Meters, and readers ask all of them.

import { shard, wholeNumber } from "./places.js";

/** Returns the names of the Meters. The first is called as a single one is. */
export function meters(env) {
  const count = wholeNumber(env.METER_SHARDS ?? 1, "METER_SHARDS", 1, 1000);
  return Array.from({ length: count }, (_, at) => (at === 0 ? "meter" : `meter:${at}`));
}

/** Splits the lines of a report (`crates/protocol/src/figures/lines.rs`) among `count` Meters. */
export function parts(report, count) {
  if (count === 1) return [report];
  const parts = Array.from({ length: count }, () => "");
  for (const line of report.split("\n").filter(Boolean)) parts[shard(apiOf(line), count)] += `${line}\n`;
  return parts;
}

// The numbers come first: as many as a line of sums states, four fields for a key. An id may contain spaces. A failure
// is a JSON object.
function apiOf(line) {
  const [kind, first, ...rest] = line.split(" ");
  if (kind === "f") return JSON.parse(line.slice(2)).api;
  return rest.slice(kind === "d" ? Number(first) : 3).join(" ");
}
