// The editor: validation while typing, the review, the three ways out of a conflict, revisions.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clipboard, definition, editorText, laidOut, open, pointAt, type } from "./console.mjs";
import { look } from "./look.mjs";

let stage;
before(async () => {
  stage = await open({ fixtures: [definition("Orders")] });
});
after(() => stage.close());

const stored = async (id) => (await stage.admin("GET", `/gateway/apis/${id}?complete=false`)).text;
const review = (page) => page.getByRole("button", { name: "Review & save" }).click();
const store = (page) => page.getByRole("button", { name: "Save", exact: true }).click();

/** Stores an API and opens its editor. */
async function edit(name, members, proxy) {
  const first = definition(name, members, proxy);
  await stage.store(laidOut(first));
  const page = await stage.page({ path: `/apis/${first.api_id}` });
  await page.locator("json-editor").waitFor();
  return { page, first, id: first.api_id };
}

test("problems are found while typing, show their line, and link to it", async () => {
  const page = await stage.page({ path: "/apis/new" });
  await page.locator("json-editor").waitFor();
  await type(page, '{\n  "name": "A",\n  "proxy": {\n    "listen_path": 5\n  }\n}');
  const problem = page.getByRole("button", { name: /Line 4 · \/proxy\/listen_path/ });
  await problem.click();
  assert.equal(await page.locator("json-editor .cm-activeLineGutter.cm-lineNumbers, json-editor .cm-lineNumbers .cm-activeLineGutter").textContent(), "4");
  await page.keyboard.press("ControlOrMeta+s");
  await page.getByText("to fix before this can be saved").waitFor();
  await type(page, '{ "name": ');
  await page.getByRole("button", { name: /Error: .*Line 1/ }).first().waitFor();
});

/** Returns a formatted definition whose only version has rules. */
const ruled = (name, extended_paths) =>
  laidOut({ ...definition(name), version_data: { not_versioned: true, versions: { Default: { name: "Default", use_extended_paths: true, extended_paths } } } });
const RULES = "/version_data/versions/Default/extended_paths";
/** Returns the rows of the problems, worst first, as screen readers announce them. */
const problems = async (page) => (await page.locator(".problems .problem").allTextContents()).map((text) => text.replace(/\s+/g, " ").trim());
/** Returns the line with the cursor. */
const activeLine = (page) => page.locator("json-editor .cm-activeLine").textContent();

test("errors in a JSON Schema are shown at their position in the definition", async () => {
  const page = await stage.page({ path: "/apis/new" });
  await page.locator("json-editor").waitFor();
  const rule = (schema) => ({ validate_json: [{ path: "/a", method: "POST", schema }] });
  const text = ruled("Checked", rule({ type: "strng", properties: { a: { pattern: "(a" }, b: { $ref: "#/definitions/x" }, c: { minLength: -1 } } }));
  await type(page, text);
  const at = (part) => page.locator(".problems .problem", { hasText: `${RULES}/validate_json/0/schema/${part}` });
  for (const [part, word, line, message] of [
    ["properties/a/pattern", "Error", '"pattern": "(a"', "this '(' has no ')'"],
    ["properties/b/$ref", "Error", '"$ref": "#/definitions/x"', '"#/definitions/x" leads nowhere in the schema'],
    ["type", "Warning", '"type": "strng"', '"strng" is no type of JSON Schema'],
    ["properties/c/minLength", "Warning", '"minLength": -1', "this is a whole number, 0 or more"],
  ]) {
    const row = at(part);
    await row.waitFor();
    const shown = await row.textContent();
    const number = text.split("\n").findIndex((own) => own.includes(line)) + 1;
    assert.ok(shown.startsWith(`${word}: ${message}`) && shown.includes(`Line ${number} `), shown);
    await row.click();
    assert.ok((await activeLine(page)).includes(line), part);
  }
  assert.equal((await problems(page)).length, 4);
  const marked = async (kind) => (await page.locator(`json-editor .cm-lintRange-${kind}`).allTextContents()).sort();
  assert.deepEqual(await marked("error"), ['"#/definitions/x"', '"(a"']);
  assert.deepEqual(await marked("warning"), ['"strng"', "-1"]);
  // An error prevents storing, and disappears once it is fixed.
  await page.keyboard.press("ControlOrMeta+s");
  await page.getByText("2 errors to fix before this can be saved").waitFor();
  await type(page, ruled("Checked", rule({ type: "object", properties: { a: { pattern: "(a)" } } })));
  await page.getByText("No problems found.").waitFor();
  assert.deepEqual(await marked("error"), []);
});

