// Client identity providers and the merge patches of their mappings (specification, *Merge-patch
// client identity provider mappings*; RFC 7386; reference 1.11). Each row of ERRORS is a test.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import { ALL, caller, issue, notifications } from "./dashboard.mjs";
import { api } from "./definitions.mjs";
import { start } from "./harness.mjs";

const patched = createRequire(import.meta.url)("json-merge-patch").apply;

let gateway;
let call;
before(async () => {
  gateway = await start();
  call = caller(gateway);
  await provider({ client_idp_id: "taken" });
});
after(() => gateway.stop());

let count = 0;
const JWKS = "https://idp.example/jwks";

/** Creates a provider with an identifier of its own, and returns that. */
async function provider(members = {}) {
  const id = members.client_idp_id ?? `p${(count += 1)}`;
  const made = await call("POST", "/api/clientidps", { body: { name: id, client_idp_id: id, jwks_uri: JWKS, ...members } });
  assert.equal(made.status, 201, made.text);
  return id;
}

const read = (id) => call("GET", `/api/clientidps/${id}`);
const patch = (id, body, options) => call("PATCH", `/api/clientidps/${id}/mappings`, { body, ...options });
/** Returns the notifications about one provider. */
const noticesOf = async (id) => (await notifications(call)).filter(({ type, data }) => type === "NoticeClientIdPChanged" && data.client_idp_id === id);

