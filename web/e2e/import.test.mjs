// Import from OpenAPI: pasted, from a file, dropped, by URL; previewed, changed, stored, served.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { definition, drop, editorText, open } from "./console.mjs";

const PETS = {
  openapi: "3.1.0",
  info: { title: "Pets", version: "7" },
  servers: [{ url: "UPSTREAM", description: "here" }, { url: "https://{region}.pets.example/v2", variables: { region: { default: "eu" } } }],
  paths: {
    "/pets": { get: { operationId: "list", responses: { 200: { description: "ok", content: { "application/json": { example: [{ id: 1 }] } } } } }, post: {} },
    "/pets/{id}": { get: {}, servers: [] },
  },
  components: { schemas: { Pet: {} } },
  webhooks: { born: {} },
};

const YAML = `# A document as people write it.
openapi: 3.0.3
info: { title: "Größe & Maß", version: 1.0.0 }
servers:
  - url: UPSTREAM/base
x-common: &common
  summary: shared
  deprecated: false
paths:
  /sizes:
    get:
      <<: *common
      description: |
        Several
        lines
      responses:
        200: { description: ok }
`;

let stage;
before(async () => {
  const served = (type, text) => (request, response) => response.writeHead(200, { "Content-Type": type }).end(text().replaceAll("UPSTREAM", stage.upstream.url));
  stage = await open({
    fixtures: [definition("Orders", { tags: ["kept"] }, { target_url: "http://old.example/" })],
    env: { EGRESS_ALLOW_PRIVATE: "true" },
    routes: {
      "/docs/openapi.yaml": served("application/yaml", () => YAML.replace("UPSTREAM/base", "/v3")),
      "/page": served("text/html", () => "<!doctype html><title>x</title>"),
      "/moved": (request, response) => response.writeHead(301, { Location: "/docs/openapi.yaml" }).end(),
    },
  });
});
after(() => stage.close());

const document = () => JSON.stringify(PETS, null, 2).replaceAll("UPSTREAM", stage.upstream.url);
const field = (page, name) => page.getByRole("textbox", { name, exact: true });
const source = (page) => page.locator(".import-document json-editor");
const definitionOf = (page) => page.locator(".import-result json-editor").evaluate((editor) => editor.value);
const openInEditor = (page) => page.getByRole("button", { name: "Open in the editor", exact: true }).click();
const problem = (page, text) => page.locator(".import-troubles").getByRole("button", { name: text }).waitFor();

/** Opens a page for a user whose last import became a classic definition, so that the next one does, too. */
async function classic(path) {
  const context = await stage.context();
  await context.addInitScript(() => localStorage.setItem("gatewright.import.classic", "true"));
  return stage.page({ path, context });
}

async function start() {
  const page = await classic("/import");
  await source(page).waitFor();
  return page;
}

async function paste(page, text) {
  await source(page).locator(".cm-content").click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.insertText(text);
}

/** Waits until the definition on the page fulfils a condition. */
async function made(page, wanted) {
  await page.locator(".import-result json-editor").waitFor();
  await page.waitForFunction(
    ([path, value]) => {
      const text = globalThis.document.querySelector(".import-result json-editor")?.value || "null";
      return path.split(".").reduce((at, name) => at?.[name], JSON.parse(text)) === value;
    },
    wanted,
  );
  return JSON.parse(await definitionOf(page));
}

