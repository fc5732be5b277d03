// The form of OpenAPI APIs and MCP proxies: another view of the same document, with the rules of its operations.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { editorText, laidOut, open, type } from "./console.mjs";

let stage;
before(async () => {
  stage = await open();
});
after(() => stage.close());

const EXTENSION = "/x-gateway-api-gateway";
const OPERATIONS = `${EXTENSION}/middleware/operations`;

const operation = (members) => ({ ...members, responses: { 200: { description: "" } } });
const PETS = {
  "/pets": { get: operation({ operationId: "listPets" }), post: operation({ operationId: "addPet" }) },
  "/pets/{id}": { parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }], get: operation({}) },
};

/** Returns a document with these members in its extension. */
const document = (id, paths, members) => ({
  openapi: "3.0.3",
  info: { title: id, version: "1.0.0" },
  paths,
  "x-gateway-api-gateway": {
    info: { id, name: id, state: { active: true } },
    upstream: { url: stage.upstream.url },
    server: { listenPath: { value: `/${id}/`, strip: true } },
    ...members,
  },
});

/** Stores a document and opens its form. */
async function form(kind, id, paths, members) {
  const [route, area] = kind === "mcp" ? ["/gateway/mcps", "mcp"] : ["/gateway/apis/oas", "openapi"];
  await stage.admin("POST", route, { body: laidOut(document(id, paths, members)) });
  const page = await stage.page({ path: `/${area}/${id}` });
  await page.locator("json-editor .cm-line").first().waitFor();
  await view(page, "Form");
  await page.getByRole("button", { name: "Find or add a field" }).waitFor();
  return page;
}

const view = (page, name) => page.getByRole("radio", { name, exact: true }).check();
/** Finds a field, or the button that unfolds or opens it, by its pointer. */
const at = (page, pointer) => page.locator(`.form [data-pointer="${pointer}"]`);
/** Finds the element around it, which includes its problems. */
const around = (page, pointer, kind) => page.locator(`.form-${kind}`).filter({ has: page.locator(`[data-pointer="${pointer}"]`) });
const finder = (page) => page.getByRole("combobox", { name: "Find a field, set or not" });

/** Adds a field to those shown, by searching for it. */
async function add(page, to, words) {
  await page.getByRole("button", { name: `Add a field${to}`, exact: true }).click();
  await finder(page).fill(words);
  await page.locator(".palette-name").first().waitFor();
  await page.keyboard.press("Enter");
  await finder(page).waitFor({ state: "detached" });
}

async function save(page, revision) {
  await page.keyboard.press("ControlOrMeta+s");
  await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText(`Saved as revision ${revision}.`).waitFor();
}

test("editing a value of the extension changes nothing else in the document", async () => {
  const page = await form("oas", "shop", PETS);
  const before = await editorText(page);
  assert.equal(await at(page, `${EXTENSION}/server/listenPath/value`).inputValue(), "/shop/");
  await view(page, "JSON");
  await view(page, "Form");
  assert.equal(await editorText(page), before, "viewing changes nothing");

  await at(page, `${EXTENSION}/server/listenPath/value`).fill("/store/");
  await at(page, `${EXTENSION}/server/listenPath/strip`).uncheck();
  await at(page, "/info/title").fill("The shop");
  const expected = before.replace('"/shop/"', '"/store/"').replace('"strip": true', '"strip": false').replace('"title": "shop"', '"title": "The shop"');
  assert.notEqual(expected, before);
  assert.equal(await editorText(page), expected);

  await at(page, `${EXTENSION}/server/listenPath/value`).fill("");
  const row = around(page, `${EXTENSION}/server/listenPath/value`, "row");
  await row.getByText("it has to be a text that isn't blank").waitFor();
  await at(page, `${EXTENSION}/server/listenPath/value`).fill("/store/");
  await row.getByText("it has to be a text that isn't blank").waitFor({ state: "detached" });

  await save(page, 2);
  const { json } = await stage.admin("GET", "/gateway/apis/oas/shop");
  assert.deepEqual(json["x-gateway-api-gateway"].server.listenPath, { value: "/store/", strip: false });
  assert.equal(json.info.title, "The shop");
});

