// The reference: members by type and by search, addresses of single members, and the administration API.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { definition, open, pointAt } from "./console.mjs";
import { look, onNarrowest } from "./look.mjs";

let stage;
before(async () => (stage = await open({ fixtures: [definition("Orders")] })));
after(() => stage.close());

const search = (page) => page.getByRole("searchbox", { name: "Search the reference" });

test("members can be browsed by type, searched and linked to", async () => {
  const page = await stage.page({ path: "/reference" });
  await page.getByRole("heading", { name: "ApiDefinition" }).waitFor();
  await page.getByRole("row", { name: /^proxy required/ }).getByRole("link", { name: "ProxyConfig" }).click();
  await page.getByRole("heading", { name: "ProxyConfig" }).waitFor();
  await page.getByRole("link", { name: "ApiDefinition", exact: true }).click();
  await page.getByRole("heading", { name: "ApiDefinition" }).waitFor();
  await page.goBack();
  await page.getByRole("link", { name: "listen_path", exact: true }).click();
  await page.waitForURL(/type=ProxyConfig&at=listen_path$/);
  await page.reload();
  const pointed = page.locator("tr.pointed");
  await pointed.getByText("listen_path", { exact: true }).waitFor();
  assert.equal(await pointed.evaluate((row) => row.getBoundingClientRect().top < innerHeight), true);
  await search(page).fill("no such member");
  await page.getByText("Nothing matches").waitFor();
  await search(page).fill("quota_max");
  // It is a member of other documents.
  await page.getByRole("link", { name: "Session", exact: true }).click();
  await page.getByRole("row", { name: /^quota_max/ }).getByText("enforced", { exact: true }).waitFor();
});

test("the operations of the administration API can be found", async () => {
  const page = await stage.page({ path: "/reference?of=api&q=reload%20status" });
  await page.getByRole("heading", { name: "GET /gateway/reload/status", exact: true }).waitFor();
  await search(page).fill("post oas/import");
  const found = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "POST /gateway/apis/oas/import", exact: true }) });
  await found.getByText("Parameters").click();
  await found.getByText("Validate and return what would happen, without storing anything").waitFor();
  // Words of the API are code, also in texts.
  await search(page).fill("get health/figures");
  const figures = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "GET /gateway/health/figures", exact: true }) });
  await figures.getByText("Parameters").click();
  const period = figures.getByText("Period up to now, by default");
  assert.equal(await period.textContent(), "Period up to now, by default 1h");
  assert.equal(await period.locator("code").textContent(), "1h");
});

test("the operations can be read without the secret, like their OpenAPI document", async () => {
  const page = await stage.page({ path: "/reference?of=api&q=reload%20status", secret: null, token: stage.gateway.token });
  await page.getByRole("heading", { name: "GET /gateway/reload/status", exact: true }).waitFor();
});

test("shortcuts, palette and hover texts lead to the reference", async () => {
  const page = await stage.page();
  await page.keyboard.press("?");
  await page.getByRole("link", { name: "Reference of all members and of the administration API" }).click();
  await page.getByRole("heading", { level: 1, name: "Reference" }).waitFor();
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Find anything, or say what to do" }).fill("documentation");
  await page.getByRole("option", { name: /Reference/ }).waitFor();
  await page.goto(stage.url("/apis/orders?view=json"));
  const more = page.locator("json-editor").getByRole("link", { name: "Reference" });
  await pointAt(page, page.locator("json-editor .cm-line", { hasText: "listen_path" }).getByText("listen_path").first(), more);
  assert.match(await more.getAttribute("href"), /\/console\/reference\?of=api_definition&path=proxy\.listen_path$/);
});

test("F1 and the link beside a field lead from form and text to the member", async () => {
  const page = await stage.page({ path: "/apis/orders?view=form" });
  const opened = async (act) => {
    const [other] = await Promise.all([page.context().waitForEvent("page"), act()]);
    await other.getByRole("heading", { level: 1, name: "Reference" }).waitFor();
    const url = other.url();
    await other.close();
    return url.replace(/.*\?/, "");
  };
  const field = page.locator('.form [data-pointer="/use_keyless"]');
  await field.focus();
  assert.equal(await opened(() => page.keyboard.press("F1")), "of=api_definition&type=ApiDefinition&at=use_keyless");
  const link = page.getByRole("link", { name: "Reference: use_keyless" });
  assert.equal(await link.getAttribute("tabindex"), "-1", "not in the tab order");
  assert.equal(await opened(() => link.click()), "of=api_definition&type=ApiDefinition&at=use_keyless");
  await page.getByRole("radio", { name: "JSON", exact: true }).check();
  await page.locator("json-editor .cm-line", { hasText: "listen_path" }).getByText("listen_path").first().click();
  assert.equal(await opened(() => page.keyboard.press("F1")), "of=api_definition&path=proxy.listen_path");
});

test("the reference fits any screen", async () => {
  for (const [name, query] of [["members", "?of=policy"], ["api", "?of=api&q=reload"]]) {
    for (const width of [1280, 390]) {
      const page = await stage.page({ path: `/reference${query}`, width, theme: width < 600 ? "dark" : "light" });
      await page.getByText(/^\d+ (members|operations)$/).waitFor();
      await look(page, `reference-${name}-${width}`);
      if (width < 600) await onNarrowest(page, `reference-${name}`);
    }
  }
});