test("a filter that does not compile is flagged while typing, by the module that will run it", async () => {
  const filter = { path: "/a", method: "POST", filter: "{body: (.body | frob)}" };
  const { page } = await edit("Filtered", {});
  await type(page, ruled("Filtered", { transform_jq: [filter] }));
  const row = page.locator(".problems .problem", { hasText: `${RULES}/transform_jq/0/filter` });
  await row.waitFor();
  assert.deepEqual(await page.locator("json-editor .cm-lintRange-warning").allTextContents(), [JSON.stringify(filter.filter)]);
  await look(page, "editor-filter");
  // The gateway reports the same, and it appears only once.
  await review(page);
  await store(page);
  await page.getByText("Saved as revision 2.").waitFor();
  assert.equal(await row.count(), 1);
  assert.match(await row.textContent(), /^Warning: the filter is wrong in line 1, column 17: the filter frob is not known; mend it/);
  await row.click();
  assert.ok((await activeLine(page)).includes("frob"));
  await type(page, ruled("Filtered", { transform_jq: [{ ...filter, filter: "{body: .body}" }] }));
  await row.waitFor({ state: "detached" });
});

test("completion and hover texts come from the data model", async () => {
  const page = await stage.page({ path: "/apis/new" });
  await page.locator("json-editor").waitFor();
  await type(page, '{\n  "name": "A",\n  "pro\n}');
  await page.keyboard.press("Control+Home");
  for (let line = 0; line < 2; line += 1) await page.keyboard.press("ArrowDown");
  await page.keyboard.press("End");
  await page.keyboard.type("x");
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Control+Space");
  await page.getByRole("option", { name: /^proxy\b/ }).click();
  assert.match(await editorText(page), /"proxy": /);
});

test("a problem offers a fix", async () => {
  const page = await stage.page({ path: "/apis/new" });
  await page.locator("json-editor").waitFor();
  await type(page, laidOut({ ...definition("Mend me"), nmae: undefined, actve: true }));
  await page.getByRole("button", { name: 'Rename to "active"' }).waitFor();
  const fix = page.locator("json-editor .fix").first();
  await pointAt(page, page.locator("json-editor .cm-lintRange-warning", { hasText: "actve" }), fix);
  await fix.click();
  await page.getByText("No problems found.").waitFor();
  assert.equal(JSON.parse(await editorText(page)).active, true);
});

test("a new API is pasted, reviewed, stored and loaded", async () => {
  const page = await stage.page({ path: "/apis/new" });
  await page.locator("json-editor").waitFor();
  const mine = laidOut(definition("Pasted", {}, { target_url: stage.upstream.url }));
  await type(page, mine);
  await page.keyboard.press("ControlOrMeta+s");
  await page.getByRole("heading", { name: "Review the change" }).waitFor();
  const review = page.getByRole("dialog");
  await review.getByText("Once it is saved and reloaded").waitFor();
  await review.getByText("Open: no key is required").waitFor();
  assert.equal(await review.locator(".diff").isVisible(), false, "all of it is new, so the text is collapsed");
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.waitForURL(/\/apis\/pasted$/);
  await page.getByText("Pending: the gateway doesn't serve this revision").waitFor();
  assert.equal(await stored("pasted"), mine);
  await page.getByRole("button", { name: "Reload now" }).click();
  await page.getByText("Pending: the gateway doesn't serve this revision").waitFor({ state: "detached" });
  await page.locator(".head-state .badge-live").waitFor();
  const served = await fetch(`${stage.gateway.gateway}/pasted/hello`);
  assert.equal((await served.json()).url, "/hello");
});

