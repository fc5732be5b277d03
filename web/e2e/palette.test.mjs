// The palette: objects of every kind, typos, verbs, recent choices, and objects that may not be read.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { definition, open } from "./console.mjs";
import { look } from "./look.mjs";

let stage;
before(async () => {
  stage = await open({ fixtures: [definition("Orders"), definition("Payments"), definition("Preorders")] });
  await stage.admin("POST", "/gateway/policies", { body: { id: "gold", name: "Gold plan", rate: 10, per: 60, access_rights: { orders: { api_id: "orders" } } } });
  await stage.admin("POST", "/gateway/keys", { body: { alias: "umbrella", apply_policies: ["gold"] } });
  await stage.admin("POST", "/gateway/dashboard/credentials", { body: { name: "anna", permissions: { hooks: "read" } } });
  await stage.dashboard("POST", "/api/clientidps", { body: { name: "Okta production", issuer: "https://okta.example.com/", jwks_uri: "https://okta.example.com/keys" } });
  await stage.dashboard("POST", "/api/hooks", { body: { name: "Ops hook", method: "POST", target_path: "https://ops.example.com/in", subscriptions: ["ApiAdded"] } });
  await stage.dashboard("POST", "/api/rulesets", { body: { name: "House style", definition: JSON.stringify({ rules: { r: { given: "$.info", severity: "warn", then: { field: "contact", function: "truthy" } } } }) } });
});
after(() => stage.close());

const field = (page) => page.getByRole("combobox", { name: "Find anything, or say what to do" });
const option = (page, name) => page.getByRole("option", { name });

/** Opens the palette and types a text. */
async function find(page, text) {
  await page.keyboard.press("ControlOrMeta+k");
  await field(page).fill(text);
}

test("the palette goes to pages and APIs and runs commands", async () => {
  const page = await stage.page();
  await find(page, "paym");
  await option(page, /Payments/).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/apis\/payments$/);
  await find(page, "dark th");
  await page.keyboard.press("Enter");
  await page.locator('html[data-theme="dark"]').waitFor();
  await find(page, "new api");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/apis\/new$/);
  await find(page, "help");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("ControlOrMeta+k");
  await field(page).press("Escape");
  await field(page).waitFor({ state: "detached" });
});

test("text and Enter typed before the palette has loaded take effect", async () => {
  const page = await stage.page();
  let release;
  const held = new Promise((done) => (release = done));
  await page.route("**/command-palette-*.js", async (route) => {
    await held;
    await route.continue();
  });
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("textbox", { name: "Find anything, or say what to do" }).waitFor();
  await page.keyboard.type("new policy");
  await page.keyboard.press("Enter");
  release();
  await page.waitForURL(/\/policies\/new$/);
});

test("a palette that fails to load says so", async () => {
  const page = await stage.page();
  await page.route("**/command-palette-*.js", (route) => route.abort());
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByText("The palette could not be loaded.").waitFor();
  await page.keyboard.press("Escape");
  await page.unroute("**/command-palette-*.js");
  await find(page, "orders");
  await option(page, /^Orders/).waitFor();
});

test("objects of every kind are found, despite typos", async () => {
  const page = await stage.page({ token: stage.gateway.token });
  await page.keyboard.press("ControlOrMeta+k");
  for (const [typed, name] of [
    ["gold", /^Gold plan.*Policy/],
    ["umbrela", /^umbrella.*Key/],
    ["okta", /^Okta production.*Client IdP/],
    ["ops", /^Ops hook.*Webhook/],
    ["house stlye", /^House style.*Ruleset/],
    ["anna", /^anna.*Credential/],
    ["ordrs", /^Orders.*API/],
    ["policy gold", /^Gold plan/],
  ]) {
    await field(page).fill(typed);
    await option(page, name).waitFor();
    assert.match((await page.locator("#palette-0").innerText()).replaceAll("\n", " "), name, typed);
  }
  await field(page).fill("nothing at all like that");
  await page.getByText("Nothing found.").waitFor();
  assert.equal(await field(page).getAttribute("aria-activedescendant"), null);
});

test("a verb leads to the action on an object", async () => {
  const page = await stage.page();
  for (const [typed, url] of [
    ["try orders", /\/console\/try\/orders$/],
    ["charts orders", /\/console\/overview\?window=1h&api=orders$/],
    ["orders revisions", /\/console\/apis\/orders\/revisions$/],
    ["keys gold", /\/console\/keys\?policy=gold$/],
    ["delete gold", /\/console\/policies\/gold$/],
  ]) {
    await find(page, typed);
    await page.keyboard.press("Enter");
    await page.waitForURL(url);
    await page.getByRole("heading", { level: 1 }).waitFor();
  }
  assert.equal((await stage.admin("GET", "/gateway/policies/gold")).status, 200, "nothing is deleted from here");
});

