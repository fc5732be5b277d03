// Policies: edited with a preview of their rights and of the keys that have them, loaded, deleted; and the limits of
// organisations.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { send } from "../../worker/tests/http.mjs";
import { definition, editorText, laidOut, open, type } from "./console.mjs";

let stage;
before(async () => {
  stage = await open();
  const guarded = (name, members) => definition(name, { use_keyless: false, ...members }, { target_url: stage.upstream.url });
  for (const name of ["Orders", "Invoices"]) await stage.store(guarded(name));
  await stage.store(guarded("Partner", { org_id: "acme" }));
  await stage.reload();
});
after(() => stage.close());

const rights = (...ids) => Object.fromEntries(ids.map((id) => [id, { api_id: id, versions: ["Default"] }]));

let made = 0;
/** Stores a policy and returns its id and its path. */
async function policy(members = {}) {
  const id = `policy-${++made}`;
  await stage.admin("POST", "/gateway/policies", { body: { id, name: `Policy ${made}`, rate: 5, per: 1, access_rights: rights("orders"), ...members } });
  return { id, path: `/policies/${id}` };
}

const key = async (members) => (await stage.admin("POST", "/gateway/keys", { body: members })).json;
const stored = async (id) => (await stage.admin("GET", `/gateway/policies/${id}`)).json;
const call = async (token, path) => (await send(stage.gateway.ports.gateway, { path, headers: { Authorization: token } })).status;
const gives = (page) => page.getByRole("region", { name: "What this policy gives" });
const dialog = (page, name) => page.getByRole("dialog", { name });

async function edit(path) {
  const page = await stage.page({ path: `${path}?view=json` });
  await page.locator("json-editor .cm-line").first().waitFor();
  return page;
}

