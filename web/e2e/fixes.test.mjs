// Fixes for a text: at the problem, at the field, all at once; and texts that are not JSON at all.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { definition, editorText, laidOut, open, type } from "./console.mjs";

let stage;
before(async () => {
  stage = await open();
});
after(() => stage.close());

const fix = (page, name) => page.locator(".problem-ways").getByRole("button", { name, exact: true }).click();
const all = (page) => page.getByRole("button", { name: "Fix all" });

/** Waits until the editor has a text. */
const waitForText = (page, text) => page.waitForFunction((text) => document.querySelector("json-editor").value === text, text);

/** Opens the editor of a new API. */
async function fresh() {
  const page = await stage.page({ path: "/apis/new" });
  await page.locator("json-editor .cm-line").first().waitFor();
  return page;
}

/** A snippet pasted from a JavaScript or Python program. */
const PASTED = `// an API
{
  name: 'Orders',
  use_keyless: True
  proxy: {
    listen_path: 'orders', # public
    target_url: 'http://a.example',
    strip_listen_pth: "true",
  },
  zzz: 1,
};
`;
const MENDED = `{
  "name": "Orders",
  "use_keyless": true,
  "proxy": {
    "listen_path": "/orders",
    "target_url": "http://a.example",
    "strip_listen_path": true
  },
  "zzz": 1
}
`;

test("invalid JSON is fixed one error at a time", async () => {
  const page = await fresh();
  await type(page, "{\n  name: 'Orders'\n  \"active\": True,\n}");
  for (const [name, text] of [
    ["Put the name in quotes", "{\n  \"name\": 'Orders'\n  \"active\": True,\n}"],
    ["Use double quotes", '{\n  "name": "Orders"\n  "active": True,\n}'],
    ["Add a comma", '{\n  "name": "Orders",\n  "active": True,\n}'],
    ["Write true", '{\n  "name": "Orders",\n  "active": true,\n}'],
    ["Remove the comma", '{\n  "name": "Orders",\n  "active": true\n}'],
  ]) {
    await fix(page, name);
    assert.equal(await editorText(page), text);
  }
});

test("words for yes and no become booleans, and quoted numbers lose their quotes", async () => {
  const page = await fresh();
  await type(page, laidOut({ ...definition("Words"), active: "yes", enable_context_vars: "off", use_keyless: 1, session_lifetime: "5" }));
  await all(page).click();
  await waitForText(page, laidOut({ ...definition("Words"), active: true, enable_context_vars: false, use_keyless: true, session_lifetime: 5 }));
});

test("all unambiguous fixes are applied at once, and undone at once", async () => {
  const page = await fresh();
  await type(page, PASTED);
  await all(page).click();
  await page.getByText(/^Fixed 2\d problems\.$/).waitFor();
  assert.equal(await editorText(page), MENDED);
  // Ambiguous problems are left.
  await page.getByRole("button", { name: /\/zzz/ }).waitFor();
  assert.equal(await all(page).count(), 0);
  await page.locator("json-editor .cm-content").click();
  await page.keyboard.press("ControlOrMeta+z");
  assert.equal(await editorText(page), PASTED);
  await all(page).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await waitForText(page, PASTED);
  // The initial text is not a step that can be undone.
  for (let step = 0; step < 4; step += 1) await page.keyboard.press("ControlOrMeta+z");
  assert.match(await editorText(page), /"name": "New API"/);
});

test("what was typed after all fixes is not undone with them", async () => {
  const page = await fresh();
  await type(page, PASTED);
  await all(page).click();
  await page.getByRole("button", { name: "Undo" }).waitFor();
  const typed = MENDED.replace('"Orders"', '"Orders and more"');
  await type(page, typed);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("The text has changed since.").waitFor();
  assert.equal(await editorText(page), typed);
});

