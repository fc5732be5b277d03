// Client identity providers: the list, the table in step with the patch, the preview of a patch, and the result of
// sending it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clipboard, definition, editorText, open, type } from "./console.mjs";

let stage;
before(async () => {
  stage = await open({ fixtures: [definition("Orders"), definition("Payments")] });
});
after(() => stage.close());

let made = 0;
const MAPPINGS = { orders: { scope_to_policy: { read: "p1", write: "p2" }, note: 1 }, payments: { scope_to_policy: { pay: "p3" } } };

/** Stores a provider and returns its internal id and its path. */
async function provider(members = {}) {
  const body = { name: `Provider ${++made}`, jwks_uri: "https://idp.example/jwks", issuer: "https://idp.example", api_mappings: MAPPINGS, ...members };
  const { json } = await stage.dashboard("POST", "/api/clientidps", { body });
  return { id: json.Meta, path: `/client-idps/${json.Meta}`, url: `/api/clientidps/${json.Meta}` };
}

const visit = async (path, options) => stage.page({ path, token: stage.gateway.token, ...options });
const stored = async ({ url }) => (await stage.dashboard("GET", url)).json;
const patchText = async (page) => JSON.parse(await editorText(page));
const policy = (page, scope, api) => page.getByRole("combobox", { name: `Policy of ${scope} for ${api}`, exact: true });
const review = (page) => page.getByRole("button", { name: "Review & save" }).click();
const send = (page) => page.getByRole("button", { name: "Save", exact: true }).click();
/** Returns the counts on the page, in order: changed, added, deleted, untouched. */
const counts = async (page) => (await page.locator(".mapping-side .tally dd").allTextContents()).map(Number);

async function edit(idp, options) {
  const page = await visit(idp.path, options);
  await page.locator("json-editor .cm-content").waitFor();
  return page;
}

