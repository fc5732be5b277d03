// Every page on a screen of one width, in both themes: screenshots under target/screenshots, no page wider than its
// screen (on a phone, not at 320 px either), and no serious finding of axe. Each width has its own test file, so that
// two run at once.

import { after, before, test } from "node:test";
import { open } from "../console.mjs";
import { inBothThemes, onNarrowest } from "../look.mjs";
import { access } from "./access.mjs";
import { apis } from "./apis.mjs";
import { dashboard } from "./dashboard.mjs";
import { described } from "./described.mjs";
import { stored } from "./stored.mjs";
import { tools } from "./tools.mjs";
import { traffic } from "./traffic.mjs";

/** All pages by name; without a stage, only the names are meaningful. */
const pages = (...of) => Object.assign({}, ...[apis, tools, dashboard, access, traffic, described].map((some) => some(...of)));

/** Declares a test for each page. */
export function testPages(width) {
  let stage;
  let there;
  // One context for all: what its first page has compiled is reused by the others. What a page stores for later visits
  // must be hidden from the next one.
  let context;
  before(async () => {
    stage = await open();
    there = pages(stage, await stored(stage));
    context = await stage.context({ width });
    await context.addInitScript(() => localStorage.clear());
  });
  after(() => stage.close());
  for (const name of Object.keys(pages(undefined, {}))) {
    test(name, async () => {
      const { path, ready, ...keys } = there[name];
      const page = await stage.page({ path, context, token: stage.gateway.token, ...keys });
      await ready?.(page);
      await inBothThemes(page, name, width);
      if (width < 600) await onNarrowest(page, name);
      await page.close();
    });
  }
}
