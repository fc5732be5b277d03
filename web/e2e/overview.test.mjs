// The overview: real traffic, pending and invalid APIs, and keys that are close to their limit.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { definition, open } from "./console.mjs";

let stage;
let key;
before(async () => {
  stage = await open();
  const upstream = { target_url: stage.upstream.url };
  await stage.store(definition("Orders", {}, upstream));
  await stage.store(definition("Billing", { use_keyless: false }, upstream));
  await stage.reload();
  const session = { alias: "Partner portal", quota_max: 10, quota_renewal_rate: 3600, access_rights: { billing: { api_id: "billing" } } };
  key = (await stage.admin("POST", "/gateway/keys", { body: session })).json;
});
after(() => stage.close());

/** Sends a number of requests to the data plane. */
async function traffic(path, times, headers = {}) {
  for (let sent = 0; sent < times; sent += 1) await (await fetch(stage.gateway.gateway + path, { headers })).text();
}

/** Finds one of the page's totals. */
const total = (page, name) => page.locator(".figures > div", { hasText: name }).locator("dd").first();
const shows = (locator, text) => locator.filter({ hasText: new RegExp(`^${text}$`) }).waitFor();

test("the console opens with the overview, which is empty at first", async () => {
  const page = await stage.page({ path: "" });
  await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
  assert.equal(new URL(page.url()).pathname, "/console/overview");
  await page.getByRole("heading", { name: "No requests in this window" }).waitFor();
  await page.getByText("No key has used four fifths of its quota.").waitFor();
  assert.equal(await page.getByRole("link", { name: "Overview" }).getAttribute("aria-current"), "page");
});

test("requests, errors and refusals are shown as totals, charts and a list of APIs", async () => {
  await traffic("/orders/x", 7);
  await traffic("/orders/503", 2);
  await traffic("/billing/x", 3);
  await traffic("/billing/x", 9, { Authorization: key.key });
  const page = await stage.page({ path: "/overview" });
  await shows(total(page, "Requests"), "21");
  await shows(total(page, "Errors"), "2");
  await shows(total(page, "Refused"), "3");
  await shows(total(page, "Ledger calls"), "[1-9]");
  const row = page.getByRole("table", { name: "APIs with requests in this window" }).getByRole("row", { name: /Orders/ });
  assert.match(await row.textContent(), /Failing/);
  // By keyboard: the last column has all of it, the previous one nothing.
  const plot = page.getByRole("slider", { name: /^Requests\./ });
  assert.match(await plot.getAttribute("aria-valuetext"), /The whole time shown: Served 16, Refused 3, Errors 2/);
  await plot.focus();
  const values = [];
  for (let step = 0; step < 3; step += 1) {
    await page.keyboard.press("ArrowLeft");
    values.push(await plot.getAttribute("aria-valuetext"));
  }
  assert.ok(values.some((text) => /Served [1-9]/.test(text)), values.join("\n"));
  assert.match(values.at(-1), /^\d\d:\d\d: Served 0/);
  await page.keyboard.press("Escape");
  assert.match(await plot.getAttribute("aria-valuetext"), /^The whole time shown/);
  // By pointer, in all charts at once.
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + box.width - 3, box.y + 20);
  const refusals = page.getByRole("slider", { name: /^Refusals\./ });
  assert.match(await refusals.getAttribute("aria-valuetext"), /^\d\d:\d\d: Key \d/);
  // As a table.
  await page.getByRole("button", { name: "Show as a table" }).click();
  assert.equal(await page.getByRole("table", { name: /figures over time/i }).locator("tbody tr").count(), 60);
});

test("APIs beyond the first ten are shown on demand", async () => {
  const page = await stage.page({ path: "/apis" });
  await page.route("**/health/figures*", async (route) => {
    const response = await route.fetch();
    const body = await response.json();
    const apis = Array.from({ length: 13 }, (_, n) => ({ ...body.apis[0], api_id: `api-${n}`, name: `API ${n}` }));
    await route.fulfill({ response, json: { ...body, apis } });
  });
  await page.goto(stage.url("/overview"));
  const rows = page.getByRole("table", { name: "APIs with requests in this window" }).locator("tbody tr");
  await rows.nth(9).waitFor();
  assert.equal(await rows.count(), 10);
  await page.getByRole("button", { name: "Show 3 more" }).click();
  await rows.nth(12).waitFor();
  assert.equal(await page.getByRole("button", { name: /^Show \d+ more$/ }).count(), 0);
});

