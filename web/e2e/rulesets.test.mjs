// Rulesets: the list with its filters, the document and its definition as two editors of one text, refusals by the edge
// at their fields, and restoring after a deletion.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { definition, drop, laidOut, open } from "./console.mjs";

let stage;
before(async () => {
  stage = await open({ fixtures: [{ ...definition("Orders"), name: "Orders #sales #EU" }] });
});
after(() => stage.close());

const RULES = { rules: { contact: { given: "$.info", severity: "warn", then: { field: "contact", function: "truthy" } } } };

let made = 0;
/** Stores a ruleset and returns its internal id and its paths. */
async function ruleset(members = {}) {
  const body = laidOut({ name: `Ruleset ${++made}`, definition: laidOut(RULES), ...members });
  const { json } = await stage.dashboard("POST", "/api/rulesets", { body });
  return { id: json.Meta, path: `/rulesets/${json.Meta}`, url: `/api/rulesets/${json.Meta}` };
}

const visit = (path, options) => stage.page({ path, token: stage.gateway.token, ...options });
const stored = async ({ url }) => (await stage.dashboard("GET", url)).json;
const names = (page) => page.locator("tbody .cell-name > a").allTextContents();
const text = (page, part) => page.locator(`${part} json-editor`).evaluate((editor) => editor.value);
const DOCUMENT = ".editor-card";
const DEFINITION = ".definition";

/** Replaces the text of one of the two editors the way a person would. */
async function write(page, part, content) {
  await page.locator(`${part} .cm-content`).click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(content);
}

/** Opens a ruleset in its JSON view, with both editors. */
async function edit(path) {
  const page = await visit(`${path}?view=json`);
  await page.locator(`${DOCUMENT} .cm-line`).first().waitFor();
  await page.locator(`${DEFINITION} .cm-line`).first().waitFor();
  return page;
}

const change = async (page, members) => write(page, DOCUMENT, laidOut({ ...JSON.parse(await text(page, DOCUMENT)), ...members }));
const review = (page) => page.getByRole("button", { name: "Review & save" }).click();
const store = (page) => page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();

test("a ruleset is created from a file, with a suggested category", async () => {
  const page = await edit("/rulesets/new");
  await change(page, { name: "House style" });
  await page.getByRole("checkbox", { name: "sales" }).check();
  await page.locator("input[type=file]").setInputFiles({ name: "rules.json", mimeType: "application/json", buffer: Buffer.from(laidOut(RULES)) });
  await page.getByText("rules.json is the definition now.").waitFor();
  assert.equal(await text(page, DEFINITION), laidOut(RULES));
  await review(page);
  await page.getByRole("dialog").getByText("A new ruleset.").waitFor();
  await store(page);
  await page.getByText("Saved.", { exact: true }).waitFor();
  await page.waitForURL(/rulesets\/[0-9a-f]{24}/);
  await page.getByRole("heading", { name: "House style", level: 1 }).waitFor();
  const { json } = await stage.dashboard("GET", "/api/rulesets", { query: { q: "House" } });
  const [found] = json.rulesets;
  assert.deepEqual([found.categories, found.definition], [["sales"], laidOut(RULES)]);
});

test("a file dropped on the list is previewed, saved by keyboard, and not discarded without asking", async () => {
  const page = await visit("/rulesets");
  await drop(page, "house-rules.json", laidOut(RULES));
  await page.waitForURL(/rulesets\/new/);
  await page.getByRole("heading", { name: "house-rules", level: 1 }).waitFor();
  await page.locator(`${DEFINITION} .cm-line`).first().waitFor();
  assert.equal(await text(page, DEFINITION), laidOut(RULES));
  await page.getByRole("link", { name: "Client IdPs" }).click();
  await page.getByRole("heading", { name: "Leave without saving?" }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.keyboard.press("ControlOrMeta+s");
  await store(page);
  await page.waitForURL(/rulesets\/[0-9a-f]{24}/);
  await page.getByRole("button", { name: "Saved" }).waitFor();
  // A file dropped onto the text replaces the definition, too, instead of being inserted.
  await drop(page, "other.json", "{}", `${DEFINITION} json-editor`, ".cm-line");
  await page.getByText("other.json is the definition now.").waitFor();
  assert.equal(await text(page, DEFINITION), "{}");
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: "Saved" }).waitFor();
  assert.equal(await text(page, DEFINITION), laidOut(RULES));
});