test("a provider is created, found, sorted and deleted, and the deletion is undone", async () => {
  const page = await visit("/client-idps");
  await page.getByRole("link", { name: "New provider" }).first().click();
  await page.getByRole("textbox", { name: "Name" }).fill("Zebra");
  assert.ok(await page.getByRole("button", { name: "Save", exact: true }).isDisabled(), "the JWKS URI is required");
  await page.getByRole("textbox", { name: "JWKS URI" }).fill("https://zebra .example/jwks");
  await page.getByRole("textbox", { name: "Client IdP id" }).fill("a zebra");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("allowed characters in an id", { exact: false }).first().waitFor();
  assert.equal(await page.getByRole("textbox", { name: "Client IdP id" }).getAttribute("aria-invalid"), "true");
  await page.getByRole("textbox", { name: "Client IdP id" }).fill("zebra");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved, with a warning: a URL can't contain spaces").waitFor();
  await page.getByRole("heading", { name: "Zebra", level: 1 }).waitFor();
  await page.getByText("No mappings yet.").waitFor();
  const save = page.getByRole("button", { name: "Review & save" });
  assert.deepEqual([await save.isDisabled(), await save.getAttribute("title")], [true, "The patch changes nothing"]);

  await provider({ name: "Aardvark" });
  await page.getByRole("link", { name: "Client IdPs" }).first().click();
  const names = () => page.locator("tbody .cell-name > a").allTextContents();
  await page.getByRole("link", { name: "Aardvark" }).waitFor();
  assert.deepEqual(await names(), ["Aardvark", "Zebra"], "the latest change comes first");
  await page.getByRole("combobox", { name: "Order" }).selectOption("-date_created");
  await page.getByRole("row", { name: /Aardvark.*2 APIs, 3 scopes/ }).waitFor();
  await page.getByRole("searchbox", { name: "Search client IdPs" }).fill("zeb");
  await page.getByText("1 provider").waitFor();
  assert.deepEqual(await names(), ["Zebra"]);
  assert.match(page.url(), /q=zeb&sort=-date_created/);

  await page.getByRole("button", { name: "Actions for Zebra" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No provider matches").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("link", { name: "Zebra" }).waitFor();
});

test("the table writes the patch, and the stored result matches the preview", async () => {
  const idp = await provider();
  const page = await edit(idp);
  assert.deepEqual(await counts(page), [0, 0, 0, 3]);
  await policy(page, "read", "orders").fill("p9");
  assert.deepEqual(await patchText(page), { orders: { scope_to_policy: { read: "p9" } } });
  await page.getByRole("button", { name: "Delete write of orders" }).click();
  await page.getByRole("button", { name: "Keep write of orders" }).waitFor();
  await page.getByRole("textbox", { name: "New scope for payments" }).fill("refund");
  await page.getByRole("combobox", { name: "New policy for payments" }).fill("p4");
  await page.keyboard.press("Enter");
  await policy(page, "refund", "payments").waitFor();
  await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "New scope for payments");
  assert.deepEqual(await patchText(page), {
    orders: { scope_to_policy: { read: "p9", write: null } },
    payments: { scope_to_policy: { refund: "p4" } },
  });
  assert.deepEqual(await counts(page), [1, 1, 1, 1]);
  await page.getByRole("button", { name: "Show the resulting document" }).click();
  await page.locator(".mapping-side .diff-added").filter({ hasText: "p9" }).waitFor();

  await review(page);
  await page.getByText("The edge's preview is the same as this page's, byte for byte.").waitFor();
  await send(page);
  await page.getByText("Saved as revision 2, exactly as previewed.").waitFor();
  const { api_mappings } = await stored(idp);
  assert.deepEqual(api_mappings, { orders: { scope_to_policy: { read: "p9" }, note: 1 }, payments: { scope_to_policy: { pay: "p3", refund: "p4" } } });
  assert.deepEqual(await patchText(page), {});
  assert.deepEqual(await counts(page), [0, 0, 0, 3]);
});

test("the table follows the patch, and undoing an edit leaves no trace", async () => {
  const page = await edit(await provider());
  await type(page, JSON.stringify({ orders: { scope_to_policy: { read: "p7", admin: "p8" } }, inventory: { scope_to_policy: { all: "p5" } } }));
  await page.getByRole("rowheader", { name: "inventory" }).waitFor();
  assert.equal(await policy(page, "read", "orders").inputValue(), "p7");
  assert.equal(await policy(page, "admin", "orders").inputValue(), "p8");
  await page.getByRole("button", { name: /no API of this organisation has this id/ }).waitFor();
  assert.deepEqual(await counts(page), [1, 2, 0, 2]);
  await page.getByRole("button", { name: "Undo the change of read of orders" }).click();
  await page.getByRole("button", { name: "Delete admin of orders" }).click();
  await page.getByRole("button", { name: "Delete the mapping of inventory" }).click();
  await page.getByText("Nothing. Edit the table or the patch.").waitFor();
  assert.deepEqual(await patchText(page), {});
});

test("an invalid patch shows where the error is, and nothing is sent", async () => {
  const page = await edit(await provider());
  await type(page, '{ "orders": { "scope_to_policy": { "read": 5 } } }');
  await page.getByRole("button", { name: /Error: a scope leads to a policy id/ }).waitFor();
  await page.getByText("The table shows the result of the last valid one.").waitFor();
  assert.equal(await page.locator(".tallies").count(), 0, "no counts for an invalid patch");
  assert.ok(await page.getByRole("button", { name: "Review & save" }).isDisabled());
  assert.ok(await policy(page, "read", "orders").isDisabled());
  await page.keyboard.press("ControlOrMeta+s");
  await page.getByText("The patch is not valid yet: ").waitFor();
  await type(page, "{ half");
  await page.getByRole("button", { name: /^Error: / }).first().waitFor();
  await page.getByRole("button", { name: "Discard" }).click();
  await page.getByText("Nothing. Edit the table or the patch.").waitFor();
  await page.locator(".tallies").waitFor();
});

test("removing entire mappings asks for confirmation with their names", async () => {
  const idp = await provider();
  const page = await edit(idp);
  await page.getByRole("button", { name: "Delete the mapping of payments" }).click();
  assert.deepEqual(await patchText(page), { payments: null });
  await page.keyboard.press("ControlOrMeta+s");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Whole mappings are deleted").waitFor();
  const button = dialog.getByRole("button", { name: "Delete and save" });
  assert.ok(await button.isDisabled());
  await dialog.getByRole("checkbox", { name: "Yes, delete the whole mapping of payments" }).check();
  await button.click();
  await page.getByText("Saved as revision 2").waitFor();
  assert.deepEqual(Object.keys((await stored(idp)).api_mappings), ["orders"]);
});

test("a new mapping offers API ids, and the edge warns about an unknown one", async () => {
  const idp = await provider({ api_mappings: {} });
  const page = await edit(idp);
  const field = page.getByRole("combobox", { name: "API id of a new mapping" });
  await page.locator(`datalist[id="${await field.getAttribute("list")}"] option`).nth(1).waitFor({ state: "attached" });
  const offered = await field.evaluate((input) => [...input.list.options].map(({ value, label }) => [value, label]));
  assert.deepEqual(offered, [["orders", "Orders"], ["payments", "Payments"]]);
  await field.fill("nowhere");
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "New scope for nowhere" }).waitFor();
  await page.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "New scope for nowhere");
  await page.keyboard.type("all");
  await page.keyboard.press("Tab");
  await page.keyboard.type("gold");
  await page.keyboard.press("Enter");
  await review(page);
  await page.getByRole("dialog").getByText("The gateway warns").waitFor();
  await send(page);
  await page.getByText("Saved as revision 2").waitFor();
  assert.deepEqual((await stored(idp)).api_mappings, { nowhere: { scope_to_policy: { all: "gold" } } });
});

