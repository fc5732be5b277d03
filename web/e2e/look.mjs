// Checks of a page's appearance: a screenshot under target/screenshots, no page wider than its screen, no serious
// finding of axe.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { ROOT } from "../../worker/tests/harness.mjs";

const OUT = join(ROOT, "target/screenshots");
const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** The width at which text may be enlarged fourfold (WCAG 2.2, 1.4.10). */
const NARROWEST = 320;
const THEMES = ["light", "dark"];
const COLOURS = { type: "rule", values: ["color-contrast"] };

/** The classes that each of the console's style sheets has rules for, by file. */
const STYLED = (() => {
  const folder = join(process.env.GATEWRIGHT_ASSETS ?? join(ROOT, "target/assets"), "console");
  const sheets = readdirSync(folder).filter((file) => file.endsWith(".css"));
  const classes = (css) => css.match(/\.[a-z][\w-]*(?=[^{}]*\{)/g) ?? [];
  return sheets.map((file) => [file, [...new Set(classes(readFileSync(join(folder, file), "utf8")))].map((name) => name.slice(1))]);
})();

/** Returns the classes on a page whose rules are in style sheets of other pages only. */
const unstyled = (page) =>
  page.evaluate((styled) => {
    const loaded = [...document.styleSheets].map(({ href }) => href?.split("/").at(-1));
    const here = new Set(styled.filter(([file]) => loaded.includes(file)).flatMap(([, names]) => names));
    const elsewhere = new Set(styled.flatMap(([, names]) => names).filter((name) => !here.has(name)));
    return [...new Set([...document.querySelectorAll("[class]")].flatMap(({ classList }) => [...classList]))].filter((name) => elsewhere.has(name));
  }, STYLED);

/** Code evaluated over the debugging protocol is not subject to the page's policy. */
async function findings(page, runOnly) {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(AXE);
  const { violations } = await page.evaluate((runOnly) => axe.run(document, { resultTypes: ["violations"], runOnly }), runOnly);
  const bad = violations.filter(({ impact }) => ["serious", "critical"].includes(impact));
  return bad.flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`));
}

/** Checks that a page is not wider than its screen; if it is, names the elements that stick out. */
async function fits(page, name) {
  const wide = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    const clipped = (element) => element !== document.body && (getComputedStyle(element).overflowX !== "visible" || clipped(element.parentElement));
    const out = [...document.querySelectorAll("body *")].filter((element) => element.getBoundingClientRect().right > clientWidth + 1 && !clipped(element.parentElement));
    const called = ({ tagName, className }) => `${tagName.toLowerCase()}.${String(className).replaceAll(" ", ".")}`;
    return scrollWidth > clientWidth ? `${scrollWidth - clientWidth} px wider than the screen: ${out.slice(0, 12).map(called).join(" ")}` : "";
  });
  assert.equal(wide, "", name);
}

/** Checks the same page on the narrowest screen. */
export async function onNarrowest(page, name) {
  const { height } = page.viewportSize();
  await page.setViewportSize({ width: NARROWEST, height });
  await page.screenshot({ path: join(OUT, `${name}-${NARROWEST}.png`) });
  await fits(page, `${name} at ${NARROWEST} px`);
}

/**
 * Takes a screenshot of a page and checks what holds for every page. `rules` restricts axe's rules; all of them by
 * default.
 */
export async function look(page, name, { rules, ...options } = {}) {
  mkdirSync(OUT, { recursive: true });
  await page.evaluate(() => document.fonts.ready);
  await page.screenshot({ path: join(OUT, `${name}.png`), ...options });
  await fits(page, name);
  assert.deepEqual(await unstyled(page), [], `${name}: styles of other pages`);
  assert.deepEqual(await findings(page, rules), [], name);
}

/** Checks the page in both themes. The second differs only in colours, so only those are checked. */
export async function inBothThemes(page, name, width, options) {
  for (const [at, theme] of THEMES.entries()) {
    await page.emulateMedia({ colorScheme: theme });
    await look(page, `${name}-${theme}-${width}`, { ...options, rules: at === 0 ? undefined : COLOURS });
  }
}

/** Checks a page in both themes, on a wide and on the narrowest screen. */
export async function onEveryScreen(stage, name, { path, ready, ...keys }) {
  for (const width of [1280, 320]) {
    const page = await stage.page({ path, width, ...keys });
    await ready?.(page);
    await inBothThemes(page, name, width, { fullPage: true });
    await page.close();
  }
}
