// The audit trail: filters in the address, paging, the changes of an entry, and the trail as a file.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { definition, open } from "./console.mjs";

let stage;
let idp;
before(async () => {
  stage = await open({ fixtures: [definition("Orders")] });
  const body = { name: "Accounts", jwks_uri: "https://idp.example/jwks", api_mappings: { orders: { scope_to_policy: { read: "p1" } } } };
  idp = (await stage.dashboard("POST", "/api/clientidps", { body })).json.Meta;
  await stage.dashboard("PATCH", `/api/clientidps/${idp}/mappings`, { body: { orders: { scope_to_policy: { read: "p2", write: "p3" } } } });
  await stage.admin("POST", "/gateway/dashboard/credentials", { body: { name: "robot", permissions: { apis: "read" } } });
});
after(() => stage.close());

const visit = (path = "/audit") => stage.page({ path, token: stage.gateway.token });
const rows = (page) => page.locator("tbody tr");
const filters = (page) => page.getByRole("search", { name: "Audit" });
const settled = (page, count) => page.waitForFunction((count) => document.querySelectorAll("tbody tr").length === count, count);

async function saved(page, label) {
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: `Download as ${label}` }).click();
  const download = await waiting;
  return { name: download.suggestedFilename(), text: await readFile(await download.path(), "utf8") };
}

test("an entry shows what it changed and links to its document", async () => {
  const page = await visit();
  const row = page.getByRole("row", { name: /dashboard Modified Accounts Client IdP.*1 → 2/ });
  await row.getByRole("link", { name: /^Entry/ }).click();
  const dialog = page.getByRole("dialog", { name: /^Entry \d+/ });
  await dialog.getByRole("heading", { name: /^\d+ fields changed$/ }).waitFor();
  const change = (pointer) => dialog.locator(".change").filter({ hasText: pointer });
  assert.equal(await change("/api_mappings/orders/scope_to_policy/read").locator("del").textContent(), '"p1"');
  assert.equal(await change("/api_mappings/orders/scope_to_policy/read").locator("ins").textContent(), '"p2"');
  assert.equal(await change("/api_mappings/orders/scope_to_policy/write").locator("ins").textContent(), '"p3"');
  assert.match(page.url(), /entry=\d+/);
  await page.reload();
  await dialog.getByRole("link", { name: "Accounts" }).click();
  await page.getByRole("heading", { name: "Accounts", level: 1 }).waitFor();
  await page.goBack();
  await dialog.getByRole("button", { name: "Close" }).click();
  await dialog.waitFor({ state: "detached" });
  assert.doesNotMatch(page.url(), /entry=/);
});

test("signing in and out is recorded, without the credential used", async () => {
  const page = await visit("/audit?subject=sign_in");
  const host = new URL(stage.gateway.console).host;
  await page.getByRole("row", { name: new RegExp(`gateway Signed in ${host} Sign-in`) }).first().waitFor();
  const context = await stage.context();
  await stage.signIn(context, { token: stage.gateway.token });
  const headers = { "x-gateway-console": "1", origin: stage.gateway.console };
  const out = await context.request.delete(`${stage.gateway.console}/console/session`, { headers });
  assert.equal(out.status(), 200);
  await page.reload();
  await page.getByRole("row", { name: new RegExp(`dashboard Signed out ${host} Sign-in`) }).waitFor();
  const { text } = await stage.dashboard("GET", "/api/audit", { query: { subject: "sign_in" } });
  for (const secret of [stage.gateway.secret, stage.gateway.token]) assert.ok(!text.includes(secret));
});

test("an entry shows the client, and is found by its request id and address", async () => {
  const headers = { "user-agent": "curl/8.5.0", "x-request-id": "deploy-42" };
  const { json } = await stage.dashboard("POST", "/api/rulesets", { body: { name: "House style" }, headers });
  const page = await visit();
  await page.getByRole("link", { name: "House style" }).waitFor();
  await filters(page).getByLabel("Search").fill("DEPLOY-42");
  await settled(page, 1);
  await page.getByRole("link", { name: /^Entry/ }).click();
  const dialog = page.getByRole("dialog");
  const fact = (name) => dialog.locator(".audit-facts > div").filter({ has: page.getByRole("term").filter({ hasText: name }) }).getByRole("definition");
  await fact("IP address").waitFor();
  assert.equal(await fact("IP address").textContent(), "127.0.0.1");
  assert.equal(await fact("User agent").textContent(), "curl/8.5.0");
  await fact("Request id").getByText("deploy-42", { exact: true }).waitFor();
  await dialog.getByRole("button", { name: "Copy the request id" }).click();
  await dialog.getByRole("status").getByText("Copied").waitFor({ state: "attached" });
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "deploy-42");
  await page.keyboard.press("Escape");
  await filters(page).getByLabel("Search").fill("192.0.2.1");
  await page.getByRole("heading", { name: "No entry matches" }).waitFor();
  await filters(page).getByLabel("Search").fill("127.0.0");
  await page.getByRole("link", { name: "House style" }).waitFor();
  await stage.dashboard("DELETE", `/api/rulesets/${json.Meta}`);
});

