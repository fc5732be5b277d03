// The cache of an API: its hit rate, its settings, and clearing it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { definition, open } from "./console.mjs";

let stage;
before(async () => {
  stage = await open();
  const upstream = { target_url: stage.upstream.url };
  await stage.store(definition("Quotes", { cache_options: { enable_cache: true, cache_all_safe_requests: true, cache_timeout: 3600 } }, upstream));
  await stage.store(definition("Live feed", {}, upstream));
  const rules = {
    use_extended_paths: true,
    extended_paths: {
      cache: ["/list"],
      advance_cache_config: [{ method: "POST", path: "/search", timeout: 90, cache_key_regex: "id=\\d+", cache_response_codes: [200] }],
    },
  };
  const options = { enable_cache: true, enable_upstream_cache_control: true, cache_by_headers: ["Accept-Language"], cache_response_codes: [200, 404] };
  await stage.store({ ...definition("Catalogue", { cache_options: options }, upstream), version_data: { not_versioned: true, versions: { Default: { name: "Default", ...rules } } } });
  await stage.store(definition("Idle", { cache_options: { enable_cache: true } }, upstream));
  await stage.reload();
});
after(() => stage.close());

const call = async (path, options) => {
  const answer = await fetch(stage.gateway.gateway + path, options);
  await answer.text();
  return answer.headers.get("x-gateway-cached-response") === "1";
};
/** Waits until one of the page's totals has a value. */
const shows = (page, name, text) =>
  page
    .locator(".figures > div")
    .filter({ has: page.getByText(name, { exact: true }) })
    .locator("dd")
    .first()
    .filter({ hasText: new RegExp(`^${text}$`) })
    .waitFor();

test("hits and misses are shown as numbers, chart and table, and the URL records the window", async () => {
  for (let sent = 0; sent < 4; sent += 1) await call("/quotes/x");
  await call("/quotes/x", { method: "POST", body: "y" });
  const page = await stage.page({ path: "/apis/quotes" });
  await page.getByRole("navigation", { name: "Parts of the API" }).getByRole("link", { name: "Cache" }).click();
  await page.waitForURL("**/apis/quotes/cache");
  await page.getByRole("heading", { name: "Quotes", level: 1 }).waitFor();
  assert.equal(await page.getByRole("link", { name: "Cache" }).getAttribute("aria-current"), "page");
  await shows(page, "Hits", "3");
  await shows(page, "Misses", "1");
  await shows(page, "Share of hits", "75 %");
  await shows(page, "Not cacheable", "1");
  const plot = page.getByRole("slider", { name: /^Share of hits\./ });
  assert.equal(await plot.getAttribute("aria-valuetext"), "The whole time shown: Hits 75 %");
  await page.getByRole("button", { name: "Show as a table" }).click();
  const table = page.getByRole("table", { name: /Hits and misses over time/ });
  assert.equal(await table.locator("tbody tr").count(), 60);
  await table.getByRole("row", { name: /75 %/ }).waitFor();
  await page.getByRole("radio", { name: "24 hours" }).check();
  await page.waitForURL("**/apis/quotes/cache?window=24h");
  await shows(page, "Hits", "3");
  await page.reload();
  await shows(page, "Hits", "3");
  await page.getByRole("link", { name: "Definition" }).click();
  await page.waitForURL("**/apis/quotes");
});

test("emptying the cache asks for confirmation and reports the outcome", async () => {
  await call("/quotes/kept");
  assert.equal(await call("/quotes/kept"), true);
  const page = await stage.page({ path: "/apis/quotes/cache" });
  const ask = page.getByRole("button", { name: "Empty the cache…" });
  await ask.click();
  const dialog = page.getByRole("dialog", { name: "Empty the cache of “Quotes”?" });
  // The safe choice has the focus.
  assert.equal(await dialog.getByRole("button", { name: "Cancel" }).evaluate((button) => button === document.activeElement), true);
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  assert.equal(await call("/quotes/kept"), true, "not purged without confirmation");
  await ask.click();
  await dialog.getByRole("button", { name: "Empty it" }).click();
  await page.getByRole("status").filter({ hasText: /The cache was emptied at \d\d:\d\d:\d\d\. Nothing cached before that is served any more\./ }).waitFor();
  assert.equal(await dialog.count(), 0);
  assert.equal(await call("/quotes/kept"), false, "the next request goes to the upstream");
});

test("a failure to empty the cache shows the reason and can be retried", async () => {
  const page = await stage.page({ path: "/apis/quotes/cache" });
  let tries = 0;
  await page.route("**/gateway/cache/quotes", (route) => {
    tries += 1;
    // An answer: a lost connection is no failure any more once another request is answered.
    return tries === 1 ? route.fulfill({ status: 503, json: { status: "error", message: "KV is away" } }) : route.continue();
  });
  await page.getByRole("button", { name: "Empty the cache…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Empty it" }).click();
  await dialog.getByRole("alert").getByText("KV is away").waitFor();
  await dialog.getByRole("button", { name: "Empty it" }).click();
  await page.getByText(/The cache was emptied at/).waitFor();
  assert.equal(tries, 2);
});

test("the page shows which responses the definition caches", async () => {
  const page = await stage.page({ path: "/apis/catalogue/cache" });
  const kept = page.getByRole("region", { name: "What is cached" });
  const text = await kept.textContent();
  for (const told of ["The paths below only", "1 min", "200, 404", "Accept-Language", "x-gateway-cache-action-set-ttl"]) assert.ok(text.includes(told), told);
  const rows = kept.getByRole("table").locator("tbody tr");
  assert.deepEqual(await rows.count(), 2);
  assert.match(await rows.nth(0).textContent(), /\/search.*POST.*90 s.*200.*id=/);
  assert.match(await rows.nth(1).textContent(), /\/list.*GET, HEAD, OPTIONS.*1 min.*200, 404/);
  await page.getByRole("heading", { name: "No requests in this window" }).waitFor();
  await kept.getByRole("link", { name: "Change it" }).click();
  await page.locator(".form-top").waitFor();
  assert.equal(new URL(page.url()).searchParams.get("at"), "/cache_options");
});

test("a disabled cache, a cache with nothing to store, and an unknown API", async () => {
  const off = await stage.page({ path: "/apis/live-feed/cache" });
  await off.getByRole("heading", { name: "The cache of this API is off" }).waitFor();
  const idle = await stage.page({ path: "/apis/idle/cache" });
  await idle.getByRole("heading", { name: "The cache is on, but has nothing to cache" }).waitFor();
  const none = await stage.page({ path: "/apis/nobody/cache" });
  await none.getByRole("heading", { name: "There is no such API" }).waitFor();
  assert.equal(await none.getByRole("button", { name: "Empty the cache…" }).count(), 0);
});

test("a definition that awaits a reload is marked", async () => {
  await stage.store(definition("Waits", { cache_options: { enable_cache: true, cache_all_safe_requests: true } }));
  const page = await stage.page({ path: "/apis/waits/cache" });
  await page.getByText("A change of the definition is pending").waitFor();
});
