// The reload: its plan, carrying it out, and its result.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { definition, open } from "./console.mjs";
import { look, onNarrowest } from "./look.mjs";

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

test("pending changes are listed by kind, and gone after the reload", async () => {
  const page = await stage.page({ path: "/reload" });
  for (const [name, change] of [["Brand new", "Added"], ["Changed", "Modified"], ["Removed", "Deleted"], ["Gold plan", "Added"]]) {
    await page.getByRole("row", { name: new RegExp(`${name}.*${change}`) }).waitFor();
  }
  assert.equal(await page.locator(".plan-row").count(), 4, "and nothing else");
  const groups = await page.locator(".plan-group").allTextContents();
  assert.deepEqual(groups, ["Stop being served 1", "Start being served 1", "Change what is served 1", "Policies 1"]);
  await page.getByRole("button", { name: "Reload now" }).click();
  await page.getByText(/Generation \d+ is in service.*: 3 APIs served, none skipped/).waitFor();
  await page.getByText("4 changes published.").waitFor();
  await page.getByText("Nothing is pending").waitFor();
  const statuses = await Promise.all(["brand-new", "changed", "removed"].map(async (path) => (await fetch(`${stage.gateway.gateway}/${path}/`)).status));
  assert.deepEqual(statuses, [200, 200, 404]);
});

test("the plan predicts which APIs will be skipped or no longer served, and the reload matches it", async () => {
  // A plugin that decides who may call an API can never run here.
  const guard = { use_go_plugin_auth: true };
  await stage.store(definition("Guarded", guard));
  await stage.store(definition("Inactive", { active: false }));
  await stage.admin("PUT", "/gateway/apis/same", { body: definition("Same", guard) });
  const page = await stage.page({ path: "/reload" });
  await page.getByText("2 will be skipped").waitFor();
  assert.equal(await page.getByText("will be served").count(), 0, "effects that the reload doesn't have are left out");
  await page.getByText("1 no longer served by this reload").waitFor();
  const rows = await page.locator(".plan-row").allTextContents();
  const groups = await page.locator(".plan-group").allTextContents();
  assert.deepEqual(groups, ["Served now, will drop out 1", "Skipped 1", "Nothing served changes 1"]);
  assert.match(rows[0], /^Same.*No longer served, because authentication by a Go plugin/);
  assert.match(rows[1], /^Guarded.*Will be skipped, because authentication by a Go plugin/);
  assert.match(rows[2], /^Inactive.*Not served: it is inactive/);
  await page.goto(stage.url("/apis/guarded"));
  await page.getByText(/Pending\. Will be skipped/).waitFor();
  await page.locator(".facts").getByText(/Not served: authentication by a Go plugin/).waitFor();
  await page.goto(stage.url("/reload"));
  await page.getByText("2 will be skipped").waitFor();
  await page.getByRole("button", { name: "Reload now" }).click();
  await page.getByText(/2 skipped\. 1 change published, 2 not\./).waitFor();
  await page.locator(".side .dot-amber").waitFor();
  await page.locator(".side").getByText("2 served, 2 skipped").waitFor();
  for (const id of ["guarded", "inactive", "same"]) await stage.admin("DELETE", `/gateway/apis/${id}`);
  await stage.reload();
});

test("only selected changes are published, and each row shows its diff", async () => {
  const target = { target_url: stage.upstream.url };
  await stage.admin("PUT", "/gateway/apis/changed", { body: definition("Changed", { tags: ["eu"] }, target) });
  await stage.store(definition("First", {}, target));
  await stage.store(definition("Second", {}, target));
  const page = await stage.page({ path: "/reload" });
  const box = (name) => page.getByRole("checkbox", { name: `Publish ${name}` });
  await box("First").uncheck();
  await box("Changed").uncheck();
  await page.getByRole("button", { name: "Difference of Changed" }).click();
  await page.locator(".plan-difference").getByText('"eu"').waitFor();
  await page.getByRole("button", { name: "Difference of Changed" }).click();
  await page.locator(".plan-difference").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Publish 1 of 3" }).click();
  await page.getByText(/none skipped\. 2 changes are pending\./).waitFor();
  await page.getByRole("row", { name: /Second/ }).waitFor({ state: "detached" });
  const served = async (path) => (await fetch(`${stage.gateway.gateway}/${path}/`)).status;
  assert.deepEqual([await served("second"), await served("first")], [200, 404]);
  // What was deselected stays deselected.
  assert.equal(await box("First").isChecked(), false);
  await page.getByRole("button", { name: "Nothing is chosen" }).waitFor();
  await page.getByRole("checkbox", { name: "Publish all changes" }).check();
  await page.getByRole("button", { name: "Reload now" }).click();
  await page.getByText("Nothing is pending").waitFor();
  assert.equal(await served("first"), 200);
});

