// Creating, reading, replacing and deleting API definitions: statuses and exact messages (specification, *Read an API
// definition*; reference 1.0 and 1.3).

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { open } from "./http.mjs";

let gateway;
before(async () => (gateway = await start()));
after(() => gateway.stop());

const post = (body, options) => gateway.admin("POST", "/gateway/apis", { body, ...options });
const put = (id, body, options) => gateway.admin("PUT", `/gateway/apis/${id}`, { body, ...options });
const get = (id, options) => gateway.admin("GET", `/gateway/apis/${id}?complete=false`, options);
const remove = (id, options) => gateway.admin("DELETE", `/gateway/apis/${id}`, options);

function assertError(answer, status, message, what) {
  assert.equal(answer.status, status, `${what ?? ""} ${answer.text}`);
  assert.equal(answer.json.status, "error", what);
  assert.equal(answer.json.message, message, what);
  assert.equal(answer.json.request_id, answer.headers["x-request-id"], what);
}

test("a definition is created, read, replaced and deleted", async () => {
  const definition = api();
  const id = definition.api_id;

  const added = await post(definition);
  assert.equal(added.status, 200);
  assert.equal(added.text, `{"key":"${id}","status":"ok","action":"added"}\n`);
  assert.equal(added.headers["content-type"], "application/json");
  assert.equal(added.headers.etag, '"1"');
  assert.equal((await get(id)).text, JSON.stringify(definition));

  const replaced = { ...definition, name: "replaced" };
  const modified = await put(id, replaced);
  assert.equal(modified.text, `{"key":"${id}","status":"ok","action":"modified"}\n`);
  assert.equal(modified.headers.etag, '"2"');
  assert.equal((await get(id)).json.name, "replaced");

  const deleted = await remove(id);
  assert.equal(deleted.status, 200);
  assert.equal(deleted.text, `{"key":"${id}","status":"ok","action":"deleted"}\n`);
  assertError(await get(id), 404, "API not found.");
});

test("a trailing slash makes no difference", async () => {
  const definition = api();
  const path = `/gateway/apis/${definition.api_id}/`;
  assert.equal((await gateway.admin("POST", "/gateway/apis/", { body: definition })).status, 200);
  assert.equal((await gateway.admin("GET", path)).json.api_id, definition.api_id);
  assert.ok((await gateway.admin("GET", "/gateway/apis/")).json.some((api) => api.api_id === definition.api_id));
  assert.equal((await gateway.admin("PUT", path, { body: definition })).json.action, "modified");
  assert.equal((await gateway.admin("DELETE", path)).json.action, "deleted");
});

test("a POST to an id behaves like a POST to the collection", async () => {
  const definition = api();
  const path = `/gateway/apis/${definition.api_id}`;
  assert.equal((await gateway.admin("POST", path, { body: definition })).json.action, "added");
  assert.equal((await get(definition.api_id)).json.name, definition.name);
});

test("a POST with an existing id replaces the definition", async () => {
  const definition = api();
  await post(definition);
  const again = await post({ ...definition, name: "again" });
  assert.equal(again.json.action, "added");
  assert.equal(again.headers.etag, '"2"');
  assert.equal((await get(definition.api_id)).json.name, "again");
});

test("a deleted id can be reused, and its revision numbers continue", async () => {
  const definition = api();
  await post(definition);
  await remove(definition.api_id);
  const again = await post(definition);
  assert.equal(again.status, 200);
  assert.equal(again.headers.etag, '"3"');
});

test("an unknown id is a 404 for every method", async () => {
  const definition = api();
  const id = definition.api_id;
  assertError(await get(id), 404, "API not found.");
  assertError(await put(id, definition), 404, "API not found.");
  assertError(await put(id, api()), 404, "API not found.", "other id in the body");
  assertError(await remove(id), 404, "API not found.");
  assertError(await gateway.admin("GET", `/gateway/apis/${id}/versions`), 404, "API not found.");
  assertError(await gateway.admin("GET", `/gateway/apis/${id}/revisions`), 404, "API not found.");
});

test("a PUT whose body names another API is refused", async () => {
  const [one, other] = [api(), api()];
  await post(one);
  await post(other);
  const message = "Request APIID does not match that in Definition! For Update operations these must match.";
  assertError(await put(one.api_id, { ...other, name: "x" }), 400, message);
  const { api_id: _, ...without } = one;
  assertError(await put(one.api_id, without), 400, message, "no id in the body");
  assert.equal((await get(other.api_id)).json.name, other.name);
});