test("a pasted document is previewed, changed, stored and served", async () => {
  const page = await classic("/apis");
  await page.getByRole("link", { name: "Import", exact: true }).click();
  await page.getByRole("heading", { name: "Import from OpenAPI" }).waitFor();
  await paste(page, document());
  assert.equal((await made(page, ["name", "Pets"])).proxy.listen_path, "/pets/");
  await page.getByText("OpenAPI 3.1.0, version 7").waitFor();
  await page.getByText("2 paths, 3 operations").waitFor();
  await page.getByText("Open: no key is required").waitFor();

  await field(page, "Name").fill("My pets");
  await field(page, "Listen path").fill("/mine/");
  await field(page, "API id").fill("my-pets");
  await page.getByRole("switch", { name: /^Allow nothing else/ }).check();
  const shown = await made(page, ["version_data.versions.Default.extended_paths.white_list.length", 3]);
  assert.deepEqual([shown.name, shown.api_id, shown.proxy.listen_path], ["My pets", "my-pets", "/mine/"]);
  await page.getByRole("switch", { name: /^Allow nothing else/ }).uncheck();
  await made(page, ["version_data.versions.Default.extended_paths", undefined]);

  await openInEditor(page);
  await page.waitForURL(/\/apis\/new$/);
  await page.locator("json-editor").waitFor();
  assert.equal(JSON.parse(await editorText(page)).api_id, "my-pets");
  await page.getByRole("link", { name: "Batch" }).click();
  await page.getByRole("heading", { name: "Leave without saving?" }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "Review & save" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.waitForURL(/\/apis\/my-pets$/);
  await page.getByRole("button", { name: "Reload now" }).click();
  await page.locator(".head-state .badge-live").waitFor();
  const answer = await fetch(`${stage.gateway.gateway}/mine/pets?x=1`);
  assert.equal((await answer.json()).url, "/pets?x=1");
});

test("a Swagger 2.0 document becomes an OpenAPI API, and losses are shown where they occur", async () => {
  const { host } = new URL(stage.upstream.url);
  const swagger = {
    swagger: "2.0",
    info: { title: "Old pets", version: "1" },
    host,
    basePath: "/v1",
    schemes: ["http", "ws"],
    paths: { "/pets": { post: { operationId: "add", parameters: [{ name: "pet", in: "body", schema: { $ref: "#/definitions/Pet" } }], responses: { 200: { description: "ok" } } } } },
    definitions: { Pet: { type: "object", required: ["name"], properties: { name: { type: "string" } } } },
  };
  const page = await stage.page({ path: "/import" });
  await source(page).waitFor();
  await paste(page, JSON.stringify(swagger, null, 2));
  const { components, paths, ...rest } = await made(page, ["openapi", "3.0.3"]);
  assert.deepEqual(components.schemas, swagger.definitions);
  assert.deepEqual(paths["/pets"].post.requestBody.content["application/json"].schema, { $ref: "#/components/schemas/Pet" });
  assert.equal(rest["x-gateway-api-gateway"].upstream.url, `http://${host}/v1`);
  const lost = page.getByRole("region", { name: "Not imported" });
  await lost.getByText("WebSockets are no server of the document").waitFor();
  await lost.getByRole("button", { name: "/schemes" }).click();
  assert.match(await source(page).locator(".cm-activeLine").textContent(), /"schemes"/);
  await field(page, "API id").fill("old-pets");
  await field(page, "Listen path").fill("/old-pets/");
  await made(page, ["x-gateway-api-gateway.info.id", "old-pets"]);
  await openInEditor(page);
  await page.getByRole("button", { name: "Review & save" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
  await page.waitForURL(/\/openapi\/old-pets/);
});

test("one of several servers is chosen", async () => {
  const page = await start();
  await paste(page, document());
  await made(page, ["proxy.target_url", stage.upstream.url]);
  const server = page.getByRole("combobox", { name: "Server, one of 2" });
  assert.deepEqual(await server.locator("option").allTextContents(), [`${stage.upstream.url} (here)`, "https://eu.pets.example/v2"]);
  await server.selectOption({ index: 1 });
  await made(page, ["proxy.target_url", "https://eu.pets.example/v2"]);
  assert.equal(await field(page, "Upstream").inputValue(), "https://eu.pets.example/v2");
  await field(page, "Upstream").fill("https://mine.example");
  await made(page, ["proxy.target_url", "https://mine.example"]);
  await field(page, "Upstream").fill("");
  await field(page, "Name").focus();
  await made(page, ["proxy.target_url", "https://eu.pets.example/v2"]);
});

test("a YAML file gives the same result, including numbers and merged maps", async () => {
  const page = await start();
  const chosen = page.waitForEvent("filechooser");
  await page.getByRole("button", { name: "Choose a file" }).click();
  await (await chosen).setFiles({ name: "sizes.yaml", mimeType: "application/yaml", buffer: Buffer.from(YAML.replaceAll("UPSTREAM", stage.upstream.url)) });
  const shown = await made(page, ["name", "Größe & Maß"]);
  assert.equal(shown.proxy.target_url, `${stage.upstream.url}/base`);
  assert.match(await page.locator(".import-origin").textContent(), /sizes\.yaml · YAML · \d+ B/);
  // A remark links to its line in the YAML, not in the JSON made of it.
  await page.getByRole("button", { name: "/x-common" }).click();
  const line = page.locator(".import-document json-editor .cm-lineNumbers .cm-activeLineGutter");
  assert.equal(await line.textContent(), "6");
  await page.getByRole("button", { name: "Clear" }).click();
  await page.getByRole("heading", { name: "What happens to it" }).waitFor();
});

test("a document is fetched by URL, and relative servers resolve against it", async () => {
  const page = await start();
  const address = page.getByRole("textbox", { name: "Address of the document" });
  await address.fill("ftp://x");
  await address.press("Enter");
  await page.getByText("Enter an address that starts with").waitFor();
  await address.fill(`${stage.upstream.url}/docs/openapi.yaml`);
  await address.press("Enter");
  const shown = await made(page, ["name", "Größe & Maß"]);
  assert.equal(shown.proxy.target_url, `${stage.upstream.url}/v3`);
});

test("an unreachable URL shows the reason, and the document stays", async () => {
  const page = await start();
  await paste(page, document());
  await made(page, ["name", "Pets"]);
  const address = page.getByRole("textbox", { name: "Address of the document" });
  for (const [path, reason] of [["/503", "answered with status 503"], ["/moved", "sends on to"], ["/reset", "can't be reached"]]) {
    await address.fill(`${stage.upstream.url}${path}`);
    await page.getByRole("button", { name: "Fetch" }).click();
    await page.locator(".import-ways .failure", { hasText: reason }).waitFor();
  }
  await made(page, ["name", "Pets"]);
  await address.fill(`${stage.upstream.url}/page`);
  await page.getByRole("button", { name: "Fetch" }).click();
  await problem(page, /this is a web page or XML/);
});

test("a file can be dropped here or on the list of APIs", async () => {
  const page = await classic("/apis");
  await page.getByRole("link", { name: "Orders" }).waitFor();
  await drop(page, "pets.json", document());
  await page.waitForURL(/\/console\/import$/);
  await made(page, ["name", "Pets"]);
  await drop(page, "sizes.yml", YAML);
  await made(page, ["name", "Größe & Maß"]);
  assert.equal(await source(page).evaluate((editor) => editor.value), YAML);
  // A file dropped onto the text itself replaces the document, too, instead of being inserted.
  await drop(page, "pets.json", document(), ".import-document json-editor", ".cm-line");
  await made(page, ["name", "Pets"]);
  assert.equal(await source(page).evaluate((editor) => editor.value), document());
});

test("a file dropped into a definition is inserted as text", async () => {
  const page = await classic("/apis/new");
  await page.locator("json-editor").waitFor();
  await drop(page, "piece.json", "DROPPED", "json-editor", ".cm-line");
  await page.waitForFunction(() => globalThis.document.querySelector("json-editor").value.includes("DROPPED"));
});

for (const [what, text, message] of [
  ["Swagger 1.2", '{"swagger": "1.2"}', /only version 2\.0 of Swagger and versions 3\.0 and 3\.1 of OpenAPI are imported.*Line 1/],
  ["another kind of JSON", '{"hello": "world"}', /this is no OpenAPI document/],
  ["broken JSON", '{\n  "openapi": "3.0.0",\n  "info": }', /Line 3/],
  ["broken YAML", "openapi: 3.0.0\ninfo:\n  title: a: b\n", /a second colon in one line.*Line 3/],
  ["a duplicate name", "openapi: 3.0.0\npaths: {}\ninfo: {}\npaths: {}\n", /"paths" occurs twice.*Line 4/],
  ["an alias bomb", bomb(), /aliases written out.*longer than 8388608 bytes/],
  ["words", "Dear reader,\nthis is a letter.\n", /no OpenAPI document/],
  ["a future version", "openapi: 4.0.0\n", /only versions 3\.0 and 3\.1/],
]) {
  test(`${what} is refused with its position`, async () => {
    const page = await start();
    await paste(page, text);
    await problem(page, message);
    assert.equal(await page.getByRole("button", { name: "Open in the editor", exact: true }).isDisabled(), true);
    await page.locator(".import-document json-editor .cm-lint-marker-error").first().waitFor();
  });
}

test("a definition is opened unchanged", async () => {
  const page = await start();
  const text = JSON.stringify(definition("Already"));
  await paste(page, text);
  await problem(page, /an API definition already/);
  await page.getByRole("button", { name: "Open it in the editor" }).click();
  await page.waitForURL(/\/apis\/new$/);
  await page.locator("json-editor").waitFor();
  assert.equal(await editorText(page), text);
});

test("a document that is too large is refused with the limit", async () => {
  const page = await start();
  await drop(page, "huge.json", `"${"x".repeat(8 * 1024 * 1024)}"`);
  await page.getByText(/huge\.json has 8\.4 MB; the limit is 8\.4 MB \(8388608 bytes\)/).waitFor();
});

test("upstream and rules are applied to a stored API as a draft", async () => {
  const page = await start();
  await paste(page, document());
  await page.getByRole("switch", { name: /^Answer with the examples/ }).check();
  await made(page, ["version_data.versions.Default.extended_paths.mock_response.length", 1]);
  await page.getByRole("button", { name: "Merge into an API…" }).click();
  await page.getByRole("combobox", { name: "Find an API to merge into" }).fill("ord");
  await page.getByRole("option", { name: /Orders/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("listitem").filter({ hasText: "/proxy/target_url" }).waitFor();
  await dialog.getByRole("listitem").filter({ hasText: "/extended_paths" }).first().waitFor();
  await dialog.getByRole("button", { name: "Open as a draft" }).click();
  await page.waitForURL(/\/apis\/orders$/);
  await page.locator("json-editor").waitFor();
  const text = JSON.parse(await editorText(page));
  assert.deepEqual([text.name, text.tags, text.proxy.target_url], ["Orders", ["kept"], stage.upstream.url]);
  assert.equal((await stage.admin("GET", "/gateway/apis/orders")).json.proxy.target_url, "http://old.example/", "nothing is stored yet");
  await page.getByRole("button", { name: "Review & save" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved as revision 2.").waitFor();
});

test("the palette leads here, and everything up to the editor works by keyboard", async () => {
  const page = await classic("/apis");
  await page.keyboard.press("ControlOrMeta+k");
  await page.getByRole("combobox", { name: "Find anything, or say what to do" }).fill("import");
  await page.keyboard.press("Enter");
  await source(page).waitFor();
  await paste(page, document());
  await made(page, ["name", "Pets"]);
  await page.getByRole("button", { name: "Open in the editor", exact: true, disabled: false }).waitFor();
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.waitForURL(/\/apis\/new$/);
});

/** Returns a few lines that expand to more than fits into memory. */
function bomb() {
  const lines = ["openapi: 3.0.0", `a0: &a0 [${Array(9).fill("x")}]`];
  for (let at = 1; at < 12; at += 1) lines.push(`a${at}: &a${at} [${Array(9).fill(`*a${at - 1}`)}]`);
  return `${lines.join("\n")}\n`;
}

test("the result is shown as what the document becomes, and nothing else", async () => {
  const page = await start();
  await paste(page, document());
  await made(page, ["name", "Pets"]);
  await page.getByRole("radio", { name: "OpenAPI API" }).check();
  await made(page, ["info.title", "Pets"]);
  assert.equal(await page.locator(".import-result json-editor").count(), 1);
});

test("an OpenAPI document opens as the draft of an OpenAPI API, with rules and authentication", async () => {
  const page = await stage.page({ path: "/import" });
  await source(page).waitFor();
  const secured = { ...JSON.parse(document()), security: [{ key: [] }], components: { securitySchemes: { key: { type: "apiKey", in: "header", name: "X-Key" } } } };
  for (const path of Object.values(secured.paths)) {
    for (const method of ["get", "post"]) if (path[method]) path[method].responses ??= { 200: { description: "ok" } };
  }
  secured.paths["/pets/{id}"].parameters = [{ name: "id", in: "path", required: true, schema: { type: "string" } }];
  await paste(page, JSON.stringify(secured, null, 2));
  await made(page, ["x-gateway-api-gateway.server.listenPath.value", "/pets/"]);
  await page.getByText("Protected: key").waitFor();
  assert.ok(await page.getByRole("button", { name: "Merge into an API…" }).isDisabled());
  await field(page, "API id").fill("kept-pets");
  await page.getByRole("switch", { name: /^Allow nothing else/ }).check();
  await made(page, ["x-gateway-api-gateway.middleware.operations.list.allow.enabled", true]);
  await openInEditor(page);
  await page.waitForURL(/\/openapi\/new$/);
  await page.getByRole("heading", { name: "Pets", level: 1 }).waitFor();
  await page.locator("json-editor .cm-line").first().waitFor();
  await page.getByText("No problems found").waitFor();
  await page.getByRole("button", { name: "Review & save" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
  await page.waitForURL(/\/openapi\/kept-pets$/);
  const { json } = await stage.admin("GET", "/gateway/apis/oas/kept-pets");
  assert.equal(json["x-gateway-api-gateway"].server.authentication.enabled, true);
  assert.deepEqual(json.webhooks, PETS.webhooks, "content without a counterpart in definitions is preserved");
  await page.goto(stage.url("/openapi/new"));
  await page.getByRole("heading", { name: "New API", level: 1 }).waitFor();
});