test("a new API does not overwrite an existing one", async () => {
  const page = await stage.page({ path: "/apis/new" });
  await page.locator("json-editor").waitFor();
  await type(page, laidOut(definition("Orders", { name: "Impostor" }, { listen_path: "/impostor/" })));
  await review(page);
  await store(page);
  await page.locator("dialog .failure").waitFor();
  assert.equal(JSON.parse(await stored("orders")).name, "Orders");
});

test("the review shows the differences from the stored document, and saving replaces exactly that one", async () => {
  const { page, first, id } = await edit("Reviewed");
  const changed = { ...first, tags: ["new"], proxy: { ...first.proxy, target_url: "http://changed.example/" } };
  await type(page, laidOut(changed));
  await review(page);
  await page.getByRole("listitem").filter({ hasText: "/proxy/target_url" }).waitFor();
  await page.locator(".diff-added", { hasText: "changed.example" }).waitFor();
  await page.locator(".diff-removed", { hasText: "127.0.0.1:9" }).waitFor();
  // Differences within a line are marked word by word, and not by colour alone.
  await page.locator(".diff-removed del", { hasText: "127" }).waitFor();
  await page.locator(".diff-added ins", { hasText: "changed" }).waitFor();
  assert.equal(await page.locator(".diff-text :is(ins, del)", { hasText: "target_url" }).count(), 0);
  const line = (tag) => page.locator(`.diff-text ${tag}`).first().evaluate((word) => getComputedStyle(word).textDecorationLine);
  assert.deepEqual([await line("del"), await line("ins")], ["line-through", "underline"]);
  await page.getByRole("button", { name: /Show \d+ unchanged lines/ }).first().click();
  await store(page);
  await page.getByText("Saved as revision 2.").waitFor();
  assert.equal(await stored(id), laidOut(changed));
  assert.equal(await page.getByRole("button", { name: "Saved" }).isDisabled(), true);
});

for (const [choice, act] of [
  ["rebase", async (page) => {
    await page.getByRole("button", { name: "Rebase onto theirs" }).click();
    await page.getByText("Both of you changed /proxy/target_url").waitFor();
    await review(page);
    await store(page);
    await page.getByText("Saved as revision 3.").waitFor();
    return { target_url: "http://mine.example/", tags: ["theirs"], domain: "mine.example.com" };
  }],
  ["overwrite", async (page) => {
    await page.getByRole("button", { name: "Overwrite theirs…" }).click();
    await page.getByText("Your text replaces revision 2 completely").waitFor();
    await page.getByRole("button", { name: "Overwrite theirs", exact: true }).click();
    await page.getByText("Saved as revision 3.").waitFor();
    return { target_url: "http://mine.example/", tags: undefined, domain: "mine.example.com" };
  }],
  ["discard", async (page) => {
    await page.getByRole("button", { name: "Discard mine" }).click();
    await page.getByText("Your changes are discarded").waitFor();
    return { target_url: "http://theirs.example/", tags: ["theirs"], domain: undefined };
  }],
]) {
  test(`a conflict is shown, nothing is overwritten: ${choice}`, async () => {
    const { page, first, id } = await edit(`Conflict ${choice}`);
    const mine = { ...first, domain: "mine.example.com", proxy: { ...first.proxy, target_url: "http://mine.example/" } };
    const theirs = { ...first, tags: ["theirs"], proxy: { ...first.proxy, target_url: "http://theirs.example/" } };
    await type(page, laidOut(mine));
    await stage.admin("PUT", `/gateway/apis/${id}`, { body: laidOut(theirs) });
    await review(page);
    await page.getByText("You started from revision 1; revision 2 is stored now.").waitFor();
    const sides = page.locator(".side-of-conflict");
    await sides.filter({ hasText: "What they changed" }).getByText("/tags").waitFor();
    await sides.filter({ hasText: "What you changed" }).getByText("/domain").waitFor();
    assert.equal(await stored(id), laidOut(theirs), "viewing a conflict overwrites nothing");
    const { target_url, ...members } = await act(page);
    const now = JSON.parse(await stored(id));
    assert.equal(now.proxy.target_url, target_url);
    for (const [name, value] of Object.entries(members)) assert.deepEqual(now[name], value, name);
  });
}

