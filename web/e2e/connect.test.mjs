// Signing in: once for all tabs, again in place when the session has ended, and signing out here or everywhere.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { definition, open, type } from "./console.mjs";

let stage;
before(async () => {
  stage = await open({ fixtures: [definition("Orders")] });
});
after(() => stage.close());

test("without a secret every page redirects to Connect and returns after sign-in", async () => {
  const page = await stage.page({ path: "/apis?q=ord", secret: null });
  await page.waitForURL(/\/console\/connect\?next=/);
  // Its styles come with every page, because every page leads there.
  const { width } = await page.locator(".connect-card").boundingBox();
  assert.ok(width <= 440, `${width} px`);
  await page.getByLabel("Administration secret").fill("not the secret");
  await page.keyboard.press("Enter");
  await page.getByText("The gateway refuses this secret").waitFor();
  await page.getByLabel("Administration secret").fill(stage.gateway.secret);
  await page.getByRole("button", { name: "Connect" }).click();
  await page.waitForURL(/\/console\/apis\?q=ord$/);
  await page.getByRole("link", { name: "Orders" }).waitFor();
});

/** Returns everything that scripts on a page can read. */
const readable = (page) =>
  page.evaluate(() => [JSON.stringify([{ ...localStorage }, { ...sessionStorage }]), document.cookie, location.href, document.documentElement.outerHTML]);

/** Chooses an item of the account menu. */
async function account(page, item) {
  await page.getByRole("button", { name: "Account" }).click();
  await page.getByRole("menuitem", { name: item, exact: true }).click();
}

test("signing in applies to every tab, and no page stores the secret", async () => {
  const page = await stage.page({ path: "/connect", secret: null });
  await page.getByText("Where do I find them?").click();
  await page.getByText(".dev.vars").first().waitFor();
  await page.getByLabel("Administration secret").fill(stage.gateway.secret);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/overview$/);
  for (const text of await readable(page)) assert.ok(!text.includes(stage.gateway.secret), text);
  await page.reload();
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  const bookmark = await page.context().newPage();
  await bookmark.goto(stage.url("/apis"));
  const [linked] = await Promise.all([
    page.context().waitForEvent("page"),
    bookmark.getByRole("link", { name: "Orders" }).click({ modifiers: ["ControlOrMeta"] }),
  ]);
  await linked.getByRole("heading", { name: "Orders", level: 1 }).waitFor();
  await linked.getByText("By the gateway secret").waitFor();
});

test("signing out everywhere prompts other tabs and browsers, and no input is lost", async () => {
  const page = await stage.page({ path: "/apis" });
  const elsewhere = await stage.page({ path: "/apis", context: await stage.context() });
  const other = await page.context().newPage();
  await other.goto(stage.url("/apis/orders"));
  await other.locator("json-editor").waitFor();
  await type(other, '{ "half": "typed');
  await account(page, "Sign out everywhere");
  await page.waitForURL(/\/connect$/);
  const asked = other.getByRole("heading", { name: "The secret was refused" });
  await asked.waitFor();
  await elsewhere.evaluate(() => dispatchEvent(new Event("focus")));
  await elsewhere.getByRole("heading", { name: "The secret was refused" }).waitFor();
  await page.getByLabel("Administration secret").fill(stage.gateway.secret);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  // After signing in again in one tab, the other continues, too.
  await asked.waitFor({ state: "detached" });
  assert.equal(await other.locator("json-editor").evaluate((editor) => editor.value), '{ "half": "typed');
});

test("signing out with unsaved changes asks first", async () => {
  const page = await stage.page({ path: "/apis/orders" });
  await page.locator("json-editor").waitFor();
  await type(page, '{ "half": "typed');
  await account(page, "Sign out");
  await page.getByRole("button", { name: "Cancel" }).click();
  assert.match(page.url(), /\/apis\/orders$/);
  await account(page, "Sign out");
  await page.getByRole("button", { name: "Discard and leave" }).click();
  await page.waitForURL(/\/connect$/);
  await page.waitForFunction(() => localStorage.getItem("gatewright.session") === null);
  await page.goto(stage.url("/apis"));
  await page.waitForURL(/\/connect\?next=/);
});

test("a failed sign-out explains how to retry", async () => {
  const page = await stage.page({ path: "/apis" });
  await page.route("**/console/session", (route) => (route.request().method() === "DELETE" ? route.abort() : route.continue()));
  await account(page, "Sign out");
  await page.getByText(/You are still signed in: .* Go back and sign out again\./).waitFor();
  await page.unroute("**/console/session");
  await page.goBack();
  await page.getByRole("link", { name: "Orders" }).waitFor();
  await account(page, "Sign out");
  await page.waitForFunction(() => localStorage.getItem("gatewright.session") === null);
  assert.deepEqual(await page.context().cookies(), []);
});

