// Keys: made with a preview of their rights, shown once, used, edited, limited, ended and revoked.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { send } from "../../worker/tests/http.mjs";
import { clipboard, definition, editorText, laidOut, open, type } from "./console.mjs";

let stage;
before(async () => {
  stage = await open();
  const guarded = (name) => definition(name, { use_keyless: false }, { target_url: stage.upstream.url });
  for (const name of ["Orders", "Invoices"]) await stage.store(guarded(name));
  await stage.store(definition("Open data"));
  await stage.admin("POST", "/gateway/policies", { body: { id: "gold", name: "Gold plan", rate: 100, per: 60, quota_max: 5000, quota_renewal_rate: 86400, access_rights: rights("invoices") } });
  await stage.reload();
});
after(() => stage.close());

const rights = (...ids) => Object.fromEntries(ids.map((id) => [id, { api_id: id, versions: ["Default"] }]));

let made = 0;
/** Makes a key and returns its token, its hash and its paths. */
async function key(members = {}) {
  const body = { alias: `Key ${++made}`, access_rights: rights("orders"), ...members };
  const { json } = await stage.admin("POST", "/gateway/keys", { body });
  return { token: json.key, hash: json.key_hash, path: `/keys/${json.key_hash}`, alias: body.alias };
}

const stored = async ({ hash }) => (await stage.admin("GET", `/gateway/keys/${hash}`)).json;
const call = async (token, path = "/orders/x") => (await send(stage.gateway.ports.gateway, { path, headers: { Authorization: token } })).status;
const names = (page) => page.locator("tbody .cell-name > a").allTextContents();
const preview = (page) => page.getByRole("region", { name: "What it will give" });
const dialog = (page, name) => page.getByRole("dialog", { name });
const make = (page) => page.getByRole("button", { name: "Create the key" });

/** Opens a key's page in its editor. */
async function edit({ path }) {
  const page = await stage.page({ path: `${path}?view=json` });
  await page.locator("json-editor .cm-line").first().waitFor();
  return page;
}