test("a change between review and save is a conflict too", async () => {
  const { page, first, id } = await edit("Raced");
  await type(page, laidOut({ ...first, tags: ["mine"] }));
  await review(page);
  await page.getByRole("button", { name: "Save", exact: true }).waitFor();
  await stage.admin("PUT", `/gateway/apis/${id}`, { body: laidOut({ ...first, tags: ["theirs"] }) });
  await store(page);
  await page.getByText("Changed by gateway").waitFor();
  assert.deepEqual(JSON.parse(await stored(id)).tags, ["theirs"]);
});

test("an API deleted in the meantime is reported", async () => {
  const { page, first, id } = await edit("Deleted meanwhile");
  await type(page, laidOut({ ...first, tags: ["mine"] }));
  await stage.admin("DELETE", `/gateway/apis/${id}`);
  await review(page);
  await page.getByText("This API was deleted since you opened it.").waitFor();
  await store(page);
  await page.getByText(/Saved as revision/).waitFor();
  assert.deepEqual(JSON.parse(await stored(id)).tags, ["mine"]);
});

test("a deleted API says so, and one that never existed does not", async () => {
  const gone = definition("Gone for good");
  await stage.store(gone);
  await stage.reload();
  await stage.admin("DELETE", `/gateway/apis/${gone.api_id}`);
  const page = await stage.page({ path: `/apis/${gone.api_id}` });
  await page.getByRole("heading", { name: "This API was deleted" }).waitFor();
  const state = page.locator(".head-state");
  const badge = state.getByText(/^Deleted•?$/);
  await badge.waitFor();
  await state.getByText(/served until the next reload/).waitFor({ state: "attached" });
  await page.getByRole("link", { name: "Look at its revisions" }).click();
  await page.getByRole("button", { name: "View & restore revision 1" }).click();
  await page.getByRole("button", { name: "Restore this revision" }).click();
  await page.getByText("Restored revision 1 as revision").waitFor();
  await badge.waitFor({ state: "detached" });
  await page.goto(stage.url("/apis/no-such-api"));
  await page.getByRole("heading", { name: "There is no such API" }).waitFor();
  assert.equal(await badge.count(), 0);
  // Nor has it pages or requests of its own.
  assert.equal(await page.getByRole("navigation", { name: "Parts of the API" }).count(), 0);
  assert.equal(await page.locator("main").getByRole("link", { name: "Try it" }).count(), 0);
});

test("a save that failed for want of a connection is no failure any more once there is one", async () => {
  const { page, first, id } = await edit("Disconnected");
  await type(page, laidOut({ ...first, tags: ["mine"] }));
  await review(page);
  await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).waitFor();
  await page.context().setOffline(true);
  await store(page);
  const failure = page.getByRole("dialog").getByText("The gateway can't be reached");
  await failure.waitFor();
  await page.context().setOffline(false);
  await failure.waitFor({ state: "detached" });
  await store(page);
  await page.getByText(/Saved as revision/).waitFor();
  assert.deepEqual(JSON.parse(await stored(id)).tags, ["mine"]);
});

test("a listen path of another API is reported while it is typed, with a link to that API", async () => {
  const { page, first } = await edit("Collides");
  const at = (listen_path) => laidOut({ ...first, proxy: { ...first.proxy, listen_path } });
  const panel = page.getByRole("region", { name: "Problems" });
  const problem = panel.getByRole("button", { name: /the API "Orders" is served under this listen path/ });
  const link = panel.getByRole("link", { name: "Orders" });
  for (const round of [1, 2]) {
    await type(page, at("/orders/"));
    await problem.getByText("/proxy/listen_path", { exact: true }).waitFor();
    assert.match(await link.getAttribute("href"), /\/apis\/orders$/, `round ${round}`);
    await type(page, at(`/free-${round}/`));
    await problem.waitFor({ state: "detached" });
    await link.waitFor({ state: "detached" });
  }
  await type(page, at("/orders/"));
  await problem.waitFor();
  await review(page);
  await page.getByText("1 error to fix before this can be saved.").waitFor();
});

