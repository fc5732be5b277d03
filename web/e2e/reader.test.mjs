// Read-only users are offered nothing that stores, on no page and in no menu, and see that in advance.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { definition, open } from "./console.mjs";

const read = (...groups) => Object.fromEntries(groups.map((group) => [group, "read"]));
const PERMISSIONS = {
  ...read("rulesets", "clientidps", "hooks"),
  gateway: read("apis", "keys", "policies", "organisations", "oauth", "certificates", "reload", "figures"),
};
/** Labels of what stores something at once. */
const STORES = /^(Delete|Revoke|Restore|Activate|Deactivate|Duplicate|Extend|Expire now|Reset|New (token|secret)|Empty the cache|Send a test|Send again)/;
/**
 * The same, and labels of what leads to a page that stores. On the page of a document they may add and remove: it stays
 * a draft.
 */
const WRITES = new RegExp(`${STORES.source}|^(New |Add |Make a |Write a |Import|Upload|Remove|Set limits|Select )`);

let stage, token, ids;
before(async () => {
  stage = await open({ fixtures: [definition("Orders"), definition("Payments")] });
  token = (await stage.admin("POST", "/gateway/dashboard/credentials", { body: { name: "reader", permissions: PERMISSIONS } })).json.token;
});
after(() => stage.close());

/** Opens a page as the reader, and waits for its contents. */
async function visit(path, ready, options) {
  const page = await stage.page({ path, secret: null, token, ...options });
  await page.getByText("You can look at this page but change nothing").waitFor();
  await ready(page);
  return page;
}

/** Returns the buttons and links on a page that match. */
async function offered(page, what = WRITES) {
  const pressed = page.locator("main :is(button, a, input[type=checkbox]):visible");
  const names = await pressed.evaluateAll((all) => all.filter((one) => !one.disabled).map((one) => (one.getAttribute("aria-label") ?? one.closest("label")?.textContent ?? one.textContent).trim()));
  return names.filter((name) => what.test(name));
}

/** Returns the entries of the first menu with a name. */
async function menu(page, name) {
  await page.getByRole("button", { name }).first().click();
  return page.getByRole("menuitem").allTextContents();
}

const LISTS = ["/apis", "/openapi", "/mcp", "/keys", "/policies", "/organisations", "/certificates", "/client-idps", "/rulesets", "/webhooks"];

test("empty lists offer no links to pages that store", async () => {
  for (const path of LISTS.slice(1)) {
    const page = await visit(path, (page) => page.locator(".empty").waitFor());
    assert.deepEqual(await offered(page), [], path);
    await page.close();
  }
});

test("lists, their menus and document pages offer no action that stores", async () => {
  const made = async (path, body) => (await stage.dashboard("POST", path, { body })).json.Meta;
  ids = {
    idp: await made("/api/clientidps", { name: "Okta", jwks_uri: "https://idp.example/jwks", issuer: "https://idp.example" }),
    hook: await made("/api/hooks", { name: "Ops hook", method: "POST", target_path: "https://ops.example.com/in", subscriptions: ["ApiAdded"] }),
    ruleset: await made("/api/rulesets", { name: "House style", definition: JSON.stringify({ rules: { r: { given: "$.info", severity: "warn", then: { field: "contact", function: "truthy" } } } }) }),
  };
  const rights = { orders: { api_id: "orders", versions: ["Default"] } };
  await stage.admin("POST", "/gateway/policies", { body: { id: "gold", name: "Gold plan", rate: 10, per: 60, access_rights: rights } });
  const { key_hash } = (await stage.admin("POST", "/gateway/keys", { body: { alias: "umbrella", access_rights: rights } })).json;
  await stage.admin("POST", "/gateway/org/keys/default", { body: { org_id: "default" } });
  for (const path of ["/apis", "/keys", "/policies", "/organisations", "/client-idps", "/rulesets", "/webhooks"]) {
    const page = await visit(path, (page) => page.locator("tbody tr").first().waitFor());
    assert.deepEqual(await offered(page), [], path);
    const entries = await menu(page, /^Actions for /);
    assert.ok(entries.includes("Open"), `${path}: ${entries}`);
    assert.deepEqual(entries.filter((entry) => WRITES.test(entry)), [], path);
    await page.keyboard.press("Escape");
    await page.locator("tbody tr a").first().focus();
    await page.keyboard.press("x");
    assert.equal(await page.getByRole("group", { name: "Selection" }).count(), 0, path);
    await page.close();
  }
  const narrow = await visit("/apis", (page) => page.locator("tbody tr").first().waitFor(), { width: 390 });
  assert.deepEqual(await offered(narrow), [], "on a narrow screen");
  await narrow.close();
  const editor = (page) => page.locator("json-editor, document-form").first().waitFor();
  for (const path of ["/apis/orders", `/keys/${key_hash}`, "/policies/gold", `/client-idps/${ids.idp}`, `/webhooks/${ids.hook}`, `/rulesets/${ids.ruleset}`]) {
    const page = await visit(`${path}?view=json`, editor);
    assert.deepEqual(await offered(page, STORES), [], path);
    const more = page.getByRole("button", { name: "More actions" });
    if (await more.count()) {
      const entries = await menu(page, "More actions");
      assert.deepEqual(entries.filter((entry) => STORES.test(entry)), [], path);
    }
    await page.close();
  }
  const cache = await visit("/apis/orders/cache", (page) => page.getByRole("heading", { name: "Hits and misses" }).waitFor());
  assert.deepEqual(await offered(cache), []);
  const revisions = await visit("/apis/orders/revisions", (page) => page.getByRole("button", { name: "View revision 1" }).waitFor());
  assert.deepEqual(await offered(revisions), []);
});

