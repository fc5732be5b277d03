// Bulk actions: the selection, the plan of a verb, protection against overwriting, and the report.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { start } from "../../worker/tests/harness.mjs";
import { definition, open } from "./console.mjs";
import { look, onNarrowest } from "./look.mjs";

const MANY = Array.from({ length: 60 }, (_, n) => definition(`Bulk ${String(n).padStart(2, "0")}`, { tags: ["bulk"] }));
const rights = (...ids) => Object.fromEntries(ids.map((id) => [id, { api_id: id, versions: ["Default"] }]));

let stage;
before(async () => {
  stage = await open({ fixtures: [...MANY, definition("Orders", { use_keyless: false }), definition("Payments", { use_keyless: false })] });
});
after(() => stage.close());

const api = async (id) => (await stage.gateway.admin("GET", `/gateway/apis/${id}?complete=false`)).json;
const policy = (id, members = {}) => stage.admin("POST", "/gateway/policies", { body: { id, name: `Plan ${id}`, rate: 5, per: 1, access_rights: rights("orders"), ...members } });
const key = async (alias, members = {}) => (await stage.admin("POST", "/gateway/keys", { body: { alias, access_rights: rights("orders"), ...members } })).json.key_hash;
const session = async (hash) => (await stage.admin("GET", `/gateway/keys/${hash}`, { query: { applied: "false" } })).json;

const bar = (page) => page.getByRole("group", { name: "Selection" });
const box = (page, name) => page.getByRole("checkbox", { name: `Select ${name}`, exact: true });
const verb = (page, name) => bar(page).getByRole("button", { name: `${name}…`, exact: true });
const dialog = (page) => page.getByRole("dialog");
const planned = (page) => dialog(page).getByRole("list", { name: "What will happen" }).getByRole("listitem");
const press = (page, name) => dialog(page).locator("footer").getByRole("button", { name, exact: true }).click();

/** Opens a list, selects rows by name and chooses a verb. */
async function choose(path, names, what) {
  const page = await stage.page({ path });
  for (const name of names) await box(page, name).check();
  await verb(page, what).click();
  return page;
}

test("all matching APIs are selected across pages, and the plan and the report show their number", async () => {
  const page = await stage.page({ path: "/apis?tag=bulk" });
  const all = bar(page).getByRole("button", { name: "Select all 60 that match" });
  await box(page, "Bulk 01").check();
  await verb(page, "Delete").waitFor();
  assert.equal(await all.count(), 0, "first, all rows shown");
  await bar(page).getByRole("checkbox", { name: "Select all shown" }).check();
  await all.click();
  await bar(page).getByText("60 selected, 10 not shown").waitFor();
  assert.equal(await all.count(), 0);
  await verb(page, "Add a tag").click();
  await dialog(page).getByRole("heading", { name: "Add a tag to 60 APIs" }).waitFor();
  await dialog(page).getByLabel("Tag", { exact: true }).fill("everywhere");
  await press(page, "Change 60 APIs");
  await dialog(page).locator(".notice", { hasText: "60 done" }).waitFor();
  assert.deepEqual((await api("bulk-59")).tags, ["bulk", "everywhere"]);
  await press(page, "Undo 60");
  await dialog(page).locator(".notice", { hasText: "Undone: 60 done" }).waitFor();
  await press(page, "Close");
  // After clearing, the same rows can be selected again.
  await bar(page).getByRole("button", { name: "Clear" }).click();
  await bar(page).getByRole("checkbox", { name: "Select all shown" }).check();
  await all.waitFor();
});

test("all matching keys are selected across pages", async () => {
  for (let n = 0; n < 52; n += 1) await key(`Many ${String(n).padStart(2, "0")}`);
  const page = await stage.page({ path: "/keys?q=Many&sort=alias" });
  await box(page, "Many 00").waitFor();
  await bar(page).getByRole("checkbox", { name: "Select all shown" }).check();
  await bar(page).getByRole("button", { name: "Select all 52 that match" }).click();
  await bar(page).getByText("52 selected, 2 not shown").waitFor();
  await verb(page, "Revoke").click();
  await dialog(page).getByRole("heading", { name: "Revoke 52 keys" }).waitFor();
});

