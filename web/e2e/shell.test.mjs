// The frame around the pages: the policy, the first paint, themes, the connection.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { definition, open } from "./console.mjs";

let stage;
before(async () => {
  stage = await open({ fixtures: [definition("Orders"), definition("Payments")] });
});
after(() => stage.close());

test("the page has a strict content security policy, and nothing inline or third-party", async () => {
  const answer = await fetch(stage.url("/apis/some-id"));
  const policy = answer.headers.get("content-security-policy");
  for (const part of ["default-src 'none'", "script-src 'self' 'wasm-unsafe-eval'", "style-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"]) {
    assert.ok(policy.includes(part), policy);
  }
  assert.ok(!policy.includes("unsafe-inline"), policy);
  const html = await answer.text();
  assert.ok(!/<script(?![^>]*\bsrc=)/.test(html) && !/<style|\sstyle=/.test(html), html);
  assert.ok(!/(src|href|content)="(https?:)?\/\//.test(html), html);
});

test("a skeleton is shown before any script has run, and replaced afterwards", async () => {
  const context = await stage.browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(stage.url("/apis"));
  assert.ok(await page.locator("#skeleton .bone").first().isVisible());
  assert.ok(await page.locator("#skeleton").getByText("Gatewright", { exact: true }).isVisible());
  assert.ok(await page.locator("noscript strong").isVisible());
  await context.close();
  const started = await stage.page();
  assert.equal(await started.locator("#skeleton").count(), 0);
});

test("a module that fails to load is reported on the page", async () => {
  const context = await stage.browser.newContext();
  const page = await context.newPage();
  await page.route("**/*.wasm", (route) => route.abort());
  await page.goto(stage.url("/apis"));
  await page.getByText("The console could not be started.").waitFor();
  await context.close();
});

test("neither the editor nor the palette is part of the first load", async () => {
  const page = await stage.page();
  await page.locator("tbody tr").first().waitFor();
  const loaded = await page.evaluate(() => performance.getEntriesByType("resource").map((entry) => entry.name));
  assert.deepEqual(loaded.filter((name) => /editor|palette/.test(name)), []);
});

test("without the editor's module a definition can still be edited and stored", async () => {
  await stage.store(definition("Plain"));
  const page = await stage.page();
  await page.route("**/json-editor-*.js", (route) => route.abort());
  await page.getByRole("link", { name: "Plain" }).click();
  const field = page.getByRole("textbox", { name: "API definition" });
  await field.fill(JSON.stringify(definition("Plain", { tags: ["plain"] })));
  await page.getByRole("button", { name: "Review & save" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved as revision 2.").waitFor();
});

test("the chosen theme is remembered and applied before the first paint", async () => {
  const page = await stage.page({ theme: "light" });
  const background = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await background();
  await page.getByRole("radio", { name: "Dark" }).check();
  const dark = await background();
  assert.notEqual(dark, light);
  await page.route("**/start-*.js", (route) => route.abort());
  await page.goto(stage.url("/apis"));
  assert.equal(await background(), dark, "before the console has started");
  await page.unroute("**/start-*.js");
  await page.goto(stage.url("/apis"));
  await page.getByRole("radio", { name: "System" }).check();
  assert.equal(await background(), light);
  await page.emulateMedia({ colorScheme: "dark" });
  assert.equal(await background(), dark, "follows the system");
});

test("the shortcut list opens by key, but not while typing", async () => {
  const page = await stage.page();
  await page.getByRole("searchbox", { name: "Search APIs" }).press("?");
  assert.equal(await page.getByRole("dialog").count(), 0);
  await page.getByRole("searchbox", { name: "Search APIs" }).fill("");
  await page.getByRole("heading", { level: 1 }).focus();
  await page.keyboard.press("?");
  await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

test("being offline and an unresponsive gateway are reported", async () => {
  const page = await stage.page();
  await page.locator("tbody tr").first().waitFor();
  await page.context().setOffline(true);
  await page.getByText("You are offline.").waitFor();
  await page.context().setOffline(false);
  await page.getByText("You are offline.").waitFor({ state: "detached" });
  await page.route("**/gateway/**", (route) => route.abort());
  await page.getByRole("searchbox", { name: "Search APIs" }).fill("o");
  await page.getByText("The gateway can't be reached").waitFor();
  await page.unroute("**/gateway/**");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("link", { name: "Orders" }).waitFor();
});

test("a gateway that accepts a request and never answers is reported, and asked again", async () => {
  const page = await stage.page({ path: "/reload", polls: false });
  await page.clock.install();
  await page.route("**/gateway/apis?*", () => {});
  const asked = page.waitForRequest("**/gateway/apis?*");
  await page.getByRole("link", { name: "APIs", exact: true }).click();
  const first = await asked;
  await page.getByRole("status").filter({ hasText: "Loading the APIs" }).waitFor();
  await page.clock.fastForward(9000);
  const failure = page.locator("main .failure");
  await failure.getByText("It has not answered for 8 seconds.").waitFor();
  assert.equal(await page.locator("main .bone").count(), 0);
  // Asked again, it hangs again; this request is broken off. The console may also ask on its own before the click, which
  // then breaks that request off.
  const again = page.waitForRequest("**/gateway/apis?*");
  const aborted = again.then((second) => page.waitForEvent("requestfailed", (request) => request === second));
  await failure.getByRole("button", { name: "Try again" }).click();
  assert.notEqual(await again, first);
  await page.clock.fastForward(9000);
  await aborted;
  await page.unroute("**/gateway/apis?*");
  await failure.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("link", { name: "Orders" }).waitFor();
});

test("a session that can't be looked up does not keep the console from starting", async () => {
  const page = await stage.page();
  await page.clock.install();
  await page.route("**/console/session", () => {});
  await page.reload({ waitUntil: "commit" });
  await page.clock.fastForward(9000);
  await page.getByRole("link", { name: "Orders" }).waitFor();
});

test("the rows of a list are requested before its module has loaded, once, with the same path", async () => {
  for (const [path, asks] of [
    ["/apis", "/gateway/apis?"],
    ["/apis?q=%20o%27r+d&tag=a%26b&state=live&sort=-updated_at&p=2&per_page=100", "/gateway/apis?"],
    ["/openapi?q=x", "/gateway/apis?"],
    ["/mcp", "/gateway/apis?"],
    ["/keys?sort=alias&tag=a&p=3", "/gateway/keys?"],
    ["/webhooks?q=(x)!*", "/api/hooks?"],
    ["/client-idps", "/api/clientidps?"],
    ["/rulesets?sort=name", "/api/rulesets?"],
  ]) {
    const page = await stage.page({ path: "/overview", token: stage.gateway.token });
    const sent = [];
    page.on("request", (request) => sent.push(request.url().slice(stage.gateway.console.length)));
    await page.goto(stage.url(path));
    await page.getByRole("region", { name: "Results" }).locator("table, .empty").waitFor();
    const rows = sent.filter((url) => url.startsWith(asks) && !/per_page=1(&|$)/.test(url));
    assert.equal(rows.length, 1, `${path}: ${rows}`);
    const module = sent.findIndex((url) => url.endsWith(".wasm"));
    assert.ok(sent.indexOf(rows[0]) < module, `${path}: ${sent}`);
    await page.close();
  }
});

test("a failure shows its request id and can be retried", async () => {
  const page = await stage.page({ path: "/reload" });
  await page.route("**/gateway/apis?*", (route) => route.fulfill({ status: 500, headers: { "x-request-id": "r-7" }, body: "oops" }));
  await page.getByRole("link", { name: "APIs", exact: true }).click();
  const failure = page.locator("main .failure");
  await failure.getByText("r-7").waitFor();
  await page.unroute("**/gateway/apis?*");
  await failure.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("link", { name: "Orders" }).waitFor();
});

test("page changes are announced, a skip link leads to the content, and unknown URLs get a 404 page", async () => {
  // Between pages of one module: another module loads a new document.
  const page = await stage.page({ path: "/overview" });
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Try it" }).click();
  await page.getByRole("status").filter({ hasText: /^Try it$/ }).waitFor({ state: "attached" });
  assert.equal(await page.title(), "Try it · Gatewright");
  // The tabs of a document share its heading, but not its title.
  await page.goto(stage.url("/apis/orders"));
  await page.getByRole("heading", { level: 1, name: "Orders", exact: true }).waitFor();
  await page.getByRole("link", { name: "Chain" }).click();
  await page.getByRole("status").filter({ hasText: /^Orders · Chain$/ }).waitFor({ state: "attached" });
  assert.equal(await page.title(), "Orders · Chain · Gatewright");
  await page.goto(stage.url("/no/such/page"));
  await page.getByRole("heading", { level: 1, name: "Page not found" }).waitFor();
  await page.keyboard.press("Tab");
  assert.equal(await page.evaluate(() => document.activeElement.textContent), "Skip to the content");
});

test("a page is announced by the name of its document once that has loaded", async () => {
  const page = await stage.page({ path: "/apis" });
  let release;
  const released = new Promise((done) => (release = done));
  await page.route("**/gateway/apis/orders?*", (route) => released.then(() => route.continue()));
  await page.getByRole("link", { name: "Orders", exact: true }).click();
  const announced = (text) => page.getByRole("status").filter({ hasText: text }).waitFor({ state: "attached" });
  await announced(/^orders · Definition$/);
  release();
  await announced(/^Orders · Definition$/);
  assert.equal(await page.title(), "Orders · Definition · Gatewright");
});

test("on a narrow screen the navigation is a drawer", async () => {
  const page = await stage.page({ width: 390 });
  await page.getByRole("button", { name: "Menu" }).click();
  await page.getByRole("dialog").getByRole("link", { name: "Reload" }).click();
  await page.waitForURL(/\/reload$/);
  await page.getByRole("dialog").waitFor({ state: "detached" });
});

test("each page is titled as the menu calls it", async () => {
  const page = await stage.page({ path: "/overview" });
  const menu = page.getByRole("navigation", { name: "Pages" });
  const entries = await menu.getByRole("link").evaluateAll((links) => links.map((link) => [link.getAttribute("href"), link.querySelector("span").textContent]));
  assert.ok(entries.length > 15);
  for (const [href, name] of entries) {
    await menu.locator(`a[href="${href}"]`).click();
    await page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
    await page.waitForFunction((title) => document.title === title, `${name} · Gatewright`);
  }
});