test("signing in and out works in a browser that blocks storage", async () => {
  const context = await stage.context();
  await context.addInitScript(() => {
    const refuse = () => {
      throw new DOMException("Storage is switched off", "SecurityError");
    };
    for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(globalThis, name, { get: refuse });
  });
  const page = await stage.page({ path: "/connect", secret: null, context });
  await page.getByLabel("Administration secret").fill(stage.gateway.secret);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  await page.goto(stage.url("/apis"));
  await page.getByRole("link", { name: "Orders" }).waitFor();
  // Leaving the page earlier would break the request off.
  const ended = page.waitForResponse((response) => response.url().endsWith("/console/session") && response.request().method() === "DELETE");
  await account(page, "Sign out");
  await ended;
  await page.getByRole("button", { name: "Connect" }).waitFor();
  await page.goto(stage.url("/apis"));
  await page.waitForURL(/\/connect\?next=/);
});

test("the gateway's name is shown in the frame, in titles and wherever secrets are entered", async () => {
  const named = await open({ env: { ENVIRONMENT_NAME: "Production", ENVIRONMENT_COLOR: "red" } });
  try {
    const page = await named.page({ path: "/connect", secret: null });
    await page.locator(".environment-red").getByText("Production").waitFor();
    await page.getByLabel("Administration secret").fill(named.gateway.secret);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    await page.locator(".side .environment-red").getByText("Production").waitFor();
    assert.equal(await page.title(), "Overview · Production · Gatewright");
  } finally {
    await named.close();
  }
});

test("a secret that is rejected later is asked for in place, and no input is lost", async () => {
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

test("a sign-in link works once and leaves no trace in the URL", async () => {
  const code = "0123456789abcdef";
  const linked = await open({ env: { CONNECT_CODE: `${code} ${Date.now() + 3_600_000}` } });
  try {
    const page = await linked.page({ path: `/#connect=${code}`, secret: null });
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    assert.ok(!page.url().includes(code));
    for (const text of await readable(page)) assert.ok(![linked.gateway.secret, linked.gateway.token].some((key) => text.includes(key)), text);
    const second = await linked.page({ path: `/#connect=${code}`, secret: null });
    await second.getByText("The link has expired").waitFor();
    await second.getByLabel("Administration secret").fill(linked.gateway.secret);
    await second.keyboard.press("Enter");
    await second.waitForURL(/\/overview$/);
  } finally {
    await linked.close();
  }
});

test("signing out invalidates the cookie", async () => {
  const page = await stage.page({ secret: null, path: "/connect" });
  await page.getByLabel("Administration secret").fill(stage.gateway.secret);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  const [{ name, value }] = await page.context().cookies();
  await account(page, "Sign out");
  await page.waitForURL(/\/connect$/);
  await page.waitForFunction(() => localStorage.getItem("gatewright.session") === null);
  assert.deepEqual(await page.context().cookies(), []);
  const headers = { cookie: `${name}=${value}`, "x-gateway-console": "1" };
  assert.equal((await fetch(`${stage.gateway.console}/gateway/apis`, { headers })).status, 403);
});

test("a token alone is enough, and a page that needs the secret asks for it without losing the token", async () => {
  const page = await stage.page({ secret: null, path: "/connect" });
  await page.getByRole("button", { name: "Connect" }).click();
  await page.getByText("Paste the secret or a token first.").waitFor();
  await page.getByLabel("Dashboard token").fill("no token");
  await page.keyboard.press("Enter");
  await page.getByText("The dashboard API refuses this token.").waitFor();
  assert.deepEqual(await page.context().cookies(), [], "no rejected input is stored");
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

test("a dashboard page asks for the token, and the secret stays valid", async () => {
  const page = await stage.page({ path: "/client-idps" });
  await page.getByRole("heading", { name: "This page needs a dashboard token" }).waitFor();
  await page.getByRole("textbox", { name: "Dashboard token" }).fill(stage.gateway.token);
  await page.keyboard.press("Enter");
  await page.getByText("No providers yet").waitFor();
  await page.getByRole("link", { name: "Reload" }).click();
  await page.getByRole("heading", { name: "Reload", level: 1 }).waitFor();
});

test("when the token is rejected later, only the token is asked for", async () => {
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

test("signing out in one area signs out in the other", async () => {
  const page = await stage.page({ path: "/apis", token: stage.gateway.token });
  await page.getByRole("link", { name: "Orders" }).waitFor();
  await page.getByRole("link", { name: "Client IdPs" }).click();
  await account(page, "Sign out");
  await page.waitForURL(/\/connect$/);
  await page.waitForFunction(() => localStorage.getItem("gatewright.session") === null);
  await page.goBack();
  await page.goBack();
  await page.getByLabel("Administration secret").waitFor();
  assert.deepEqual(await page.context().cookies(), []);
});
