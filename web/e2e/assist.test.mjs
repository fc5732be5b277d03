// Completion and explanations in the text editor: the extension of OpenAPI documents, and ids known to the gateway.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { definition, editorText, laidOut, open, pointAt, type } from "./console.mjs";
import { look } from "./look.mjs";

let stage;
let key;
before(async () => {
  stage = await open();
  for (const name of ["Inventory", "Orders"]) await stage.store(definition(name, { use_keyless: false }));
  const rights = { orders: { api_id: "orders" } };
  await stage.admin("POST", "/gateway/policies", { body: { id: "gold", name: "Gold plan", rate: 10, per: 60, access_rights: rights } });
  key = (await stage.admin("POST", "/gateway/keys", { body: { alias: "umbrella", apply_policies: ["gold"] } })).json.key_hash;
});
after(() => stage.close());

const DOCUMENT = {
  openapi: "3.0.3",
  info: { title: "Shop", version: "1.0.0" },
  paths: { "/pets": { get: { operationId: "listPets", responses: { 200: { description: "" } } }, post: { responses: { 200: { description: "" } } } } },
  "x-gateway-api-gateway": {
    info: { id: "shop", name: "Shop", state: { active: true } },
    upstream: { url: "http://127.0.0.1:9/" },
    server: { listenPath: { value: "/shop/", strip: true } },
    middleware: { operations: {} },
  },
};

async function edit(path) {
  const page = await stage.page({ path });
  await page.locator("json-editor .cm-line").first().waitFor();
  return page;
}

/** Writes a text and requests completions at its `|`. */
async function offers(page, marked) {
  await type(page, marked.replace("|", ""));
  const before = marked.slice(0, marked.indexOf("|")).split("\n");
  await page.keyboard.press("ControlOrMeta+Home");
  for (let line = 1; line < before.length; line += 1) await page.keyboard.press("ArrowDown");
  for (let letter = 0; letter < before.at(-1).length; letter += 1) await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Control+Space");
}

/** A word in a line of the text. */
const word = (page, line, text) => page.locator("json-editor .cm-line", { hasText: line }).getByText(text).first();

const option = (page, name) => page.locator("json-editor").getByRole("option", { name });
const problem = (page, name) => page.getByRole("region", { name: "Problems" }).getByRole("button", { name });

test("completion offers members and values of the extension, and operations by name", async () => {
  await stage.admin("POST", "/gateway/apis/oas", { body: laidOut(DOCUMENT) });
  const page = await edit("/openapi/shop?view=json");
  const text = laidOut(DOCUMENT);
  await offers(page, text.replace('"strip": true', '"strip": |'));
  await option(page, /^true/).waitFor();
  await option(page, /^false/).click();
  assert.equal(await editorText(page), text.replace('"strip": true', '"strip": false'));

  await offers(page, text.replace('"operations": {}', '"operations": {"|"}'));
  await option(page, /^petsPOST.*POST \/pets/).waitFor();
  await option(page, /^listPets.*GET \/pets/).click();
  assert.equal(await editorText(page), text.replace('"operations": {}', '"operations": {"listPets": {}}'));

  await offers(page, text.replace('"operations": {}', '"operations": {"listPets": {"|"}}'));
  await option(page, /^rateLimit\b/).waitFor();
  // The list is scrolled with the keyboard while the text keeps the focus; axe only knows lists that have it.
  await look(page, "editor-extension", { rules: { type: "rule", values: ["color-contrast"] } });
});

test("hovering explains members of the extension, and claims nothing about those around it", async () => {
  const page = await edit("/openapi/shop?view=json");
  const card = page.locator("json-editor .card");
  await pointAt(page, word(page, '"listenPath"', "listenPath"), card.getByText(/^x-gateway-api-gateway\.server\.listenPath: /));
  await card.locator(".card-support.enforced").waitFor();
  assert.equal(await card.getByRole("link").count(), 0, "the reference does not cover OpenAPI documents");
  await pointAt(page, word(page, '"title"', "title"), card.getByText(/^info\.title: /));
  assert.equal(await card.locator(".card-support").count(), 0);
});

test("a policy's editor flags unknown API ids and offers existing ones", async () => {
  const page = await edit("/policies/new?view=json");
  const text = (rights) => `{\n  "id": "typed",\n  "name": "Typed",\n  "rate": 1,\n  "per": 1,\n  "access_rights": {\n    ${rights}\n  }\n}\n`;
  await type(page, text('"ordrs": {}'));
  await problem(page, /no stored API has the id "ordrs"; did you mean "orders"\?.*\/access_rights\/ordrs/).waitFor();
  assert.deepEqual(await page.locator("json-editor .cm-lintRange-warning").allTextContents(), ['"ordrs"']);
  await offers(page, text('"|"'));
  await option(page, /^inventory\b.*Inventory/).waitFor();
  await option(page, /^orders\b.*Orders/).click();
  assert.equal(await editorText(page), text('"orders": {}'));
  await page.getByText("No problems found.").waitFor();
});

test("a key's editor offers policies by name", async () => {
  const page = await edit(`/keys/${key}?view=json`);
  await page.getByRole("region", { name: "What it gives" }).getByRole("row", { name: /Orders/ }).waitFor();
  await offers(page, '{\n  "alias": "umbrella",\n  "apply_policies": ["|"]\n}\n');
  await option(page, /gold.*Gold plan/).click();
  assert.match(await editorText(page), /"apply_policies": \["gold"\]/);
});

test("completion shows no APIs to those who may not read them", async () => {
  const page = await edit("/policies/new?view=json");
  await page.route("**/gateway/apis?*", (route) => route.fulfill({ status: 403, contentType: "application/json", body: '{"status":"error","message":"no"}' }));
  await page.reload();
  await page.locator("json-editor .cm-line").first().waitFor();
  await type(page, '{"id": "typed", "name": "Typed", "rate": 1, "per": 1, "access_rights": {"ordrs": {}}, "zzz": 1}');
  await problem(page, /^Warning: "zzz"/).waitFor();
  assert.equal(await problem(page, /no stored API/).count(), 0);
});
