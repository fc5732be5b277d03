// The stored document is the record: it comes back byte for byte. And writers can rely on what they have read: entity
// tags and dry runs (RFC 9110 sections 8.8.3 and 13).

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api } from "./definitions.mjs";
import { start } from "./harness.mjs";

let gateway;
before(async () => (gateway = await start()));
after(() => gateway.stop());

const post = (body, options) => gateway.admin("POST", "/gateway/apis", { body, ...options });
const put = (id, body, options) => gateway.admin("PUT", `/gateway/apis/${id}`, { body, ...options });
const get = (id, options) => gateway.admin("GET", `/gateway/apis/${id}?complete=false`, options);
const remove = (id, options) => gateway.admin("DELETE", `/gateway/apis/${id}`, options);

/** Returns a definition's text with more members, exactly as given. */
function text(members, id = api().api_id) {
  return `{"name":"bytes","api_id":"${id}","use_keyless":true,${members}"proxy":{"target_url":"http://127.0.0.1:9/","listen_path":"/${id}/"}}`;
}

const DOCUMENTS = [
  ["numbers that a float would change", text('"config_data":{"a":1.0,"b":9007199254740993,"c":1e400,"d":-0,"e":0.10,"f":1E+2,"g":123456789012345678901234567890},')],
  ["unknown members", text('"x-mine":{"deep":[{"er":[[]]}]},"_id":{"$oid":"5f"},')],
  ["members in an unusual order", text('"zzz":1,"active":true,"aaa":2,')],
  ["nulls", text('"tags":null,"config_data":null,"auth_configs":null,')],
  ["escapes", text('"config_data":{"a":"\\u00e9\\/\\n\\ud83d\\ude00","b":"é😀\u2028","\\u0061b":"~1/~0"},')],
  ["numbers as keys", text('"config_data":{"2":"b","1":"a","__proto__":{"x":1},"constructor":1},')],
  ["spaces, tabs and line breaks", text('\r\n\t"a"  :\n[ 1 , 2 ]  ,\r\n').replace("{", "\n\t { ") + "\n\n"],
  ["names with dots and slashes", text('"config_data":{"a.b":{"c/d":1},"":2},')],
  ["a long line of text", text(`"config_data":{"a":"${"ä".repeat(100_000)}"},`)],
];

test("a document is returned byte for byte, also after a PUT and from a revision", async () => {
  for (const [what, document] of DOCUMENTS) {
    const stored = await post(document);
    assert.equal(stored.status, 200, `${what}: ${stored.text}`);
    const { key } = stored.json;
    assert.equal((await get(key)).text, document, what);
    assert.equal((await put(key, document)).status, 200, what);
    const bytes = (await get(key)).bytes;
    assert.ok(bytes.equals(Buffer.from(document)), what);
    assert.ok((await gateway.admin("GET", `/gateway/apis/${key}/revisions/1`)).bytes.equals(bytes), what);
  }
});

const ESCAPES = ["..", ".", "../x", "a/b", "a\\b", "..\\x", "a..b", "a\u0000b", "%2e%2e", "%2e%2e%2fx", "%252e%252e%252fx", "a%00", "a%5cb", "a b", "é", "a:b", "a?b", "a#b", "x".repeat(129)];

test("an id that could escape is refused in a body", async () => {
  for (const id of ESCAPES) {
    const answer = await post(api({ api_id: id }));
    assert.equal(answer.status, 400, id);
    assert.equal(answer.json.message, "Invalid API ID", id);
    assert.ok(answer.json.issues.some((issue) => issue.pointer === "/api_id" && issue.severity === "error"), answer.text);
  }
});

test("an id that could escape is refused in a path, for any operation", async () => {
  const spelled = ["..", ".", "a\\b", "a..b", "%2e%2e", "..%2fx", "%2e%2e%2f%2e%2e%2fx", "%252e%252e%252fx", "%25252e%25252e", "a%00", "a%5cb", "a%20b", "%c3%a9", "%", "a%2", "x".repeat(129)];
  for (const id of spelled) {
    for (const [method, path, body] of [
      ["GET", `/gateway/apis/${id}`],
      ["PUT", `/gateway/apis/${id}`, api()],
      ["POST", `/gateway/apis/${id}`, api()],
      ["DELETE", `/gateway/apis/${id}`],
      ["GET", `/gateway/apis/${id}/versions`],
      ["GET", `/gateway/apis/${id}/revisions`],
      ["GET", `/gateway/apis/${id}/revisions/1`],
      ["POST", `/gateway/apis/${id}/revisions/1/restore`],
      ["POST", `/gateway/apis/${id}/batch`, { requests: [] }],
    ]) {
      const answer = await gateway.admin(method, path, { body });
      // A read gets the true reason: the API doesn't exist.
      const looks = method === "GET" && !path.includes("revisions");
      assert.equal(answer.status, looks ? 404 : 400, `${method} ${path}: ${answer.text}`);
      assert.equal(answer.json.message, looks ? "API not found." : "Invalid API ID", `${method} ${path}`);
    }
  }
});

test("ids of this gateway family are accepted", async () => {
  for (const id of ["3c79f1eba3cb41114264edc03127aa6d", "Users-v1.2_test~x", ".hidden", "7", "x".repeat(128)]) {
    const definition = api({ api_id: id });
    assert.equal((await post(definition)).status, 200, id);
    assert.equal((await get(id)).text, JSON.stringify(definition), id);
  }
});