test("a conflict shows both sides, and rebasing the patch loses neither", async () => {
  const idp = await provider();
  const page = await edit(idp);
  await policy(page, "read", "orders").fill("mine");
  await policy(page, "pay", "payments").fill("both-mine");
  await stage.dashboard("PATCH", `${idp.url}/mappings`, { body: { orders: { scope_to_policy: { theirs: "p5" } }, payments: { scope_to_policy: { pay: "both-theirs" } } } });
  await review(page);
  const dialog = page.getByRole("dialog");
  await dialog.getByText("You started from revision 1; revision 2 is stored now.").waitFor();
  await dialog.getByRole("region", { name: "What they changed" }).getByText("/api_mappings/orders/scope_to_policy/theirs").waitFor();
  await dialog.getByRole("region", { name: "What you changed" }).getByText("/api_mappings/orders/scope_to_policy/read").waitFor();
  assert.equal(await dialog.getByText("/last_updated").count(), 0, "every write changes it");
  await dialog.getByRole("button", { name: "Rebase onto theirs" }).click();
  await page.getByText("Both of you changed /api_mappings/payments/scope_to_policy/pay").waitFor();
  await policy(page, "theirs", "orders").waitFor();
  await review(page);
  await send(page);
  await page.getByText("Saved as revision 3, exactly as previewed.").waitFor();
  const { api_mappings } = await stored(idp);
  assert.deepEqual(api_mappings.orders.scope_to_policy, { read: "mine", write: "p2", theirs: "p5" });
  assert.deepEqual(api_mappings.payments.scope_to_policy, { pay: "both-mine" });
});

test("details are stored separately, and a conflict there keeps both sides too", async () => {
  const idp = await provider();
  const page = await edit(idp);
  await policy(page, "read", "orders").fill("unsent");
  await page.getByRole("textbox", { name: "Issuer" }).fill("https://other.example");
  const body = { ...(await stored(idp)), scope_claim_name: "scp" };
  await stage.dashboard("PUT", idp.url, { body });
  await page.getByRole("button", { name: "Save details" }).click();
  await page.getByRole("dialog").getByText("revision 2 is stored now").waitFor();
  await page.getByRole("button", { name: "Rebase onto theirs" }).click();
  await page.getByRole("button", { name: "Save details" }).click();
  await page.getByText("Saved as revision 3.").waitFor();
  const now = await stored(idp);
  assert.deepEqual([now.issuer, now.scope_claim_name], ["https://other.example", "scp"]);
  assert.deepEqual(await patchText(page), { orders: { scope_to_policy: { read: "unsent" } } }, "the patch is still there");
});

test("a response that differs from the preview is reported", async () => {
  const page = await edit(await provider());
  await policy(page, "read", "orders").fill("p9");
  await review(page);
  await page.getByText("byte for byte").waitFor();
  await page.route("**/mappings", async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, body: (await answer.text()).replace('"p9"', '"p0"') });
  });
  await send(page);
  await page.getByText("What was stored differs from the preview.").waitFor();
  await page.unroute("**/mappings");
});

test("the copied command sends the same patch, with the token as a variable", async () => {
  const page = await edit(await provider());
  await policy(page, "read", "orders").fill("it's");
  await page.getByRole("button", { name: "Copy as curl" }).click();
  await page.getByText("Copied", { exact: true }).first().waitFor();
  const command = await clipboard(page);
  assert.match(command, /--request PATCH '.*\/mappings'/);
  assert.match(command, /"Authorization: Bearer \$DASHBOARD_TOKEN"/);
  assert.match(command, /'If-Match: "1"'/);
  assert.ok(command.includes(`it'\\''s`) && !command.includes(stage.gateway.token));
});

