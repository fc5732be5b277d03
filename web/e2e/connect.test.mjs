// Connecting: the secret is checked, kept for the tab, and asked for again when it is refused.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { definition, open, type } from "./console.mjs";

let stage;
before(async () => {
  stage = await open({ fixtures: [definition("Orders")] });
});
after(() => stage.close());

test("without a secret every page leads to Connect, and on from there", async () => {
  const page = await stage.page({ path: "/apis?q=ord", secret: null });
  await page.waitForURL(/\/console\/connect\?next=/);
  await page.getByLabel("Administration secret").fill("not the secret");
  await page.keyboard.press("Enter");
  await page.getByText("The gateway refuses this secret").waitFor();
  await page.getByLabel("Administration secret").fill(stage.gateway.secret);
  await page.getByRole("button", { name: "Connect" }).click();
  await page.waitForURL(/\/console\/apis\?q=ord$/);
  await page.getByRole("link", { name: "Orders" }).waitFor();
});

test("the secret is kept for the tab and nowhere else", async () => {
  const page = await stage.page({ path: "/connect", secret: null });
  await page.getByText("Where do I find the secret?").click();
  await page.getByText(".dev.vars").first().waitFor();
  await page.getByLabel("Administration secret").fill(stage.gateway.secret);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/apis$/);
  const kept = await page.evaluate(() => [JSON.stringify({ ...localStorage }), document.cookie, location.href, document.documentElement.outerHTML]);
  for (const place of kept) assert.ok(!place.includes(stage.gateway.secret), place);
  await page.reload();
  await page.getByRole("link", { name: "Orders" }).waitFor();
  const other = await page.context().newPage();
  await other.goto(stage.url("/apis"));
  await other.waitForURL(/\/connect/);
});

test("a secret that is refused later is asked for in place, and nothing typed is lost", async () => {
  const page = await stage.page({ path: "/apis/orders" });
  await page.locator("json-editor").waitFor();
  await type(page, '{ "half": "typed');
  await page.route("**/gateway/**", (route) => {
    const headers = { ...route.request().headers(), "x-gateway-authorization": "changed meanwhile" };
    return route.continue({ headers });
  });
  await page.evaluate(() => dispatchEvent(new Event("focus")));
  await page.getByRole("heading", { name: "The secret was refused" }).waitFor();
  await page.unroute("**/gateway/**");
  await page.getByLabel("Administration secret").fill(stage.gateway.secret);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "The secret was refused" }).waitFor({ state: "detached" });
  assert.equal(await page.locator("json-editor").evaluate((editor) => editor.value), '{ "half": "typed');
});

test("disconnecting forgets the secret", async () => {
  const page = await stage.page({ secret: null, path: "/connect" });
  await page.getByLabel("Administration secret").fill(stage.gateway.secret);
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Orders" }).waitFor();
  await page.getByRole("button", { name: "Disconnect" }).click();
  await page.waitForURL(/\/connect$/);
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
});