test("Try it and Run a batch are offered only with the right to send requests", async () => {
  await stage.admin("POST", "/gateway/apis/oas", { body: {
    openapi: "3.0.3",
    info: { title: "Pets", version: "1.0.0" },
    paths: {},
    "x-gateway-api-gateway": { info: { id: "pets", name: "Pets", state: { active: true } }, upstream: { url: "http://127.0.0.1:9/" }, server: { listenPath: { value: "/pets/" } } },
  } });
  const gateway = { apis: "read", tools: "write" };
  const sender = (await stage.admin("POST", "/gateway/dashboard/credentials", { body: { name: "sender", permissions: { gateway } } })).json.token;
  const SENDS = /^(Try it|Run a batch)$/;
  const sends = (entries) => entries.filter((entry) => SENDS.test(entry.trim()));
  for (const [options, both, one] of [[{}, [], []], [{ token: sender }, ["Try it", "Run a batch"], ["Try it"]]]) {
    const list = await visit("/apis?q=orders", (page) => page.locator("tbody tr").first().waitFor(), options);
    assert.deepEqual(sends(await menu(list, "Actions for Orders")), both);
    await list.close();
    const page = await visit("/apis/orders?view=json", (page) => page.locator("json-editor").waitFor(), options);
    assert.deepEqual(await offered(page, SENDS), one);
    assert.deepEqual(sends(await menu(page, "More actions")), both.slice(1));
    await page.close();
    const described = await visit("/openapi/pets", (page) => page.getByRole("link", { name: "YAML" }).waitFor(), options);
    assert.deepEqual(await offered(described, SENDS), one);
    await described.close();
  }
});

test("an unloaded definition can be tried only with the right to write it", async () => {
  await stage.admin("POST", "/gateway/apis", { body: { api_id: "waiting", name: "Waiting", use_keyless: true, proxy: { listen_path: "/waiting/", target_url: "http://127.0.0.1:9/" } } });
  for (const [apis, offered] of [["read", 0], ["write", 1]]) {
    const body = { name: `tester-${apis}`, permissions: { gateway: { apis, tools: "write" } } };
    const tester = (await stage.admin("POST", "/gateway/dashboard/credentials", { body })).json.token;
    const page = await stage.page({ path: "/try/waiting", secret: null, token: tester });
    await page.getByText("This API is pending: it is served from the next reload on.").waitFor();
    const stored = page.getByRole("switch", { name: /Use the stored definition/ });
    if (offered) await stored.waitFor();
    assert.equal(await stored.count(), offered, apis);
    await page.close();
  }
});

test("a page for creating something stores nothing when opened by URL", async () => {
  const page = await visit("/keys/new", (page) => page.getByRole("heading", { name: "Limits of its own" }).waitFor());
  await page.getByRole("checkbox", { name: /Gold plan/ }).check();
  assert.equal(await page.getByRole("button", { name: "Create the key" }).isDisabled(), true);
  await page.goto(stage.url("/client-idps/new"));
  await page.getByRole("textbox", { name: "Name" }).fill("Mine");
  await page.getByRole("textbox", { name: "JWKS URI" }).fill("https://idp.example/jwks");
  assert.equal(await page.getByRole("button", { name: "Save", exact: true }).isDisabled(), true);
});

test("the palette offers readers no action that stores, and only pages they may see", async () => {
  const page = await visit("/apis", (page) => page.getByRole("link", { name: "Orders", exact: true }).waitFor());
  await page.keyboard.press("ControlOrMeta+k");
  const field = page.getByRole("combobox", { name: "Find anything, or say what to do" });
  await field.fill("orders");
  await page.getByRole("option", { name: /^Orders/ }).waitFor();
  for (const [typed, name] of [["new", /^New /], ["delete orders", /^Delete Orders/], ["try orders", /^Try Orders/]]) {
    await field.fill(typed);
    assert.equal(await page.getByRole("option", { name }).count(), 0, typed);
  }
  await field.fill("revisions orders");
  await page.getByRole("option", { name: /^Revisions of Orders/ }).waitFor();
});
