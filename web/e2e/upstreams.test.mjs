// The upstreams of an API: targets, circuit breakers, and the results of uptime tests.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { definition, open } from "./console.mjs";
import { HEALTH } from "./upstream-health.mjs";

let stage;
before(async () => {
  stage = await open({ env: { UPTIME_TESTS_TIME_WAIT: "1", UPTIME_TESTS_FAILURE_TRIGGER_SAMPLE_SIZE: "1" } });
  await stage.store(definition("Orders", {}, { target_url: stage.upstream.url }));
  await stage.reload();
});
after(() => stage.close());

/** Opens a page with a given response of the gateway. */
async function page(change = {}) {
  const context = await stage.context();
  await context.route("**/gateway/health/upstreams/orders", (route) => route.fulfill({ json: { ...HEALTH(), ...change } }));
  // Without polls, so that what is read by keyboard stays where it is.
  return stage.page({ path: "/apis/orders/upstreams", context, polls: false });
}

test("targets are shown with their share of turns and their state", async () => {
  const shown = await page();
  await shown.getByRole("heading", { name: "Orders", level: 1 }).waitFor();
  const rows = shown.getByRole("table", { name: "Targets of this API" }).locator("tbody tr");
  await rows.first().waitFor();
  assert.equal(await rows.count(), 3);
  assert.match(await rows.nth(0).textContent(), /10\.0\.0\.1:8080\/v2.*2 of 4.*Up/);
  assert.match(await rows.nth(1).textContent(), /10\.0\.0\.2:8080\/v2.*1 of 4.*Down/);
  assert.match(await rows.nth(2).textContent(), /orders\.example\.org.*1 of 4.*Not tested.*–/);
  await shown.getByText("1 of 3 targets down, 1 open circuit breaker").waitFor();
  await shown.getByText("a target that its uptime tests find down is skipped").waitFor();
});

test("breakers are shown with their state and when they close", async () => {
  const shown = await page();
  const rows = shown.getByRole("table", { name: "Circuit breakers of this API" }).locator("tbody tr");
  await rows.first().waitFor();
  assert.match(await rows.nth(0).textContent(), /GET.*\/orders\/\{id\}.*Open.*7 of 12.*50 % of 5 or more/);
  assert.match(await rows.nth(1).textContent(), /POST.*\/orders.*Closed.*–.*0 of 3/);
});

test("the history is a strip, read by pointer and arrow keys, and a table", async () => {
  const shown = await page();
  const strip = shown.getByRole("slider", { name: "Test results" }).first();
  assert.equal(await strip.getAttribute("aria-valuetext"), "24 of 120 tests have failed");
  await strip.focus();
  await shown.keyboard.press("End");
  assert.match(await strip.getAttribute("aria-valuetext"), /^\d\d:\d\d:\d\d to \d\d:\d\d:\d\d: up, \d+ ms$/);
  await shown.keyboard.press("Home");
  const first = await strip.getAttribute("aria-valuetext");
  await shown.keyboard.press("ArrowRight");
  assert.notEqual(await strip.getAttribute("aria-valuetext"), first);
  await shown.keyboard.press("Escape");
  assert.equal(await strip.getAttribute("aria-valuetext"), "24 of 120 tests have failed");
  const box = await strip.boundingBox();
  const down = await strip.locator(".strip-down").first().boundingBox();
  await shown.mouse.move(down.x + down.width / 2, box.y + 5);
  assert.match(await shown.locator(".strip-says").first().textContent(), /down: no answer within 10 s/);
  const card = shown.getByRole("article", { name: /10\.0\.0\.1/ });
  await card.getByText("80.0 % up").waitFor();
  await card.getByRole("button", { name: "Show as a table" }).click();
  const rows = card.getByRole("table", { name: "Times up and down, the newest first" }).locator("tbody tr");
  assert.deepEqual(await rows.count(), 3);
  assert.match(await rows.nth(1).textContent(), /Down.*24.*–.*no answer within 10 s/);
});

test("failed discovery, and no targets", async () => {
  const discovery = { endpoint: "http://consul:8500/v1/catalog/service/orders", state: "failed", fetched_at: null, targets: [], error: "connection refused" };
  const shown = await page({ discovery, targets: [], breakers: [] });
  await shown.getByRole("heading", { name: "No target is known" }).waitFor();
  const targets = await shown.getByRole("region", { name: "Targets" }).textContent();
  for (const told of ["consul:8500", "Failed", "connection refused"]) assert.ok(targets.includes(told), told);
  await shown.getByText("No path has one").waitFor();
});

test("an unloaded API, an unknown API, and an unresponsive gateway", async () => {
  const waits = await page({ loaded: false, targets: [], breakers: [], discovery: null });
  await waits.getByRole("heading", { name: "The gateway does not serve this API yet" }).waitFor();
  const context = await stage.context();
  let answers = false;
  await context.route("**/gateway/health/upstreams/orders", (route) => (answers ? route.fulfill({ json: HEALTH() }) : route.abort()));
  const failing = await stage.page({ path: "/apis/orders/upstreams", context, polls: false });
  const again = failing.getByRole("button", { name: "Try again" });
  await again.waitFor();
  answers = true;
  await again.click();
  await failing.getByRole("table", { name: "Targets of this API" }).waitFor();
  const none = await stage.page({ path: "/apis/nobody/upstreams" });
  await none.getByRole("heading", { name: "There is no such API" }).waitFor();
});

test("the gateway's own observations are shown: uptime tests, a host that is down, and an open breaker", async () => {
  const up = stage.upstream.url;
  const down = up.replace("127.0.0.1", "localhost");
  const breakers = { use_extended_paths: true, extended_paths: { circuit_breakers: [{ path: "/503", method: "GET", samples: 2, threshold_percent: 0.5, return_to_service_after: 60, disable_half_open_state: true }] } };
  const members = { check_host_against_uptime_tests: true, uptime_tests: { check_list: [{ url: `${up}/ok` }, { url: `${down}/503` }] } };
  await stage.store({
    ...definition("Tested", members, { target_url: up, enable_load_balancing: true, target_list: [up, down], check_host_against_uptime_tests: true }),
    version_data: { not_versioned: true, versions: { Default: { name: "Default", ...breakers } } },
  });
  await stage.reload();
  for (let sent = 0; sent < 4; sent += 1) await (await fetch(`${stage.gateway.gateway}/tested/503`)).text();
  const shown = await stage.page({ path: "/apis/tested/upstreams" });
  const targets = shown.getByRole("table", { name: "Targets of this API" });
  const again = shown.getByRole("button", { name: "Refresh" });
  const deadline = Date.now() + 30_000;
  while ((await targets.getByRole("row", { name: /localhost.*Down/ }).count()) === 0) {
    assert.ok(Date.now() < deadline, await targets.textContent());
    await Promise.all([shown.waitForResponse("**/gateway/health/upstreams/tested"), again.click()]);
  }
  await targets.getByRole("row", { name: /127\.0\.0\.1.*1 of 2.*Up/ }).waitFor();
  await shown.getByRole("table", { name: "Circuit breakers of this API" }).getByRole("row", { name: /\/503.*Open/ }).waitFor();
  const card = shown.getByRole("article", { name: /localhost/ });
  await card.getByText("0.0 % up").waitFor();
  await card.getByRole("button", { name: "Show as a table" }).click();
  await card.getByRole("row", { name: /Down.*status 503/ }).waitFor();
});