test("a key is created from policies and APIs with a preview, and its token is shown once and works", async () => {
  const page = await stage.page({ path: "/keys/new" });
  assert.ok(await make(page).isDisabled(), "a key without access can't be created");
  await page.getByRole("textbox", { name: "Alias" }).fill("Partner portal");
  await page.getByRole("textbox", { name: "Tags" }).fill("eu, partner");
  await page.getByLabel("Expires").fill("2099-01-02T12:00");
  await page.getByRole("checkbox", { name: /Gold plan/ }).check();
  await preview(page).getByRole("row", { name: /Invoices.*100 per minute.*5.000 per day/ }).waitFor();
  await page.getByRole("button", { name: "Add an API…" }).click();
  await page.getByRole("combobox", { name: "Find an API" }).fill("or");
  await page.getByRole("option", { name: /Orders/ }).waitFor();
  assert.equal(await page.getByRole("option", { name: /Open data/ }).count(), 0, "a keyless API takes no keys");
  await page.keyboard.press("Enter");
  // Its own rights are ignored if a policy gives some.
  await page.getByRole("button", { name: "Remove Orders" }).waitFor();
  assert.equal(await preview(page).getByRole("row", { name: /Orders/ }).count(), 0);
  await page.getByRole("checkbox", { name: /Gold plan/ }).uncheck();
  await page.getByRole("textbox", { name: "Rate" }).fill("2");
  await page.getByText("This is required, too.").waitFor();
  assert.ok(await make(page).isDisabled());
  await page.getByRole("textbox", { name: "Per", exact: true }).fill("1");
  await page.getByRole("combobox", { name: "Unit of Per" }).selectOption("hours");
  await page.getByText("3600 seconds").waitFor();
  await page.getByRole("textbox", { name: "Quota" }).fill("many");
  await page.getByText("A whole number above 0.").waitFor();
  await page.getByRole("textbox", { name: "Quota" }).fill("50");
  await preview(page).getByRole("row", { name: /Orders.*2 per hour.*50 in total/ }).waitFor();
  await page.getByRole("link", { name: "Policies", exact: true }).click();
  await page.getByRole("heading", { name: "Leave without saving?" }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await make(page).click();

  await page.getByRole("heading", { name: "The token of “Partner portal”" }).waitFor();
  await page.getByRole("button", { name: "Copy the token" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  const token = await clipboard(page);
  assert.deepEqual([await call(token), await call(token), await call(token)], [200, 200, 429]);
  await page.getByRole("button", { name: "I have saved it" }).click();
  await page.getByRole("heading", { name: "Partner portal", level: 1 }).waitFor();
  assert.ok(!(await page.content()).includes(token), "the token is nowhere on the page");
  const hash = decodeURIComponent(page.url().split("/").at(-1));
  const session = await stored({ hash });
  assert.deepEqual([session.tags, session.rate, session.per, session.quota_max], [["eu", "partner"], 2, 3600, 50]);
  assert.equal(new Date(session.expires * 1000).getUTCFullYear(), 2099);
});

test("a refusal by the edge is shown, and the input is preserved", async () => {
  const page = await stage.page({ path: "/keys/new" });
  await page.getByRole("textbox", { name: "Organisation" }).fill("elsewhere");
  await page.getByRole("checkbox", { name: /Gold plan/ }).check();
  // An answer: a lost connection is no failure any more once another request is answered.
  await page.route("**/gateway/keys/create", (route) => route.fulfill({ status: 503, json: { status: "error", message: "KV is away" } }));
  await make(page).click();
  await page.getByRole("alert").getByText("KV is away").waitFor();
  await page.unroute("**/gateway/keys/create");
  await make(page).click();
  await page.getByRole("heading", { name: "The token of the key" }).waitFor();
});

test("a session is edited as JSON, counters are read-only, and a concurrent change is not lost", async () => {
  const one = await key({ quota_max: 10, quota_renewal_rate: 3600 });
  assert.equal(await call(one.token), 200);
  const page = await edit(one);
  const text = JSON.parse(await editorText(page));
  assert.equal(text.quota_remaining, undefined, "counters can't be edited");
  await page.getByText("9 of 10 left").waitFor();
  await type(page, laidOut({ ...text, tags: ["mine"] }));
  await stage.admin("PUT", `/gateway/keys/${one.hash}`, { query: { suppress_reset: "1" }, body: { ...text, meta_data: { theirs: true } } });
  await page.keyboard.press("ControlOrMeta+s");
  await dialog(page, "Review the change").getByText("Changed by somebody else.").waitFor();
  await page.getByRole("button", { name: "Rebase onto theirs" }).click();
  await page.getByRole("button", { name: "Review & save" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText(/Saved as revision/).waitFor();
  const now = await stored(one);
  assert.deepEqual([now.tags, now.meta_data, now.quota_remaining], [["mine"], { theirs: true }, 9]);
});

test("counters are reset, and the quota is read again", async () => {
  const one = await key({ quota_max: 3, quota_renewal_rate: 3600 });
  const page = await edit(one);
  await page.getByText("3 of 3 left").waitFor();
  await call(one.token);
  await page.getByRole("button", { name: "Refresh the quota" }).click();
  await page.getByText("2 of 3 left").waitFor();
  await page.getByRole("button", { name: "Reset counters…" }).click();
  await dialog(page, `Reset the counters of “${one.alias}”?`).getByRole("button", { name: "Reset" }).click();
  await page.getByText("The counters were reset.").waitFor();
  await page.getByText("3 of 3 left").waitFor();
});

test("a key's new token is shown once and keeps the counters, and the old one is invalid", async () => {
  const one = await key({ quota_max: 5, quota_renewal_rate: 3600 });
  await call(one.token);
  const page = await edit(one);
  await page.getByText("4 of 5 left").waitFor();
  await page.getByRole("button", { name: "New token…" }).click();
  const asked = dialog(page, `Give “${one.alias}” a new token?`);
  await asked.getByText("The old token is refused from the next request on").waitFor();
  await asked.getByRole("button", { name: "Cancel" }).click();
  assert.equal(await call(one.token), 200);
  await page.getByRole("button", { name: "New token…" }).click();
  await asked.getByRole("button", { name: "Create the new token" }).click();
  const shown = page.getByRole("region", { name: `The token of “${one.alias}”` });
  await shown.getByText("The old one has expired.").waitFor();
  const token = await page.getByLabel("Token", { exact: true }).textContent();
  assert.notEqual(token, one.token);
  await page.getByRole("button", { name: "Copy the token" }).click();
  await page.getByText("Copied").first().waitFor();
  assert.equal(await clipboard(page), token);
  assert.deepEqual([await call(one.token), await call(token)], [403, 200]);
  // Leaving requires confirmation: the token is shown nowhere else.
  await page.getByRole("link", { name: "Policies" }).click();
  await page.getByRole("dialog", { name: "Leave without saving?" }).getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "I have saved it" }).click();
  await page.waitForURL((url) => url.pathname.startsWith("/console/keys/") && !url.pathname.endsWith(one.hash));
  await page.getByText("2 of 5 left").waitFor();
  assert.equal(await page.getByText(token).count(), 0);
});

test("unsaved changes must be saved before a new token is issued", async () => {
  const one = await key();
  const page = await edit(one);
  await type(page, laidOut({ ...JSON.parse(await editorText(page)), tags: ["mine"] }));
  const button = page.getByRole("button", { name: "New token…" });
  await page.getByRole("button", { name: "Review & save" }).waitFor();
  assert.ok(await button.isDisabled());
});

test("a key is deactivated and activated, and extended", async () => {
  const one = await key();
  const page = await edit(one);
  await page.getByRole("button", { name: "Deactivate…" }).click();
  await dialog(page, `Deactivate “${one.alias}”?`).getByRole("button", { name: "Cancel" }).click();
  assert.equal(await call(one.token), 200);
  await page.getByRole("button", { name: "Deactivate…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Deactivate" }).click();
  await page.getByText("Deactivated.").waitFor();
  assert.equal(await call(one.token), 403);
  await page.getByRole("button", { name: "Activate", exact: true }).click();
  await page.getByText("Activated.", { exact: true }).waitFor();
  assert.equal(await call(one.token), 200);
  await page.getByRole("button", { name: "Extend…" }).click();
  await page.getByLabel("Or at, in your local time").fill("2001-01-01T00:00");
  await page.getByText("That is past").waitFor();
  assert.ok(await page.getByRole("button", { name: "Set the expiry" }).isDisabled());
  await page.getByLabel("Or at, in your local time").fill("2098-05-06T12:00");
  await page.getByRole("button", { name: "Set the expiry" }).click();
  await page.getByText("It has a new expiry.").waitFor();
  assert.equal(new Date((await stored(one)).expires * 1000).getUTCFullYear(), 2098);
  await page.getByRole("button", { name: "Extend…" }).click();
  await page.getByRole("button", { name: "Never" }).click();
  await page.getByText("It never expires now.").waitFor();
  // Members with 0 are hidden.
  assert.equal((await stored(one)).expires, undefined);
});

test("a key with policies is expired instead of deactivated, because its policies decide whether it is inactive", async () => {
  const one = await key({ access_rights: {}, apply_policies: ["gold"] });
  const page = await edit(one);
  await page.getByText("Whether it is active depends on its policies").waitFor();
  const gives = page.getByRole("region", { name: "What it gives" });
  await gives.getByRole("row", { name: /Invoices.*100 per minute/ }).waitFor();
  const lines = await gives.getByRole("link", { name: "Invoices" }).evaluate((name) => Math.round(name.offsetHeight / Number.parseFloat(getComputedStyle(name).lineHeight)));
  assert.equal(lines, 1, "a name is not broken within a word");
  assert.equal(await call(one.token, "/invoices/x"), 200);
  await page.getByRole("button", { name: "Expire now…" }).click();
  await dialog(page, `Let “${one.alias}” expire now?`).getByRole("button", { name: "Let it expire" }).click();
  await page.getByText("It has expired.").waitFor();
  await page.getByRole("button", { name: "Expire now…" }).waitFor({ state: "detached" });
  assert.equal(await call(one.token, "/invoices/x"), 401);
  await page.getByRole("button", { name: "Extend…" }).click();
  await page.getByRole("button", { name: "30 days more" }).click();
  await page.getByText("It has a new expiry.").waitFor();
  assert.equal(await call(one.token, "/invoices/x"), 200);
});

test("a key is revoked from its page and from the list, each time named in the confirmation", async () => {
  const [one, other] = [await key(), await key()];
  const page = await edit(one);
  const revoke = async (alias) => {
    await dialog(page, `Revoke “${alias}”?`).getByRole("button", { name: "Revoke" }).click();
    await page.getByText(`Revoked “${alias}”.`).waitFor();
  };
  await page.getByRole("button", { name: "Revoke…" }).click();
  await revoke(one.alias);
  await page.getByRole("heading", { name: "Keys", level: 1 }).waitFor();
  assert.equal(await call(one.token), 403);
  await page.getByRole("button", { name: `Actions for ${other.alias}`, exact: true }).click();
  await page.getByRole("menuitem", { name: "Revoke…" }).click();
  await revoke(other.alias);
  assert.equal(await call(other.token), 403);
  await page.goto(stage.url(one.path));
  await page.getByText("There is no such key").waitFor();
});

test("the list is searchable, filterable and sortable", async () => {
  await key({ alias: "Zebra", tags: ["stripes"] });
  await key({ alias: "Zeal", is_inactive: true, access_rights: rights("invoices") });
  await key({ alias: "Zero", access_rights: {}, apply_policies: ["gold"] });
  const page = await stage.page({ path: "/keys?q=ze&sort=alias" });
  const only = async (...expected) => {
    await page.getByText(expected.length === 1 ? "1 key" : `${expected.length} keys`, { exact: true }).first().waitFor();
    assert.deepEqual(await names(page), expected);
  };
  await only("Zeal", "Zebra", "Zero");
  await page.getByRole("combobox", { name: "State" }).selectOption("inactive");
  await only("Zeal");
  await page.getByRole("combobox", { name: "State" }).selectOption("");
  await only("Zeal", "Zebra", "Zero");
  for (const [name, value, found] of [["Policy", "gold", ["Zero"]], ["API id", "invoices", ["Zeal", "Zero"]], ["Tag", "stripes", ["Zebra"]]]) {
    const field = page.locator(`input[aria-label="${name}"]`);
    await field.fill(value);
    await page.keyboard.press("Enter");
    await only(...found);
    assert.match(page.url(), new RegExp(`=${value}`));
    await field.fill("");
    await page.keyboard.press("Enter");
    await only("Zeal", "Zebra", "Zero");
  }
  await page.locator('input[aria-label="Policy"]').fill("gold plan");
  await only("Zero");
  await page.reload();
  await only("Zero");
  await page.locator('input[aria-label="Policy"]').fill("");
  await only("Zeal", "Zebra", "Zero");
  await page.getByRole("searchbox", { name: "Search keys" }).fill("nothing like it");
  await page.getByText("No key matches").waitFor();
  await page.getByRole("button", { name: "Clear search and filters" }).click();
  await page.getByRole("row", { name: /Zero.*Gold plan/ }).waitFor();
});

test("the tag filter applies while typing", async () => {
  await key({ alias: "Tagged", tags: ["vip"] });
  const page = await stage.page({ path: "/keys" });
  await page.getByRole("combobox", { name: "Tag" }).pressSequentially("vip");
  await page.getByText("1 key", { exact: true }).first().waitFor();
  assert.deepEqual(await names(page), ["Tagged"]);
});

test("the list is paginated, and a failure can be retried", async () => {
  for (let n = 1; n <= 51; n += 1) await key({ alias: `Paged ${String(n).padStart(2, "0")}` });
  const page = await stage.page({ path: "/keys?q=paged&sort=alias" });
  await page.getByText("Page 1 of 2").waitFor();
  // All but the rows that fill a window are built in a second step.
  await page.locator("tbody tr").nth(49).waitFor();
  assert.equal((await names(page)).length, 50);
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("Page 2 of 2").waitFor();
  assert.deepEqual(await names(page), ["Paged 51"]);
  await page.route("**/gateway/keys?**", (route) => route.abort());
  await page.getByRole("button", { name: "Previous" }).click();
  await page.getByRole("button", { name: "Try again" }).waitFor();
  await page.unroute("**/gateway/keys?**");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Page 1 of 2").waitFor();
});

test("without the secret the page asks for it, and the palette leads here", async () => {
  const bare = await stage.page({ path: "/keys", secret: null, token: stage.gateway.token });
  await bare.getByRole("heading", { name: "This page needs the gateway secret" }).waitFor();
  const page = await stage.page();
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("new key");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "New key", level: 1 }).waitFor();
});
