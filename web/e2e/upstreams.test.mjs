// The upstreams of an API: targets, circuit breakers, and what uptime tests have found.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { definition, open } from "./console.mjs";
import { HEALTH } from "./upstream-health.mjs";

let stage;
before(async () => {
  stage = await open();
  await stage.store(definition("Orders", {}, { target_url: stage.upstream.url }));
  await stage.reload();
});
after(() => stage.close());

/** A page with an answer of the gateway as it is described. */
async function page(change = {}) {
  const context = await stage.context();
  await context.route("**/gateway/health/upstreams/orders", (route) => route.fulfill({ json: { ...HEALTH(), ...change } }));
  return stage.page({ path: "/apis/orders/upstreams", context });
}

test("targets are told with their turns and their state", async () => {
  const shown = await page();
  await shown.getByRole("heading", { name: "Orders", level: 1 }).waitFor();
  const rows = shown.getByRole("table", { name: "Targets of this API" }).locator("tbody tr");
  await rows.first().waitFor();
  assert.equal(await rows.count(), 3);
  assert.match(await rows.nth(0).textContent(), /10\.0\.0\.1:8080\/v2.*2 of 4.*Up/);
  assert.match(await rows.nth(1).textContent(), /10\.0\.0\.2:8080\/v2.*1 of 4.*Down/);
  assert.match(await rows.nth(2).textContent(), /orders\.example\.org.*1 of 4.*Not tested.*–/);
  await shown.getByText("1 of 3 targets down, 1 given a rest").waitFor();
  await shown.getByText("one that its uptime tests find down is passed over").waitFor();
});

test("breakers are told with their state and when they close", async () => {
  const shown = await page();
  const rows = shown.getByRole("table", { name: "Circuit breakers of this API" }).locator("tbody tr");
  await rows.first().waitFor();
  assert.match(await rows.nth(0).textContent(), /GET.*\/orders\/\{id\}.*Open.*7 of 12.*50 % of 5 or more/);
  assert.match(await rows.nth(1).textContent(), /POST.*\/orders.*Closed.*–.*0 of 3/);
});

test("the history is a strip that pointer and arrow keys read, and a table", async () => {
  const shown = await page();
  const strip = shown.getByRole("slider", { name: "What the tests have found" }).first();
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

test("discovery, and no target at all", async () => {
  const discovery = { endpoint: "http://consul:8500/v1/catalog/service/orders", state: "failed", fetched_at: null, targets: [], error: "connection refused" };
  const shown = await page({ discovery, targets: [], breakers: [] });
  await shown.getByRole("heading", { name: "No target is known" }).waitFor();
  const targets = await shown.getByRole("region", { name: "Targets" }).textContent();
  for (const told of ["consul:8500", "Failed", "connection refused"]) assert.ok(targets.includes(told), told);
  await shown.getByText("No path has one").waitFor();
});

test("an API that is not loaded, one that there is not, and a gateway that does not answer", async () => {
  const waits = await page({ loaded: false, targets: [], breakers: [], discovery: null });
  await waits.getByRole("heading", { name: "The gateway does not serve this API yet" }).waitFor();
  const context = await stage.context();
  let answers = false;
  await context.route("**/gateway/health/upstreams/orders", (route) => (answers ? route.fulfill({ json: HEALTH() }) : route.abort()));
  const failing = await stage.page({ path: "/apis/orders/upstreams", context });
  const again = failing.getByRole("button", { name: "Try again" });
  await again.waitFor();
  answers = true;
  await again.click();
  await failing.getByRole("table", { name: "Targets of this API" }).waitFor();
  const none = await stage.page({ path: "/apis/nobody/upstreams" });
  await none.getByRole("heading", { name: "There is no such API" }).waitFor();
});
