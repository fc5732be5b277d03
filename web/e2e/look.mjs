// How a page looks: a picture under target/screenshots, no page wider than its screen, no serious finding of axe.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { ROOT } from "../../worker/tests/harness.mjs";

const OUT = join(ROOT, "target/screenshots");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const THEMES = ["light", "dark"];
const COLOURS = { type: "rule", values: ["color-contrast"] };

/** What is evaluated over the debugging protocol is not bound by the page's policy. */
async function findings(page, runOnly) {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  const { violations } = await page.evaluate((runOnly) => axe.run(document, { resultTypes: ["violations"], runOnly }), runOnly);
  const bad = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  return bad.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`));
}

/** Takes a picture of a page and insists on what every page keeps. `rules` are those of axe, all of them by default. */
export async function look(page, name, { rules, ...options } = {}) {
  mkdirSync(OUT, { recursive: true });
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: join(OUT, `${name}.png`), ...options });
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${name}: ${wide} px wider than the screen`);
  assert.deepEqual(await findings(page, rules), [], name);
}

/** The same in both themes. In the second one only colours are others, so only they are looked at. */
export async function inBothThemes(page, name, width, options) {
  for (const [at, theme] of THEMES.entries()) {
    await page.emulateMedia({ colorScheme: theme });
    await look(page, `${name}-${theme}-${width}`, { ...options, rules: at === 0 ? undefined : COLOURS });
  }
}

/** Looks at a page in both themes, on a wide and on the narrowest screen. */
export async function everywhere(stage, name, { path, ready, ...keys }) {
  for (const width of [1280, 320]) {
    const page = await stage.page({ path, width, ...keys });
    await ready?.(page);
    await inBothThemes(page, name, width, { fullPage: true });
    await page.close();
  }
}