test("the definition is edited as JSON, with problems at their positions", async () => {
  const made = await ruleset();
  const page = await edit(made.path);
  assert.equal(JSON.parse(await text(page, DOCUMENT)).applied_rules, undefined, "computed members can't be edited");
  await write(page, DEFINITION, '{\n  "rules": {\n    "a": { "then": { "function": "truthy" } }\n  }\n}');
  const problem = page.locator(DEFINITION).getByRole("button", { name: /"given" is required/ });
  await problem.waitFor();
  assert.match(await problem.textContent(), /Line 3 · \/rules\/a\/given/);
  await review(page);
  await page.getByText("1 error to fix before this can be saved.").waitFor();
  await write(page, DEFINITION, '{ "rules": { "a": "off" } }');
  await page.locator(DEFINITION).getByText("No problems found.").waitFor();
  await review(page);
  await page.getByRole("dialog").getByText("1 change", { exact: true }).waitFor();
  await store(page);
  await page.getByText("Saved as revision 2.").waitFor();
  assert.equal((await stored(made)).definition, '{ "rules": { "a": "off" } }');
  await page.getByRole("button", { name: "Saved" }).waitFor();
  await write(page, DOCUMENT, "{ half");
  await page.getByText("The document above is not valid JSON.").waitFor();
  assert.equal(await text(page, DEFINITION), '{ "rules": { "a": "off" } }', "the definition is unchanged");
});

test("a fix edits the rule, from either list of problems", async () => {
  const made = await ruleset();
  const page = await edit(made.path);
  const broken = '{\n  "alises": {},\n  "rules": {\n    "a": { "then": { "function": "truthy" } }\n  }\n}';
  await write(page, DEFINITION, broken);
  const outer = page.getByRole("region", { name: "Problems" });
  await outer.getByRole("button", { name: 'Add "given"' }).waitFor();
  assert.equal(await page.getByRole("button", { name: /(Add|Remove) "definition"/ }).count(), 0);
  await outer.getByRole("button", { name: 'Add "given"' }).click();
  await page.locator(DEFINITION).getByRole("button", { name: 'Rename to "aliases"' }).click();
  await page.locator(DEFINITION).getByText("No problems found.").waitFor();
  assert.deepEqual(JSON.parse(await text(page, DEFINITION)), { aliases: {}, rules: { a: { then: { function: "truthy" }, given: "$" } } });
});

test("rules in YAML are converted instead of being reported as broken JSON", async () => {
  const made = await ruleset();
  const page = await edit(made.path);
  await write(page, DEFINITION, "rules:\n  a:\n    given: $.paths\n    then:\n      function: truthy\n");
  const inner = page.locator(DEFINITION);
  await inner.getByText("This is YAML.").waitFor();
  await inner.getByText(/this looks like YAML/).waitFor();
  assert.equal(await page.getByRole("button", { name: /Fix all|Put it in quotes/ }).count(), 0);
  await inner.getByRole("button", { name: "Convert to JSON" }).click();
  await inner.getByText("No problems found.").waitFor();
  assert.deepEqual(JSON.parse(await text(page, DEFINITION)), { rules: { a: { given: "$.paths", then: { function: "truthy" } } } });
});

test("the form edits the same document", async () => {
  const made = await ruleset();
  const page = await visit(`${made.path}?view=form`);
  await page.getByRole("combobox", { name: "action" }).selectOption("warn");
  await review(page);
  await store(page);
  await page.getByText("Saved as revision 2.").waitFor();
  assert.equal((await stored(made)).action, "warn");
});

test("a refusal by the edge is shown at its field", async () => {
  await ruleset({ name: "Taken" });
  const page = await edit((await ruleset()).path);
  const refused = async (members, sentence, pointer) => {
    await change(page, members);
    await review(page);
    await store(page);
    await page.getByRole("dialog").getByText(sentence).waitFor();
    await page.getByRole("button", { name: "Back to the editor" }).click();
    await page.getByRole("button", { name: sentence }).getByText(pointer, { exact: true }).waitFor();
  };
  await refused({ name: "Taken" }, /a ruleset with the name Taken already exists/, "/name");
  await refused({ name: "Free", categories: ["pets"] }, /unknown categories: pets/, "/categories");
  await refused({ categories: [], ruleset_id: "another" }, /ruleset_id never changes/, "/ruleset_id");
});

test("a conflict shows both sides, and a rebase loses neither", async () => {
  const made = await ruleset();
  const page = await edit(made.path);
  await change(page, { description: "mine" });
  const { applied_rules: _, ...theirs } = await stored(made);
  await stage.dashboard("PUT", made.url, { body: laidOut({ ...theirs, action: "warn" }) });
  await review(page);
  await page.getByRole("dialog").getByText("You started from revision 1; revision 2 is stored now.").waitFor();
  await page.getByRole("button", { name: "Rebase onto theirs" }).click();
  await page.getByText("Your text is now based on the stored revision").waitFor();
  await review(page);
  await store(page);
  await page.getByText("Saved as revision 3.").waitFor();
  const { action, description } = await stored(made);
  assert.deepEqual([action, description], ["warn", "mine"]);
});

