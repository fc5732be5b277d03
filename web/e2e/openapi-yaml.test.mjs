// OpenAPI APIs as YAML: what is unsaved is asked about, comments stay, and problems and conflicts are shown.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { editorText, open, type } from "./console.mjs";

let stage;
before(async () => {
  stage = await open();
});
after(() => stage.close());

const ready = (page) => page.locator("json-editor .cm-line").first().waitFor();

test("a YAML document keeps its comments, is refused with the error's position, and is stored as YAML", async () => {
  const yaml = `# Who owns it: the garden team
openapi: 3.0.3
info: {title: Garden, version: "1.0"} # a version is text
paths:
  /beds:
    get: {operationId: listBeds, responses: {"200": {description: ok}}}
x-gateway-api-gateway:
  info: {id: garden, name: Garden, state: {active: true}}
  upstream: {url: "${stage.upstream.url}"}
  server: {listenPath: {value: /garden/, strip: true}}
`;
  await stage.admin("POST", "/gateway/apis/oas", { headers: { "content-type": "application/yaml" }, body: yaml });
  const page = await stage.page({ path: "/openapi/garden" });
  await ready(page);
  // What is unsaved is asked about: the YAML is that of what is stored.
  const first = await editorText(page);
  await type(page, `${first} `);
  await page.getByRole("link", { name: "YAML" }).click();
  await page.getByRole("heading", { name: "Leave without saving?" }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  assert.equal(await editorText(page), `${first} `);
  await page.getByRole("link", { name: "YAML" }).click();
  await page.getByRole("button", { name: "Discard and leave" }).click();
  await page.waitForURL(/\/openapi\/garden\/yaml$/);
  const views = page.getByRole("navigation", { name: "View" });
  await views.getByRole("link", { name: "Form" }).click();
  await page.waitForURL(/\/openapi\/garden\?view=form$/);
  await page.getByRole("button", { name: "Find or add a field" }).waitFor();
  await page.getByRole("link", { name: "YAML" }).click();
  const field = page.getByRole("textbox", { name: "Document as YAML" });
  const shown = await field.inputValue();
  assert.match(shown, /^# Who owns it: the garden team\n/);
  const review = page.getByRole("button", { name: "Review & save" });
  assert.equal(await review.isDisabled(), true, "nothing has changed");

  await field.fill(`${shown}info: twice\n`);
  await review.click();
  const problems = page.getByRole("region", { name: "Problems" });
  await problems.getByText(/twice/).waitFor();
  const lines = shown.split("\n").length;
  await problems.getByRole("button", { name: new RegExp(`^Line ${lines},`) }).click();
  assert.equal(await field.evaluate((field) => field.value.slice(0, field.selectionStart).split("\n").length), lines);
  assert.equal(await page.getByRole("dialog").count(), 0);

  await field.fill(shown.replace("# a version is text", "# still text").replace("description: ok", "description: All beds"));
  await review.click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("still text").waitFor();
  assert.equal((await stage.admin("GET", "/gateway/apis/oas/garden")).json.paths["/beds"].get.responses["200"].description, "ok", "viewing stores nothing");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved as YAML.").waitFor();
  const stored = await stage.admin("GET", "/gateway/apis/oas/garden", { headers: { accept: "application/yaml" } });
  assert.match(stored.text, /# Who owns it: the garden team\n[^]*# still text[^]*All beds/);

  // Somebody else stores a change meanwhile: the draft is kept, and the review compares it with theirs.
  const mine = (await field.inputValue()).replace("# still text", "# mine");
  await field.fill(mine);
  await stage.admin("PUT", "/gateway/apis/oas/garden", { headers: { "content-type": "application/yaml" }, body: stored.text.replace("All beds", "Theirs") });
  await review.click();
  await page.getByRole("button", { name: "Compare with what is stored now" }).click();
  await page.getByRole("alert").waitFor({ state: "detached" });
  assert.equal(await field.inputValue(), mine);
  await review.click();
  await dialog.getByText("Theirs").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
});