test("a selection that would create a conflict of listen paths is refused, naming the change to add", async () => {
  await stage.admin("PUT", "/gateway/apis/first", { body: definition("First", {}, { target_url: stage.upstream.url, listen_path: "/elsewhere/" }) });
  await stage.store(definition("Heir", {}, { target_url: stage.upstream.url, listen_path: "/first/" }));
  const page = await stage.page({ path: "/reload" });
  await page.getByRole("row", { name: /First.*Moves from \/first\/ to \/elsewhere\// }).waitFor();
  await page.getByRole("row", { name: /Heir.*first is served under \/first\/ until then/ }).waitFor();
  await page.getByRole("checkbox", { name: "Publish First" }).uncheck();
  await page.getByRole("button", { name: "Publish 1 of 2" }).click();
  await page.locator(".failure").getByText(/select first too/).waitFor();
  await page.getByRole("checkbox", { name: "Publish First" }).check();
  await page.getByRole("button", { name: "Reload now" }).click();
  await page.getByText("Nothing is pending").waitFor();
});

test("rolling back to a generation previews its changes, and stored documents are pending again", async () => {
  const page = await stage.page({ path: "/reload" });
  await page.locator(".generation").first().getByText("Served", { exact: true }).waitFor();
  const earlier = page.locator(".generation").nth(1);
  const number = (await earlier.locator("strong").textContent()).slice(1);
  await earlier.getByRole("button", { name: /Go back to this one/ }).click();
  const dialog = page.getByRole("dialog", { name: `Go back to generation ${number}` });
  await dialog.getByRole("row", { name: /Heir.*Removed.*No longer served: that generation does not have it/ }).waitFor();
  await dialog.getByRole("row", { name: /First.*Moves from \/elsewhere\/ to \/first\// }).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.equal((await fetch(`${stage.gateway.gateway}/elsewhere/`)).status, 200, "nothing has happened yet");
  await earlier.getByRole("button", { name: /Go back to this one/ }).click();
  await dialog.getByRole("button", { name: `Go back to generation ${number}` }).click();
  await page.getByText(/none skipped\. 2 changes are pending\./).waitFor();
  await page.locator(".generation").first().getByText(`generation ${number} again`).waitFor();
  assert.equal((await fetch(`${stage.gateway.gateway}/elsewhere/`)).status, 404);
  await page.getByRole("row", { name: /Heir.*Added/ }).waitFor();
  await stage.admin("DELETE", "/gateway/apis/heir");
  await stage.admin("DELETE", "/gateway/apis/first");
  await stage.admin("DELETE", "/gateway/apis/second");
  await stage.reload();
});

test("a long plan can be searched", async () => {
  for (let n = 0; n < 12; n += 1) await stage.store(definition(`Many ${n}`, {}, { target_url: stage.upstream.url }));
  const page = await stage.page({ path: "/reload" });
  await page.getByRole("searchbox", { name: "Search changes" }).fill("many 11");
  await page.getByRole("row", { name: /Many 1 / }).waitFor({ state: "detached" });
  assert.equal(await page.locator(".plan-row").count(), 1);
  await page.getByRole("searchbox", { name: "Search changes" }).fill("nothing like it");
  await page.getByText("No change has a matching name").waitFor();
  for (let n = 0; n < 12; n += 1) await stage.admin("DELETE", `/gateway/apis/many-${n}`);
  await stage.reload();
});

test("a stored policy is pending until a reload, with links both ways", async () => {
  const page = await stage.page({ path: "/reload" });
  await page.getByText("Nothing is pending").waitFor();
  await stage.admin("PUT", "/gateway/policies/gold", { body: { id: "gold", name: "Gold plan", rate: 1, per: 1, access_rights: {} } });
  await page.reload();
  await page.getByRole("row", { name: /Gold plan.*Modified.*1 → 2/ }).getByRole("link", { name: "Gold plan" }).click();
  await page.waitForURL(/\/console\/policies\/gold$/);
  await stage.admin("GET", "/gateway/reload", { query: { block: "true" } });
});

test("a change shows how many keys and policies it affects", async () => {
  const guarded = (members) => definition("Guarded", { use_keyless: false, auth: { auth_header_name: "Authorization" }, ...members }, { target_url: stage.upstream.url });
  const rights = { guarded: { api_id: "guarded", versions: ["Default"] } };
  await stage.store(guarded());
  await stage.admin("POST", "/gateway/policies", { body: { id: "reader", name: "Reader", access_rights: rights } });
  await stage.reload();
  for (const alias of ["one", "two"]) await stage.admin("POST", "/gateway/keys", { body: { alias, access_rights: rights } });
  await stage.admin("PUT", "/gateway/apis/guarded", { body: guarded({ tags: ["eu"] }) });
  await stage.admin("PUT", "/gateway/policies/reader", { body: { id: "reader", name: "Reader", rate: 1, per: 1, access_rights: rights } });
  const page = await stage.page({ path: "/reload" });
  await page.getByRole("row", { name: /Reader.*0 keys with it/ }).waitFor();
  const row = page.getByRole("row", { name: /Guarded.*2 keys and 1 policy with access/ });
  await row.waitFor();
  await look(page, "reload-keys");
  await row.getByRole("link", { name: "2 keys" }).click();
  await page.waitForURL(/\/keys\?api_id=guarded$/);
  await page.getByRole("row", { name: /two/ }).waitFor();
  await stage.reload();
});

test("any two generations can be compared, and the URL records which", async () => {
  const generations = [];
  const twice = (tag) => definition("Twice", { tags: [tag] }, { target_url: stage.upstream.url });
  await stage.store(twice("first"));
  for (const tag of ["eu", "us"]) {
    await stage.reload();
    generations.push((await stage.admin("GET", "/gateway/reload/status")).json.generation);
    await stage.admin("PUT", "/gateway/apis/twice", { body: twice(tag) });
  }
  await stage.reload();
  const [first, second] = generations.map(String);
  const page = await stage.page({ path: "/reload" });
  const section = page.getByRole("region", { name: "Compare two generations" });
  await section.getByText("Choose two").waitFor();
  await section.getByRole("combobox", { name: /^From/ }).selectOption(first);
  await section.getByRole("combobox", { name: /^To/ }).selectOption(second);
  const row = section.getByRole("row", { name: /Twice.*revision 1.*revision 2/ });
  await row.getByRole("button", { name: /^Difference/ }).click();
  await section.locator(".plan-difference").getByText('"eu"').waitFor();
  assert.equal(await section.locator(".plan-row").count(), 1);
  await page.waitForURL((url) => url.search === `?from=${first}&to=${second}`);
  await look(page, "reload-between");
  await page.reload();
  await row.waitFor();
  await section.getByRole("button", { name: "Swap" }).click();
  await section.getByRole("row", { name: /Twice.*revision 2.*revision 1/ }).waitFor();
  await section.getByRole("combobox", { name: /^To/ }).selectOption(second);
  await section.getByText("The two have the same APIs and policies.").waitFor();
  await onNarrowest(page, "reload-between");
  await stage.admin("DELETE", "/gateway/apis/twice");
  await stage.reload();
});

test("a failed full reload is still reported after a partial one succeeded", async () => {
  const page = await stage.page({ path: "/reload" });
  await page.route("**/gateway/reload/status?*", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), full_error: "KV is away" } });
  });
  await page.reload();
  await page.getByText("The last full reload failed: KV is away.").waitFor();
  await page.locator(".side .dot-red").waitFor();
});

