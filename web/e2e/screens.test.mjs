// Every page, light and dark, wide and narrow: pictures under target/screenshots, no page wider than its
// screen, and no serious finding of axe.

import { after, before, describe, test } from "node:test";
import { open } from "./console.mjs";
import { look } from "./look.mjs";
import { access } from "./screens/access.mjs";
import { apis } from "./screens/apis.mjs";
import { dashboard } from "./screens/dashboard.mjs";
import { described } from "./screens/described.mjs";
import { stored } from "./screens/stored.mjs";
import { tools } from "./screens/tools.mjs";
import { traffic } from "./screens/traffic.mjs";

const WIDTHS = [1280, 390];
const THEMES = ["light", "dark"];

/** All pages by their names; without a stage only the names mean something. */
const pages = (...of) => Object.assign({}, ...[apis, tools, dashboard, access, traffic, described].map((some) => some(...of)));

let stage;
let there;
before(async () => {
  stage = await open();
  there = pages(stage, await stored(stage));
});
after(() => stage.close());

for (const theme of THEMES) {
  for (const width of WIDTHS) {
    describe(`${theme}, ${width} wide`, () => {
      // One window for all: what its first page has compiled the others find. What a page keeps for later
      // visits, the next one must not find.
      let context;
      before(async () => {
        context = await stage.context({ theme, width, reducedMotion: "reduce" });
        await context.addInitScript(() => localStorage.clear());
      });
      after(() => context.close());
      for (const name of Object.keys(pages(undefined, {}))) {
        test(name, async () => {
          const { path, ready, ...keys } = there[name];
          const page = await stage.page({ path, context, token: stage.gateway.token, ...keys });
          await ready?.(page);
          await look(page, `${name}-${theme}-${width}`);
          await page.close();
        });
      }
    });
  }
}
