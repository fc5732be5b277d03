// Webhooks: the list, the document with a warning about what a save empties, the secret that is shown once, a test, and
// the log of deliveries.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { isSigned, receiver, status } from "../../worker/tests/receiver.mjs";
import { clipboard, definition, laidOut, open, type } from "./console.mjs";

let stage;
let target;
before(async () => {
  target = await receiver();
  stage = await open({ env: { EGRESS_ALLOW_PRIVATE: "true", WEBHOOK_RETRY_SECONDS: "1" } });
});
after(async () => {
  await stage.close();
  await target.close();
});

let made = 0;
/** Stores a webhook and returns its internal id, its secret and its paths. */
async function hook(members = {}) {
  const body = laidOut({ name: `Hook ${++made}`, method: "POST", target_path: target.target, subscriptions: [], ...members });
  const { json } = await stage.dashboard("POST", "/api/hooks", { body });
  return { id: json.Meta, secret: json.signing_secret, path: `/webhooks/${json.Meta}`, url: `/api/hooks/${json.Meta}` };
}

const visit = (path, options) => stage.page({ path, token: stage.gateway.token, ...options });
const stored = async ({ url }) => (await stage.dashboard("GET", url)).json;
const content = async (page) => JSON.parse(await page.locator("json-editor").evaluate((editor) => editor.value));
const change = async (page, members) => type(page, laidOut({ ...(await content(page)), ...members }));
const review = (page) => page.getByRole("button", { name: "Review & save" }).click();
const store = (page) => page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
const problem = (page, name) => page.getByRole("region", { name: "Problems" }).getByRole("button", { name });
const log = (page) => page.getByRole("region", { name: "Deliveries" });

async function edit(path) {
  const page = await visit(`${path}?view=json`);
  await page.locator(".editor-card .cm-line").first().waitFor();
  return page;
}

test("a new webhook shows no problems before it is edited, and can't be stored yet", async () => {
  const page = await visit("/webhooks/new");
  const target = page.locator('.form [data-pointer="/target_path"]');
  await target.waitFor();
  const problems = page.getByRole("region", { name: "Problems" });
  await problems.getByText("No problems found.").waitFor();
  const save = page.getByRole("button", { name: "Review & save" });
  assert.ok(await save.isDisabled(), "it has no target yet");
  await page.getByRole("radio", { name: "JSON", exact: true }).check();
  assert.equal(await page.locator("json-editor .cm-lintRange").count(), 0);
  await page.getByRole("radio", { name: "Form", exact: true }).check();
  await target.fill("https:/");
  await problems.locator(".problem-error").first().waitFor();
  await target.fill("https://hooks.example/in");
  await problems.getByText("No problems found.").waitFor();
  assert.ok(await save.isEnabled());
});