test("an entry without a document says so, and a reload entry links to the reload page", async () => {
  const page = await visit("/audit?subject=credential");
  await page.getByRole("row", { name: /gateway Added robot Credential/ }).getByRole("link", { name: /^Entry/ }).click();
  await page.getByText("An entry of this kind has no document to compare.").waitFor();
  await page.keyboard.press("Escape");
  await filters(page).getByLabel("Document kind").selectOption("Reload");
  await page.getByRole("row", { name: /gateway Reloaded Generation 1 Reload 1 served, 0 skipped/ }).waitFor();
  assert.equal(await page.getByRole("link", { name: "Generation 1", exact: true }).getAttribute("href"), "/console/reload");
});

test("part of a name is enough to find its entries", async () => {
  const page = await visit();
  await page.getByRole("link", { name: "Generation 1", exact: true }).waitFor();
  await filters(page).getByLabel("Search").fill("OBO");
  await page.getByRole("link", { name: "Generation 1", exact: true }).waitFor({ state: "detached" });
  await page.getByRole("row", { name: /gateway Added robot Credential/ }).waitFor();
});

test("filters are kept in the URL and apply to exports", async () => {
  const page = await visit();
  await filters(page).getByLabel("Document kind").selectOption("Client IdP");
  await settled(page, 2);
  await filters(page).getByLabel("Action").selectOption("Added");
  await settled(page, 1);
  await filters(page).getByLabel("Actor").fill("dashboard");
  await filters(page).getByLabel("Document id").fill(idp);
  await filters(page).getByLabel("Document id").press("Enter");
  const today = new Date().toISOString().slice(0, 10);
  await filters(page).getByLabel("From").fill(today);
  await filters(page).getByLabel("To, UTC").fill(today);
  await filters(page).getByLabel("To, UTC").blur();
  await page.waitForURL((url) => url.searchParams.get("to") === today);
  await page.reload();
  await settled(page, 1);
  assert.equal(await filters(page).getByLabel("Actor").inputValue(), "dashboard");
  assert.equal(await filters(page).getByLabel("Action").inputValue(), "added");

  const csv = await saved(page, "CSV");
  assert.equal(csv.name, "audit.csv");
  const lines = csv.text.trim().split("\r\n");
  assert.equal(lines.length, 2);
  assert.ok(lines[1].includes(`client_idp,${idp},Accounts`));
  const json = await saved(page, "JSON");
  assert.equal(json.name, "audit.json");
  assert.deepEqual(JSON.parse(json.text).entries.map(({ id, action }) => [id, action]), [[idp, "added"]]);

  await filters(page).getByLabel("Actor").fill("nobody");
  await filters(page).getByLabel("Actor").press("Enter");
  await page.getByRole("heading", { name: "No entry matches" }).waitFor();
  await page.getByRole("button", { name: "Clear the filters" }).click();
  await page.getByRole("row", { name: /Orders API/ }).first().waitFor();
  assert.equal(new URL(page.url()).search, "");
});

test("older entries are on further pages", async () => {
  for (let n = 0; n < 60; n += 1) {
    await stage.dashboard("PATCH", `/api/clientidps/${idp}/mappings`, { body: { paged: { scope_to_policy: { [`s${n}`]: "p" } } } });
  }
  const page = await visit("/audit?subject=client_idp");
  await settled(page, 50);
  await page.getByRole("link", { name: "Older" }).click();
  await page.waitForURL(/before=\d+/);
  await page.getByText("These are the oldest entries.").waitFor();
  await settled(page, 12);
  await page.getByRole("link", { name: "Newest" }).click();
  await settled(page, 50);
  assert.equal(await page.getByRole("link", { name: "Newest" }).count(), 0);
});

test("an invalid filter shows the edge's message, and a missing entry is reported as missing", async () => {
  const page = await visit("/audit?action=exploded");
  await page.getByRole("alert").getByText("The query parameter action is wrong").waitFor();
  const none = await visit("/audit?entry=999999");
  await none.getByRole("dialog").getByText("The audit trail has no such entry").waitFor();
  const bare = await stage.page({ path: "/audit", token: null });
  await bare.getByRole("heading", { name: "This page needs a dashboard token" }).waitFor();
});
