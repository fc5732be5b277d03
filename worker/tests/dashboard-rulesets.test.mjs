// Rulesets: every rule of the specification's table (*Ruleset*, *Create a ruleset*; reference 1.11),
// as JSON and as a form. Each row of ERRORS is a test.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { caller, form } from "./dashboard.mjs";
import { api } from "./definitions.mjs";
import { start } from "./harness.mjs";

const RULE = { given: "$.info", severity: "warn", then: { field: "contact", function: "truthy" } };
const DEFINITION = JSON.stringify({ rules: { contact: RULE } }, null, 2);

let gateway;
let call;
before(async () => {
  gateway = await start();
  call = caller(gateway);
  await gateway.admin("POST", "/gateway/apis", { body: api({ name: "Orders #sales #EU" }) });
  await call("POST", "/api/rulesets", { body: { name: "Taken", ruleset_id: "taken" } });
});
after(() => gateway.stop());

let count = 0;
const unique = () => `r${(count += 1)}`;
const create = (body, options) => call("POST", "/api/rulesets", { body, ...options });
const read = async (id) => (await call("GET", `/api/rulesets/${id}`)).json;

/** Asserts an error in the specification's envelope, with its members in order. */
function assertError(answer, status, message) {
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.text, /^\{"ID":"[^"]+","Message":"(?:[^"\\]|\\.)*","Meta":null,"Status":"Error"[,}]/);
  assert.equal(answer.json.ID, answer.headers["x-request-id"]);
  if (message instanceof RegExp) assert.match(answer.json.Message, message);
  else assert.equal(answer.json.Message, message);
}

// The request, its status and message, and the position of the first issue.
const ERRORS = [
  ["an empty body", "", 400, "Failed to read response body, body empty."],
  ["no JSON", "{", 400, "Request body malformed.", ""],
  ["a duplicate member", '{"name":"a","name":"b"}', 400, "Request body malformed.", "/name"],
  ["an array", [], 400, ": expected an object, found an array", ""],
  ["no name", { description: "x" }, 400, '/name: "name" is required; add it', "/name"],
  ["an empty name", { name: " " }, 400, '/name: "name" is empty; fill it in', "/name"],
  ["a name that is not a string", { name: 1 }, 400, "/name: expected a string, found a number", "/name"],
  ["an unknown action", { name: "n", action: "block" }, 400, '/action: "block" isn\'t allowed here; allowed are "none", "warn"', "/action"],
  ["an unknown resource type", { name: "n", resource_type: "soap-api" }, 400, '/resource_type: "soap-api" isn\'t allowed here; did you mean "oas-api"?', "/resource_type"],
  ["active that is not a boolean", { name: "n", active: "true" }, 400, "/active: expected a boolean; remove the quotes around true", "/active"],
  ["categories that are not a list", { name: "n", categories: "sales" }, 400, "/categories: expected an array, found a string", "/categories"],
  ["unknown categories", { name: "n", categories: ["sales", "Pets", "cats "] }, 400, "unknown categories: Pets, cats; the organisation has EU, sales"],
  ["a definition that is an object", { name: "n", definition: { rules: {} } }, 400, "/definition: expected a string, found an object", "/definition"],
  ["a definition that is not JSON", { name: "n", definition: "{" }, 400, /^\/definition: line 1, column 2: /, "/definition"],
  ["a definition that is YAML", { name: "n", definition: "rules:\n  a: off\n" }, 400, /this looks like YAML/, "/definition"],
  ["a definition without rules", { name: "n", definition: "{}" }, 400, '/definition: line 1, column 1: a ruleset has rules, or extends one that has; add "rules"', "/definition"],
  ["a rule without given", { name: "n", definition: '{\n"rules": {"a": {"then": {"function": "truthy"}}}}' }, 400, '/definition: line 2, column 16 (/rules/a/given): "given" is required; add it', "/definition"],
  ["an identifier with a slash", { name: "n", ruleset_id: "a/b" }, 400, /^\/ruleset_id: allowed characters/, "/ruleset_id"],
  ["a name in use", { name: "Taken" }, 409, "a ruleset with the name Taken already exists in the organisation"],
  ["an identifier in use", { name: "n", ruleset_id: "taken" }, 409, "ruleset_id taken already exists in the organisation"],
  ["a body above 1 MiB", { name: "n", description: "x".repeat(1024 * 1024) }, 413, "The document is larger than the 1048576 bytes allowed here"],
];

