// The view in which a document opens, and what is shown around it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { definition, editorText, laidOut, open, type } from "./console.mjs";

let stage;
before(async () => {
  stage = await open({ fixtures: [definition("Orders", { use_keyless: false })] });
});
after(() => stage.close());

const radio = (page, name) => page.getByRole("radio", { name, exact: true });
const rights = { orders: { api_id: "orders", versions: ["Default"] } };

/** Stores a policy and returns its path. */
async function policy(id, members = {}) {
  await stage.admin("POST", "/gateway/policies", { body: laidOut({ id, name: id, rate: 5, per: 60, access_rights: rights, ...members }) });
  return `/policies/${id}`;
}

async function key(members = {}) {
  const { json } = await stage.admin("POST", "/gateway/keys", { body: { alias: "One", access_rights: rights, quota_max: 9, quota_renewal_rate: 3600, ...members } });
  return `/keys/${json.key_hash}`;
}

test("simple documents open as a form, and the choice is remembered per kind", async () => {
  const token = stage.gateway.token;
  const context = await stage.context();
  for (const path of ["/policies/new", "/webhooks/new", "/rulesets/new", await policy("first"), await key()]) {
    const page = await stage.page({ path, token, context });
    await page.locator(".form-top").waitFor();
    assert.ok(await radio(page, "Form").isChecked(), path);
    await page.close();
  }
  const page = await stage.page({ path: "/apis/orders", context });
  await page.locator("json-editor .cm-line").first().waitFor();
  await page.goto(stage.url("/policies/first"));
  await radio(page, "JSON").check();
  await page.goto(stage.url("/policies/new"));
  await page.locator("json-editor .cm-line").first().waitFor();
  assert.ok(await radio(page, "JSON").isChecked());
  await page.goto(stage.url(await key()));
  await page.locator(".form-top").waitFor();
  assert.ok(await radio(page, "Form").isChecked(), "each kind has its own choice");
});

test("a key's grants and state are shown above its document, even on a phone", async () => {
  const path = await key();
  for (const width of [1280, 390]) {
    const page = await stage.page({ path, width });
    await page.locator(".form-top").waitFor();
    const above = ["State", "Quota", "What it gives"];
    for (const name of above) await page.getByRole("heading", { name, exact: true }).waitFor();
    // All at once: what is still loading moves them.
    const tops = await page.evaluate(() => Object.fromEntries([...document.querySelectorAll("h2, .editor-card")].map((one) => [one.localName === "h2" ? one.textContent : "document", one.getBoundingClientRect().top])));
    for (const name of above) assert.ok(tops[name] < tops.document, `${name} at ${width}`);
  }
});

test("save button and problems stay visible in a long form", async () => {
  const page = await stage.page({ path: await policy("long", { tags: Array.from({ length: 60 }, (_, at) => `tag-${at}`) }) });
  await page.locator(".form-top").waitFor();
  const name = page.locator('.form [data-pointer="/name"]');
  await name.fill("Longer");
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  const seen = (locator) => locator.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    const over = document.elementFromPoint(element.getBoundingClientRect().left + 4, (top + bottom) / 2);
    return top >= 0 && bottom <= innerHeight && element.contains(over);
  });
  assert.ok(await page.evaluate(() => scrollY > 300), "the page is long");
  assert.ok(await seen(page.getByRole("button", { name: "Review & save" })));
  assert.ok(await seen(page.getByRole("heading", { name: "Problems" })));
  // On a phone, problems are below the document: a button counts them and scrolls there.
  const phone = await stage.page({ path: "/policies/new?view=form", width: 390 });
  await phone.locator('.form [data-pointer="/rate"]').fill("many");
  await phone.getByRole("button", { name: /^\d+ problems?$/ }).click();
  await phone.waitForFunction(() => document.activeElement?.getAttribute("aria-label") === "Problems");
});

test("a duration is shown in words and can be entered in another unit", async () => {
  const page = await stage.page({ path: await policy("timed", { quota_max: 9, quota_renewal_rate: 86400 }) });
  const row = page.locator(".form-row", { has: page.locator('[data-pointer="/quota_renewal_rate"]') });
  const field = row.getByRole("textbox");
  await row.getByText("1 day", { exact: true }).waitFor();
  assert.equal(await field.inputValue(), "86400");
  await row.getByRole("combobox").selectOption("hours");
  assert.equal(await field.inputValue(), "24");
  await field.fill("1.5");
  await row.getByText("5400 seconds").waitFor();
  assert.equal(JSON.parse(await editorText(page)).quota_renewal_rate, 5400);
  await field.fill("-1");
  assert.equal(JSON.parse(await editorText(page)).quota_renewal_rate, -1, "special values are not converted");
  await field.fill("soon");
  await page.getByText(/Expected a whole number/).waitFor();
  assert.equal(await field.inputValue(), "soon");
});

test("long lines wrap or scroll", async () => {
  const page = await stage.page({ path: "/apis/new" });
  await page.locator("json-editor .cm-line").first().waitFor();
  await type(page, `{"name": "${"long ".repeat(100)}"}`);
  const height = () => page.locator("json-editor .cm-line").first().evaluate((line) => line.getBoundingClientRect().height);
  const wrapped = await height();
  await page.getByRole("button", { name: "Wrap lines" }).click();
  assert.ok((await height()) < wrapped / 2);
  await page.reload();
  await page.locator("json-editor .cm-line").first().waitFor();
  assert.equal(await page.getByRole("button", { name: "Wrap lines" }).getAttribute("aria-pressed"), "false");
});

test("enforced fields are offered first, and exclusively on request", async () => {
  const page = await stage.page({ path: "/apis/orders?view=form" });
  await page.getByRole("button", { name: "Find or add a field" }).click();
  await page.getByRole("combobox", { name: "Find a field, set or not" }).fill("auth");
  const names = () => page.locator(".palette-name").allTextContents();
  assert.ok((await names()).indexOf("use_standard_auth") < 8, String(await names()));
  await page.getByRole("combobox", { name: "Find a field, set or not" }).fill("");
  const before = (await names()).length;
  await page.getByRole("checkbox", { name: "Only what the gateway enforces" }).check();
  assert.ok((await names()).length < before);
  for (const detail of await page.locator(".palette-detail").allTextContents()) assert.match(detail, /Enforced$/);
});