test("a listen path that another API takes in the meantime is refused, and then reported with a link", async () => {
  const { page, first } = await edit("Too late");
  await type(page, laidOut({ ...first, proxy: { ...first.proxy, listen_path: "/sooner/" } }));
  await review(page);
  await page.getByRole("button", { name: "Save", exact: true }).waitFor();
  await stage.store(definition("Sooner"));
  await store(page);
  const failure = page.locator("dialog .failure");
  await failure.getByText("Already taken").waitFor();
  assert.match(await failure.textContent(), /Sooner/);
  await page.getByRole("button", { name: "Back to the editor" }).click();
  const panel = page.getByRole("region", { name: "Problems" });
  await panel.getByRole("button", { name: /the API "Sooner" is served under this listen path/ }).waitFor();
  assert.match(await panel.getByRole("link", { name: "Sooner" }).getAttribute("href"), /\/apis\/sooner$/);
});

test("leaving with unsaved changes asks first: by link, by Back, by command", async () => {
  const page = await stage.page({ path: "/apis" });
  await page.getByRole("link", { name: "Orders" }).click();
  await page.locator("json-editor").waitFor();
  await type(page, '{ "unsaved": true }');
  const question = page.getByRole("heading", { name: "Leave without saving?" });
  const leave = [
    () => page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Batch" }).click(),
    () => page.goBack(),
    async () => {
      await page.keyboard.press("ControlOrMeta+k");
      await page.getByRole("combobox").fill("review and");
      await page.keyboard.press("Enter");
    },
  ];
  for (const by of leave) {
    await by();
    await question.waitFor();
    await page.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "detached" });
    assert.match(page.url(), /\/apis\/orders$/);
    assert.equal(await editorText(page), '{ "unsaved": true }');
  }
  await page.getByRole("link", { name: "Revisions", exact: true }).click();
  await page.getByRole("link", { name: "Definition" }).click();
  assert.equal(await editorText(page), '{ "unsaved": true }', "the tabs lose nothing");
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Batch" }).click();
  await page.getByRole("button", { name: "Discard and leave" }).click();
  await page.waitForURL(/\/batch$/);
});

test("revisions can be viewed, compared and restored", async () => {
  const { page, first, id } = await edit("Versioned");
  await stage.admin("PUT", `/gateway/apis/${id}`, { body: laidOut({ ...first, tags: ["second"] }) });
  await page.getByRole("link", { name: "Revisions", exact: true }).click();
  await page.waitForURL(/\/revisions$/);
  await page.getByRole("button", { name: "View & restore revision 1" }).click();
  await page.locator("dialog .diff-removed", { hasText: "second" }).waitFor();
  await page.getByRole("button", { name: "Restore this revision" }).click();
  await page.getByText("Restored revision 1 as revision 3.").waitFor();
  assert.equal(await stored(id), laidOut(first));
  await page.getByRole("link", { name: "Definition" }).click();
  await page.waitForFunction((text) => document.querySelector("json-editor")?.value === text, laidOut(first));
});

test("a revision on one line is shown formatted and copied as it is", async () => {
  const id = "lined";
  const text = JSON.stringify(definition(id));
  await stage.store(text);
  const page = await stage.page({ path: `/apis/${id}/revisions` });
  await page.getByRole("button", { name: "View revision 1" }).click();
  const shown = page.getByLabel("Text of the revision");
  await shown.waitFor();
  assert.equal((await shown.textContent()).trim(), laidOut(definition(id)).trim());
  await page.getByRole("button", { name: "Copy text" }).click();
  await page.getByText("Copied", { exact: true }).first().waitFor();
  assert.equal(await clipboard(page), text);
});

test("the copied shell command contains no secret", async () => {
  const { page, id } = await edit("Copied");
  await page.getByRole("button", { name: "Copy as curl" }).click();
  await page.getByText("Copied", { exact: true }).first().waitFor();
  const command = await clipboard(page);
  assert.match(command, new RegExp(`--request PUT '${stage.gateway.console}/gateway/apis/${id}'`));
  assert.match(command, /"X-Gateway-Authorization: \$GATEWAY_SECRET"/);
  assert.ok(!command.includes(stage.gateway.secret));
});