describe("POST /api/rulesets refuses", () => {
  for (const [what, body, status, message, pointer] of ERRORS) {
    test(what, async () => {
      const before = (await call("GET", "/api/rulesets")).text;
      for (const query of [{}, { dry_run: "true" }]) {
        const answer = await create(body, { query });
        assertError(answer, status, message);
        if (pointer === undefined) assert.equal(answer.json.issues, undefined);
        else assert.equal(answer.json.issues[0].pointer, pointer);
      }
      assert.equal((await call("GET", "/api/rulesets")).text, before);
    });
  }

  test("a second document whose identifier is the internal one of another", async () => {
    const { _id: id } = await read("taken");
    assertError(await create({ name: "n", ruleset_id: id }), 409, `ruleset_id ${id} already exists in the organisation`);
  });
});

describe("PUT /api/rulesets/{id} refuses", () => {
  for (const [what, body, status, message] of ERRORS.filter(([, , status]) => status !== 409)) {
    test(what, async () => {
      const before = (await call("GET", "/api/rulesets/taken")).text;
      assertError(await call("PUT", "/api/rulesets/taken", { body }), status, message);
      assert.equal((await call("GET", "/api/rulesets/taken")).text, before);
    });
  }

  test("another identifier, a duplicate name, and an unknown ruleset", async () => {
    const other = unique();
    await create({ name: other, ruleset_id: other });
    const put = (id, body) => call("PUT", `/api/rulesets/${id}`, { body });
    assertError(await put(other, { name: other, ruleset_id: "new" }), 400, `ruleset_id never changes after creation: it is ${other}`);
    assertError(await put(other, { name: "Taken" }), 409, "a ruleset with the name Taken already exists in the organisation");
    for (const [method, path] of [["GET", ""], ["PUT", ""], ["DELETE", ""], ["GET", "/revisions"], ["POST", "/restore"]]) {
      assertError(await call(method, `/api/rulesets/none${path}`, method === "PUT" ? { body: { name: "n" } } : {}), 404, "ruleset not found");
    }
    assertError(await call("PUT", "/api/rulesets/taken", { body: { name: "x" }, headers: { "If-Match": '"99"' } }), 412, 'The document has changed: its current ETag is "1"');
  });
});