test("an earlier revision is compared and restored, even of a deleted ruleset", async () => {
  const made = await ruleset();
  const { applied_rules: _, ...first } = await stored(made);
  await stage.dashboard("PUT", made.url, { body: laidOut({ ...first, action: "warn" }) });
  const page = await edit(made.path);
  const restore = async (revision, as) => {
    await page.getByRole("button", { name: `View & restore revision ${revision}` }).click();
    await page.getByRole("button", { name: "Restore this revision" }).click();
    await page.getByText(`Restored revision ${revision} as revision ${as}.`).waitFor();
  };
  await page.getByRole("button", { name: "Show the revisions" }).click();
  await page.getByRole("button", { name: "View revision 2" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).last().click();
  await restore(1, 3);
  await page.waitForFunction(() => JSON.parse(globalThis.document.querySelector(".editor-card json-editor").value).action === "none");
  await page.getByRole("button", { name: "View revision 3" }).waitFor();
  await stage.dashboard("DELETE", made.url);
  await page.reload();
  await page.getByText("There is no such ruleset").waitFor();
  await page.getByRole("button", { name: "Show the revisions" }).click();
  await restore(2, 5);
  await page.locator(`${DOCUMENT} .cm-line`).first().waitFor();
  assert.equal((await stored(made)).action, "warn");
});

test("the list is searched and filtered, and a deletion is undone or restored later", async () => {
  await ruleset({ name: "Zebra", active: true, categories: ["EU"] });
  await ruleset({ name: "Zeal", resource_type: "mcp-api" });
  await ruleset({ name: "Zero", is_template: true });
  const page = await visit("/rulesets?q=ze&sort=name");
  const only = async (...expected) => {
    await page.getByText(expected.length === 1 ? "1 ruleset" : `${expected.length} rulesets`, { exact: true }).waitFor();
    assert.deepEqual(await names(page), expected);
  };
  await only("Zeal", "Zebra");
  const filter = (name) => page.getByRole("combobox", { name });
  for (const [name, value, found] of [["State", "true", "Zebra"], ["State", "false", "Zeal"], ["Resource type", "mcp-api", "Zeal"], ["Category", "EU", "Zebra"], ["Templates", "true", "Zero"]]) {
    await filter(name).selectOption(value);
    await only(found);
    await filter(name).selectOption("");
    await only("Zeal", "Zebra");
  }
  const remove = async () => {
    await page.getByRole("button", { name: "Actions for Zebra" }).click();
    await page.getByRole("menuitem", { name: "Delete…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await only("Zeal");
  };
  await remove();
  await page.getByRole("button", { name: "Undo" }).click();
  await only("Zeal", "Zebra");
  await remove();
  await filter("Deleted").selectOption("true");
  await page.getByRole("button", { name: "Restore Zebra" }).click();
  await page.getByText("No ruleset matches").waitFor();
  await filter("Deleted").selectOption("");
  await only("Zeal", "Zebra");
});

test("palette and navigation lead here, and a token without permission is told so", async () => {
  const { json } = await stage.admin("POST", "/gateway/dashboard/credentials", { body: { name: "other", permissions: { clientidps: "read" } } });
  const page = await visit("/client-idps");
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Find anything, or say what to do" }).fill("New ruleset");
  await page.keyboard.press("Enter");
  await page.waitForURL(/rulesets\/new/);
  await page.getByRole("link", { name: "Rulesets" }).first().click();
  await page.getByRole("heading", { name: "Rulesets", level: 1 }).waitFor();
  const blind = await visit("/rulesets", { token: json.token });
  await blind.getByText("You may not see this page").waitFor();
});

test("empty list, deleted ruleset, and failure with retry", async () => {
  const { json } = await stage.admin("POST", "/gateway/dashboard/credentials", { body: { name: "empty", org_id: "empty", permissions: { rulesets: "write" } } });
  const empty = await visit("/rulesets", { token: json.token });
  await empty.getByText("No rulesets yet").waitFor();
  const page = await visit("/rulesets/000000000000000000000000");
  await page.getByText("There is no such ruleset").waitFor();
  await page.route("**/api/rulesets**", (route) => route.abort());
  await page.getByRole("link", { name: "Go to the list" }).click();
  await page.getByRole("button", { name: "Try again" }).waitFor();
  await page.unroute("**/api/rulesets**");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("table", { name: "Rulesets" }).waitFor();
});

test("the list is paginated", async () => {
  for (let n = 1; n <= 51; n += 1) await ruleset({ name: `Paged ${String(n).padStart(2, "0")}` });
  const page = await visit("/rulesets?q=paged&sort=name");
  await page.getByText("Page 1 of 2").waitFor();
  assert.equal((await names(page)).length, 50);
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("Page 2 of 2").waitFor();
  assert.deepEqual(await names(page), ["Paged 51"]);
  assert.match(page.url(), /p=2/);
});
