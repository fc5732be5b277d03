// Formats the result as Markdown, for people and for docs/numbers.md.

const HEAD = ["measure", "console", "compared with", "result", "goal", "", "built for speed", "native"];

/** Parsing without validation. */
const ALONE = "JSON.parse";

/** The measurements, their titles, and what each is compared with. */
const MEASURES = [
  ["small", "validate a definition of SIZE", ["ajv"]],
  ["large", "validate a definition of SIZE", ["ajv", ALONE]],
  ["problems", "validate 10,000 lines (SIZE) with 1,000 problems", ["ajv", "ajv with positions"]],
  ["merge", "merge a patch of 100 into 1,000 mappings (SIZE)", ["json-merge-patch"]],
  ["diff", "patch between two documents of 1,000 mappings (SIZE)", ["json-merge-patch", "fast-json-patch"]],
];

/** The goal for 10,000 lines with 1,000 problems: within one frame. */
const FRAME_MS = 16;

const ms = (value) => `${value < 1 ? value.toFixed(3) : value < 10 ? value.toFixed(2) : value.toFixed(1)} ms`;
const size = (text) => `${Math.round(new TextEncoder().encode(text).length / 1000)} kB`;
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];

/** Returns the rows of cells. */
export function rows({ measures, first }, native, texts) {
  const found = [];
  for (const [name, label, others] of MEASURES) {
    const { took } = measures[name];
    const measure = label.replace("SIZE", size(texts[name] ?? texts.provider));
    for (const other of others) {
      const ratio = took[other] / took.console;
      const goal = other === ALONE ? ["", ""] : ["≥ 1.00", met(ratio >= 1)];
      const side = `${ms(took[other])} ${other}`;
      found.push([measure, ms(took.console), side, ratio.toFixed(2), ...goal, ms(took.speed), ms(native[name])]);
    }
  }
  const within = (when, took) => {
    const measure = `10,000 lines with 1,000 problems, ${when}`;
    found.push([measure, ms(took), "", "", `< ${FRAME_MS} ms`, met(took < FRAME_MS), "", ""]);
  };
  within("while typing", measures.problems.took.console);
  within("the first check after loading", median(first));
  return found;
}

const met = (is) => (is ? "met" : "missed");

/** Returns a table, with what is needed to reproduce it. */
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
