// From a red bar to its cause: failures by reason, a sample request of each kind, a part of the chart, and repeating
// the request in Try it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { definition, open } from "./console.mjs";
import { inBothThemes } from "./look.mjs";

const SECRET = "not-to-be-kept-by-anybody";

let stage;
let key;
before(async () => {
  stage = await open();
  const upstream = { target_url: stage.upstream.url };
  await stage.store(definition("Orders", {}, upstream));
  await stage.store(definition("Billing", { use_keyless: false }, upstream));
  await stage.reload();
  const session = { alias: "Partner portal", rate: 1, per: 3600, access_rights: { billing: { api_id: "billing" } } };
  key = (await stage.admin("POST", "/gateway/keys", { body: session })).json;
  const send = async (path, headers = {}) => (await fetch(stage.gateway.gateway + path, { headers })).text();
  for (let sent = 0; sent < 3; sent += 1) await send(`/orders/503?token=${SECRET}`, { "x-secret": SECRET, "x-request-id": "r-1" });
  await send("/orders/reset");
  for (let sent = 0; sent < 3; sent += 1) await send("/billing/x", { Authorization: key.key });
});
after(() => stage.close());

const kinds = (page) => page.getByRole("table", { name: "Failed requests by reason, the most first" });
const requests = (page) => page.getByRole("list", { name: "One request of each kind and minute" });

test("failures are grouped by reason and filtered by one, with the request behind each", async () => {
  const page = await stage.page({ path: "/overview" });
  await kinds(page).getByRole("row", { name: /Upstream: it answered 503/ }).waitFor();
  assert.equal(await kinds(page).locator("tbody tr").count(), 3);
  assert.match(await kinds(page).getByRole("row", { name: /Rate Limit Exceeded/ }).innerText(), /Billing[\s\S]*2/);
  await inBothThemes(page, "failures", 1280, { fullPage: true });
  await page.getByRole("button", { name: "Rate Limit Exceeded", exact: true }).click();
  await page.waitForURL(/api=billing&status=429&reason=Rate%20Limit%20Exceeded/);
  await requests(page).getByRole("button", { name: /GET \/billing\/x/ }).click();
  await page.getByRole("link", { name: "Partner portal" }).waitFor();
  await page.getByRole("button", { name: "Only this key" }).click();
  await page.getByRole("button", { name: "Remove the filter: Key Partner portal" }).waitFor();
  await page.getByRole("button", { name: "Remove the filter: Rate Limit Exceeded" }).click();
  await page.waitForURL((url) => !url.search.includes("reason"));
  await page.getByRole("button", { name: "Show all", exact: true }).click();
  await page.waitForURL((url) => !/status|key/.test(url.search));
  // Filters in the address are restored.
  await page.goto(`${stage.gateway.console}/console/overview?window=1h&status=4xx&path=nowhere`);
  await page.getByText("Nothing that matches these filters has failed.").waitFor();
  assert.equal(await page.getByLabel("Status").inputValue(), "4xx");
});

test("a request names its upstream, shows no secret, and can be sent again", async () => {
  const page = await stage.page({ path: "/overview?api=orders" });
  const open = page.getByRole("button", { name: /GET \/orders\/503/ });
  await open.click();
  assert.equal(await open.getAttribute("aria-expanded"), "true");
  const more = page.locator(".failed-more");
  const host = new URL(stage.upstream.url).host;
  await more.getByText(host).waitFor();
  await more.getByText("token", { exact: true }).waitFor();
  await more.locator("summary").click();
  await more.getByText("not kept").first().waitFor();
  assert.ok(!(await page.content()).includes(SECRET));
  await more.getByRole("button", { name: "Send again in Try it" }).click();
  await page.waitForURL(/\/try\/orders$/);
  const path = page.getByLabel("Path below the listen path");
  await page.waitForFunction((field) => field.value === "/503?token=", await path.elementHandle());
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByRole("region", { name: "Answer" }).getByText("503").first().waitFor();
});

test("part of a chart is selected by keyboard and by dragging", async () => {
  const page = await stage.page({ path: "/overview?window=15m" });
  const plot = page.getByRole("slider", { name: /^Requests\./ });
  await plot.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("Enter");
  await page.waitForURL(/since=\d+&until=\d+/);
  await page.getByText("Nothing that matches these filters has failed.").waitFor();
  await page.getByRole("button", { name: "Remove the filter: The chosen time" }).click();
  await page.waitForURL((url) => !url.search.includes("since"));
  await kinds(page).waitFor();
  const box = await plot.boundingBox();
  await page.mouse.move(box.x + box.width / 2, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width - 2, box.y + 30);
  await page.mouse.up();
  await page.waitForURL(/since=\d+&until=\d+/);
  await kinds(page).getByRole("row", { name: /Upstream: it answered 503/ }).waitFor();
  assert.match(await plot.getAttribute("aria-valuemax"), /^1[45]$/);
  // Latencies of several steps can't be added up, but have a bound.
  for (const latency of ["Latency, average", "Latency, p95"]) await page.locator(".figures > div", { hasText: latency }).getByText(/^≤ [\d.]+ m?s$/).waitFor();
  await page.mouse.move(0, 0);
  const legend = page.locator(".chart", { hasText: "Latency of upstreams" }).locator(".chart-legend strong");
  assert.deepEqual((await legend.allTextContents()).map((text) => /^≤ [\d.]+ m?s$/.test(text)), [true, true]);
});

test("a narrow screen shows the same", async () => {
  const page = await stage.page({ path: "/overview?api=orders&status=503", viewport: { width: 390, height: 800 } });
  // There is one per minute, and the tests above sometimes take longer than that.
  await requests(page).getByRole("button", { name: /GET \/orders\/503/ }).first().click();
  await page.locator(".failed-more").waitFor();
  await inBothThemes(page, "failures", 390, { fullPage: true });
});
