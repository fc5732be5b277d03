// The result as Markdown, for the eye and for the README.

const HEAD = ["measure", "console", "compared with", "result", "goal", "", "built for speed", "native"];

/** The measures in words, and whom each is held against. */
const MEASURES = [
  ["small", "validate a definition of SIZE", ["ajv"]],
  ["large", "validate a definition of SIZE", ["ajv"]],
  ["problems", "validate 10,000 lines (SIZE) with 1,000 problems", ["ajv", "ajv with places"]],
  ["merge", "merge a patch of 100 into 1,000 mappings (SIZE)", ["json-merge-patch"]],
  ["diff", "patch between two documents of 1,000 mappings (SIZE)", ["json-merge-patch", "fast-json-patch"]],
];

/** The goal for 10,000 lines with 1,000 problems: within one frame. */
const FRAME_MS = 16;

const ms = (value) => `${value < 1 ? value.toFixed(3) : value < 10 ? value.toFixed(2) : value.toFixed(1)} ms`;
const size = (text) => `${Math.round(new TextEncoder().encode(text).length / 1000)} kB`;
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/** Rows of cells. */
export function rows({ measures, first }, native, texts) {
  const found = [];
  for (const [name, words, others] of MEASURES) {
    const { took } = measures[name];
    const measure = words.replace("SIZE", size(texts[name] ?? texts.provider));
    for (const other of others) {
      const ratio = took[other] / took.console;
      const side = `${ms(took[other])} ${other}`;
      const result = `${ratio.toFixed(2)}x faster`;
      found.push([measure, ms(took.console), side, result, "faster", met(ratio > 1), ms(took.speed), ms(native[name])]);
    }
  }
  const frame = `< ${FRAME_MS} ms`;
  const cold = median(first);
  found.push(["… the same", ms(measures.problems.took.console), "", "", frame, met(measures.problems.took.console < FRAME_MS), "", ""]);
  found.push(["… the first time after loading", ms(cold), "", "", frame, met(cold < FRAME_MS), "", ""]);
  return found;
}

const met = (is) => (is ? "met" : "missed");

/** A table, with what one has to know to repeat it. */
export function markdown(rows, command, machine) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [
    `\`${command}\`, ${new Date().toISOString().slice(0, 10)}, ${machine}; medians of a call:`,
    "",
    line(HEAD),
    line(HEAD.map(() => "---")),
    ...rows.map(line),
  ].join("\n");
}