test("a field of the extension is found by its description, with what the gateway does with it", async () => {
  const page = await form("oas", "found", PETS);
  await page.getByRole("button", { name: "Find or add a field" }).click();
  await finder(page).fill("protocol");
  const found = page.getByRole("option", { name: /^server\.protocol/ });
  await found.getByText("No effect here").waitFor();
  await finder(page).fill("cache timeout");
  const choice = page.getByRole("option", { name: /^middleware\.global\.cache\.timeout/ });
  await choice.getByText("Enforced").waitFor();
  await choice.click();
  await at(page, `${EXTENSION}/middleware/global/cache/timeout`).waitFor();
  const json = JSON.parse(await editorText(page));
  assert.deepEqual(json["x-gateway-api-gateway"].middleware, { global: { cache: { timeout: 60 } } }, "it starts with its default");
});

test("rules can be added to the document's operations", async () => {
  const page = await form("oas", "ruled", PETS, { middleware: { operations: { listPets: { allow: { enabled: true } } } } });
  await at(page, `${EXTENSION}/middleware`).click();
  assert.match(await at(page, `${OPERATIONS}/listPets`).innerText(), /GET \/pets: allow/);
  const name = page.getByRole("combobox", { name: /^Name of a new entry/ });
  const offers = async () => {
    const list = page.locator(`datalist[id="${await name.getAttribute("list")}"] option`);
    return list.evaluateAll((all) => all.map((option) => [option.value, option.textContent]));
  };
  assert.deepEqual(await offers(), [["addPet", "POST /pets"], ["pets/{id}GET", "GET /pets/{id}"]]);

  await name.fill("addPet");
  await name.press("Enter");
  await page.getByText("addPet (POST /pets)").waitFor();
  await add(page, "", "rateLimit");
  await at(page, `${OPERATIONS}/addPet/rateLimit/rate`).fill("5");
  await at(page, `${OPERATIONS}/addPet/rateLimit/per`).fill("1m");
  await page.getByRole("button", { name: "operations", exact: true }).click();
  assert.deepEqual(await offers(), [["pets/{id}GET", "GET /pets/{id}"]], "the other operation has rules now");
  const rules = page.getByRole("group", { name: "Rules of POST /pets", exact: true });
  assert.equal(await rules.getByRole("spinbutton", { name: "Requests" }).inputValue(), "5", "the list below shows the same document");

  await save(page, 2);
  const { json } = await stage.admin("GET", "/gateway/apis/oas/ruled");
  assert.deepEqual(json["x-gateway-api-gateway"].middleware.operations, {
    listPets: { allow: { enabled: true } },
    addPet: { rateLimit: { enabled: true, rate: 5, per: "1m" } },
  });
});

test("problems found only in the compiled definition are shown at the field of the document", async () => {
  const page = await form("oas", "walled", PETS, { server: { listenPath: { value: "/walled/", strip: true }, ipAccessControl: { enabled: true, allow: ["127.0.0.1"] } } });
  await at(page, `${EXTENSION}/server/ipAccessControl`).click();
  await at(page, `${EXTENSION}/server/ipAccessControl/allow/0`).fill("nowhere");
  const entry = around(page, `${EXTENSION}/server/ipAccessControl/allow/0`, "entry");
  await entry.getByText(/in the definition compiled from it: \/allowed_ips\/0/).waitFor();
});

test("invalid JSON has no form, and the error is located", async () => {
  const page = await form("oas", "broken", PETS);
  const text = await editorText(page);
  await type(page, text.replace('"3.0.3",', '"3.0.3"'));
  await view(page, "Form");
  await page.getByText("This text can't be shown as a form.").waitFor();
  await page.getByRole("button", { name: /Go to line \d+ of the JSON/ }).click();
  await type(page, text);
  await view(page, "Form");
  await at(page, "/info/title").waitFor();
});

test("an MCP proxy has the same form, with its tools", async () => {
  const page = await form("mcp", "weather", {}, { middleware: { mcpTools: { forecast: { allow: { enabled: true } } } } });
  await at(page, `${EXTENSION}/middleware`).click();
  await at(page, `${EXTENSION}/middleware/mcpTools/forecast`).click();
  await add(page, "", "requestSizeLimit");
  await at(page, `${EXTENSION}/middleware/mcpTools/forecast/requestSizeLimit/value`).fill("2048");
  await save(page, 2);
  const { json } = await stage.admin("GET", "/gateway/mcps/weather");
  assert.deepEqual(json["x-gateway-api-gateway"].middleware.mcpTools, {
    forecast: { allow: { enabled: true }, requestSizeLimit: { enabled: true, value: 2048 } },
  });
});
