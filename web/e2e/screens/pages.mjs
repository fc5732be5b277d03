// Every page on a screen of one width, in both themes: pictures under target/screenshots, no page wider than its
// screen (of a phone also not where that is 320 px wide), and no serious finding of axe. A file of tests for each width, so that two run at once.

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

/** All pages by their names; without a stage only the names mean something. */
const pages = (...of) => Object.assign({}, ...[apis, tools, dashboard, access, traffic, described].map((some) => some(...of)));

/** Declares a test for each page. */
export function look(width) {
  let stage;
  let there;
  // One window for all: what its first page has compiled the others find. What a page keeps for later visits,
  // the next one must not find.
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