async function store(page) {
  await page.getByRole("button", { name: "Review & save" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
}

test("what is pending follows a deletion, and the list follows its undo", async () => {
  const one = await policy();
  await stage.reload();
  const page = await edit(one.path);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.waitForURL(/\/policies$/);
  await page.getByText("1 pending", { exact: true }).waitFor({ state: "attached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("link", { name: `Policy ${made}`, exact: true }).waitFor();
  await stage.reload();
});

test("a policy is written with a preview of what it grants, and takes effect with a reload", async () => {
  const page = await edit("/policies/new");
  await gives(page).getByText("It opens no API: name some in access_rights. A key without another policy is refused.").waitFor();
  const draft = JSON.parse(await editorText(page));
  const access_rights = { orders: { api_id: "orders" }, invoices: { api_id: "invoices", limit: { rate: 1, per: 60, quota_max: 9, quota_renewal_rate: 3600 } } };
  await type(page, laidOut({ ...draft, id: "silver", name: "Silver plan", partitions: { per_api: true }, access_rights }));
  await gives(page).getByRole("row", { name: /Orders.*60 per minute.*10.000 per day/ }).waitFor();
  await gives(page).getByRole("row", { name: /Invoices.*1 per minute.*9 per hour/ }).waitFor();
  await page.getByRole("button", { name: "Review & save" }).click();
  const asked = dialog(page, "Review the change");
  for (const said of [/It opens .*Orders \(60 per minute, 10.000 per day\)/, /Invoices \(1 per minute, 9 per hour\)/]) await asked.getByText(said).waitFor();
  await asked.getByRole("button", { name: "Save", exact: true }).click();
  await page.waitForURL(/policies\/silver/);
  await page.getByRole("heading", { name: "Silver plan", level: 1 }).waitFor();
  const made = await key({ apply_policies: ["silver"] });
  await page.getByRole("button", { name: "Reload now" }).click();
  await page.getByText("Reloaded. What is stored is in effect.").waitFor();
  assert.deepEqual([await call(made.key, "/invoices/x"), await call(made.key, "/invoices/x")], [200, 429]);
});

test("an existing policy is not overwritten by a new one with the same id", async () => {
  const { id } = await policy({ name: "First" });
  const page = await edit("/policies/new");
  await type(page, laidOut({ id, name: "Second", access_rights: rights("orders") }));
  await store(page);
  await page.getByRole("dialog").getByText("Changed by somebody else").waitFor();
  assert.equal((await stored(id)).name, "First");
});

test("the form edits the same document, and a concurrent change is not lost", async () => {
  const { id, path } = await policy();
  const page = await stage.page({ path: `${path}?view=form` });
  await page.locator('.form [data-pointer="/name"]').fill("By form");
  await stage.admin("PUT", `/gateway/policies/${id}`, { body: { ...(await stored(id)), tags: ["theirs"] } });
  await page.getByRole("button", { name: "Review & save" }).click();
  await dialog(page, "Review the change").getByText("Changed by somebody else.").waitFor();
  await page.getByRole("button", { name: "Rebase onto theirs" }).click();
  await store(page);
  await page.getByText(/Saved as revision/).waitFor();
  const { name, tags } = await stored(id);
  assert.deepEqual([name, tags], ["By form", ["theirs"]]);
});

test("a policy's keys are listed and counted before it is deleted", async () => {
  const { id, path } = await policy({ name: "Bronze plan" });
  for (let n = 1; n <= 9; n += 1) await key({ alias: `User ${n}`, apply_policies: [id] });
  const page = await edit(path);
  await page.getByRole("heading", { name: "9 keys" }).waitFor();
  // The last changed ones are named.
  await page.getByRole("link", { name: "User 9", exact: true }).waitFor();
  await page.getByRole("link", { name: "All 9 keys" }).click();
  await page.getByText("9 keys", { exact: true }).first().waitFor();
  await page.getByRole("link", { name: "Policies", exact: true }).click();
  await page.getByRole("searchbox", { name: "Search policies" }).fill("bronze");
  await page.getByText("1 policy", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Actions for Bronze plan" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await dialog(page, "Delete “Bronze plan”?").getByRole("heading", { name: "9 keys" }).waitFor();
  await dialog(page, "Delete “Bronze plan”?").getByRole("button", { name: "Cancel" }).click();
  assert.equal((await stored(id)).name, "Bronze plan");
  await page.goto(stage.url(path));
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("Deleted “Bronze plan”.").waitFor();
  await page.getByRole("heading", { name: "Policies", level: 1 }).waitFor();
  await page.goto(stage.url(path));
  await page.getByText("There is no such policy").waitFor();
});

test("an organisation is limited, deactivated and activated, and its limits removed", async () => {
  const made = await key({ org_id: "acme", access_rights: rights("partner") });
  const page = await stage.page({ path: "/organisations" });
  await page.getByText("No organisation has limits").waitFor();
  await page.getByRole("textbox", { name: "Organisation" }).fill("acme");
  // An answer: a lost connection is no failure any more once another request is answered.
  await page.route("**/gateway/org/keys/acme", (route) => route.fulfill({ status: 503, json: { status: "error", message: "KV is away" } }));
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("KV is away").waitFor();
  await page.unroute("**/gateway/org/keys/acme");
  await page.getByRole("button", { name: "Set limits" }).click();
  await page.getByRole("heading", { name: "acme", level: 1 }).waitFor();
  await page.getByRole("radio", { name: "JSON" }).check();
  await page.locator("json-editor .cm-line").first().waitFor();
  await type(page, laidOut({ ...JSON.parse(await editorText(page)), quota_max: 2, quota_renewal_rate: 3600 }));
  await store(page);
  await page.getByText("2 of 2 left").waitFor();
  assert.equal(await call(made.key, "/partner/x"), 200);
  await page.getByRole("button", { name: "Refresh the quota" }).click();
  await page.getByText("1 of 2 left").waitFor();
  await page.getByRole("button", { name: "Deactivate…" }).click();
  await dialog(page, "Deactivate “acme”?").getByText("every API of this organisation").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Deactivate" }).click();
  await page.getByText("Deactivated.").waitFor();
  assert.equal(await call(made.key, "/partner/x"), 403);
  await page.getByRole("button", { name: "Activate", exact: true }).click();
  await page.getByText("Activated.", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Reset counters…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Reset" }).click();
  await page.getByText("2 of 2 left").waitFor();
  await page.getByRole("link", { name: "Organisations", exact: true }).first().click();
  await page.getByRole("row", { name: /acme.*Active.*No limit.*2 per hour/ }).waitFor();
  await page.getByRole("button", { name: "Actions for acme" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await dialog(page, "Delete “acme”?").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No organisation has limits").waitFor();
  for (const _ of [1, 2, 3]) assert.equal(await call(made.key, "/partner/x"), 200);
});

test("empty list, and failure with retry", async () => {
  const page = await stage.page({ path: "/policies" });
  await page.route("**/gateway/policies", (route) => route.fulfill({ json: [] }));
  await page.reload();
  await page.getByText("No policies yet").waitFor();
  await page.unroute("**/gateway/policies");
  await page.route("**/gateway/policies", (route) => route.abort());
  await page.reload();
  await page.getByRole("button", { name: "Try again" }).waitFor();
  await page.unroute("**/gateway/policies");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("table", { name: "Policies" }).waitFor();
});