test("selections by checkbox, range and keyboard survive pagination and filtering", async () => {
  const page = await stage.page({ path: "/apis?tag=bulk" });
  await box(page, "Bulk 01").check();
  await box(page, "Bulk 04").click({ modifiers: ["Shift"] });
  await bar(page).getByText("4 selected", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Bulk 06", exact: true }).focus();
  await page.keyboard.press("x");
  await bar(page).getByText("5 selected", { exact: true }).waitFor();
  assert.equal(await box(page, "Bulk 06").isChecked(), true);
  await page.getByRole("button", { name: "Next" }).click();
  await bar(page).getByText("5 selected, 5 not shown").waitFor();
  await bar(page).getByRole("checkbox", { name: "Select all shown" }).check();
  await bar(page).getByText("15 selected, 5 not shown").waitFor();
  await page.getByRole("searchbox", { name: "Search APIs" }).fill("Bulk 0");
  await bar(page).getByText("15 selected, 10 not shown").waitFor();
  assert.equal(await bar(page).getByRole("checkbox", { name: "Select all shown" }).evaluate((box) => box.indeterminate), true);
  // In a text field, x is just a letter.
  await page.getByRole("searchbox", { name: "Search APIs" }).press("x");
  await page.getByText("No API matches").waitFor();
  await bar(page).getByRole("button", { name: "Clear" }).click();
  await bar(page).getByText("selected").waitFor({ state: "detached" });
});

test("a tag is added where it is missing, and undo restores every byte", async () => {
  const text = '{ "name":"Odd","api_id":"odd", "use_keyless":true,"tags" : ["x"],"proxy":{"listen_path":"/odd/","target_url":"http://127.0.0.1:9/"},\n "n": 1.0 }';
  await stage.store(text);
  await stage.store(definition("Even", { tags: ["x", "night"] }));
  const page = await choose("/apis?tag=x", ["Odd", "Even"], "Add a tag");
  await dialog(page).getByText("Enter a tag.").waitFor();
  await dialog(page).getByLabel("Tag", { exact: true }).fill("night");
  await dialog(page).getByText("1 to do, 1 unchanged").waitFor();
  assert.deepEqual(await planned(page).allTextContents(), ["OddTags: x, night", "EvenIt already has this tag."]);
  await press(page, "Change 1 API");
  await dialog(page).getByText("1 done", { exact: true }).first().waitFor();
  assert.deepEqual((await api("odd")).tags, ["x", "night"]);
  await press(page, "Undo 1");
  await dialog(page).getByText("Undone: 1 done").first().waitFor();
  assert.equal((await stage.gateway.admin("GET", "/gateway/apis/odd?complete=false")).text, text);
  await press(page, "Close");
  await dialog(page).waitFor({ state: "detached" });
  await bar(page).getByText("2 selected").waitFor();
});

test("concurrent changes are not overwritten, and can be retried", async () => {
  await stage.store(definition("Mine", { tags: ["race"] }));
  await stage.store(definition("Theirs", { tags: ["race"] }));
  const page = await choose("/apis?tag=race", ["Mine", "Theirs"], "Deactivate");
  await dialog(page).getByText("2 to do").waitFor();
  const theirs = await api("theirs");
  await stage.admin("PUT", "/gateway/apis/theirs", { body: { ...theirs, name: "Theirs now" } });
  await press(page, "Deactivate 2 APIs");
  await dialog(page).getByText("1 done, 1 failed").first().waitFor();
  await dialog(page).getByText("Somebody else has changed it meanwhile; their change was not overwritten.").waitFor();
  assert.deepEqual([(await api("theirs")).name, (await api("theirs")).active, (await api("mine")).active], ["Theirs now", undefined, false]);
  await press(page, "Try 1 again…");
  await press(page, "Deactivate 1 API");
  await dialog(page).getByText("1 done", { exact: true }).first().waitFor();
  assert.deepEqual([(await api("theirs")).name, (await api("theirs")).active], ["Theirs now", false]);
});

test("stopping lets requests in flight finish and starts no new ones", async () => {
  const page = await stage.page({ path: "/apis?tag=bulk&per_page=100" });
  await bar(page).getByRole("checkbox", { name: "Select all shown" }).check();
  await verb(page, "Deactivate").click();
  await dialog(page).getByText("60 to do").waitFor();
  let held = 0;
  let release;
  const opened = new Promise((done) => (release = done));
  let four;
  const under = new Promise((done) => (four = done));
  await page.route("**/gateway/apis/*", async (route) => {
    if (route.request().method() === "PUT" && ++held === 4) four();
    await opened;
    await route.continue();
  });
  await press(page, "Deactivate 60 APIs");
  await under;
  await press(page, "Stop");
  release();
  await dialog(page).getByText("4 done, 56 not started").first().waitFor();
  await page.unrouteAll({ behavior: "wait" });
  const stored = await Promise.all(MANY.map(({ api_id }) => api(api_id)));
  assert.equal(stored.filter(({ active }) => active === false).length, 4);
  await press(page, "Undo 4");
  await dialog(page).getByText("Undone: 4 done").first().waitFor();
});

test("deletion skips APIs that policies or keys refer to, unless the user insists", async () => {
  await stage.store(definition("Needed", { tags: ["goes"] }));
  await stage.store(definition("Free", { tags: ["goes"] }));
  await policy("needs", { name: "Needs it", access_rights: rights("needed") });
  await key("needs-key", { access_rights: rights("needed") });
  const page = await choose("/apis?tag=goes", ["Needed", "Free"], "Delete");
  await dialog(page).getByText("1 to do, 1 left out because still in use").waitFor();
  await dialog(page).getByText("Used by 1 key, policy “Needs it”").waitFor();
  // There is no token for the dashboard API here.
  await dialog(page).getByText("Client IdPs: a dashboard token is needed to see them.").waitFor();
  await press(page, "Delete 1 API");
  await dialog(page).getByText("1 done", { exact: true }).first().waitFor();
  assert.equal((await stage.gateway.admin("GET", "/gateway/apis/free")).status, 404);
  await press(page, "Close");
  await bar(page).getByText("1 selected", { exact: true }).waitFor();
  await verb(page, "Delete").click();
  await dialog(page).getByText("1 left out because still in use").waitFor();
  await dialog(page).getByRole("switch", { name: "Also delete what is used elsewhere" }).check();
  await press(page, "Delete 1 API");
  await dialog(page).getByText("1 done", { exact: true }).first().waitFor();
  assert.equal((await stage.gateway.admin("GET", "/gateway/apis/needed")).status, 404);
  await press(page, "Undo 1");
  await dialog(page).getByText("Undone: 1 done").first().waitFor();
  assert.equal((await api("needed")).name, "Needed");
});

test("users who can't see references to an API are told so, and may still delete it", async () => {
  await stage.store(definition("Unseen", { tags: ["blind"] }));
  const permissions = { gateway: { apis: "write" } };
  const { token } = (await stage.admin("POST", "/gateway/dashboard/credentials", { body: { name: "blind", permissions } })).json;
  const page = await stage.page({ path: "/apis?tag=blind", secret: null, token });
  await box(page, "Unseen").check();
  await verb(page, "Delete").click();
  await dialog(page).getByText("1 to do", { exact: true }).waitFor();
  for (const what of ["Policies", "Keys", "Client IdPs"]) await dialog(page).getByText(new RegExp(`^${what}: `)).waitFor();
  await press(page, "Delete 1 API");
  await dialog(page).getByText("1 done", { exact: true }).first().waitFor();
  assert.equal((await stage.gateway.admin("GET", "/gateway/apis/unseen")).status, 404);
});

test("keys are extended, given policies and revoked in bulk", async () => {
  await policy("gold");
  const ends = Math.floor(Date.now() / 1000) + 86_400;
  const [one, two] = [await key("many-1", { expires: ends }), await key("many-2")];
  const page = await choose("/keys?q=many-", ["many-1", "many-2"], "Extend");
  await dialog(page).getByText("Choose an expiry.").waitFor();
  await dialog(page).getByLabel("They expire").selectOption("30 days more");
  await dialog(page).getByText("1 to do, 1 unchanged").waitFor();
  await press(page, "Extend 1 key");
  await dialog(page).getByText("1 done", { exact: true }).first().waitFor();
  assert.deepEqual([(await session(one)).expires, (await session(two)).expires ?? 0], [ends + 30 * 86_400, 0]);
  await press(page, "Close");
  await verb(page, "Add a policy").click();
  await dialog(page).getByLabel("Policy", { exact: true }).selectOption("Plan gold (gold)");
  await press(page, "Change 2 keys");
  await dialog(page).getByText("2 done", { exact: true }).first().waitFor();
  assert.deepEqual((await session(two)).apply_policies, ["gold"]);
  await press(page, "Close");
  await page.getByRole("row", { name: /many-2.*Plan gold/ }).waitFor();
  await verb(page, "Revoke").click();
  await press(page, "Revoke 2 keys");
  await dialog(page).getByText("2 done", { exact: true }).first().waitFor();
  assert.equal(await dialog(page).getByRole("button", { name: /Undo/ }).count(), 0);
  assert.equal((await stage.gateway.admin("GET", `/gateway/keys/${one}`)).status, 404);
  await press(page, "Close");
  await page.getByText("No key matches").waitFor();
});

test("deactivating policies warns about the keys affected", async () => {
  await policy("off-1");
  await policy("off-2");
  await key("hit", { apply_policies: ["off-1"] });
  const page = await choose("/policies", ["Plan off-1", "Plan off-2"], "Deactivate");
  await dialog(page).getByText("It becomes inactive; used by 1 key").waitFor();
  await press(page, "Deactivate 2 policies");
  await dialog(page).getByText("2 done", { exact: true }).first().waitFor();
  assert.equal((await stage.admin("GET", "/gateway/policies/off-2")).json.is_inactive, true);
  await press(page, "Close");
  await page.getByRole("row", { name: /Plan off-1.*Inactive/ }).waitFor();
});

test("an export can be imported again", async () => {
  await key("signs", { hmac_enabled: true, hmac_string: "secret-of-many" });
  const passphrase = "a passphrase of many words";
  const files = [];
  for (const [path, name, input] of [
    ["/apis?q=bulk-1", "Bulk 10", ""],
    ["/policies", "Plan gold", ""],
    ["/keys?q=signs", "signs", passphrase],
  ]) {
    const page = await choose(path, [name], "Export");
    await dialog(page).getByLabel("Passphrase for the secrets in it").fill(input);
    const download = page.waitForEvent("download");
    await dialog(page).getByRole("button", { name: /^Export 1 / }).click();
    files.push(await readFile(await (await download).path(), "utf8"));
    await dialog(page).getByText("1 done", { exact: true }).first().waitFor();
  }
  assert.equal(files.some((file) => file.includes("secret-of-many")), false);
  for (const [at, file] of files.entries()) {
    const empty = await start();
    const headers = { "Content-Type": "application/x-ndjson", ...(at === 2 ? { "X-Gateway-Passphrase": passphrase } : {}) };
    const answer = await empty.admin("POST", "/gateway/import", { body: file, headers });
    assert.equal(answer.status, 200, answer.text);
    if (at === 0) assert.equal((await empty.admin("GET", "/gateway/apis/bulk-10")).json.name, "Bulk 10");
    if (at === 1) assert.equal((await empty.admin("GET", "/gateway/policies/gold")).json.name, "Plan gold");
    if (at === 2) assert.equal((await empty.admin("GET", "/gateway/keys", { query: { view: "summary" } })).json.keys[0].alias, "signs");
    await empty.stop();
  }
});

test("plans and reports fit any screen", async () => {
  for (const width of [1280, 390]) {
    const page = await stage.page({ path: "/apis?tag=bulk", width });
    for (const n of ["00", "01", "02"]) await box(page, `Bulk ${n}`).check();
    await verb(page, "Remove a tag").waitFor();
    await look(page, `bulk-selected-${width}`);
    if (width < 600) await onNarrowest(page, "bulk-selected");
    await verb(page, "Remove a tag").click();
    await dialog(page).getByLabel("Tag", { exact: true }).fill("bulk");
    await dialog(page).getByText("3 to do").waitFor();
    await page.emulateMedia({ colorScheme: width < 600 ? "dark" : "light" });
    await look(page, `bulk-plan-${width}`);
    if (width < 600) await onNarrowest(page, "bulk-plan");
    await press(page, "Change 3 APIs");
    await dialog(page).getByText("3 done", { exact: true }).first().waitFor();
    await look(page, `bulk-report-${width}`);
    await press(page, "Undo 3");
    await dialog(page).getByText("Undone: 3 done").first().waitFor();
  }
});
