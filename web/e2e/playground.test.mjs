// The playground for rules that rewrite bodies: the edge's modules, in the browser.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { send } from "../../worker/tests/http.mjs";
import { definition, editorText, open } from "./console.mjs";

const base64 = (text) => Buffer.from(text).toString("base64");
const TEMPLATE = '{"who":"{{ .name | upper }}","path":"{{ ._gateway_context.path }}","plan":"{{ ._gateway_meta.plan }}"}';
const FILTER = "{body: {names: [.body.tags[]], path: ._gateway_context.path}, rewrite_headers: {\"x-count\": (.body.tags | length)}}";
const ANSWER = "{{ range .items }}{{ .sku }};{{ end }}";

const rules = {
  use_extended_paths: true,
  extended_paths: {
    transform: [{ path: "/orders", method: "POST", template_data: { template_mode: "blob", template_source: base64(TEMPLATE), input_type: "json", enable_session: true } }],
    transform_response: [{ path: "/list", method: "GET", template_data: { template_mode: "blob", template_source: base64(ANSWER), input_type: "json" } }],
    transform_jq: [{ path: "/jq", method: "POST", filter: FILTER }],
  },
};

let stage;
before(async () => {
  stage = await open();
  const members = { enable_context_vars: true };
  await stage.store({ ...definition("Rewritten", members, { target_url: stage.upstream.url }), version_data: { not_versioned: true, versions: { Default: { name: "Default", ...rules } } } });
  await stage.store({ ...definition("Bare", {}, { target_url: stage.upstream.url }), version_data: { not_versioned: true, versions: { Default: { name: "Default", ...rules } } } });
  await stage.reload();
});
after(() => stage.close());

const part = (page, name) => page.getByRole("dialog").locator(".playground-part").filter({ has: page.getByRole("heading", { name, exact: true }) });
const value = (page, name) => part(page, name).locator("json-editor").evaluate((editor) => editor.value);
const status = (page, text) => page.locator(".playground-status").filter({ hasText: text }).waitFor();
async function write(page, name, text) {
  await part(page, name).locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(text);
}

/** Opens the playground of a rule. */
async function tried(rule, path = "/apis/rewritten?view=json") {
  const page = await stage.page({ path });
  await page.locator(".definition json-editor .cm-line, .editor-card json-editor .cm-line").first().waitFor();
  await page.getByRole("button", { name: `Try it: ${rule}` }).click();
  await page.locator("body-playground .cm-line").first().waitFor();
  return page;
}

test("a template gets body, context and metadata, and its output matches the gateway's", async () => {
  const page = await tried("Template of the request, POST /orders");
  assert.equal(await value(page, "Template"), TEMPLATE);
  await status(page, /^Another body, \d+ bytes\.$/);
  assert.equal(await value(page, "What is sent instead"), '{"who":"LAMP","path":"/orders/42","plan":"gold"}');
  await write(page, "Body of the request", '{"name":"größe"}');
  await write(page, "What is known about the request", '{"context":{"path":"/rewritten/orders"},"meta":{}}');
  await page.waitForFunction(() => [...document.querySelectorAll("body-playground json-editor")].at(-1).value.includes("/rewritten/orders"));
  const here = JSON.parse(await value(page, "What is sent instead"));
  // What the upstream actually receives for the same request.
  const answer = await send(stage.gateway.ports.gateway, { method: "POST", path: "/rewritten/orders", headers: { "content-type": "application/json" }, body: '{"name":"größe"}' });
  const there = JSON.parse(JSON.parse(answer.text).body);
  assert.deepEqual(there, here);
  assert.equal(there.path, "/rewritten/orders");
});