test("unsent changes block leaving the page, and a rejected token is asked for in place", async () => {
  const idp = await provider();
  const page = await edit(idp);
  await policy(page, "read", "orders").fill("p9");
  await page.getByRole("link", { name: "APIs", exact: true }).click();
  await page.getByRole("heading", { name: "Leave without saving?" }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.route("**/api/**", (route) => route.continue({ headers: { ...route.request().headers(), authorization: "Bearer revoked" } }));
  await review(page);
  await page.getByRole("heading", { name: "The token was refused" }).waitFor();
  await page.unroute("**/api/**");
  await page.getByLabel("Dashboard token").fill(stage.gateway.token);
  await page.keyboard.press("Enter");
  await page.getByText("The edge's preview is the same").waitFor();
  await send(page);
  await page.getByText("Saved as revision 2").waitFor();
});

test("a token of another organisation sees nothing, and a read-only token can't send", async () => {
  const idp = await provider();
  const issue = async (body) => (await stage.admin("POST", "/gateway/dashboard/credentials", { body })).json.token;
  const other = await issue({ name: "other", org_id: "elsewhere", permissions: { clientidps: "write" } });
  const page = await visit(idp.path, { token: other });
  await page.getByText("There is no such provider").waitFor();
  const reader = await issue({ name: "reader", permissions: { clientidps: "read" } });
  const reading = await edit(idp, { token: reader });
  await reading.getByText("You can look at this page but change nothing").waitFor();
  await policy(reading, "read", "orders").fill("p9");
  await reading.waitForFunction(() => document.querySelector(".mapping-side .tally dd")?.textContent === "1");
  assert.equal(await reading.getByRole("button", { name: "Review & save" }).isDisabled(), true);
  const blind = await issue({ name: "blind", permissions: { hooks: "read" } });
  const denied = await visit("/client-idps", { token: blind });
  await denied.getByText("You may not see this page").waitFor();
});

test("scopes and tokens are tested against the patched mappings", async () => {
  const rights = (id) => ({ [id]: { api_id: id, api_name: id, versions: ["Default"] } });
  const limited = { id: "try-read", name: "Reading", org_id: "default", active: true, rate: 5, per: 1, quota_max: -1, access_rights: rights("orders") };
  const stored = await stage.admin("POST", "/gateway/policies", { body: limited });
  assert.equal(stored.status, 200, stored.text);
  const idp = await provider({ api_mappings: { orders: { scope_to_policy: { read: "try-read", write: "p2" } } } });
  const page = await edit(idp, { secret: stage.gateway.secret });
  const entered = page.getByRole("textbox", { name: "Scopes or a token" });
  const listed = () => page.locator(".simulator-scopes li").allTextContents();
  const simulator = page.locator(".simulator");
  await entered.fill("read other");
  await simulator.getByText("not mapped: gives nothing").waitFor();
  await simulator.getByRole("link", { name: "Reading" }).waitFor();
  assert.deepEqual(await listed(), ["read → Reading", "other → not mapped: gives nothing"]);
  await simulator.locator("pre").getByText('"rate": 5').waitFor();
  await entered.fill("other");
  await simulator.getByText("No scope is mapped: a request is refused with 403.").waitFor();
  const claims = Buffer.from(JSON.stringify({ scope: ["other"] })).toString("base64url");
  await entered.fill(`eyJhbGciOiJSUzI1NiJ9.${claims}.c2ln`);
  await simulator.getByText("From the claim scope of the token.").waitFor();
  // A change is previewed before it is sent.
  await page.getByRole("textbox", { name: "New scope for orders" }).fill("other");
  await page.getByRole("combobox", { name: "New policy for orders" }).fill("try-read");
  await page.keyboard.press("Enter");
  await simulator.getByText("other → Reading").waitFor();
});

test("its revisions are compared and restored, also after a deletion", async () => {
  const idp = await provider();
  await stage.dashboard("PATCH", `${idp.url}/mappings`, { body: { orders: { scope_to_policy: { read: "p9" } } } });
  const page = await edit(idp);
  const show = () => page.getByRole("button", { name: "Show the revisions" }).click();
  const restore = async (revision, as) => {
    await page.getByRole("button", { name: `View & restore revision ${revision}` }).click();
    await page.getByRole("button", { name: "Restore this revision" }).click();
    await page.getByText(`Restored revision ${revision} as revision ${as}.`).waitFor();
  };
  await show();
  await page.getByRole("link", { name: "Compare two of them" }).click();
  await page.waitForURL(/\/compare\/clientidps\/[^/]+$/);
  await page.locator(".diff-caption").getByText("From revision 1 to revision 2").waitFor();
  await page.getByRole("region", { name: "Differences" }).getByText('"p9"').waitFor();
  await page.getByRole("link", { name: idp.id }).click();
  await page.waitForURL(new RegExp(`${idp.path}$`));

  await show();
  await restore(1, 3);
  await page.getByRole("button", { name: "View revision 3" }).waitFor();
  // The table has what was restored: it is fetched apart from the list of revisions.
  await page.waitForFunction(() => document.querySelector('[aria-label="Policy of read for orders"]')?.value === "p1");
  await stage.dashboard("DELETE", idp.url);
  await page.reload();
  await page.getByText("There is no such provider").waitFor();
  await show();
  await restore(2, 5);
  await policy(page, "read", "orders").waitFor();
  assert.equal((await stored(idp)).api_mappings.orders.scope_to_policy.read, "p9");
});
