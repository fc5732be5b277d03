// References between documents: cards on pages, warnings before a deletion, and ids offered by fields.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { definition, open } from "./console.mjs";
import { onEveryScreen } from "./look.mjs";

let stage;
let hook;
let idp;
before(async () => {
  stage = await open({ env: { EGRESS_ALLOW_PRIVATE: "true" } });
  const guarded = { use_keyless: false };
  for (const name of ["Inventory", "Orders"]) await stage.store(definition(name, guarded));
  await stage.admin("POST", "/gateway/policies", { body: { id: "gold", name: "Gold plan", rate: 10, per: 60, access_rights: { orders: { api_id: "orders" } } } });
  await stage.admin("POST", "/gateway/keys", { body: { alias: "umbrella", apply_policies: ["gold"] } });
  await stage.admin("POST", "/gateway/keys", { body: { alias: "own rights", access_rights: { orders: { api_id: "orders" } } } });
  const api_mappings = { orders: { scope_to_policy: { "orders:read": "gold", "orders:write": "platinum" } } };
  idp = (await stage.dashboard("POST", "/api/clientidps", { body: { name: "Okta", issuer: "https://okta.example.com/", jwks_uri: "https://okta.example.com/keys", api_mappings } })).json.Meta;
  hook = (await stage.dashboard("POST", "/api/hooks", { body: { name: "Ops", webhook_id: "ops", method: "POST", target_path: "https://ops.example.com/in", subscriptions: [] } })).json.Meta;
  const handler = { handler_name: "eh_web_hook_handler", handler_meta: { id: "ops" } };
  await stage.store(definition("Told", { event_handlers: { events: { QuotaExceeded: [handler] } } }));
});
after(() => stage.close());

const used = (page) => page.getByRole("region", { name: "Used by" });
const both = () => ({ token: stage.gateway.token });

async function remove(page) {
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  return page.getByRole("dialog");
}

test("an API shows who may call it, on its page and before deletion", async () => {
  const page = await stage.page({ path: "/apis/orders", ...both() });
  await used(page).getByRole("heading", { name: "1 policy" }).waitFor();
  await used(page).getByRole("link", { name: "own rights" }).waitFor();
  await used(page).getByRole("link", { name: "Okta" }).waitFor();
  const dialog = await remove(page);
  await dialog.getByRole("link", { name: "Okta" }).waitFor();
  await dialog.getByRole("link", { name: "Gold plan" }).click();
  await page.waitForURL(/\/policies\/gold$/);
  const bare = await stage.page({ path: "/apis/inventory" });
  await used(bare).getByText("Nothing that you can see uses it.").waitFor();
  await used(bare).getByText("a dashboard token is needed to see them").waitFor();
});

test("a policy lists its keys and providers, a webhook the APIs that call it", async () => {
  const page = await stage.page({ path: "/policies/gold", ...both() });
  await used(page).getByRole("heading", { name: "1 key" }).waitFor();
  await used(page).getByRole("link", { name: "umbrella" }).waitFor();
  await used(page).getByRole("link", { name: "Okta" }).waitFor();
  const other = await stage.page({ path: `/webhooks/${hook}`, ...both() });
  await used(other).getByRole("link", { name: "Told" }).waitFor();
  const dialog = await remove(other);
  await dialog.getByRole("link", { name: "Told" }).waitFor();
});

test("a policy's access rights mark APIs that don't exist", async () => {
  const access_rights = { orders: { api_id: "orders" }, ordrs: { api_id: "ordrs" } };
  await stage.admin("POST", "/gateway/policies", { body: { id: "typo", name: "Typing error", rate: 10, per: 60, access_rights } });
  const page = await stage.page({ path: "/policies/typo" });
  const gives = page.getByRole("region", { name: "What this policy gives" });
  await gives.getByRole("row", { name: /ordrs/ }).getByText("No such API").waitFor();
  assert.equal(await gives.getByText("No such API").count(), 1, "the other one exists");
  await stage.admin("DELETE", "/gateway/policies/typo");
});

test("ids are offered while typing", async () => {
  const page = await stage.page({ path: "/policies/gold?view=form&at=/access_rights", ...both() });
  const field = page.getByRole("combobox", { name: /^Name of a new entry/ });
  await field.focus();
  const offered = () => field.evaluate((input) => [...input.list.options].map((option) => option.value));
  await page.waitForFunction(() => document.querySelector("input[list].form-name")?.list?.options.length > 1);
  assert.deepEqual((await offered()).sort(), ["inventory", "orders", "told"]);
});

test("a mapping offers policies and marks unknown ones", async () => {
  const page = await stage.page({ path: `/client-idps/${idp}`, ...both() });
  const policy = page.getByRole("combobox", { name: "Policy of orders:write for orders" });
  await page.getByText("No policy has this id.").waitFor();
  assert.deepEqual(await policy.evaluate((input) => [...input.list.options].map((option) => option.value)), ["gold"]);
  await policy.fill("gold");
  await page.getByText("No policy has this id.").waitFor({ state: "detached" });
});

test("screenshots match", async () => {
  await onEveryScreen(stage, "used-by-api", { path: "/apis/orders?view=json", ...both(), ready: (page) => used(page).getByRole("link", { name: "Okta" }).waitFor() });
  await onEveryScreen(stage, "used-by-deletion", {
    path: "/apis/orders?view=json",
    ...both(),
    ready: async (page) => {
      const dialog = await remove(page);
      await dialog.getByRole("link", { name: "Okta" }).waitFor();
    },
  });
});