test("errors in a template are shown and marked while typing", async () => {
  const page = await tried("Template of the request, POST /orders");
  await write(page, "Template", "{\n  {{ .name | nothing }}\n}");
  await status(page, /can't be read, line 2, column 14: function "nothing" not defined\. The gateway leaves the rule out\./);
  await part(page, "Template").locator(".cm-lintRange-error").waitFor();
  await page.getByRole("button", { name: "Go to it" }).click();
  const at = await part(page, "Template").locator(".cm-activeLine").textContent();
  assert.match(at, /nothing/);
  await write(page, "Template", "{{ index .tags 7 }}");
  await status(page, /^The upstream gets the body as it is: /);
  assert.equal(await value(page, "What is sent instead"), "");
  assert.equal(await part(page, "Template").locator(".cm-lintRange-error").count(), 0);
  await write(page, "Template", "{{ .name }}");
  await status(page, "Another body, 4 bytes.");
});

test("XML input is parsed as XML", async () => {
  const page = await tried("Template of the request, POST /orders");
  await page.getByLabel("The body is read as").selectOption("xml");
  await write(page, "Body of the request", "<a><b>text</b></a>");
  await write(page, "Template", "{{ .a.b }}!");
  await status(page, "Another body, 5 bytes.");
  assert.equal(await value(page, "What is sent instead"), "text!");
  await write(page, "Body of the request", "<a><b>");
  await status(page, /^The upstream gets the body as it is: /);
});

test("a filter produces a body and headers, and its syntax errors are located", async () => {
  const page = await tried("jq of the request, POST /jq");
  await status(page, /^Another body/);
  assert.equal(await value(page, "What is sent instead"), '{"names":["home","light"],"path":"/orders/42"}');
  assert.match(await page.locator(".playground-sets").textContent(), /Headers that are set.*x-count.*2/);
  await write(page, "Filter", "{body: .body |\n  nosuch}");
  await status(page, /line 2, column 3: the filter nosuch is not known/);
  await write(page, "Filter", "{body: ");
  await status(page, /line 1, column \d+: at the end: closing brace was expected/);
  // An endless filter is terminated, and the next run works all the same.
  await write(page, "Filter", "{body: [range(0; infinite)]}");
  await status(page, /the filter takes too long/);
  await write(page, "Filter", "{body: 1}");
  await status(page, "Another body, 1 byte.");
});

test("inputs the definition switches off are left out, and the page says so", async () => {
  const page = await tried("Template of the answer, GET /list", "/apis/bare?view=json");
  await page.getByText("Context variables are missing: enable_context_vars is off, and the key's metadata is missing: enable_session is off.").waitFor();
  await write(page, "Template", "[{{ ._gateway_context.path }}]");
  await page.waitForFunction(() => [...document.querySelectorAll("body-playground json-editor")].at(-1).value.startsWith("["));
  assert.doesNotMatch(await value(page, "What is sent instead"), /orders/);
});

test("a tried template moves into the definition and can be undone, and unsaved text is kept until then", async () => {
  const page = await tried("Template of the request, POST /orders");
  const take = page.getByRole("button", { name: "Use this template" });
  assert.ok(await take.isDisabled(), "nothing is changed yet");
  await write(page, "Template", "hello {{ .name }}");
  await status(page, "Another body, 10 bytes.");
  // Escape leaves the editor, not the dialog.
  await part(page, "Template").locator(".cm-content").press("Escape");
  assert.equal(await page.getByRole("dialog").count(), 1);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await page.getByRole("button", { name: "Try it: Template of the request, POST /orders" }).click();
  await status(page, "Another body, 10 bytes.");
  await take.click();
  assert.equal(await page.getByRole("dialog").count(), 0);
  await page.getByText("It is in the definition now, but not saved yet.").waitFor();
  const source = async () => JSON.parse(await editorText(page)).version_data.versions.Default.extended_paths.transform[0].template_data.template_source;
  assert.equal(await source(), base64("hello {{ .name }}"));
  await page.getByRole("button", { name: "Undo" }).click();
  assert.equal(await source(), base64(TEMPLATE));
});

test("the rule open in the form is highlighted, and an API without body rules has no playground", async () => {
  const page = await stage.page({ path: "/apis/rewritten?view=form&at=/version_data/versions/Default/extended_paths/transform_jq/0" });
  await page.locator(".form-top").waitFor();
  assert.match(await page.locator(".playground-rule[aria-current]").textContent(), /jq of the request/);
  assert.equal(await page.locator(".playground-rule").count(), 3);
  const none = await stage.page({ path: "/apis/new" });
  await none.locator("json-editor .cm-line").first().waitFor();
  assert.equal(await none.getByRole("heading", { name: "Body rules" }).count(), 0);
});

test("without its module the playground says so and can retry", async () => {
  const context = await stage.context();
  let broken = true;
  // Before the page loads: its own validation requests the module, too.
  await context.route("**/extra-jq-*.wasm", (route) => (broken ? route.abort() : route.continue()));
  const page = await stage.page({ path: "/apis/rewritten?view=form", context });
  await page.locator(".form-top").waitFor();
  await page.getByRole("button", { name: "Try it: jq of the request, POST /jq" }).click();
  await status(page, "The module could not be loaded.");
  broken = false;
  await write(page, "Filter", "{body: 2}");
  await status(page, "Another body, 1 byte.");
});