describe("a ruleset", () => {
  test("gets the specified defaults and the members the server sets", async () => {
    const name = unique();
    const made = await create({ name, org_id: "acme", owner: "root", _id: "f".repeat(24), date_created: "2020-01-02T03:04:05Z" });
    assert.equal(made.status, 201);
    const { Meta: id } = made.json;
    assert.deepEqual(made.json, { Message: "ruleset created", Meta: id, Status: "success" });
    assert.match(id, /^[0-9a-f]{24}$/);
    const { date_created: created, last_updated: updated, ...document } = await read(id);
    assert.equal(created, updated);
    assert.ok(Math.abs(Date.now() - Date.parse(created)) < 60_000);
    const expected = { name, org_id: "default", owner: "dashboard", _id: id, ruleset_id: id, action: "none", active: false, categories: [], is_template: false, resource_type: "oas-api", applied_rules: {} };
    assert.deepEqual(document, expected);
  });

  test("trims its categories, drops empty ones, and keeps the first of those that differ in case", async () => {
    const name = unique();
    assert.equal((await create({ name, ruleset_id: name, categories: ["  SALES ", "", "sales", " eu", "EU"] })).status, 201);
    assert.deepEqual((await read(name)).categories, ["SALES", "eu"]);
  });

  test("keeps action, resource type and identifier if a PUT leaves them out", async () => {
    const name = unique();
    await create({ name, ruleset_id: name, action: "warn", resource_type: "mcp-api", description: "d", definition: DEFINITION });
    const answer = await call("PUT", `/api/rulesets/${name}`, { body: { name } });
    assert.equal(answer.status, 200);
    const { ruleset_id: id, action, resource_type: type, description, definition } = answer.json;
    assert.deepEqual([id, action, type, description, definition], [name, "warn", "mcp-api", undefined, undefined]);
    assert.equal(answer.headers.etag, '"2"');
  });

  test("preserves every byte that need not change", async () => {
    const name = unique();
    await create(`{\n  "name": "${name}",\n  "ruleset_id": "${name}",\n  "kept": [1.0, 12345678901234567890123],\n  "é": null\n}`);
    const { text } = await call("GET", `/api/rulesets/${name}`);
    assert.ok(text.includes('"kept": [1.0, 12345678901234567890123],\n  "é": null'), text);
  });

  test("is found by its identifier and by its internal id", async () => {
    const name = unique();
    const { Meta: id } = (await create({ name, ruleset_id: name })).json;
    assert.equal((await call("GET", `/api/rulesets/${id}`)).text, (await call("GET", `/api/rulesets/${name}`)).text);
  });

  test("shows its effective rules without storing them", async () => {
    const name = unique();
    const inner = { rules: { a: RULE, b: RULE, c: { ...RULE, recommended: false } } };
    const definition = JSON.stringify({ extends: [inner, "spectral:oas"], rules: { a: "error", b: "off", "info-contact": "hint" } });
    const made = await create({ name, ruleset_id: name, definition, applied_rules: { x: 1 } });
    assert.equal(made.status, 201, made.text);
    assert.equal(made.json.issues[0].severity, "info");
    const document = await read(name);
    assert.deepEqual(document.applied_rules, { a: { ...RULE, severity: "error" }, "info-contact": "hint" });
    assert.equal(document.definition, definition);
    const back = await call("PUT", `/api/rulesets/${name}`, { body: document });
    assert.ok(!back.text.includes("applied_rules"), back.text);
  });

  test("can be restored after deletion, unless its name is in use", async () => {
    const name = unique();
    await create({ name, ruleset_id: name, definition: DEFINITION });
    const gone = await call("DELETE", `/api/rulesets/${name}`);
    assert.deepEqual([gone.status, gone.json], [200, { Message: "ruleset deleted", Meta: null, Status: "success" }]);
    assertError(await call("GET", `/api/rulesets/${name}`), 404, "ruleset not found");
    const deleted = (await call("GET", "/api/rulesets", { query: { deleted: "true", q: name } })).json;
    assert.deepEqual(deleted.rulesets.map(({ ruleset_id: id }) => id), [name]);
    await create({ name, ruleset_id: `${name}-2` });
    assertError(await call("POST", `/api/rulesets/${deleted.rulesets[0]._id}/restore`), 409, /already exists/);
    await call("DELETE", `/api/rulesets/${name}-2`);
    const back = await call("POST", `/api/rulesets/${name}/restore`);
    assert.deepEqual([back.status, back.json.definition], [200, DEFINITION]);
    assertError(await call("POST", `/api/rulesets/${name}/restore`), 400, "The document is not deleted");
  });

  test("is listed according to the parameters", async () => {
    const prefix = unique();
    const all = [
      { name: `${prefix}-b`, active: true, categories: ["sales"] },
      { name: `${prefix}-a`, resource_type: "mcp-api" },
      { name: `${prefix}-c`, is_template: true, active: true },
    ];
    for (const body of all) assert.equal((await create(body)).status, 201);
    const list = async (query) => {
      const { json } = await call("GET", "/api/rulesets", { query: { q: prefix, ...query } });
      return json.rulesets.map(({ name }) => name.slice(prefix.length + 1)).join("");
    };
    for (const [query, expected] of [
      [{}, "ab"],
      [{ sort: "name" }, "ab"],
      [{ sort: "-name" }, "ba"],
      [{ sort: "date_created" }, "ba"],
      [{ sort: "nothing" }, "ab"],
      [{ is_template: "true" }, "c"],
      [{ active: "true" }, "b"],
      [{ active: "false" }, "a"],
      [{ categories: "none,SALES" }, "b"],
      [{ resource_type: "mcp-api" }, "a"],
      [{ p: "-1" }, "ab"],
      [{ p: "2", per_page: "1", sort: "name" }, "b"],
      [{ p: "3", per_page: "1" }, ""],
    ]) {
      assert.equal(await list(query), expected, JSON.stringify(query));
    }
    const { pages, page, total } = (await call("GET", "/api/rulesets", { query: { q: prefix, per_page: "1" } })).json;
    assert.deepEqual([pages, page, total], [2, 1, 2]);
    assertError(await call("GET", "/api/rulesets", { query: { p: "x" } }), 400, "The query parameter p takes a whole number");
  });
});