test("a conditional read gets 304 without a body", async () => {
  const definition = api();
  await post(definition);
  for (const tag of ['"1"', 'W/"1"', "*", '"7", "1"']) {
    const answer = await get(definition.api_id, { headers: { "If-None-Match": tag } });
    assert.equal(answer.status, 304, tag);
    assert.equal(answer.text, "");
    assert.equal(answer.headers.etag, '"1"');
    assert.equal(answer.headers["x-gateway-reload-pending"], "true");
  }
  for (const tag of ['"2"', "1", '"11"', '""']) {
    const answer = await get(definition.api_id, { headers: { "If-None-Match": tag } });
    assert.equal(answer.status, 200, tag);
    assert.equal(answer.text, JSON.stringify(definition));
  }
});

test("a conditional write succeeds only if the document is unchanged", async () => {
  const definition = api();
  const id = definition.api_id;
  await post(definition);
  assert.equal((await put(id, { ...definition, name: "second" }, { headers: { "If-Match": '"1"' } })).headers.etag, '"2"');

  for (const tag of ['"1"', '"3"', 'W/"2"', "2", '"x"', '""']) {
    for (const write of [
      () => put(id, { ...definition, name: "lost" }, { headers: { "If-Match": tag } }),
      () => post({ ...definition, name: "lost" }, { headers: { "If-Match": tag } }),
      () => remove(id, { headers: { "If-Match": tag } }),
      () => gateway.admin("POST", `/gateway/apis/${id}/revisions/1/restore`, { headers: { "If-Match": tag } }),
    ]) {
      const answer = await write();
      assert.equal(answer.status, 412, tag);
      assert.equal(answer.json.status, "error");
      assert.equal(answer.headers.etag, '"2"', "the current ETag is returned");
    }
  }
  const unchanged = await get(id);
  assert.equal(unchanged.json.name, "second");
  assert.equal(unchanged.headers.etag, '"2"');

  assert.equal((await put(id, definition, { headers: { "If-Match": '"9", "2"' } })).headers.etag, '"3"');
  assert.equal((await put(id, definition, { headers: { "If-Match": "*" } })).headers.etag, '"4"');
  assert.equal((await remove(id, { headers: { "If-Match": '"4"' } })).status, 200);
});

test("a condition on a missing document fails", async () => {
  const definition = api();
  for (const tag of ['"1"', "*"]) {
    assert.equal((await post(definition, { headers: { "If-Match": tag } })).status, 412, tag);
  }
  assert.equal((await get(definition.api_id)).status, 404);
});

test("a create-only write refuses an existing id, and accepts a deleted one", async () => {
  const definition = api();
  const once = { headers: { "If-None-Match": "*" } };
  assert.equal((await post(definition, once)).status, 200);
  const refused = await post({ ...definition, name: "lost" }, once);
  assert.equal(refused.status, 412);
  assert.equal(refused.headers.etag, '"1"');
  assert.equal((await get(definition.api_id)).json.name, definition.name);
  await remove(definition.api_id);
  assert.equal((await post(definition, once)).status, 200);
});

test("a dry run returns the outcome and stores nothing", async () => {
  const definition = api();
  const id = definition.api_id;
  const fresh = api();
  await post(definition);
  await post({ ...definition, name: "second" });
  const before = (await gateway.admin("GET", "/gateway/reload/status")).json;
  const query = { dry_run: "true" };
  const restore = `/gateway/apis/${id}/revisions/1/restore`;

  for (const [what, run, key, action] of [
    ["create", () => post(fresh, { query }), fresh.api_id, "added"],
    ["replace by POST", () => post({ ...definition, name: "dry" }, { query }), id, "added"],
    ["replace by PUT", () => put(id, { ...definition, name: "dry" }, { query }), id, "modified"],
    ["delete", () => remove(id, { query }), id, "deleted"],
    ["restore", () => gateway.admin("POST", restore, { query }), id, "restored"],
  ]) {
    const answer = await run();
    assert.equal(answer.status, 200, what);
    assert.deepEqual(answer.json, { key, status: "ok", action, dry_run: true }, what);
    assert.equal(answer.headers.etag, undefined, what);
  }

  assert.equal((await get(fresh.api_id)).status, 404);
  assert.equal((await get(id)).json.name, "second");
  assert.equal((await get(id)).headers.etag, '"2"');
  assert.deepEqual((await gateway.admin("GET", "/gateway/reload/status")).json, before);
});

test("a dry run refuses what a write would refuse", async () => {
  const definition = api();
  const id = definition.api_id;
  const query = { dry_run: "true" };
  await post(definition);
  const duplicate = api({}, { listen_path: definition.proxy.listen_path });
  for (const [what, answer, status] of [
    ["malformed", await post("{", { query }), 400],
    ["invalid", await post(api({ name: 1 }), { query }), 400],
    ["a route in use", await post(duplicate, { query }), 409],
    ["stale", await put(id, definition, { query, headers: { "If-Match": '"9"' } }), 412],
    ["exists", await post(definition, { query, headers: { "If-None-Match": "*" } }), 412],
    ["unknown", await remove(api().api_id, { query }), 404],
    ["no such revision", await gateway.admin("POST", `/gateway/apis/${id}/revisions/9/restore`, { query }), 404],
  ]) assert.equal(answer.status, status, `${what}: ${answer.text}`);
});