test("a webhook's secret is shown once, and its test delivery is signed with it", async () => {
  const page = await edit("/webhooks/new");
  await change(page, { name: "Audit log", target_path: target.target });
  assert.ok(await page.getByRole("checkbox", { name: "An API was added" }).isDisabled(), "everything includes it");
  await page.getByRole("checkbox", { name: "Everything" }).uncheck();
  await page.getByText("Nothing is sent to it.").waitFor();
  await page.getByRole("checkbox", { name: "An API was added" }).check();
  await review(page);
  await page.getByRole("dialog").getByText(`A notification is sent to ${target.target} when this happens: an API was added.`).waitFor();
  await store(page);
  const card = page.getByRole("region", { name: "The signing secret of “Audit log”" });
  await card.getByRole("button", { name: "Copy the secret" }).click();
  await card.getByText("Copied", { exact: true }).first().waitFor();
  const secret = await clipboard(page);
  assert.match(secret, /^whsec_/);
  assert.equal(await card.evaluate((element) => element.contains(document.activeElement)), true);
  assert.equal(await page.locator("json-editor").count(), 0, "it can't be stored twice");
  await page.getByRole("link", { name: "Webhooks" }).first().click();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  await card.getByRole("button", { name: "I have saved it" }).click();
  await page.waitForURL(/webhooks\/[0-9a-f]{24}/);
  await page.getByText("Nothing has been sent yet.").waitFor();
  assert.deepEqual((await content(page)).subscriptions, ["ApiAdded"]);
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText(/Delivered: status 204 after/).waitFor();
  await log(page).getByRole("row", { name: /Test.*Delivered/ }).waitFor();
  const [call] = await target.until((calls) => calls.length > 0);
  assert.ok(isSigned(call, secret));

  await page.getByRole("button", { name: "New secret…" }).click();
  await page.getByRole("button", { name: "Create it" }).click();
  await card.getByText("The previous one signs, too; it expires in 1 d.").waitFor();
  const next = await card.getByLabel("Signing secret").textContent();
  assert.notEqual(next, secret);
  await card.getByRole("button", { name: "I have saved it" }).click();
  await card.waitFor({ state: "detached" });
  const calls = target.calls.length;
  await page.getByRole("button", { name: "Send a test" }).click();
  await target.until(() => target.calls.length > calls);
  assert.ok(isSigned(target.calls.at(-1), next) && isSigned(target.calls.at(-1), secret));
});

test("saving lists the stored members it clears, and clears them", async () => {
  const made = await hook({ header_map: { "x-a": "b" }, event_timeout: 5 });
  const page = await edit(made.path);
  const { header_map: _, ...rest } = await content(page);
  await type(page, laidOut({ ...rest, event_timeout: 0 }));
  await page.getByText("Saving will empty these stored members:").waitFor();
  assert.deepEqual((await page.locator(".emptied code").allTextContents()).sort(), ["event_timeout", "header_map"]);
  await review(page);
  await store(page);
  await page.getByText("Saved as revision 2.").waitFor();
  const now = await stored(made);
  assert.ok(!now.header_map || Object.keys(now.header_map).length === 0);
  assert.equal(await page.locator(".emptied").count(), 0);
});

test("a refusal is shown at its field, and a conflict loses neither side", async () => {
  await hook({ webhook_id: "taken" });
  const made = await hook();
  const page = await edit(made.path);
  await change(page, { target_path: "/in" });
  await problem(page, /begin it with http/).getByText("/target_path", { exact: true }).waitFor();
  await review(page);
  await page.getByText("1 error to fix before this can be saved.").waitFor();
  assert.equal((await stored(made)).target_path, target.target);
  await change(page, { target_path: target.target, webhook_id: "taken" });
  await review(page);
  await store(page);
  await page.getByRole("dialog").getByText("Duplicate webhook_id.").waitFor();
  await page.getByRole("button", { name: "Back to the editor" }).click();
  await page.getByRole("button", { name: /Duplicate webhook_id/ }).getByText("/webhook_id", { exact: true }).waitFor();
  await change(page, { webhook_id: made.id, name: "Mine" });
  await stage.dashboard("PUT", made.url, { body: laidOut({ ...(await stored(made)), method: "PUT" }) });
  await review(page);
  await page.getByText("revision 2 is stored now").waitFor();
  await page.getByRole("button", { name: "Rebase onto theirs" }).click();
  await review(page);
  await store(page);
  await page.getByText("Saved as revision 3.").waitFor();
  const { name, method } = await stored(made);
  assert.deepEqual([name, method], ["Mine", "PUT"]);
});