test("the selected API and window are kept in the URL", async () => {
  const page = await stage.page({ path: "/overview" });
  await page.getByRole("link", { name: "Charts of Billing" }).click();
  await shows(total(page, "Requests"), "12");
  assert.equal(new URL(page.url()).search, "?window=1h&api=billing");
  await page.getByRole("radio", { name: "15 minutes" }).check();
  await page.waitForURL("**/overview?window=15m&api=billing");
  await shows(total(page, "Requests"), "12");
  await page.reload();
  await shows(total(page, "Requests"), "12");
  assert.equal(await page.getByLabel("Figures of").inputValue(), "billing");
  await page.getByLabel("Figures of").selectOption({ label: "All APIs" });
  await shows(total(page, "Requests"), "21");
  for (const [label, window] of [["24 hours", "24h"], ["7 days", "7d"]]) {
    await page.getByRole("radio", { name: label }).check();
    await page.waitForURL(`**/overview?window=${window}`);
    await shows(total(page, "Requests"), "21");
  }
});

test("the amount of stored data is listed by kind", async () => {
  const page = await stage.page({ path: "/overview" });
  const stored = page.getByRole("region", { name: "Stored" });
  const number = (name) => stored.locator(".figures > div").filter({ has: page.getByText(name, { exact: true }) }).locator("dd").first();
  await shows(number("APIs"), "2");
  await shows(number("Revisions of APIs"), "2");
  await shows(number("Keys and organisations"), "1");
  await shows(number("Database"), "[1-9][\\d.,]* (kB|MB)");
  assert.match(await stored.textContent(), /of 10\.0 GB/);
});

test("a key close to its limit is listed and links to its page", async () => {
  const page = await stage.page({ path: "/overview" });
  const row = page.getByRole("table", { name: "Keys close to their limit" }).getByRole("row", { name: /Partner portal/ });
  assert.match(await row.textContent(), /Billing.*1 of 10 left/);
  assert.equal(await row.getByRole("meter").getAttribute("value"), "1");
  await row.getByRole("link", { name: "Partner portal" }).click();
  await page.getByRole("heading", { name: "Partner portal", level: 1 }).waitFor();
});

test("pending changes can be reloaded from here, and skipped APIs are listed", async () => {
  await stage.store(definition("Waits", {}, { target_url: stage.upstream.url }));
  await stage.store(definition("Unservable", { use_keyless: false, enable_coprocess_auth: true }, { target_url: stage.upstream.url }));
  const page = await stage.page({ path: "/overview" });
  await page.getByText("2 changes are pending.").waitFor();
  await page.getByRole("button", { name: "Reload now" }).click();
  await page.getByText("Reloaded, 1 API skipped.").waitFor();
  const invalid = page.getByRole("region", { name: "Skipped by the last reload" });
  assert.match(await invalid.textContent(), /Unservable.*Not served/s);
});

test("figures refresh by themselves while the page is visible", async () => {
  const page = await stage.page({ path: "/overview" });
  await page.clock.install();
  await page.reload();
  await total(page, "Requests").waitFor();
  const asked = [];
  page.on("request", (request) => request.url().includes("/health/figures") && asked.push(request.url()));
  const see = (state) =>
    page.evaluate((state) => {
      Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
      document.dispatchEvent(new Event("visibilitychange", { bubbles: true }));
    }, state);
  await see("hidden");
  await page.clock.fastForward(30_000);
  assert.deepEqual(asked, []);
  await traffic("/orders/x", 3);
  await see("visible");
  await shows(total(page, "Requests"), "24");
  await traffic("/orders/x", 1);
  await page.clock.fastForward(10_000);
  await shows(total(page, "Requests"), "25");
});

test("if figures can't be fetched, the previous ones stay", async () => {
  const page = await stage.page({ path: "/overview", polls: false });
  await shows(total(page, "Requests"), "25");
  await page.route("**/gateway/health/figures?*", (route) => route.fulfill({ status: 503, headers: { "x-request-id": "r-7" }, body: '{"status":"error","message":"away"}' }));
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
  await page.locator(".failure").getByText("r-7").waitFor();
  await shows(total(page, "Requests"), "25");
  await page.unroute("**/gateway/health/figures?*");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator(".failure").waitFor({ state: "detached" });
});