test("a problem is fixed at its field", async () => {
  const wrong = { ...definition("Fields"), proxy: { listen_path: "fields", target_url: "a.example:8080", strip_listen_path: "true" } };
  const page = await fresh();
  await type(page, laidOut(wrong));
  await page.getByRole("radio", { name: "Form" }).check();
  const at = (pointer) => page.locator(".form-row", { has: page.locator(`[data-pointer="${pointer}"]`) });
  await at("/proxy/target_url").getByRole("button", { name: "Write http://a.example:8080" }).click();
  await page.waitForFunction(() => document.activeElement?.dataset.pointer === "/proxy/target_url");
  await at("/proxy/listen_path").getByRole("button", { name: "Write /fields" }).click();
  await at("/proxy/strip_listen_path").getByRole("button", { name: "Remove the quotes" }).click();
  assert.deepEqual(JSON.parse(await editorText(page)).proxy, { listen_path: "/fields", target_url: "http://a.example:8080", strip_listen_path: true });
  await page.getByText("No problems found.").waitFor();
});

for (const [what, path] of [["an OpenAPI API", "/openapi/new"], ["an MCP proxy", "/mcp/new"]]) {
  test(`the document of ${what} is fixed like a definition`, async () => {
    const page = await stage.page({ path });
    await page.locator("json-editor .cm-line").first().waitFor();
    const right = await editorText(page);
    const wrong = right.replace('"active": true', "actve: 'true',").replace('"strip"', '"Strip"').replace(/"url": "https:\/\/([^"]*)"/, '"url": "$1"');
    await type(page, wrong);
    await all(page).click();
    await waitForText(page, right.replace(/"url": "https:\/\//, '"url": "'));
    // Either scheme may be meant.
    await page.getByRole("radio", { name: "Form" }).check();
    const url = page.locator(".form-row", { has: page.locator('[data-pointer="/x-gateway-api-gateway/upstream/url"]') });
    await url.getByRole("button", { name: /^Write https:/ }).click();
    await waitForText(page, right);
    await page.getByText("No problems found.").waitFor();
    // What is missing is added.
    await type(page, right.replace(/ *"listenPath": .*\n/, ""));
    await fix(page, 'Add "listenPath"');
    await page.getByText("No problems found.").waitFor();
  });
}

test("all rules of a ruleset are fixed at once too", async () => {
  const page = await stage.page({ path: "/rulesets/new", token: stage.gateway.token });
  const rules = page.getByRole("region", { name: "Definition" });
  await rules.locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText("{ rules: { 'a': { given: '$', then: { function: 'truthy' } } } }");
  await rules.getByRole("button", { name: "Fix all" }).click();
  const text = JSON.parse(JSON.parse(await page.locator("json-editor").first().evaluate((editor) => editor.value)).definition);
  assert.deepEqual(text, { rules: { a: { given: "$", then: { function: "truthy" } } } });
});

test("YAML is converted to JSON, and undo restores it", async () => {
  const page = await fresh();
  const yaml = "# mine\nname: Orders\nproxy:\n  listen_path: /orders/\n  target_url: http://a.example\nversion_data:\n  versions: {}\n";
  await type(page, yaml);
  await page.getByText("This is YAML.").waitFor();
  await page.getByRole("button", { name: "Convert to JSON" }).click();
  await page.getByText("Converted to JSON.").waitFor();
  const expected = { name: "Orders", proxy: { listen_path: "/orders/", target_url: "http://a.example" }, version_data: { versions: {} } };
  assert.deepEqual(JSON.parse(await editorText(page)), expected);
  assert.ok((await editorText(page)).includes('\n  "name": "Orders"'), "the JSON is formatted");
  await page.getByRole("button", { name: "Undo" }).click();
  await waitForText(page, yaml);
  await type(page, "name: [1\n");
  await page.getByRole("button", { name: "Convert to JSON" }).click();
  await page.getByText(/This can't be converted\. Line \d/).waitFor();
});

test("an OpenAPI document pasted into the editor is imported", async () => {
  const page = await fresh();
  await type(page, 'openapi: "3.0.3"\ninfo:\n  title: Pets\n  version: "1"\npaths: {}\nservers:\n  - url: https://pets.example\n');
  await page.getByText("This is an OpenAPI document.").waitFor();
  await page.getByRole("button", { name: "Import it" }).click();
  await page.getByRole("heading", { name: "Import from OpenAPI" }).waitFor();
  await page.getByText("Pets").first().waitFor();
});
