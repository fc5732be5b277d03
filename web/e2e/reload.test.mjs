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
  await page.getByText(/Generation \d+ is in service: 3 APIs loaded, none skipped/).waitFor();
  await page.getByText("4 changes applied.").waitFor();
  await page.getByText("Nothing is pending").waitFor();
  const statuses = await Promise.all(["brand-new", "changed", "removed"].map(async (path) => (await fetch(`${stage.gateway.gateway}/${path}/`)).status));
  assert.deepEqual(statuses, [200, 200, 404]);
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
