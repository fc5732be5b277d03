// Dashboard credentials: issued with the secret, shown once, effective at once, and refused once revoked.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clipboard, open, type } from "./console.mjs";

let stage;
before(async () => {
  stage = await open();
});
after(() => stage.close());

const grant = (page, group, access) => page.getByRole("group", { name: group }).getByRole("radio", { name: access }).check();
const createButton = (page) => page.getByRole("button", { name: "Create", exact: true });
const statusOf = async (token, path) => (await stage.gateway.dashboard("GET", path, { headers: { Authorization: `Bearer ${token}` } })).status;
const issued = async (body) => (await stage.admin("POST", "/gateway/dashboard/credentials", { body })).json;

test("a credential's token is shown once, works, and is refused after revocation", async () => {
  const page = await stage.page({ path: "/credentials" });
  await page.getByRole("heading", { name: "No credentials yet" }).waitFor();
  await page.getByRole("link", { name: "New credential" }).first().click();
  await page.getByRole("textbox", { name: "Name" }).fill("Deploy robot");
  assert.ok(await createButton(page).isDisabled(), "a credential without permissions can't be issued");
  await grant(page, "Client IdPs", "Read");
  await grant(page, "Webhooks", "Write");
  await page.getByLabel("Expires").fill("2099-01-02T12:00");
  await createButton(page).click();
  await page.getByRole("heading", { name: "The token of “Deploy robot”" }).waitFor();
  await page.getByText("Copy it now.").waitFor();
  await page.getByRole("button", { name: "Copy the token" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const token = await clipboard(page);
  assert.match(token, /^gwd_/);
  assert.equal(await page.getByLabel("Token", { exact: true }).textContent(), token);
  assert.equal(await statusOf(token, "/api/clientidps"), 200);
  assert.equal(await statusOf(token, "/api/rulesets"), 403);

  await page.getByRole("link", { name: "APIs", exact: true }).click();
  await page.getByRole("heading", { name: "Leave without saving?" }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "I have saved it" }).click();
  const row = page.getByRole("row", { name: /Deploy robot.*default.*Client IdPs read.*Webhooks write.*Active.*until 2099-01-02 12:00:00/ });
  await row.waitFor();
  assert.ok(!(await page.content()).includes(token), "the token is nowhere on the page");

  await row.getByRole("button", { name: "Revoke Deploy robot" }).click();
  const dialog = page.getByRole("dialog", { name: "Revoke “Deploy robot”?" });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  assert.equal(await statusOf(token, "/api/clientidps"), 200);
  await row.getByRole("button", { name: "Revoke Deploy robot" }).click();
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await page.getByText("Revoked “Deploy robot”.").waitFor();
  await page.getByRole("row", { name: /Deploy robot.*Revoked/ }).waitFor();
  assert.equal(await row.getByRole("button").count(), 0, "there is nothing left to revoke");
  assert.equal(await statusOf(token, "/api/clientidps"), 401);
});

test("states, organisations and permissions are distinguished", async () => {
  // Long enough for a busy machine to store it before that.
  const soon = new Date(Date.now() + 3000).toISOString();
  await issued({ name: "brief", permissions: { apis: "read" }, expires_at: soon });
  await issued({ name: "elsewhere", org_id: "acme", permissions: { rulesets: "write" } });
  const page = await stage.page({ path: "/credentials" });
  await page.getByRole("row", { name: /elsewhere.*acme.*Rulesets write.*Active/ }).waitFor();
  // It expires while it is on screen; the next rendering says so.
  await page.waitForFunction((end) => Date.now() > Date.parse(end), soon);
  await page.reload();
  await page.getByRole("row", { name: /brief.*APIs read.*Expired/ }).waitFor();
});

test("a refusal by the edge is shown, and the input is preserved", async () => {
  const page = await stage.page({ path: "/credentials/new" });
  await page.getByRole("textbox", { name: "Name" }).fill("Gateway");
  await grant(page, "APIs", "Read");
  await page.getByLabel("Expires").fill("2001-01-01T00:00");
  await createButton(page).click();
  await page.getByRole("alert").getByText("name is taken").waitFor();
  await page.getByRole("textbox", { name: "Name" }).fill("Reader");
  await createButton(page).click();
  await page.getByRole("alert").getByText("expires_at is in the past").waitFor();
  await page.getByLabel("Expires").fill("");
  await page.getByRole("textbox", { name: "Organisation" }).fill("acme");
  await createButton(page).click();
  await page.getByRole("heading", { name: "The token of “Reader”" }).waitFor();
});

test("without the secret the page asks for it, and the palette leads here", async () => {
  const bare = await stage.page({ path: "/credentials", secret: null, token: stage.gateway.token });
  await bare.getByRole("heading", { name: "This page needs the gateway secret" }).waitFor();
  await bare.getByLabel("Administration secret").fill(stage.gateway.secret);
  await bare.keyboard.press("Enter");
  await bare.getByRole("link", { name: "New credential" }).first().waitFor();
  const page = await stage.page();
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("creden");
  await page.getByRole("option", { name: /Credentials/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Credentials", level: 1 }).waitFor();
});

test("a credential sees in advance which pages it can neither open nor change", async () => {
  await stage.store({ name: "Orders", api_id: "orders", use_keyless: true, proxy: { listen_path: "/orders/", target_url: "http://127.0.0.1:9/" }, version_data: { not_versioned: true, versions: { Default: { name: "Default" } } } });
  const { token } = await issued({ name: "anna", permissions: { hooks: "read", gateway: { apis: "read", reload: "write", tools: "read" } } });
  const page = await stage.page({ path: "/connect", secret: null });
  await page.getByLabel("Dashboard token").fill(token);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/console\/apis$/);
  await page.goto(stage.url("/"));
  await page.waitForURL(/\/console\/apis$/);
  await page.getByRole("link", { name: "Orders", exact: true }).waitFor();
  await page.goto(stage.url("/apis/orders"));
  await page.getByText("You can look at this page but change nothing").waitFor();
  await page.getByText("anna").waitFor();
  await type(page, '{ "half": "typed');
  assert.ok(await page.getByRole("button", { name: "Read only" }).isDisabled());
  const entry = (name) => page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name, exact: true });
  assert.equal(await entry("Policies").getAttribute("title"), "Requires the right to read Policies");
  assert.equal(await entry("Try it").getAttribute("title"), "Requires the right to write Try it, batch");
  assert.equal(await entry("Credentials").getAttribute("title"), "Requires the gateway secret");
  assert.equal(await entry("APIs").getAttribute("title"), null);
  await page.goto(stage.url("/policies"));
  await page.getByRole("heading", { name: "You may not see this page" }).waitFor();
  await page.getByText("Requires the right to read Policies.").waitFor();
  await page.getByLabel("Administration secret").fill(stage.gateway.secret);
  await page.keyboard.press("Enter");
  await page.getByText("By a token and the secret").waitFor();
  await page.getByRole("heading", { name: "No policies yet" }).waitFor();
  await stage.reload();
});

test("a credential without the reload right is not offered a reload", async () => {
  const { token } = await issued({ name: "carl", permissions: { gateway: { apis: "write", reload: "read" } } });
  await stage.store({ name: "Waiting", api_id: "waiting", use_keyless: true, proxy: { listen_path: "/waiting/", target_url: "http://127.0.0.1:9/" }, version_data: { not_versioned: true, versions: { Default: { name: "Default" } } } });
  const reload = (page) => page.getByRole("button", { name: "Reload now" });
  const page = await stage.page({ path: "/apis/waiting", secret: null, token });
  await reload(page).waitFor();
  assert.ok(await reload(page).isDisabled());
  const other = await stage.page({ path: "/apis/waiting" });
  await reload(other).waitFor();
  assert.ok(await reload(other).isEnabled());
  await stage.reload();
});