test("PUT and DELETE without an id are not allowed", async () => {
  for (const path of ["/gateway/apis", "/gateway/apis/"]) {
    assertError(await gateway.admin("PUT", path, { body: api() }), 405, "Method not supported", path);
    assertError(await gateway.admin("DELETE", path), 405, "Method not supported", path);
  }
});

const MALFORMED = [
  ["nothing", ""],
  ["spaces", "  \n"],
  ["an open object", '{"name":"x"'],
  ["a trailing comma", '{"name":"x",}'],
  ["a comment", '{"name":"x"} // comment'],
  ["single quotes", "{'name':'x'}"],
  ["bytes after the document", '{"name":"x"} {}'],
  ["a bare word", '{"name":undefined}'],
  ["a number with a leading zero", '{"n":01}'],
  ["a raw line break in a string", '{"name":"a\nb"}'],
  ["nesting without end", "[".repeat(100_000)],
  ["nesting deeper than any definition", `{"a":${"[".repeat(200)}${"]".repeat(200)}}`],
];

test("invalid JSON is refused with the position of the error", async () => {
  const { key } = (await post(api())).json;
  for (const [what, body] of MALFORMED) {
    for (const answer of [await post(body), await put(key, body)]) {
      assertError(answer, 400, "Request malformed", what);
      const [issue] = answer.json.issues;
      assert.equal(issue.severity, "error", what);
      assert.ok(issue.line >= 1 && issue.column >= 1 && issue.message, JSON.stringify(issue));
    }
  }
  assertError(await post(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])), 400, "Request malformed", "no UTF-8");
  // A missing API is noticed before the body is read.
  assert.equal((await put("nobody-has-this", "x")).status, 404);
});

test("a duplicate member is refused, because parsers could disagree about its value", async () => {
  const text = JSON.stringify(api()).replace("{", '{"active":true,"active":false,');
  const answer = await post(text);
  assert.equal(answer.status, 400);
  assert.ok(answer.json.issues.some((issue) => issue.code === "duplicate_member" && issue.pointer === "/active"), answer.text);
});

const INVALID = [
  ["an empty object", {}, ["", "/name", "/proxy"]],
  ["an array", [], [""]],
  ["null", "null", [""]],
  ["a string", '"x"', [""]],
  ["an empty name", api({ name: "" }), ["/name"]],
  ["a name that is a number", api({ name: 1 }), ["/name"]],
  ["a flag that is a string", api({ active: "yes" }), ["/active"]],
  ["an id that is a number", api({ api_id: 5 }), ["/api_id"]],
  ["tags that are not a list", api({ tags: "a" }), ["/tags"]],
  ["no listen path", api({}, { listen_path: undefined }), ["/proxy/listen_path"]],
  ["an empty listen path", api({}, { listen_path: "" }), ["/proxy/listen_path"]],
  ["a listen path with a space", api({}, { listen_path: "/a b/" }), ["/proxy/listen_path"]],
  ["a listen path with encoded dot segments", api({}, { listen_path: "/a/%2e%2e/b" }), ["/proxy/listen_path"]],
  ["a listen path with half a template", api({}, { listen_path: "/a{b" }), ["/proxy/listen_path"]],
  ["a listen path with a query", api({}, { listen_path: "/a?b" }), ["/proxy/listen_path"]],
  ["a listen path with NUL", api({}, { listen_path: "/a\u0000" }), ["/proxy/listen_path"]],
  ["no target", api({}, { target_url: undefined }), ["/proxy/target_url"]],
  ["a target that is not a URL", api({}, { target_url: "upstream" }), ["/proxy/target_url"]],
  ["two mistakes", api({ name: 1, active: 2 }), ["/name", "/active"]],
];

test("an invalid definition is refused with its first problem as the message, and all issues", async () => {
  for (const [what, body, pointers] of INVALID) {
    const answer = await post(body);
    assert.equal(answer.status, 400, `${what}: ${answer.text}`);
    const errors = answer.json.issues.filter((issue) => issue.severity === "error");
    const isType = errors.some((issue) => issue.code === "type");
    assert.equal(answer.json.message, isType ? "Request malformed" : `Validation of API Definition failed. Reason: ${errors[0].message}.`, what);
    const found = errors.map((issue) => issue.pointer);
    // For a missing member, the position may be its own or its parent's.
    for (const pointer of pointers.filter(Boolean)) assert.ok(found.includes(pointer), `${what}: ${found}`);
    for (const issue of errors) assert.ok(issue.code && issue.message && issue.line >= 1, what);
  }
});

