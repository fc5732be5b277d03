// The results, for the terminal and for docs/numbers.md.

import { availableParallelism, cpus } from "node:os";

const HEAD = ["measure", "gateway", "compared with", "result", "goal", ""];

const verdict = (goal) => (goal ? (goal.met ? "met" : goal.failed ? "FAILED" : "missed") : "");
const cells = (row) => [row.measure, row.ours, row.other, row.value, row.goal?.text ?? "", verdict(row.goal)];

/** The row of two sides under load, with or without a goal; below `least` the benchmark fails. */
export function against(measure, { a, b, ratio }, { goal, least } = {}) {
  const side = ({ rate, p50, p99, cpu }) => `${Math.round(rate)}/s (${p50.toFixed(1)} / ${p99.toFixed(1)} ms, ${Math.round(cpu)} µs)`;
  const row = { measure, ours: side(a), other: side(b), value: ratio.toFixed(2), ratio };
  if (goal === undefined) return row;
  const text = least === undefined ? `≥ ${goal.toFixed(2)}` : `≥ ${goal.toFixed(2)}, at least ${least.toFixed(2)}`;
  const failed = least !== undefined && ratio < least;
  return { ...row, goal: { text, met: ratio >= goal, failed } };
}

/** Formats the rows as an aligned table. */
export function table(rows) {
  const lines = [HEAD, ...rows.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  const text = lines.map((line) => line.map((cell, column) => cell.padEnd(widths[column])).join("  ").trimEnd());
  return [text[0], "-".repeat(widths.reduce((sum, width) => sum + width + 2, 0)), ...text.slice(1)].join("\n");
}

/** Formats the rows as Markdown, with what is needed to reproduce them. */
export function markdown(rows, args) {
  const line = (found) => `| ${found.join(" | ")} |`;
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model.trim() || process.arch})`;
  const command = ["cargo xtask bench", ...args].join(" ");
  return [
    `\`${command}\`, ${new Date().toISOString().slice(0, 10)}, ${machine}; requests per second with p50 / p99 and the CPU time of a request:`,
    "",
    line(HEAD),
    line(HEAD.map(() => "---")),
    ...rows.map((row) => line(cells(row))),
  ].join("\n");
}