test("a member's name leads to the reference and to where it is set", async () => {
  const page = await stage.page();
  await find(page, "quota_max");
  await option(page, /^Policies.*where quota_max is set/).waitFor();
  await option(page, /^quota_max.*of Policies · Reference/).click();
  await page.waitForURL(/\/reference\?of=policy&type=Policy&at=quota_max$/);
  await page.locator("tr.pointed").getByText("quota_max", { exact: true }).waitFor();
});

test("a path or a full URL leads to the API that serves it, and to Try it", async () => {
  const page = await stage.page();
  await find(page, "http://localhost:8080/orders/42?x=1");
  await option(page, /^Orders.*serves \/orders\/42\?x=1/).waitFor();
  await option(page, /^Try \/orders\/42\?x=1 at Orders/).click();
  await page.waitForURL(/\/try\/orders\?path=/);
  await page.waitForFunction(() => [...document.querySelectorAll("input")].some((field) => field.value === "/42?x=1"));
  await find(page, "/payments/");
  await option(page, /^Payments.*serves/).waitFor();
});

test("recent choices come first, contain no secrets, and last until sign-out", async () => {
  const page = await stage.page({ token: stage.gateway.token });
  for (const [typed, url] of [
    ["umbrella", /\/keys\/[^/]+$/],
    ["ops hook", /\/webhooks\/[^/]+$/],
    ["preorders", /\/apis\/preorders$/],
  ]) {
    await find(page, typed);
    await page.keyboard.press("Enter");
    await page.waitForURL(url);
    await page.getByRole("heading", { level: 1 }).waitFor();
  }
  await page.keyboard.press("ControlOrMeta+k");
  await option(page, /^Preorders/).waitFor();
  const shown = await page.locator("#palette-list li").allInnerTexts();
  assert.deepEqual(shown.slice(0, 3).map((text) => text.split("\n")[0]), ["Preorders", "Ops hook", "umbrella"]);
  const kept = await page.evaluate(() => JSON.stringify({ ...localStorage }));
  for (const secret of [stage.gateway.secret, stage.gateway.token]) assert.ok(!kept.includes(secret), kept);
  await stage.admin("DELETE", "/gateway/apis/preorders");
  await page.keyboard.press("Escape");
  await page.keyboard.press("ControlOrMeta+k");
  await option(page, /^Preorders/).waitFor({ state: "detached" });
  await field(page).fill("sign out");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/connect/);
  assert.equal(await page.evaluate(() => localStorage.getItem("gatewright.recent")), null);
});

test("objects a credential may not read are left out silently", async () => {
  const issued = await stage.admin("POST", "/gateway/dashboard/credentials", { body: { name: "hooks only", permissions: { hooks: "read" } } });
  const page = await stage.page({ path: "/webhooks", secret: null, token: issued.json.token });
  await find(page, "ops");
  await option(page, /^Ops hook/).waitFor();
  for (const typed of ["okta", "gold", "umbrella"]) {
    await field(page).fill(typed);
    await page.getByText("Nothing found.").waitFor();
  }
  assert.equal(await page.getByRole("dialog").count(), 1, "no credential is asked for");
});

test("the gateway searches lists longer than their first page", async () => {
  const page = await stage.page();
  const asked = [];
  await page.route("**/gateway/apis?view=summary&*", async (route) => {
    const query = new URL(route.request().url()).searchParams;
    // Meanwhile, the list behind the palette counts its states.
    if (query.get("per_page") === "1") return route.continue();
    const q = query.get("q");
    asked.push(q);
    if (q) return route.continue();
    await route.fulfill({ json: { apis: [], page: 1, pages: 9, total: 900 } });
  });
  await find(page, "try paymetns");
  await option(page, /^Try Payments/).waitFor();
  assert.deepEqual(asked.slice(-2), ["paymetns", "pay"]);
});

test("screenshots match, and axe finds no problems", async () => {
  for (const theme of ["light", "dark"]) {
    for (const width of [1280, 320]) {
      const page = await stage.page({ token: stage.gateway.token, theme, width, reducedMotion: "reduce" });
      await page.keyboard.press("ControlOrMeta+k");
      await option(page, /^New API/).waitFor();
      await look(page, `palette-empty-${theme}-${width}`);
      await field(page).fill("or");
      await option(page, /^Orders/).waitFor();
      await look(page, `palette-typed-${theme}-${width}`);
      await field(page).fill("try");
      await option(page, /^Try Orders/).waitFor();
      await look(page, `palette-verb-${theme}-${width}`);
      await page.close();
    }
  }
});