test("a refused definition stores nothing", async () => {
  const definition = api();
  await post(definition);
  assert.equal((await put(definition.api_id, { ...definition, name: 1 })).status, 400);
  assert.equal((await post({ ...definition, name: 1 })).status, 400);
  const answer = await get(definition.api_id);
  assert.equal(answer.headers.etag, '"1"');
  assert.equal(answer.text, JSON.stringify(definition));
});

test("an unknown member causes a warning and doesn't prevent storing", async () => {
  const definition = api({ use_keyles: true });
  const answer = await post(definition);
  assert.equal(answer.status, 200);
  const issue = answer.json.issues.find(({ pointer }) => pointer === "/use_keyles");
  assert.equal(issue?.severity, "warning", answer.text);
  assert.equal((await get(definition.api_id)).json.use_keyles, true);
});

/** Returns a definition of exactly this many bytes. */
function ofSize(bytes, definition = api({ config_data: { filler: "" } })) {
  const empty = JSON.stringify(definition);
  return empty.replace('"filler":""', `"filler":"${"x".repeat(bytes - empty.length)}"`);
}

test("a definition may be exactly 1 MiB", async () => {
  const largest = ofSize(1024 * 1024);
  const stored = await post(largest);
  assert.equal(stored.status, 200, stored.text);
  assert.equal((await get(stored.json.key)).text, largest);
  assertError(await post(ofSize(1024 * 1024 + 1)), 413, "The body is larger than the 1048576 bytes allowed here");
  assertError(await put(stored.json.key, ofSize(1024 * 1024 + 1)), 413, "The body is larger than the 1048576 bytes allowed here");
});

test("the limit also applies without a Content-Length, and the rest of the body is not read", async () => {
  const chunked = { headers: { "Transfer-Encoding": "chunked" } };
  assert.equal((await post(ofSize(1024 * 1024), chunked)).status, 200);
  assert.equal((await post(ofSize(1024 * 1024 + 1), chunked)).status, 413);

  // An endless body may be answered or cut off, but must not be read for ever.
  const headers = { "X-Gateway-Authorization": gateway.secret };
  const spaces = Buffer.alloc(64 * 1024, " ");
  const outcome = await open(gateway.ports.gateway, { method: "POST", path: "/gateway/apis", headers }, (request) => {
    const more = () => {
      while (!request.destroyed && request.write(spaces));
      if (!request.destroyed) request.once("drain", more);
    };
    more();
  }).catch((error) => error);
  if (outcome instanceof Error) assert.match(outcome.code, /EPIPE|ECONNRESET/);
  else assert.equal(outcome.response.statusCode, 413);
  outcome.response?.on("error", () => {});
  outcome.request?.destroy();
});

test("a definition without an id gets a random one, and no other byte changes", async () => {
  const seen = new Set();
  for (const [member, value] of [["", ""], ['"api_id":"", ', '""'], ['"api_id": null,', "null"]]) {
    const text = `\n{ ${member}"name" : "no id",\t"use_keyless":true, "proxy":{"target_url":"http://127.0.0.1:9","listen_path":"/no-id-${seen.size}/"}, "n":1.0 }\n`;
    const answer = await post(text);
    assert.equal(answer.status, 200, answer.text);
    const { key } = answer.json;
    assert.match(key, /^[0-9a-f]{32}$/);
    assert.ok(!seen.has(key));
    seen.add(key);
    const stored = (await get(key)).text;
    assert.equal(JSON.parse(stored).api_id, key);
    if (member) assert.equal(stored, text.replace(member, member.replace(value, `"${key}"`)));
    else assertInsertion(text, stored);
  }
});

/** Asserts that `longer` is `text` with something inserted at one offset. */
function assertInsertion(text, longer) {
  let at = 0;
  while (text[at] === longer[at]) at += 1;
  assert.ok(longer.endsWith(text.slice(at)), longer);
}

test("the full list has every stored document as it was sent", async () => {
  const definition = api({ number: 1.5 });
  const text = JSON.stringify(definition, null, "\t").replace("1.5", "1.50");
  assert.equal((await post(text)).status, 200);
  const list = await gateway.admin("GET", "/gateway/apis");
  assert.equal(list.status, 200);
  assert.ok(list.text.includes(text));
  assert.ok(Array.isArray(list.json));
  await remove(definition.api_id);
  const after = await gateway.admin("GET", "/gateway/apis");
  assert.ok(!after.json.some((api) => api.api_id === definition.api_id));
});