test("an unknown method is reported at its field in text and form, and fixed", async () => {
  const made = await hook();
  const page = await edit(made.path);
  await change(page, { method: "FETCH" });
  await problem(page, /"FETCH" isn't known here/).getByText("/method", { exact: true }).waitFor();
  await page.getByRole("radio", { name: "Form" }).check();
  const field = page.getByRole("combobox", { name: "method" });
  await page.locator(".form").getByText(/"FETCH" isn't known here/).waitFor();
  assert.equal(await field.inputValue(), "FETCH");
  await page.getByRole("button", { name: 'Write "PATCH"' }).first().click();
  await page.getByText("No problems found.").waitFor();
  assert.equal(await field.inputValue(), "PATCH");
});

/** Checks what the log shows to a credential that may not write APIs. */
async function onlyHooks(path) {
  const body = { name: "Only hooks", permissions: { hooks: "write", apis: "read" } };
  const { json } = await stage.admin("POST", "/gateway/dashboard/credentials", { body });
  const page = await stage.page({ path, secret: null, token: json.token, context: await stage.context() });
  const row = log(page).getByRole("row", { name: /ApiAdded/ });
  await row.getByText(/^Response/).click();
  await row.getByText("Only credentials that may write APIs can read the body").waitFor();
  await row.getByText("text/plain").waitFor();
  assert.equal(await row.getByLabel("The body of the response").count(), 0);
  await page.close();
}

test("the log lists every attempt with what was sent, and any delivery can be sent again", async () => {
  target.answers((call, response) => response.writeHead(503, { "content-type": "text/plain" }).end("No team called <ops>"));
  const made = await hook({ name: "Flaky", subscriptions: ["ApiAdded"] });
  const page = await edit(made.path);
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText(/Not delivered: status 503 after/).waitFor();
  const before = target.calls.length;
  await stage.store(definition("Orders"));
  // The first attempt and its only retry.
  await target.until((calls) => calls.length >= before + 2);
  const row = log(page).getByRole("row", { name: /ApiAdded/ });
  const look = log(page).getByRole("button", { name: "Refresh" });
  const again = row.getByRole("button", { name: /^Send again.*ApiAdded/ });
  await look.click();
  await row.getByText("status 503").first().waitFor();
  const response = row.getByText(/^Response/);
  assert.equal(await response.count(), 1);
  await response.click();
  await row.getByText("text/plain").waitFor();
  assert.equal(await row.getByLabel("The body of the response").textContent(), "No team called <ops>");
  await onlyHooks(made.path);
  target.answers(status(204));
  await again.click();
  await page.getByText("It is sent again.").waitFor();
  for (;;) {
    await look.click();
    await page.locator("button:not([disabled])", { hasText: "Refresh" }).waitFor();
    if (await row.getByText("Delivered", { exact: true }).count()) break;
  }
  await row.getByText(/^Payload/).click();
  const { body } = target.calls.findLast((call) => call.body.includes('"ApiAdded"'));
  assert.deepEqual(JSON.parse(await row.locator("pre").textContent()), JSON.parse(body));
  const sent = () => target.calls.filter((call) => call.body === body).length;
  const already = sent();
  await again.click();
  await target.until(() => sent() > already);
});

test("the log is paginated", async () => {
  const made = await hook({ name: "Busy" });
  for (let n = 0; n < 25; n += 1) await stage.dashboard("POST", `${made.url}/test`);
  const page = await edit(made.path);
  const rows = (count) => page.waitForFunction((count) => document.querySelectorAll("[aria-labelledby=deliveries-title] tbody tr").length === count, count);
  await rows(20);
  await log(page).getByRole("button", { name: "Older" }).click();
  await rows(5);
  assert.equal(await log(page).getByRole("button", { name: "Older" }).count(), 0);
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByText(/^Delivered: status/).waitFor();
  await log(page).getByRole("button", { name: "Newest" }).click();
  await rows(20);
});

test("the form edits the same document", async () => {
  const made = await hook({ header_map: { "x-a": "b" } });
  const page = await visit(`${made.path}?view=form`);
  await page.getByRole("combobox", { name: "method" }).selectOption("PUT");
  await review(page);
  await page.getByRole("dialog").getByText("1 change", { exact: true }).waitFor();
  await store(page);
  await page.getByText("Saved as revision 2.").waitFor();
  const { method, header_map } = await stored(made);
  assert.deepEqual([method, header_map], ["PUT", { "x-a": "b" }]);
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.waitForURL(/\/webhooks$/);
});

test("the list is searchable, and a deletion can be undone", async () => {
  await hook({ name: "Zebra", subscriptions: ["*"] });
  const page = await visit("/webhooks?q=zeb");
  await page.getByRole("row", { name: /Zebra.*Everything/ }).waitFor();
  await page.getByRole("button", { name: "Actions for Zebra" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("No webhook matches").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("link", { name: "Zebra" }).waitFor();
});

test("the list is sorted and paginated", async () => {
  for (let n = 1; n <= 51; n += 1) await hook({ name: `Paged ${String(n).padStart(2, "0")}` });
  const page = await visit("/webhooks?q=paged");
  await page.getByText("Page 1 of 2").waitFor();
  const names = () => page.locator("tbody .cell-name > a").allTextContents();
  assert.equal((await names())[0], "Paged 51");
  await page.getByRole("combobox", { name: "Order" }).selectOption("By name");
  await page.waitForURL(/sort=name/);
  await page.getByRole("row", { name: /Paged 01/ }).waitFor();
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("Page 2 of 2").waitFor();
  assert.deepEqual(await names(), ["Paged 51"]);
});

test("empty list, deleted webhook, failure with retry, and missing permission", async () => {
  const issue = async (permissions) => (await stage.admin("POST", "/gateway/dashboard/credentials", { body: { name: "other", org_id: "other", permissions } })).json.token;
  const empty = await visit("/webhooks", { token: await issue({ hooks: "write" }) });
  await empty.getByText("No webhooks yet").waitFor();
  const blind = await visit("/webhooks", { token: await issue({ apis: "read" }) });
  await blind.getByText("You may not see this page").waitFor();
  const page = await visit("/webhooks/000000000000000000000000");
  await page.getByText("There is no such webhook").waitFor();
  await page.route("**/api/hooks**", (route) => route.abort());
  await page.getByRole("link", { name: "Go to the list" }).click();
  await page.getByRole("button", { name: "Try again" }).waitFor();
  await page.unroute("**/api/hooks**");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("table", { name: "Webhooks" }).waitFor();
});

test("a webhook deleted while being edited keeps its text, and is restored from its revisions", async () => {
  const made = await hook();
  const page = await edit(made.path);
  await change(page, { name: "Mine" });
  await stage.dashboard("DELETE", made.url);
  await review(page);
  await page.getByText("This webhook was deleted since you opened it.").waitFor();
  await page.keyboard.press("Escape");
  assert.equal((await content(page)).name, "Mine");
  page.on("dialog", (dialog) => dialog.accept());
  await page.reload();
  await page.getByText("There is no such webhook").waitFor();
  await page.getByRole("button", { name: "Show the revisions" }).click();
  await page.getByRole("button", { name: "Restore revision 1" }).click();
  await page.getByRole("button", { name: "Restore this revision" }).click();
  await page.locator(".editor-card .cm-line").first().waitFor();
  assert.equal((await stored(made)).target_path, target.target);
});

test("leaving with unsaved changes asks first, and saving works by keyboard alone", async () => {
  const made = await hook({ name: "By keys" });
  const page = await edit(made.path);
  await page.getByRole("checkbox", { name: "The gateway was reloaded" }).focus();
  await page.keyboard.press("Space");
  await page.getByRole("link", { name: "Audit" }).click();
  await page.getByRole("heading", { name: "Leave without saving?" }).waitFor();
  await page.keyboard.press("Escape");
  await page.keyboard.press("ControlOrMeta+s");
  await page.getByRole("button", { name: "Save", exact: true }).press("Enter");
  await page.getByText("Saved as revision 2.").waitFor();
  assert.deepEqual((await stored(made)).subscriptions, ["GroupReload"]);
});
