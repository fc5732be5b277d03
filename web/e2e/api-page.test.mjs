// The page of an API apart from editing: charts, audit, download, copy, the active switch, and the served revision.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { definition, open } from "./console.mjs";
import { look, onNarrowest } from "./look.mjs";

let stage;
before(async () => {
  stage = await open({ fixtures: [definition("Orders"), definition("Payments")] });
});
after(() => stage.close());

async function menu(page, item) {
  await page.getByRole("button", { name: "More actions" }).click();
  const found = page.getByRole("menuitem", { name: item, exact: true });
  await found.waitFor();
  return found;
}

test("the API's menu leads to its charts and its audit entries", async () => {
  const page = await stage.page({ path: "/apis/orders", token: stage.gateway.token });
  await (await menu(page, "Charts")).click();
  await page.waitForURL(/\/overview\?window=24h&api=orders$/);
  await page.goto(stage.url("/apis/orders"));
  await (await menu(page, "Audit entries")).click();
  await page.waitForURL(/\/audit\?id=orders$/);
  await page.getByRole("heading", { name: "Audit", level: 1 }).waitFor();
});

test("an API is downloaded as stored, and copied into a new one", async () => {
  const page = await stage.page({ path: "/apis/orders" });
  const stored = await stage.admin("GET", "/gateway/apis/orders?complete=false");
  const [file] = await Promise.all([page.waitForEvent("download"), menu(page, "Download").then((item) => item.click())]);
  assert.equal(file.suggestedFilename(), "orders.json");
  assert.equal(readFileSync(await file.path(), "utf8"), stored.text);
  await (await menu(page, "Duplicate")).click();
  await page.waitForURL(/\/apis\/new$/);
  await page.getByRole("button", { name: "Review & save" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("heading", { name: "Orders (copy)", level: 1 }).waitFor();
  const { json } = await stage.admin("GET", "/gateway/apis");
  const copy = json.find(({ name }) => name === "Orders (copy)");
  assert.equal(copy.proxy.listen_path, "/orders-copy/");
  assert.notEqual(copy.api_id, "orders");
});

test("an API is switched on and off from its page, and the served revision is marked", async () => {
  const page = await stage.page({ path: "/apis/payments" });
  await (await menu(page, "Deactivate")).click();
  await page.getByText(/^Deactivated “Payments”/).waitFor();
  await menu(page, "Activate");
  await page.getByRole("menuitem", { name: "Activate", exact: true }).click();
  await page.getByText(/^Activated “Payments”/).waitFor();
  await page.getByRole("link", { name: "Revisions", exact: true }).first().click();
  const row = (number) => page.locator(".revision", { hasText: `#${number}` });
  await row(1).getByText("Served", { exact: true }).waitFor();
  await row(3).getByText("Latest", { exact: true }).waitFor();
  await look(page, "api-revisions-served");
  await stage.reload();
  await page.reload();
  await row(3).getByText("Served", { exact: true }).waitFor();
  const middle = (element) => element.evaluate((element) => { const { top, height } = element.getBoundingClientRect(); return top + height / 2; });
  const apart = (await middle(row(3).getByText("Served", { exact: true }))) - (await middle(row(3).locator(".revision-number")));
  assert.ok(Math.abs(apart) < 2, "both marks share one line with the number");
  assert.equal(await page.locator(".revision").getByText("Served", { exact: true }).count(), 1);
});

test("any two revisions can be compared, and the URL records which", async () => {
  for (const tag of ["one", "two", "three"]) await stage.admin("PUT", "/gateway/apis/orders", { body: definition("Orders", { tags: [tag] }) });
  const page = await stage.page({ path: "/apis/orders/revisions" });
  await page.getByRole("link", { name: "Compare two of them" }).click();
  await page.waitForURL(/\/compare\/apis\/orders$/);
  const caption = (from, to) => page.locator(".diff-caption").getByText(`From revision ${from} to revision ${to}`);
  await caption(3, 4).waitFor();
  const from = page.getByRole("combobox", { name: /^From/ });
  await from.selectOption("1");
  await page.getByRole("combobox", { name: /^To/ }).selectOption("3");
  await caption(1, 3).waitFor();
  await page.getByRole("region", { name: "Differences" }).getByText('"two"').waitFor();
  await page.waitForURL((url) => url.search === "?from=1&to=3");
  await look(page, "revisions-compared");
  await page.reload();
  await caption(1, 3).waitFor();
  // The field keeps the focus while its entries are stepped through by keyboard.
  await from.focus();
  await page.keyboard.press("ArrowUp");
  await caption(2, 3).waitFor();
  assert.equal(await from.evaluate((field) => field === document.activeElement), true);
  await page.getByRole("button", { name: "Swap" }).click();
  await caption(3, 2).waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  await look(page, "revisions-compared-390");
  await onNarrowest(page, "revisions-compared");
  await page.getByRole("link", { name: "orders" }).click();
  await page.waitForURL(/\/apis\/orders\/revisions$/);
});

test("an API's page shows its latest notifications and links to all of them", async () => {
  const page = await stage.page({ path: "/apis/orders", token: stage.gateway.token });
  const card = page.locator("section", { has: page.getByRole("heading", { name: "Notifications", level: 2 }) });
  await card.getByText("ApiUpdated").first().waitFor();
  await card.getByRole("link", { name: "All notifications of this API" }).click();
  await page.waitForURL(/\/notifications\?about=orders$/);
  await page.getByRole("row", { name: /ApiUpdated/ }).first().waitFor();
  assert.equal(await page.locator("tbody tr", { hasText: "Payments" }).count(), 0);
  await page.getByRole("button", { name: "About everything" }).click();
  await page.locator("tbody tr", { hasText: "Payments" }).first().waitFor();
  const bare = await stage.page({ path: "/apis/orders" });
  await bare.getByText("Notifications: a dashboard token is needed to see them.").waitFor();
});