/** Asserts an error in the specification's envelope, with its members in order. */
function assertError(answer, status, message) {
  assert.equal(answer.status, status, answer.text);
  assert.match(answer.text, /^\{"ID":"[^"]+","Message":"(?:[^"\\]|\\.)*","Meta":null,"Status":"Error"[,}]/);
  assert.equal(answer.json.ID, answer.headers["x-request-id"]);
  if (message instanceof RegExp) assert.match(answer.json.Message, message);
  else assert.equal(answer.json.Message, message);
}

/** Runs something that must leave a provider, its revisions and its notifications unchanged. */
async function unchanged(id, run) {
  const state = async () => {
    const parts = await Promise.all([read(id), call("GET", `/api/clientidps/${id}/revisions`), call("GET", "/api/audit"), call("GET", "/api/notifications", { query: { limit: 1000 } })]);
    return parts.map(({ text, headers }) => `${headers.etag} ${text}`);
  };
  const was = await state();
  await run();
  assert.deepEqual(await state(), was);
}

// The request, its status and message.
const ERRORS = [
  ["an empty body", "", 400, "Failed to read response body, body empty."],
  ["no JSON", "{", 400, "Request body malformed."],
  ["a duplicate member", `{"name":"a","jwks_uri":"${JWKS}","name":"b"}`, 400, "Request body malformed."],
  ["an array", [], 400, ": expected an object, found an array"],
  ["no name", { jwks_uri: JWKS }, 400, '/name: "name" is required; add it'],
  ["an empty name", { name: "", jwks_uri: JWKS }, 400, '/name: "name" is empty; fill it in'],
  ["no key set", { name: "n" }, 400, '/jwks_uri: "jwks_uri" is required; add it'],
  ["an empty key set", { name: "n", jwks_uri: "" }, 400, '/jwks_uri: "jwks_uri" is empty; fill it in'],
  ["an identifier with a slash", { name: "n", jwks_uri: JWKS, client_idp_id: "a/b" }, 400, /^\/client_idp_id: allowed characters/],
  ["mappings that are a list", { name: "n", jwks_uri: JWKS, api_mappings: [] }, 400, "/api_mappings: expected an object, found an array"],
  ["a mapping that is a string", { name: "n", jwks_uri: JWKS, api_mappings: { a: "p" } }, 400, "/api_mappings/a: expected an object, found a string"],
  ["a scope with a number", { name: "n", jwks_uri: JWKS, api_mappings: { a: { scope_to_policy: { s: 1 } } } }, 400, "/api_mappings/a/scope_to_policy/s: expected a string, found a number"],
  ["an identifier in use", { name: "n", jwks_uri: JWKS, client_idp_id: "taken" }, 409, "client_idp_id taken already exists in the organisation"],
  ["a body above 1 MiB", { name: "n", jwks_uri: JWKS, issuer: "x".repeat(1024 * 1024) }, 413, "The document is larger than the 1048576 bytes allowed here"],
];

describe("POST and PUT of a provider refuse", () => {
  for (const [what, body, status, message] of ERRORS) {
    test(what, async () => {
      const id = await provider();
      await unchanged(id, async () => {
        assertError(await call("POST", "/api/clientidps", { body }), status, message);
        assertError(await call("PUT", `/api/clientidps/${id}`, { body }), status, message);
      });
    });
  }

  test("an unknown provider", async () => {
    for (const [method, path, body] of [
      ["GET", "", undefined],
      ["PUT", "", { name: "n", jwks_uri: JWKS }],
      ["DELETE", "", undefined],
      ["GET", "/revisions", undefined],
      ["PATCH", "/mappings", {}],
      ["GET", "/mappings/a", undefined],
      ["PUT", "/mappings/a", {}],
      ["DELETE", "/mappings/a", undefined],
    ]) {
      assertError(await call(method, `/api/clientidps/none${path}`, { body }), 404, "client idp not found");
    }
  });
});

describe("a provider", () => {
  test("is created, read, replaced and deleted with the reference's responses", async () => {
    const made = await call("POST", "/api/clientidps", { body: { name: "n", jwks_uri: JWKS, org_id: "acme", _id: "f".repeat(24) } });
    const { Meta: id } = made.json;
    assert.deepEqual([made.status, made.json], [201, { Message: "client idp created", Meta: id, Status: "success" }]);
    const document = (await read(id)).json;
    assert.deepEqual([document._id, document.client_idp_id, document.org_id], [id, id, "default"]);
    const put = await call("PUT", `/api/clientidps/${id}`, { body: { name: "m", jwks_uri: JWKS, client_idp_id: `new-${id}` } });
    assert.deepEqual([put.status, put.json.client_idp_id, put.json.date_created], [200, `new-${id}`, document.date_created]);
    assert.equal((await read(`new-${id}`)).text, (await read(id)).text);
    const kept = await call("PUT", `/api/clientidps/${id}`, { body: { name: "m", jwks_uri: JWKS } });
    assert.equal(kept.json.client_idp_id, `new-${id}`);
    const gone = await call("DELETE", `/api/clientidps/${id}`);
    assert.deepEqual([gone.status, gone.json], [200, { Message: "client idp deleted", Meta: null, Status: "success" }]);
    assertError(await read(id), 404, "client idp not found");
  });
});

// Both sides of each row of RFC 7386, appendix A, that a mapping can hold: as members of a mapping, because mappings
// themselves and scopes have their own shape.
const APPENDIX_A = [
  [{ a: "b" }, { a: "c" }, { a: "c" }],
  [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
  [{ a: "b" }, { a: null }, {}],
  [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
  [{ a: ["b"] }, { a: "c" }, { a: "c" }],
  [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
  [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
  [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
  [["a", "b"], ["c", "d"], ["c", "d"]],
  [{ a: "b" }, ["c"], ["c"]],
  // Null removes the member, just as it removes the document in the example.
  [{ a: "foo" }, null, undefined],
  [{ a: "foo" }, "bar", "bar"],
  [{ e: null }, { a: 1 }, { e: null, a: 1 }],
  [[1, 2], { a: "b", c: null }, { a: "b" }],
  [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
];

describe("PATCH of the mappings", () => {
  for (const [index, [target, change, result]] of APPENDIX_A.entries()) {
    test(`follows RFC 7386, example ${index + 1}`, async () => {
      const id = await provider({ api_mappings: { api: { x: target, scope_to_policy: { s: "p" } }, other: {} } });
      const answer = await patch(id, { api: { x: change } });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(answer.json.api_mappings, { api: { ...(result === undefined ? {} : { x: result }), scope_to_policy: { s: "p" } }, other: {} });
    });
  }

  test("sets and removes scopes and mappings like an independent implementation", async () => {
    const start = { a: { scope_to_policy: { r: "p1", w: "p2" } }, b: { scope_to_policy: {} }, c: {} };
    for (const body of [
      {},
      { a: { scope_to_policy: { r: "new", x: "p3" } } },
      { a: { scope_to_policy: { r: null } } },
      { a: { scope_to_policy: { none: null } } },
      { a: null, none: null },
      { d: { scope_to_policy: { r: "p", w: null } } },
      { c: { scope_to_policy: { r: "p" } }, b: null, e: {} },
      { a: {}, "a/b~c": { scope_to_policy: { "sc/ope~": "p" } }, "é": { scope_to_policy: { "": "p" } } },
    ]) {
      const id = await provider({ api_mappings: start });
      const answer = await patch(id, body);
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(answer.json.api_mappings, patched(structuredClone(start), body), JSON.stringify(body));
      assert.equal((await read(id)).text, answer.text);
    }
  });

  test("creates the mappings of a provider without any", async () => {
    for (const members of [{}, { api_mappings: null }, { api_mappings: {} }]) {
      const answer = await patch(await provider(members), { a: { scope_to_policy: { s: "p" } } });
      assert.deepEqual(answer.json.api_mappings, { a: { scope_to_policy: { s: "p" } } });
    }
  });

  test("preserves every byte it does not name", async () => {
    const id = `p${(count += 1)}`;
    const text = `{\n  "name": "n",\n  "client_idp_id": "${id}",\n  "jwks_uri": "${JWKS}",\n  "api_mappings": {\n    "a": {"note": [1.0, {"b" : 12345678901234567890123}], "scope_to_policy": {"r":  "p"}},\n    "b": { "kept": null }\n  },\n  "x": -0\n}`;
    await call("POST", "/api/clientidps", { body: text });
    const answer = await patch(id, '{"a":{"scope_to_policy":{"w":"q"}}}');
    for (const part of ['"note": [1.0, {"b" : 12345678901234567890123}]', '"r":  "p"', '"b": { "kept": null }', '"x": -0']) {
      assert.ok(answer.text.includes(part), `${part} in ${answer.text}`);
    }
    assert.equal(answer.json.api_mappings.a.scope_to_policy.w, "q");
  });

  test("accepts only the media types of a merge patch", async () => {
    const id = await provider();
    for (const type of ["application/merge-patch+json", "application/json", "Application/JSON; charset=utf-8", ""]) {
      const answer = await patch(id, '{"a":{}}', { headers: type && { "Content-Type": type } });
      assert.equal(answer.status, 200, `${type}: ${answer.text}`);
    }
    await unchanged(id, async () => {
      for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/json-patch+json", "application/merge-patch+jsonx"]) {
        assertError(await patch(id, '{"a":null}', { headers: { "Content-Type": type } }), 415, "A merge patch is application/merge-patch+json or application/json");
      }
    });
  });

  for (const [what, body, message] of [
    ["an empty body", "", "Failed to read response body, body empty."],
    ["no JSON", '{"a":', "Request body malformed."],
    ["a duplicate API", '{"a":null,"a":{}}', "Request body malformed."],
    ["a list", [], /^: a merge patch of mappings is an object/],
    ["null, which would remove everything", "null", /^: a merge patch of mappings is an object/],
    ["a text", '"x"', /^: a merge patch of mappings is an object/],
    ["a mapping that is a number", { a: 1 }, /^\/a: a mapping is null/],
    ["a mapping that is a list", { a: [] }, /^\/a: a mapping is null/],
    ["scopes that are a list", { a: { scope_to_policy: ["s"] } }, /^\/a\/scope_to_policy: /],
    ["a scope mapped to a number", { a: { scope_to_policy: { s: 1 } } }, /^\/a\/scope_to_policy\/s: /],
    ["a scope mapped to an object", { ok: {}, a: { scope_to_policy: { s: {} } } }, /^\/a\/scope_to_policy\/s: /],
    ["an API without an id", { "": {} }, /^\/: an API id can't be empty/],
  ]) {
    test(`refuses ${what} without any effect`, async () => {
      const id = await provider({ api_mappings: { a: { scope_to_policy: { s: "p" } } } });
      await unchanged(id, async () => assertError(await patch(id, body), 400, message));
    });
  }

  test("refuses a patch that makes the document too large", async () => {
    const id = await provider();
    const half = "x".repeat(600 * 1024);
    assert.equal((await patch(id, { a: { scope_to_policy: { s: half } } })).status, 200);
    await unchanged(id, async () => assertError(await patch(id, { b: { scope_to_policy: { s: half } } }), 413, /larger than the 1048576 bytes/));
    assert.equal((await patch(id, { a: null, b: { scope_to_policy: { s: half } } })).status, 200);
  });

  test("sends one notification, whatever its number of keys, even without changes", async () => {
    const id = await provider();
    const many = Object.fromEntries(Array.from({ length: 300 }, (_, n) => [`api-${n}`, { scope_to_policy: { a: "p", b: "q" } }]));
    for (const body of [many, {}, many]) await patch(id, body);
    const notices = await noticesOf(id);
    assert.deepEqual(notices.map(({ data: { action, revision } }) => [action, revision]), [["added", 1], ["modified", 2], ["modified", 3], ["modified", 4]]);
    assert.deepEqual(notices[1].data.api_ids, Object.keys(many));
    assert.deepEqual(notices.map(({ seq }) => seq), notices.map((_, at) => notices[0].seq + at));
    assert.equal(new Set(notices.map(({ id: notice }) => notice)).size, 4);
  });

  test("succeeds for one of 32 clients with the same ETag", async () => {
    const id = await provider();
    for (let revision = 1; revision <= 4; revision += 1) {
      const headers = { "If-Match": `"${revision}"` };
      const answers = await Promise.all(Array.from({ length: 32 }, (_, n) => patch(id, { [`a${n}`]: {} }, { headers })));
      const done = answers.filter(({ status }) => status === 200);
      assert.equal(done.length, 1);
      for (const answer of answers) {
        assert.equal(answer.headers.etag, `"${revision + 1}"`);
        if (answer.status !== 200) assertError(answer, 412, `The document has changed: its current ETag is "${revision + 1}"`);
      }
    }
    assert.equal((await noticesOf(id)).length, 5);
  });

  test("answers a dry run with document, changes and warnings, without any effect", async () => {
    const known = api();
    await gateway.admin("POST", "/gateway/apis", { body: known });
    const id = await provider({ api_mappings: { [known.api_id]: { scope_to_policy: { r: "p", w: "q" } } } });
    const body = { [known.api_id]: { scope_to_policy: { r: null, w: "new" } }, none: { scope_to_policy: { s: "x" } } };
    await unchanged(id, async () => {
      const { status, json } = await patch(id, body, { query: { dry_run: "true" } });
      assert.equal(status, 200);
      assert.deepEqual([json.dry_run, json.revision], [true, 2]);
      assert.deepEqual(json.document.api_mappings, { [known.api_id]: { scope_to_policy: { w: "new" } }, none: { scope_to_policy: { s: "x" } } });
      const at = `/api_mappings/${known.api_id}/scope_to_policy`;
      const changes = json.changes.filter(({ pointer }) => pointer !== "/last_updated");
      assert.deepEqual(changes, [
        { pointer: `${at}/r`, kind: "removed", before: '"p"' },
        { pointer: `${at}/w`, kind: "changed", before: '"q"', after: '"new"' },
        { pointer: "/api_mappings/none", kind: "added", after: '{"scope_to_policy":{"s":"x"}}' },
      ]);
      // The API and the policies don't exist.
      const warned = ["/none", `/${known.api_id}/scope_to_policy/w`, "/none/scope_to_policy/s"];
      assert.deepEqual(json.issues.map(({ pointer, severity }) => [pointer, severity]), warned.map((pointer) => [pointer, "warning"]));
    });
    const done = await patch(id, body);
    assert.deepEqual(done.json.api_mappings.none, { scope_to_policy: { s: "x" } });
  });
});

describe("one mapping", () => {
  test("is read, replaced and removed individually, each with one notification", async () => {
    const id = await provider({ api_mappings: { other: { n: 1 } } });
    const at = `/api/clientidps/${id}/mappings/orders`;
    assertError(await call("GET", at), 404, "client idp mapping not found");
    assertError(await call("DELETE", at), 404, "client idp mapping not found");
    const put = await call("PUT", at, { body: '{"scope_to_policy": {"s": "p"}, "kept": 1.0}' });
    assert.deepEqual(put.json.api_mappings, { other: { n: 1 }, orders: { scope_to_policy: { s: "p" }, kept: 1 } });
    assert.equal((await call("GET", at)).text, '{"scope_to_policy": {"s": "p"}, "kept": 1.0}');
    assert.equal((await call("PUT", at, { body: { scope_to_policy: { t: "q" } } })).json.api_mappings.orders.kept, undefined);
    const gone = await call("DELETE", at);
    assert.deepEqual([gone.status, gone.json], [200, { Message: "client idp mapping deleted", Meta: null, Status: "success" }]);
    assert.deepEqual((await read(id)).json.api_mappings, { other: { n: 1 } });
    assert.equal((await noticesOf(id)).length, 4);
  });

  test("is validated, and its API id must be valid", async () => {
    const id = await provider();
    await unchanged(id, async () => {
      const put = (name, body) => call("PUT", `/api/clientidps/${id}/mappings/${name}`, { body });
      for (const body of ["", "[]", { scope_to_policy: 1 }, { scope_to_policy: { s: 1 } }]) assert.equal((await put("a", body)).status, 400);
      for (const name of ["a%2fb", "..%2fx", "%2e%2e", "a%00"]) assertError(await put(name, {}), 400, /^Invalid API ID: /);
    });
  });
});

test("claims of the client about itself or the document are ignored", async () => {
  const { token } = await issue(gateway, { name: "writer", org_id: "acme", permissions: ALL });
  const other = caller(gateway, token);
  const claims = { org_id: "default", _id: "e".repeat(24), date_created: "2001-01-01T00:00:00Z", last_updated: "2001-01-01T00:00:00Z" };
  await other("POST", "/api/clientidps", { body: { name: "n", client_idp_id: "taken", jwks_uri: JWKS, ...claims } });
  const { json } = await other("GET", "/api/clientidps/taken");
  for (const [name, value] of Object.entries(claims)) assert.notEqual(json[name], value, name);
  assert.equal(json.org_id, "acme");
  const put = await other("PUT", "/api/clientidps/taken", { body: { name: "n", jwks_uri: JWKS, ...claims } });
  assert.deepEqual([put.json.org_id, put.json._id, put.json.date_created], ["acme", json._id, json.date_created]);
  const patched = await other("PATCH", "/api/clientidps/taken/mappings", { body: { a: { scope_to_policy: {}, org_id: "default" } } });
  assert.equal(patched.json.org_id, "acme");
  assert.deepEqual(await noticesOf("taken").then((all) => all.length), 1, "other organisations' notifications are hidden");
});