describe("a form", () => {
  test("of metadata and ruleset has the same effect as JSON", async () => {
    const name = unique();
    const metadata = JSON.stringify({ name, ruleset_id: name, action: "warn", categories: ["EU"] });
    for (const file of [undefined, "rules.json"]) {
      const id = `${name}-${file ?? "text"}`;
      const parts = [["metadata", metadata.replaceAll(name, id)], ["ruleset", { file, text: DEFINITION }]];
      const made = await call("POST", "/api/rulesets", form(parts));
      assert.equal(made.status, 201, made.text);
      const { definition, action, applied_rules: applied, categories } = await read(id);
      assert.deepEqual([definition, action, categories], [DEFINITION, "warn", ["EU"]]);
      assert.deepEqual(applied, { contact: RULE });
    }
  });

  test("of fields changes only those", async () => {
    const name = unique();
    await create({ name, ruleset_id: name, description: "d", action: "warn", categories: ["EU"], definition: DEFINITION, kept: 1 });
    const changed = await call("PUT", `/api/rulesets/${name}`, form([["active", "true"], ["categories", "sales"], ["categories", "eu"]]));
    assert.equal(changed.status, 200, changed.text);
    const { active, categories, description, action, definition, kept } = changed.json;
    assert.deepEqual({ active, categories, description, action, definition, kept }, { active: true, categories: ["sales", "eu"], description: "d", action: "warn", definition: DEFINITION, kept: 1 });
    const file = JSON.stringify({ rules: { other: RULE } });
    const second = await call("PUT", `/api/rulesets/${name}`, form([["ruleset", { file: "r.json", text: file }], ["name", `${name}-2`]]));
    assert.deepEqual([second.json.definition, second.json.name, second.json.active], [file, `${name}-2`, true]);
  });

  const bytes = (text) => Buffer.from(text, "latin1");
  for (const [what, method, request, message] of [
    ["without metadata", "POST", form([["ruleset", DEFINITION]]), /^The part metadata is missing/],
    ["with a repeated part", "POST", form([["metadata", "{}"], ["metadata", "{}"]]), "The form has metadata twice"],
    ["with an unknown part", "POST", form([["metadata", '{"name":"n"}'], ["org_id", "acme"]]), /^The form has a field "org_id"/],
    ["with two definitions", "POST", form([["metadata", '{"name":"n","definition":"{}"}'], ["ruleset", "{}"]]), /^The definition stands in both parts/],
    ["whose metadata is not JSON", "POST", form([["metadata", "name: n"]]), "Request body malformed."],
    ["whose file is YAML", "POST", form([["metadata", '{"name":"n"}'], ["ruleset", { file: "r.yaml", text: "rules:\n  a: off\n" }]]), /this looks like YAML/],
    ["whose file is not UTF-8", "POST", (({ body, headers }) => ({ body: bytes(body), headers }))(form([["metadata", '{"name":"n"}'], ["ruleset", { file: "r", text: "\xff\xfe" }]])), "Request body malformed."],
    ["that is malformed", "POST", { ...form([]), body: "no form" }, "Request body malformed."],
    ["without a boundary", "POST", { ...form([]), headers: { "Content-Type": "multipart/form-data" } }, "Request body malformed."],
    ["with a switch that is neither true nor false", "PUT", form([["active", "yes"]]), "The field active takes true or false"],
    ["with a field of the server", "PUT", form([["owner", "me"]]), /^The form has a field "owner"/],
    ["with an empty name", "PUT", form([["name", ""]]), '/name: "name" is empty; fill it in'],
    ["with another identifier", "PUT", form([["ruleset_id", "new"]]), /^ruleset_id never changes/],
    ["with an unknown category", "PUT", form([["categories", "pets"]]), /^unknown categories: pets/],
  ]) {
    test(`${what} is refused`, async () => {
      const before = (await call("GET", "/api/rulesets")).text;
      const path = method === "PUT" ? "/api/rulesets/taken" : "/api/rulesets";
      assertError(await call(method, path, request), 400, message);
      assert.equal((await call("GET", "/api/rulesets")).text, before);
    });
  }
});