test("deleting from the editor returns to the list", async () => {
  const { page, id } = await edit("Deleted here");
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.waitForURL(/\/apis$/);
  assert.equal((await stage.gateway.admin("GET", `/gateway/apis/${id}`)).status, 404);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Restored “Deleted here”.").waitFor();
});

test("a document stored on one line opens formatted, and is unchanged unless edited", async () => {
  const line = '{"name":"One line","api_id":"one-line","use_keyless":true,"session_lifetime":1.0,"proxy":{"listen_path":"/one-line/","target_url":"http://127.0.0.1:9/"},"tags":["\\u00e9"]}';
  await stage.store(line);
  const page = await stage.page({ path: "/apis/one-line" });
  await page.locator("json-editor").waitFor();
  await page.getByText("Stored on one line, shown formatted").waitFor();
  const shown = await editorText(page);
  assert.match(shown, /^\{\n {2}"name": "One line",\n[\s\S]*"session_lifetime": 1\.0,[\s\S]*"\\u00e9"/);
  assert.equal(await page.getByRole("button", { name: "Saved" }).isDisabled(), true);
  await page.getByRole("button", { name: "Copy as curl" }).click();
  await page.getByText("Copied", { exact: true }).first().waitFor();
  assert.ok((await clipboard(page)).includes(line));
  assert.equal(await stored("one-line"), line);
  await page.locator("json-editor .cm-content").click();
  await page.keyboard.press("Shift+Alt+F");
  await review(page);
  await page.getByRole("dialog").getByText("Only the formatting differs.").waitFor();
  await store(page);
  await page.getByText("Saved as revision 2.").waitFor();
  assert.equal(await stored("one-line"), shown);
  await type(page, line.replace("1.0", "2.0"));
  await page.getByRole("button", { name: "Format" }).click();
  assert.equal(await editorText(page), shown.replace("1.0", "2.0"));
  await review(page);
  await page.getByRole("dialog").getByText("1 change", { exact: true }).waitFor();
  assert.equal(await page.getByRole("dialog").locator(".diff-added").count(), 1);
  const words = (tag) => page.getByRole("dialog").locator(`.diff-text ${tag}`).allTextContents();
  assert.deepEqual([await words("del"), await words("ins")], [["1"], ["2"]]);
});

test("long lines wrap, and invalid JSON is not formatted", async () => {
  const page = await stage.page({ path: "/apis/new" });
  await page.locator("json-editor").waitFor();
  const half = `{ "name": "${"long ".repeat(200)}"`;
  await type(page, half);
  const fits = await page.locator("json-editor .cm-scroller").evaluate((box) => box.scrollWidth <= box.clientWidth);
  assert.equal(fits, true);
  await page.getByRole("button", { name: "Format" }).click();
  await page.getByText("This is not JSON yet, so it can't be laid out.").waitFor();
  assert.equal(await editorText(page), half);
});

test("an API's chain links to the members behind each link", async () => {
  const { page, id } = await edit("Chained", { tags: ["a", "b"] });
  const links = [
    { name: "route", title: "Route", phase: "request", pointers: [], detail: "" },
    { name: "headers", title: "Headers", phase: "both", version: "v1", pointers: ["/tags/1", "/proxy/strip_listen_path"], detail: "2 rules" },
  ];
  await page.route(`**/gateway/apis/${id}/chain`, (route) => route.fulfill({ json: { api_id: id, links } }));
  await page.getByRole("link", { name: "Chain" }).click();
  await page.locator(".chain > li").nth(1).getByText("Both ways").waitFor();
  await page.locator(".chain > li").nth(1).getByText("Version v1").waitFor();
  await page.getByRole("button", { name: "/tags/1" }).click();
  await page.waitForURL(new RegExp(`/apis/${id}$`));
  const line = page.locator("json-editor .cm-activeLine");
  await line.filter({ hasText: '"b"' }).waitFor();
  await page.unroute(`**/gateway/apis/${id}/chain`);
  await page.goto(stage.url(`/apis/${id}/chain`));
  await page.getByText("The API is not served: it waits for a reload").waitFor();
});
