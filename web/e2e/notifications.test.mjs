// Notifications: live over the stream, resumed where it broke off, paused, filtered, and with links.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { definition, open } from "./console.mjs";

let stage;
let made = 0;
before(async () => {
  stage = await open({ fixtures: [definition("Orders")] });
});
after(() => stage.close());

const visit = (path = "/notifications", options) => stage.page({ path, token: stage.gateway.token, ...options });
const is = (page, state) => page.locator(".feed-state").getByText(state, { exact: true }).waitFor();
const numbers = async (page) => (await page.locator("tbody th").allTextContents()).map((text) => Number(text.slice(1)));
const last = async () => (await stage.dashboard("GET", "/api/notifications")).json.last;
const row = (page, seq) => page.getByRole("row", { name: new RegExp(`^#${seq} `) });

/** Stores a provider, which causes one notification. */
async function provider() {
  const body = { name: `Provider ${++made}`, client_idp_id: `idp-${made}`, jwks_uri: "https://idp.example/jwks" };
  return (await stage.dashboard("POST", "/api/clientidps", { body })).json.Meta;
}

test("existing and new notifications are shown, with links to their subjects", async () => {
  const page = await visit();
  await is(page, "Live");
  await page.getByRole("row", { name: /ApiAdded Orders added, revision 1/ }).waitFor();
  await page.getByRole("row", { name: /GroupReload Reload generation/ }).waitFor();
  const id = await provider();
  const seq = await last();
  await row(page, seq).filter({ hasText: `idp-${made}` }).waitFor();
  await stage.dashboard("PATCH", `/api/clientidps/${id}/mappings`, { body: { orders: { scope_to_policy: { read: "p1" } } } });
  await row(page, seq + 1).filter({ hasText: "modified, revision 2; mappings of orders" }).waitFor();
  assert.deepEqual((await numbers(page)).slice(0, 2), [seq + 1, seq], "newest first");
  await row(page, seq).getByRole("link", { name: `idp-${made}` }).click();
  await page.getByRole("heading", { name: `Provider ${made}`, level: 1 }).waitFor();
});

test("pausing holds back new notifications without losing any", async () => {
  const page = await visit();
  await is(page, "Live");
  await page.getByRole("button", { name: "Pause" }).click();
  await is(page, "Paused");
  const before = await numbers(page);
  await provider();
  await provider();
  const seq = await last();
  assert.deepEqual(await numbers(page), before);
  await page.getByRole("button", { name: "Resume" }).click();
  await row(page, seq).waitFor();
  await row(page, seq - 1).waitFor();
  await is(page, "Live");
});

test("an interrupted stream resumes after the last notification received", async () => {
  const page = await visit();
  await is(page, "Live");
  await provider();
  const heard = await last();
  await row(page, heard).waitFor();
  const asked = [];
  await page.route("**/api/notifications/stream", async (route) => {
    asked.push(await route.request().headerValue("last-event-id"));
    await route.abort();
  });
  await page.context().setOffline(true);
  await is(page, "Reconnecting");
  await provider();
  const again = page.waitForRequest(/notifications\/stream/);
  await page.context().setOffline(false);
  await again;
  await page.unroute("**/api/notifications/stream");
  await row(page, heard + 1).waitFor();
  await is(page, "Live");
  assert.ok(asked.every((id) => id === String(heard)), `requested after ${asked}`);
});

test("the type filter is kept in the URL and applies to new notifications", async () => {
  const page = await visit();
  await is(page, "Live");
  await page.getByLabel("Type").selectOption("GroupReload");
  await page.waitForURL(/type=GroupReload/);
  await page.waitForFunction(() => [...document.querySelectorAll("tbody td:first-of-type")].every((cell) => cell.textContent === "GroupReload"));
  await provider();
  await stage.reload();
  await row(page, await last()).waitFor();
  const kinds = await page.locator("tbody td:first-of-type").allTextContents();
  assert.ok(kinds.every((kind) => kind === "GroupReload"), kinds.join());
  await page.reload();
  await page.getByRole("row", { name: /GroupReload/ }).first().waitFor();
  assert.equal(await page.getByLabel("Type").inputValue(), "GroupReload");
  await page.getByLabel("Type").selectOption("ApiRemoved");
  await page.getByRole("heading", { name: "None of this type" }).waitFor();
});

test("events of keys and of the data plane link to the key or the API", async () => {
  const hook = { handler_name: "eh_web_hook_handler", handler_meta: { method: "POST", target_path: "https://hooks.invalid/in" } };
  const events = { AuthFailure: [hook] };
  const heard = definition("Heard", { use_keyless: false, event_handlers: { events } });
  assert.equal((await stage.admin("POST", "/gateway/apis", { body: heard })).status, 200);
  await stage.reload();
  const page = await visit();
  await is(page, "Live");
  const key = await stage.admin("POST", "/gateway/keys", { body: { alias: "reporting", access_rights: { [heard.api_id]: { api_id: heard.api_id } } } });
  const { key_hash } = key.json;
  const row = page.getByRole("row", { name: /TokenCreated reporting added/ });
  assert.match(await row.getByRole("link", { name: "reporting" }).getAttribute("href"), new RegExp(key_hash));
  const url = `${stage.gateway.gateway}${heard.proxy.listen_path}x`;
  assert.equal((await fetch(url, { headers: { Authorization: "nobody-knows-this-token" } })).status, 403);
  const refused = page.getByRole("row", { name: new RegExp(`AuthFailure ${heard.api_id} Auth Failure at ${heard.proxy.listen_path}x from 127.0.0.1, key [0-9a-f]+`) });
  await refused.getByRole("link", { name: heard.api_id }).waitFor();
});

test("without a stream at the edge, the page polls", async () => {
  const page = await visit("/connect");
  await page.route("**/api/notifications/stream", (route) => route.fulfill({ status: 404, json: { Message: "none", Meta: null, Status: "Error" } }));
  await page.goto(stage.url("/notifications"));
  await is(page, "Checking every few seconds");
  await provider();
  await row(page, await last()).waitFor();
});

test("a revoked token ends the stream, and a new one resumes it", async () => {
  const body = { name: "watcher", permissions: { clientidps: "read", apis: "read" } };
  const { token, key } = (await stage.admin("POST", "/gateway/dashboard/credentials", { body })).json;
  const page = await visit("/notifications", { token });
  await is(page, "Live");
  await stage.admin("DELETE", `/gateway/dashboard/credentials/${key}`);
  await page.getByRole("heading", { name: "The token was refused" }).waitFor();
  await page.getByLabel("Dashboard token").fill(stage.gateway.token);
  await page.keyboard.press("Enter");
  await is(page, "Live");
  await provider();
  await row(page, await last()).waitFor();
});
