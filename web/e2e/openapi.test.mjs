// OpenAPI APIs and MCP proxies: created, refused with a position, stored, a rule switched, deleted; and the links from
// the list of APIs and its editor.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { definition, editorText, laidOut, names, open, type } from "./console.mjs";

const TOOLS = [
  { name: "add", description: "Adds two numbers", inputSchema: { type: "object", required: ["a"], properties: { a: { type: "integer" }, unit: { type: "string", enum: ["m", "km"] } } } },
  { name: "wipe", description: "Deletes everything" },
];

/**
 * An MCP server with sessions. It responds to requests for tools both as single messages and as events, and does not
 * support resource templates.
 */
async function server(request, response) {
  const body = await new Response(request).text();
  const message = JSON.parse(body || "{}");
  const result = (result) => JSON.stringify({ jsonrpc: "2.0", id: message.id, result });
  const json = { "Content-Type": "application/json" };
  if (message.method === "initialize") return response.writeHead(200, { ...json, "Mcp-Session-Id": "s1" }).end(result({ capabilities: {} }));
  if (request.headers["mcp-session-id"] !== "s1") return response.writeHead(400, json).end('{"error":"no session"}');
  if (message.method === "notifications/initialized") return response.writeHead(202).end();
  if (message.method === "tools/list") {
    const at = Number(message.params?.cursor ?? 0);
    const more = at + 1 < TOOLS.length ? { nextCursor: String(at + 1) } : {};
    return response.writeHead(200, { "Content-Type": "text/event-stream" }).end(`event: message\ndata: ${result({ tools: [TOOLS[at]], ...more })}\n\n`);
  }
  if (message.method === "resources/list") return response.writeHead(200, json).end(result({ resources: [{ uri: "file:///notes/a", name: "Notes" }] }));
  if (message.method === "prompts/list") return response.writeHead(200, json).end(result({ prompts: [{ name: "review", description: "Reviews", arguments: [{ name: "text" }] }] }));
  if (message.method === "resources/templates/list") return response.writeHead(200, json).end(JSON.stringify({ jsonrpc: "2.0", id: message.id, error: { code: -32601, message: "Method not found" } }));
  return response.writeHead(200, json).end(result({ content: [{ type: "text", text: JSON.stringify(message.params) }] }));
}

let stage;
before(async () => {
  stage = await open({ fixtures: [definition("Orders")], routes: { "/mcp": server, "/mcp/": server } });
});
after(() => stage.close());

/** Returns a document whose extension has these members in addition to the usual ones. */
const document = (name, { paths = {}, ...members } = {}) => ({
  openapi: "3.0.3",
  info: { title: name, version: "1.0.0" },
  paths,
  "x-gateway-api-gateway": {
    info: { id: name.toLowerCase(), name, state: { active: true } },
    upstream: { url: stage.upstream.url },
    server: { listenPath: { value: `/${name.toLowerCase()}/`, strip: true } },
    ...members,
  },
});
const PETS = {
  "/pets": { get: { operationId: "listPets", summary: "All pets", responses: { 200: { description: "" } } } },
  "/pets/{id}": {
    parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }],
    get: { operationId: "getPet", responses: { 200: { description: "" } } },
  },
};
const extension = (document) => document["x-gateway-api-gateway"];

const review = (page) => page.getByRole("button", { name: "Review & save" }).click();
const store = (page) => page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
const problems = (page) => page.getByRole("region", { name: "Problems" });
const rules = (page, name) => page.getByRole("group", { name: `Rules of ${name}`, exact: true });
const ready = (page) => page.locator("json-editor .cm-line").first().waitFor();

/** Stores a document as another person would. */
async function stored(kind, name, members) {
  await stage.admin("POST", kind === "mcp" ? "/gateway/mcps" : "/gateway/apis/oas", { body: document(name, members) });
  return name.toLowerCase();
}

