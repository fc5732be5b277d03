// The reload: what will change, doing it, what happened.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { definition, open } from "./console.mjs";

let stage;
before(async () => {
  const fixtures = ["Changed", "Removed", "Same"].map((name) => definition(name, {}, { target_url: "http://127.0.0.1:9/" }));
  stage = await open({ fixtures });
  await stage.store(definition("Brand new", {}, { target_url: stage.upstream.url }));
  await stage.admin("PUT", "/gateway/apis/changed", { body: definition("Changed", {}, { target_url: stage.upstream.url }) });
  await stage.admin("DELETE", "/gateway/apis/removed");
  await stage.admin("POST", "/gateway/policies", { body: { id: "gold", name: "Gold plan", access_rights: {} } });
});
after(() => stage.close());

test("pending changes are listed with their kind, and gone after the reload", async () => {
  const page = await stage.page({ path: "/reload" });
  for (const [name, change] of [["Brand new", "Added"], ["Changed", "Modified"], ["Removed", "Deleted"], ["Gold plan", "Added"]]) {
    await page.getByRole("row", { name: new RegExp(`${name}.*${change}`) }).waitFor();
  }
  assert.equal(await page.getByRole("row").count(), 5, "and nothing else");
  await page.getByRole("button", { name: "Reload now" }).click();
  await page.getByText(/Generation \d+ is in service.*: 3 APIs loaded, none skipped/).waitFor();
  await page.getByText("4 changes applied.").waitFor();
  await page.getByText("Nothing is pending").waitFor();
  const statuses = await Promise.all(["brand-new", "changed", "removed"].map(async (path) => (await fetch(`${stage.gateway.gateway}/${path}/`)).status));
  assert.deepEqual(statuses, [200, 200, 404]);
});

test("the plan says what will be skipped or no longer served, and the reload does just that", async () => {
  // A plugin can never decide here who may call an API.
  const guard = { use_go_plugin_auth: true };
  await stage.store(definition("Guarded", guard));
  await stage.store(definition("Switched off", { active: false }));
  await stage.admin("PUT", "/gateway/apis/same", { body: definition("Same", guard) });
  const page = await stage.page({ path: "/reload" });
  await page.getByText("0 will be served").waitFor();
  await page.getByText("2 will be skipped").waitFor();
  await page.getByText("1 no longer served by this reload").waitFor();
  const rows = await page.locator("tbody tr").allTextContents();
  assert.match(rows[0], /^Same.*No longer served, because authentication by a Go plugin/);
  assert.match(rows[1], /^Guarded.*Will be skipped, because authentication by a Go plugin/);
  assert.match(rows[2], /^Switched off.*Not served: it is switched off/);
  await page.goto(stage.url("/apis/guarded"));
  await page.getByText(/Stored, not loaded\. Will be skipped/).waitFor();
  await page.locator(".facts").getByText(/Not served: authentication by a Go plugin/).waitFor();
  await page.goto(stage.url("/reload"));
  await page.getByRole("button", { name: "Reload now" }).click();
  await page.getByText(/2 skipped\. 1 change applied, 2 not\./).waitFor();
  await page.locator(".side .dot-amber").waitFor();
  await page.locator(".side").getByText("2 loaded, 2 skipped").waitFor();
  for (const id of ["guarded", "switched-off", "same"]) await stage.admin("DELETE", `/gateway/apis/${id}`);
  await stage.reload();
});

test("a policy that is stored waits for a reload, and leads there and back", async () => {
  const page = await stage.page({ path: "/reload" });
  await page.getByText("Nothing is pending").waitFor();
  await stage.admin("PUT", "/gateway/policies/gold", { body: { id: "gold", name: "Gold plan", rate: 1, per: 1, access_rights: {} } });
  await page.reload();
  await page.getByRole("row", { name: /Gold plan.*Modified.*1 → 2/ }).getByRole("link").click();
  await page.waitForURL(/\/console\/policies\/gold$/);
  await stage.admin("GET", "/gateway/reload", { query: { block: "true" } });
});

test("a reload that fails says so, with the request's id", async () => {
  const page = await stage.page({ path: "/reload" });
  await page.route("**/gateway/reload?*", (route) => route.fulfill({ status: 500, headers: { "x-request-id": "r-42" }, body: '{"status":"error","message":"KV is away"}' }));
  await page.getByRole("button", { name: "Reload now" }).click();
  const failure = page.locator(".failure");
  await failure.getByText("KV is away").waitFor();
  assert.match(await failure.textContent(), /r-42/);
});