test("an unreachable gateway is reported once", async () => {
  const page = await stage.page({ path: "/overview" });
  await page.route("**/gateway/**", (route) => route.abort());
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: /^Reload/ }).click();
  await page.getByText("The gateway can't be reached").first().waitFor();
  const said = page.getByText(/The gateway can't be reached|The gateway does not respond/).locator("visible=true");
  await page.waitForFunction(() => document.querySelectorAll(".failure.unreachable").length === 2);
  assert.equal(await said.count(), 1);
  await page.locator(".side .gateway").getByText("No connection", { exact: true }).waitFor();
  assert.equal(await page.locator(".side .gateway").getByText("served").count(), 0);
  await page.unroute("**/gateway/**");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { name: "Generations", exact: true }).waitFor();
  await page.locator(".failure").waitFor({ state: "detached" });
});

test("a gateway that responds again is noticed without anybody asking", async () => {
  const page = await stage.page({ path: "/reload" });
  await page.clock.install();
  // No request of the page gets a response that would end the banner.
  await page.route("**/gateway/**", (route) => route.abort());
  await page.reload();
  const banner = page.locator(".banner").getByText("The gateway does not respond");
  await banner.waitFor({ state: "attached" });
  await page.unroute("**/gateway/**");
  await page.clock.fastForward(10_000);
  await banner.waitFor({ state: "detached" });
});

test("a failed reload is reported with the request id", async () => {
  const page = await stage.page({ path: "/reload" });
  await page.route("**/gateway/reload?*", (route) => route.fulfill({ status: 500, headers: { "x-request-id": "r-42" }, body: '{"status":"error","message":"KV is away"}' }));
  await page.getByRole("button", { name: "Reload now" }).click();
  const failure = page.locator(".failure");
  await failure.getByText("KV is away").waitFor();
  assert.match(await failure.textContent(), /r-42/);
});