test("an OpenAPI API is created, refused with the error's position, stored, given rules and deleted", async () => {
  const page = await stage.page({ path: "/openapi" });
  await page.getByRole("heading", { name: "No OpenAPI APIs yet" }).waitFor();
  await page.getByRole("link", { name: "New OpenAPI API" }).first().click();
  await page.waitForURL(/\/openapi\/new$/);
  await ready(page);

  const broken = document("Zoo", { paths: PETS, upstream: {} });
  await type(page, laidOut(broken));
  await problems(page).getByText("/x-gateway-api-gateway/upstream").first().waitFor();
  await review(page);
  await page.getByText(/to fix before this can be saved/).waitFor();
  assert.equal(await page.getByRole("dialog").count(), 0, "a refused document is not reviewed");

  await type(page, laidOut(document("Zoo", { paths: PETS })));
  await page.getByText("No problems found").waitFor();
  await review(page);
  await page.getByRole("dialog").getByText("A new OpenAPI API.").waitFor();
  await page.getByRole("dialog").getByText(`From the next reload on, /zoo/ forwards requests without credentials to ${stage.upstream.url}.`).waitFor();
  await store(page);
  await page.waitForURL(/\/openapi\/zoo$/);
  await page.getByRole("heading", { name: "Zoo", level: 1 }).waitFor();
  await ready(page);
  assert.equal(JSON.parse(await editorText(page)).servers[1].url, "/zoo", "the editor shows what the gateway stored");

  await rules(page, "GET /pets/{id}").getByRole("switch", { name: "Block" }).click();
  assert.equal(await rules(page, "GET /pets/{id}").getByRole("switch", { name: "Block" }).getAttribute("aria-checked"), "true");
  await rules(page, "GET /pets").getByRole("switch", { name: "Rate" }).click();
  await rules(page, "GET /pets").getByRole("spinbutton", { name: "Requests" }).fill("5");
  await rules(page, "GET /pets").getByRole("spinbutton", { name: "Requests" }).blur();
  await page.keyboard.press("ControlOrMeta+s");
  await store(page);
  await page.getByText("Saved as revision 2.").waitFor();
  const { json } = await stage.admin("GET", "/gateway/apis/oas/zoo");
  assert.deepEqual(extension(json).middleware.operations, {
    getPet: { block: { enabled: true } },
    listPets: { rateLimit: { enabled: true, rate: 5, per: "1m" } },
  });
  await page.getByRole("button", { name: "Reload now" }).click();
  await page.getByText("Reloaded. What is stored is in effect.").waitFor();
  assert.equal((await fetch(`${stage.gateway.gateway}/zoo/pets/7`)).status, 403);
  assert.equal((await fetch(`${stage.gateway.gateway}/zoo/pets`)).status, 200);

  await page.goto(stage.url("/openapi"));
  await page.getByRole("button", { name: "Actions for Zoo" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByText("Deleted “Zoo”.").waitFor();
  assert.equal((await stage.gateway.admin("GET", "/gateway/apis/oas/zoo")).status, 404);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("Restored “Zoo”.").waitFor();
  await stage.admin("GET", "/gateway/apis/oas/zoo");
});

for (const path of ["/openapi/new", "/mcp/new"]) {
  test(`a listen path of another API is reported while it is typed, with a link to that API: ${path}`, async () => {
    const page = await stage.page({ path });
    await ready(page);
    const at = (value) => laidOut(document("Near", { server: { listenPath: { value } } }));
    const problem = problems(page).getByRole("button", { name: /the API "Orders" is served under this listen path/ });
    const link = problems(page).getByRole("link", { name: "Orders" });
    await type(page, at("/orders/"));
    await problem.getByText("/x-gateway-api-gateway/server/listenPath/value", { exact: true }).waitFor();
    assert.match(await link.getAttribute("href"), /\/apis\/orders$/);
    await review(page);
    await page.getByText("1 error to fix before this can be saved.").waitFor();
    await type(page, at("/free/"));
    await problem.waitFor({ state: "detached" });
    await link.waitFor({ state: "detached" });
    await page.getByText("No problems found").waitFor();
  });
}

test("an MCP proxy is created, refused with the error's position, stored, given rules and deleted", async () => {
  const page = await stage.page({ path: "/mcp" });
  await page.getByRole("heading", { name: "No MCP proxies yet" }).waitFor();
  await page.getByRole("link", { name: "New MCP proxy" }).first().click();
  await page.waitForURL(/\/mcp\/new$/);
  await ready(page);
  await type(page, laidOut(document("Tools", { server: {} })));
  await problems(page).getByText("/x-gateway-api-gateway/server").first().waitFor();

  await type(page, laidOut(document("Tools")));
  await page.getByText("No problems found").waitFor();
  await page.getByRole("textbox", { name: "Name of a tool" }).fill("get_weather");
  await page.getByRole("button", { name: "Add a tool" }).click();
  await rules(page, "tool get_weather").getByRole("switch", { name: "Allow" }).click();
  await page.getByText("Only what is allowed here can be used; every other tool is refused.").waitFor();
  await review(page);
  await page.getByRole("dialog").getByText("A new MCP proxy.").waitFor();
  await store(page);
  await page.waitForURL(/\/mcp\/tools$/);
  const { json } = await stage.admin("GET", "/gateway/mcps/tools");
  assert.deepEqual(extension(json).middleware.mcpTools, { get_weather: { allow: { enabled: true } } });

  await ready(page);
  await page.getByRole("button", { name: "Show the revisions" }).click();
  await page.locator(".revision").first().waitFor();
  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.waitForURL(/\/mcp$/);
  assert.equal((await stage.gateway.admin("GET", "/gateway/mcps/tools")).status, 404);
});

test("versions are listed side by side, and a new one is created from an existing one", async () => {
  const id = await stored("oas", "Catalog", { paths: PETS });
  const page = await stage.page({ path: `/openapi/${id}` });
  await ready(page);
  await page.getByRole("link", { name: "Versions" }).click();
  await page.waitForURL(new RegExp(`/openapi/${id}/versions$`));
  await page.getByRole("heading", { name: "There is one version" }).waitFor();

  await page.getByRole("button", { name: "New version" }).click();
  const dialog = page.getByRole("dialog");
  const submit = dialog.getByRole("button", { name: "Save", exact: true });
  assert.equal(await submit.isDisabled(), true, "a version needs a name");
  await dialog.getByRole("textbox", { name: "Name of the version" }).fill("v2");
  assert.equal(await dialog.getByRole("textbox", { name: "Listen path" }).inputValue(), "/catalog-v2/");
  await dialog.getByRole("textbox", { name: "Listen path" }).fill("/catalog/");
  await submit.click();
  await dialog.getByRole("alert").getByText("Already taken").waitFor();
  await dialog.getByRole("textbox", { name: "Listen path" }).fill("/catalog-v2/");
  await submit.click();
  await page.waitForURL((url) => /\/openapi\/[^/]+$/.test(url.pathname) && !url.pathname.endsWith(`/${id}`));
  const child = new URL(page.url()).pathname.split("/").at(-1);
  await page.getByRole("heading", { name: "Catalog v2", level: 1 }).waitFor();

  const { json } = await stage.admin("GET", `/gateway/apis/oas/${child}`);
  assert.deepEqual(json.servers.map((server) => server.url).filter((url) => /catalog\/?$/.test(url)), [], "the address of the base is not the version's own");
  json.paths["/pets"].post = { operationId: "addPet", responses: { 201: { description: "" } } };
  delete json.paths["/pets/{id}"];
  json.paths["/pets"].get.summary = "Every pet";
  extension(json).middleware = { operations: { listPets: { rateLimit: { enabled: true, rate: 5, per: "1m" } } } };
  extension(json).info.expiration = "2031-02-03 04:05";
  await stage.admin("PUT", `/gateway/apis/oas/${child}`, { body: json });

  // Its own page leads to the same comparison as the base's.
  await page.goto(stage.url(`/openapi/${child}/versions`));
  const facts = page.getByRole("table", { name: "Versions of this API" });
  await facts.waitFor();
  const cells = async (name) => (await facts.getByRole("row", { name: new RegExp(`^${name}`) }).getByRole("cell").allInnerTexts()).map((text) => text.replace(/\s+/g, " ").trim());
  assert.deepEqual(await facts.getByRole("columnheader").allInnerTexts().then((all) => all.slice(1)), ["v1", "v2"]);
  assert.deepEqual(await cells("Chosen by"), ["Header x-api-version: v1 Default", "Header x-api-version: v2"]);
  assert.deepEqual(await cells("Own address"), ["/catalog/", "/catalog-v2/"]);
  assert.deepEqual(await cells("Expires"), ["Never", "2031-02-03 04:05 UTC"]);
  assert.match((await cells("Served"))[1], /Stored, served from the next reload on/);
  await page.getByText("A request that names no version gets the base itself; one that names an unknown version is refused.").waitFor();

  const operations = page.getByRole("table", { name: "Operations of the versions" });
  const standing = async (name) => (await operations.getByRole("row", { name: new RegExp(`^${name}`) }).first().getByRole("cell").allInnerTexts()).map((text) => text.trim());
  await operations.getByText("2 operations: 1 added, 1 changed, 1 removed").waitFor();
  assert.deepEqual(await standing("GET /pets All"), ["Present", "Changed"]);
  assert.deepEqual(await standing("POST /pets"), ["Absent", "Added"]);
  assert.deepEqual(await standing("GET /pets/.id"), ["Present", "Removed"]);
  await operations.getByRole("row", { name: /^GET \/pets All/ }).getByRole("button", { name: "Changed" }).click();
  await operations.getByRole("heading", { name: "GET /pets: v1 and v2" }).waitFor();
  await operations.getByRole("group", { name: "Rules of the gateway" }).getByText('"rate": 5').waitFor();
  await operations.getByRole("group", { name: "The operation" }).getByText("Every pet").waitFor();

  await page.getByRole("combobox", { name: "Compared with" }).selectOption("v2");
  await operations.getByText("2 operations: 1 added, 1 changed, 1 removed").waitFor();
  assert.deepEqual(await standing("POST /pets"), ["Removed", "Present"]);
  await page.getByRole("searchbox", { name: "Search operations" }).fill("nothing like it");
  await page.getByText("Nothing matches.").waitFor();

  await page.getByRole("button", { name: "New version from v2" }).click();
  assert.equal(await dialog.getByRole("combobox", { name: "Copied from" }).inputValue(), "1");
  assert.equal(await dialog.getByRole("textbox", { name: "Name of the base" }).count(), 0, "the base has a name");
  await dialog.getByRole("textbox", { name: "Name of the version" }).fill("v2");
  await dialog.getByRole("textbox", { name: "Listen path" }).fill("/catalog-again/");
  await dialog.getByRole("button", { name: "Cancel" }).click();

  await stage.reload();
  const versioned = (version) => fetch(`${stage.gateway.gateway}/catalog/pets`, { headers: { "x-api-version": version } });
  assert.equal((await versioned("v1")).status, 200);
  assert.equal((await versioned("v2")).status, 200);
  assert.notEqual((await versioned("v9")).status, 200);
});

test("the page of a document says how far it has got, and copies, switches off and downloads it", async () => {
  const id = await stored("oas", "Garden", { paths: PETS });
  const page = await stage.page({ path: `/openapi/${id}` });
  await ready(page);
  const state = (name) => page.locator(".head-state").getByText(name, { exact: true });
  await state("Pending").waitFor();
  await page.getByRole("button", { name: "Reload now" }).click();
  await state("Served").waitFor();
  await page.getByRole("heading", { name: "Taking effect" }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Show the revisions" }).click();
  await page.locator(".revision", { hasText: "#1" }).getByText("Served", { exact: true }).waitFor();

  const choose = async (name) => {
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name }).click();
  };
  const saved = page.waitForEvent("download");
  await choose("Download");
  assert.equal((await saved).suggestedFilename(), `${id}.json`);
  await choose("Deactivate");
  await page.getByText("Deactivated “Garden”.").waitFor();
  await state("Inactive").waitFor();
  assert.equal(extension((await stage.admin("GET", `/gateway/apis/oas/${id}`)).json).info.state.active, false);
  await choose("Activate");
  await state("Pending").or(state("Served")).waitFor();

  await choose("Duplicate");
  await page.waitForURL(/\/openapi\/new$/);
  await ready(page);
  const copy = JSON.parse(await editorText(page));
  assert.deepEqual([extension(copy).info.id, extension(copy).info.name, extension(copy).server.listenPath.value], [undefined, "Garden (copy)", "/garden-copy/"]);
  assert.equal(copy.servers?.some(({ url }) => url.endsWith("/garden")) ?? false, false, "the copy has no server of the original");
});

test("a concurrent change is shown before anything is lost", async () => {
  const id = await stored("oas", "Shared", { paths: PETS });
  const page = await stage.page({ path: `/openapi/${id}` });
  await ready(page);
  await rules(page, "GET /pets").getByRole("switch", { name: "Check" }).click();
  const { json } = await stage.admin("GET", `/gateway/apis/oas/${id}`);
  await stage.admin("PUT", `/gateway/apis/oas/${id}`, { body: { ...json, info: { ...json.info, title: "Theirs" } } });
  await review(page);
  await page.getByRole("dialog").getByRole("button", { name: "Rebase onto theirs" }).click();
  await review(page);
  await store(page);
  await page.getByText("Saved as revision 3.").waitFor();
  const { json: after } = await stage.admin("GET", `/gateway/apis/oas/${id}`);
  assert.equal(after.info.title, "Theirs");
  assert.equal(extension(after).middleware.operations.listPets.validateRequest.enabled, true);
});

test("the list of APIs marks OpenAPI documents and links to their pages", async () => {
  const [oas, mcp] = [await stored("oas", "Document"), await stored("mcp", "Proxy")];
  const page = await stage.page({ path: "/apis" });
  const row = (name) => page.getByRole("row", { name: new RegExp(name) });
  await row("Document").getByText("OpenAPI", { exact: true }).waitFor();
  await row("Proxy").getByText("MCP", { exact: true }).waitFor();
  await page.getByRole("link", { name: "Document", exact: true }).click();
  await page.waitForURL(new RegExp(`/openapi/${oas}$`));
  await ready(page);
  await page.goto(stage.url(`/apis/${mcp}`));
  await page.waitForURL(new RegExp(`/mcp/${mcp}$`));
  await ready(page);
  await page.getByRole("link", { name: "Chain" }).click();
  await page.waitForURL(new RegExp(`/apis/${mcp}/chain$`));
  assert.equal(await page.getByRole("button", { name: "Review & save" }).count(), 0, "no definition can be stored over a document");

  await page.goto(stage.url("/mcp"));
  await row("Proxy").waitFor();
  assert.deepEqual(await names(page), ["Proxy"]);
  await page.getByRole("button", { name: "Actions for Proxy" }).click();
  const [file] = await Promise.all([page.waitForEvent("download"), page.getByRole("menuitem", { name: "Export" }).click()]);
  assert.equal(file.suggestedFilename(), `${mcp}.json`);
  await page.getByRole("button", { name: "Actions for Proxy" }).click();
  await page.getByRole("menuitem", { name: "Deactivate" }).click();
  await page.getByText("Deactivated “Proxy”.").waitFor();
  const { json } = await stage.admin("GET", `/gateway/mcps/${mcp}`);
  assert.equal(extension(json).info.state.active, false);
});

test("a proxy's tool is listed as its caller sees it, called, and refused with the link responsible", async () => {
  const members = { upstream: { url: `${stage.upstream.url}/mcp` }, middleware: { mcpTools: { wipe: { block: { enabled: true } } } } };
  const id = await stored("mcp", "Calculator", members);
  await stage.reload();
  const page = await stage.page({ path: `/try/${id}` });
  await page.getByRole("button", { name: "List the tools" }).click();
  const name = page.getByRole("combobox", { name: "Name" });
  await page.getByText("Adds two numbers").first().waitFor({ state: "attached" });
  assert.equal(await name.inputValue(), "add");
  assert.deepEqual(await page.locator("datalist option").evaluateAll((all) => all.map((option) => option.value)), ["add"], "blocked tools are not listed");
  await page.getByRole("textbox", { name: /^a integer, required/ }).fill("41");
  await page.getByRole("combobox", { name: /^unit/ }).selectOption("km");
  assert.deepEqual(JSON.parse(await page.getByRole("textbox", { name: "Arguments" }).inputValue()), { a: 41, unit: "km" });
  await page.getByRole("button", { name: "Send" }).click();
  await page.locator(".try-result .status", { hasText: "200" }).waitFor();
  assert.match(await page.locator(".try-result pre").textContent(), /41/);

  await name.fill("wipe");
  await page.getByRole("button", { name: "Send" }).click();
  await page.locator(".try-result .status", { hasText: "403" }).waitFor();
  assert.match(await page.locator(".try-result pre").textContent(), /-32002/);
});

/** Returns the members of a proxy in front of the server that requires a key. */
const protectedBy = (path, middleware, listenPath = "/guarded/") => ({
  upstream: { url: `${stage.upstream.url}${path}` },
  middleware,
  server: { listenPath: { value: listenPath, strip: true }, authentication: { enabled: true, securitySchemes: { token: { enabled: true } } } },
});

test("a proxy's catalogue shows what its server offers, what passes, and who may use it", async () => {
  const middleware = {
    mcpTools: { wipe: { block: { enabled: true } }, add: { rateLimit: { enabled: true, rate: 5, per: "1m" } }, moved: { block: { enabled: true } } },
    mcpResources: { "file:///notes/*": { block: { enabled: true } }, "file:///open": { ignoreAuthentication: { enabled: true } } },
  };
  const body = document("Guarded", protectedBy("/mcp", middleware));
  const security = { security: [{ token: [] }], components: { securitySchemes: { token: { type: "apiKey", in: "header", name: "Authorization" } } } };
  await stage.admin("POST", "/gateway/mcps", { body: { ...body, ...security } });
  const rights = (more) => ({ access_rights: { guarded: { api_id: "guarded", api_name: "Guarded", versions: ["Default"], ...more } } });
  const add = { mcp_access_rights: { tools: { allowed: ["add"] }, prompts: { blocked: ["re.*"] } }, mcp_primitives: [{ type: "tool", name: "add", limit: { rate: 2, per: 60 } }] };
  await stage.admin("POST", "/gateway/policies", { body: { id: "adders", name: "Adders", active: true, ...rights(add) } });
  await stage.admin("POST", "/gateway/keys/create", { body: { alias: "Ada", apply_policies: ["adders"] } });
  await stage.admin("POST", "/gateway/keys/create", { body: { alias: "Wiper", ...rights({ mcp_access_rights: { tools: { allowed: ["wipe"] } } }) } });

  // Nothing is loaded: the stored definition is used for the requests.
  const page = await stage.page({ path: "/mcp/guarded" });
  await page.getByRole("link", { name: "Catalogue" }).click();
  await page.waitForURL(/\/mcp\/guarded\/catalogue$/);
  await page.getByText("Checked: 1 policy and 2 keys with rights to the proxy, of their own or through policies.").waitFor();
  const entry = (name) => page.getByRole("listitem").filter({ has: page.getByRole("heading", { name, exact: true }) });
  await entry("add").getByText("Adds two numbers").waitFor();
  await entry("add").getByText("Passes").waitFor();
  await entry("add").getByText("5 per 1m").waitFor();
  await entry("add").getByText("No rule forbids it.").waitFor();
  await entry("wipe").getByText("Blocked by a rule of its own.").waitFor();
  await entry("moved").getByText("Not listed").waitFor();
  await entry("file:///notes/a").getByText("Blocked by the rule for file:///notes/*.").waitFor();
  await entry("file:///open").getByText("No key is required.").waitFor();
  assert.equal(await entry("file:///open").getByRole("button", { name: /Who may/ }).count(), 0, "rights don't apply without keys");
  assert.equal(await page.getByRole("alert").count(), 0, "an unsupported method of the server is no error");

  await entry("add").getByRole("button", { name: "Who may use add: 2 of 3 may use it" }).click();
  const callers = (await entry("add").locator(".offer-rights li").allInnerTexts()).map((text) => text.replace(/\s+/g, " ").trim());
  assert.deepEqual(callers, ["Yes Policy Adders 2 per minute", "Yes Key Ada 2 per minute", "No Key Wiper Its rights allow other tools, but not this one."]);
  await entry("review").getByRole("button", { name: /1 of 3/ }).click();
  await entry("review").getByText("Its rights block it.").first().waitFor();
  assert.equal(await entry("wipe").getByRole("button", { name: /Who may/ }).count(), 0, "rights don't apply to blocked tools");
  await entry("add").getByRole("button", { name: /^Input schema of add/ }).click();
  await entry("add").getByText('"integer"').waitFor();

  // The page's verdicts match what the gateway does.
  await stage.reload();
  const listed = async (alias) => {
    const { json } = await stage.admin("GET", "/gateway/keys", { query: { view: "summary" } });
    const { key_hash } = json.keys.find((key) => key.alias === alias);
    const send = async (headers, body) => (await stage.admin("POST", "/gateway/debug", { body: { api_id: "guarded", key_hash, request: { method: "POST", path: "/", headers: { "content-type": ["application/json"], ...headers }, body: JSON.stringify({ jsonrpc: "2.0", id: 1, ...body }) } } })).json.answer;
    await send({}, { method: "initialize", params: {} });
    return (await send({ "mcp-session-id": ["s1"] }, { method: "tools/call", params: { name: "add", arguments: {} } })).status;
  };
  assert.deepEqual([await listed("Ada"), await listed("Wiper")], [200, 403]);

  await entry("add").getByRole("link", { name: "Try it add" }).click();
  await page.waitForURL(/\/try\/guarded\?tool=add$/);
  assert.equal(await page.getByRole("combobox", { name: "Name" }).inputValue(), "add");
});

test("a catalogue loads as many keys as requested", async () => {
  await stage.admin("POST", "/gateway/mcps", { body: { ...document("Crowded", protectedBy("/mcp", {}, "/crowded/")), security: [{ token: [] }], components: { securitySchemes: { token: { type: "apiKey", in: "header", name: "Authorization" } } } } });
  const rights = { access_rights: { crowded: { api_id: "crowded", versions: ["Default"] } } };
  for (let n = 0; n < 103; n += 1) await stage.admin("POST", "/gateway/keys/create", { body: { alias: `Caller ${String(n).padStart(3, "0")}`, ...rights } });
  const page = await stage.page({ path: "/mcp/crowded/catalogue" });
  await page.getByText("Checked: 0 policies and 100 of 103 keys with rights to the proxy, of their own or through policies.").waitFor();
  await page.getByRole("button", { name: "Who may use add: 100 of 100 may use it" }).waitFor();
  await page.getByRole("button", { name: "Check the next 3" }).click();
  await page.getByText("Checked: 0 policies and 103 keys with rights to the proxy, of their own or through policies.").waitFor();
  await page.getByRole("button", { name: "Who may use add: 103 of 103 may use it" }).waitFor();
  assert.equal(await page.getByRole("button", { name: /^Check the next/ }).count(), 0);
});

test("a catalogue explains why its server can't be queried, and takes tools that are operations from the document", async () => {
  await stored("mcp", "Gone", { upstream: { url: "http://127.0.0.1:9/mcp" }, middleware: { mcpTools: { lost: { block: { enabled: true } } } } });
  const page = await stage.page({ path: "/mcp/gone/catalogue" });
  await page.getByText("The proxy requires no key").waitFor();
  await page.getByRole("alert").getByText("The server can't be asked what it offers.").waitFor();
  await page.getByRole("alert").getByText(/Status 5\d\d/).waitFor();
  await page.getByRole("heading", { name: "lost" }).waitFor();
  assert.equal(await page.getByText("Not listed").count(), 0, "unknown, because the server did not respond");

  await stored("oas", "Farm", { paths: PETS });
  await stored("mcp", "Farmtools", { upstream: { url: "gateway://farm/mcp" } });
  await page.goto(stage.url("/mcp/farmtools/catalogue"));
  await page.getByRole("heading", { name: "listPets" }).waitFor();
  await page.getByRole("button", { name: /^Input schema of getPet/ }).click();
  await page.locator(".offer-schema").getByText('"id"').waitFor();
});

test("the pages of OpenAPI APIs and MCP proxies have the latest notifications about them", async () => {
  const pages = [
    ["openapi", await stored("openapi", "Heard")],
    ["mcp", await stored("mcp", "Spoken")],
  ];
  for (const [kind, id] of pages) {
    const page = await stage.page({ path: `/${kind}/${id}`, token: stage.gateway.token });
    const card = page.getByRole("region", { name: "Notifications" });
    await card.getByText("ApiAdded").waitFor();
    await card.getByRole("link", { name: "All notifications of this API" }).click();
    await page.waitForURL(new RegExp(`/notifications\\?about=${id}$`));
    await page.getByRole("row", { name: /ApiAdded/ }).first().waitFor();
    await page.goto(stage.url(`/${kind}/new`));
    await ready(page);
    assert.equal(await card.count(), 0, "nothing has happened yet to an API that is not stored");
    await page.close();
  }
});
