// Connecting: keys are checked, kept for the tab, and asked for again when they are refused.

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
  await page.getByText("Where do I find them?").click();
  await page.getByText(".dev.vars").first().waitFor();
  await page.getByLabel("Administration secret").fill(stage.gateway.secret);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/overview$/);
  const kept = await page.evaluate(() => [JSON.stringify({ ...localStorage }), document.cookie, location.href, document.documentElement.outerHTML]);
  for (const text of kept) assert.ok(!text.includes(stage.gateway.secret), text);
  await page.reload();
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
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

test("a link connects a tab once, and leaves no trace in its address", async () => {
  const code = "0123456789abcdef";
  const linked = await open({ env: { CONNECT_CODE: `${code} ${Date.now() + 3_600_000}` } });
  try {
    const page = await linked.page({ path: `/#connect=${code}`, secret: null });
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    assert.ok(!page.url().includes(code));
    const kept = await page.evaluate(() => [JSON.stringify({ ...localStorage }), document.cookie, document.documentElement.outerHTML]);
    for (const text of kept) assert.ok(!text.includes(linked.gateway.secret), text);
    const second = await linked.page({ path: `/#connect=${code}`, secret: null });
    await second.getByText("The link has ended").waitFor();
    await second.getByLabel("Administration secret").fill(linked.gateway.secret);
    await second.keyboard.press("Enter");
    await second.waitForURL(/\/overview$/);
  } finally {
    await linked.close();
  }
});

test("disconnecting forgets the secret", async () => {
  const page = await stage.page({ secret: null, path: "/connect" });
  await page.getByLabel("Administration secret").fill(stage.gateway.secret);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  await page.getByRole("button", { name: "Disconnect" }).click();
  await page.waitForURL(/\/connect$/);
  assert.equal(await page.evaluate(() => sessionStorage.length), 0);
});

test("a token alone is enough, and a page that takes the secret asks for it without losing the token", async () => {
  const page = await stage.page({ secret: null, path: "/connect" });
  await page.getByRole("button", { name: "Connect" }).click();
  await page.getByText("Paste the secret or a token first.").waitFor();
  await page.getByLabel("Dashboard token").fill("no token");
  await page.keyboard.press("Enter");
  await page.getByText("The dashboard API refuses this token.").waitFor();
  assert.equal(await page.evaluate(() => sessionStorage.length), 0, "nothing is kept that was refused");
  await page.getByLabel("Dashboard token").fill(stage.gateway.token);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/client-idps$/);
  await page.getByText("No providers yet").waitFor();

  await page.getByRole("link", { name: "APIs", exact: true }).click();
  await page.getByRole("heading", { name: "This page needs the gateway secret" }).waitFor();
  await page.getByLabel("Administration secret").fill(stage.gateway.secret);
  await page.keyboard.press("Enter");
  await page.getByRole("link", { name: "Orders" }).waitFor();
  await page.getByRole("link", { name: "Client IdPs" }).click();
  await page.getByText("No providers yet").waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "Orders" }).waitFor();
});

test("a page of the dashboard asks for the token, and the secret stays", async () => {
  const page = await stage.page({ path: "/client-idps" });
  await page.getByRole("heading", { name: "This page needs a dashboard token" }).waitFor();
  await page.getByRole("textbox", { name: "Dashboard token" }).fill(stage.gateway.token);
  await page.keyboard.press("Enter");
  await page.getByText("No providers yet").waitFor();
  await page.getByRole("link", { name: "Reload" }).click();
  await page.getByRole("heading", { name: "Reload", level: 1 }).waitFor();
});

test("a token that is refused later is asked for alone", async () => {
  const page = await stage.page({ path: "/client-idps", token: stage.gateway.token });
  await page.getByText("No providers yet").waitFor();
  await page.route("**/api/**", (route) => route.continue({ headers: { ...route.request().headers(), authorization: "Bearer revoked" } }));
  await page.getByRole("searchbox", { name: "Search client IdPs" }).fill("x");
  await page.getByRole("heading", { name: "The token was refused" }).waitFor();
  await page.unroute("**/api/**");
  assert.equal(await page.getByLabel("Administration secret").count(), 0);
  await page.getByLabel("Dashboard token").fill(stage.gateway.token);
  await page.keyboard.press("Enter");
  await page.getByText("No provider matches").waitFor();
});

test("what was forgotten in one area is forgotten in the other", async () => {
  const page = await stage.page({ path: "/apis", token: stage.gateway.token });
  await page.getByRole("link", { name: "Orders" }).waitFor();
  await page.getByRole("link", { name: "Client IdPs" }).click();
  await page.getByRole("button", { name: "Disconnect" }).click();
  await page.waitForURL(/\/connect$/);
  await page.goBack();
  await page.goBack();
  await page.getByLabel("Administration secret").waitFor();
  assert.deepEqual(await page.evaluate(() => Object.keys(sessionStorage).filter((key) => key.startsWith("gatewright."))), []);
});
