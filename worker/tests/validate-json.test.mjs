// Bodies that have to match a JSON Schema, on workerd (reference 3.14): alone, in a batch, debugged and behind a loop.
// And the cost of a trap in an extra module: the request loses its call, the next one nothing.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { extended } from "./enforced-stage.mjs";
import { start } from "./harness.mjs";
import { open, send } from "./http.mjs";
import { listen } from "./upstream.mjs";

const SCHEMA = {
  type: "object",
  required: ["name", "age"],
  properties: { name: { type: "string", minLength: 2 }, age: { type: "integer", minimum: 0 } },
};
const FITS = '{"name":"Ada","age":1}';
const MISSING = "(root): name is required; (root): age is required";

let gateway;
let upstream;
before(async () => {
  [gateway, upstream] = await Promise.all([start({ env: { MAX_REQUEST_BODY_SIZE: "8000000" } }), listen({})]);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

const row = (path, members) => ({ path: `/${path}`, method: "POST", schema: SCHEMA, ...members });
async function served(validate_json, members = {}) {
  const definition = api({ ...extended({ validate_json, ...members.lists }), ...members.more }, { target_url: upstream.url });
  await publish(gateway, definition);
  return definition;
}
const post = ({ proxy }, path, body, options) => send(gateway.ports.gateway, { method: "POST", path: proxy.listen_path + path, body, ...options });
/** Returns a response's status and the text of its error. */
const outcome = ({ status, json, text }) => [status, json?.error ?? text];

test("bodies are validated against their path's schema, whatever their content type", async () => {
  const definition = await served([row("people"), row("code", { error_response_code: 400 }), row("off", { disabled: true }), row("any", { schema: {} })]);
  const seen = upstream.seen.length;
  assert.deepEqual(outcome(await post(definition, "people", "{}")), [422, MISSING]);
  assert.deepEqual(outcome(await post(definition, "people", '{"name":"A","age":1.5}', { headers: { "Content-Type": "text/plain" } })), [
    422,
    "name: String length must be greater than or equal to 2; age: Invalid type. Expected: integer, given: number",
  ]);
  assert.deepEqual(outcome(await post(definition, "code", "{}")), [400, MISSING]);
  const xml = await post(definition, "people", '{"name":"Ada","age":-1}', { headers: { "Content-Type": "application/xml" } });
  assert.equal(xml.status, 422);
  assert.match(xml.text, /<error>age: Must be greater than or equal to 0<\/error>/);
  assert.equal(upstream.seen.length, seen);
  for (const [path, body] of [["people", FITS], ["off", "no json"], ["any", "[]"], ["else", ""]]) {
    assert.equal((await post(definition, path, body)).status, 200, path);
  }
  const passed = await post(definition, "people", FITS);
  assert.equal(passed.json.body, FITS);
  assert.equal((await post(definition, "people", "{}", { method: "PUT" })).status, 200);
});

test("invalid JSON is a 400", async () => {
  const definition = await served([row("people", { error_response_code: 409 }), row("get", { method: "GET" })]);
  assert.deepEqual(outcome(await post(definition, "people", "")), [400, "JSON parsing error: EOF"]);
  assert.deepEqual(outcome(await post(definition, "people", '{"name":')), [400, "JSON parsing error: unexpected EOF"]);
  const [status, why] = outcome(await post(definition, "people", "no json"));
  assert.equal(status, 400);
  assert.match(why, /^JSON parsing error: .+/);
  const get = await send(gateway.ports.gateway, { path: `${definition.proxy.listen_path}get` });
  assert.deepEqual(outcome(get), [400, "JSON parsing error: EOF"]);
});

test("a GET keeps its body", async () => {
  const definition = await served([row("get", { method: "GET" })]);
  const passed = await post(definition, "get", FITS, { method: "GET" });
  assert.deepEqual([passed.status, passed.json.method, passed.json.body], [200, "GET", FITS]);
});

test("a chunked body is read too", async () => {
  const { proxy } = await served([row("people")]);
  const head = { method: "POST", path: `${proxy.listen_path}people` };
  const chunked = async (parts) => {
    const { response } = await open(gateway.ports.gateway, head, (request) => {
      for (const part of parts) request.write(part);
      request.end();
    });
    response.resume();
    return response.statusCode;
  };
  assert.deepEqual([await chunked(['{"name":', '"Ada","age":1}']), await chunked(['{"name":', '"A"}'])], [200, 422]);
});

test("a Base64 schema applies if there is no other, and without any every body is refused", async () => {
  const schema_b64 = btoa(JSON.stringify(SCHEMA));
  const definition = await served([row("coded", { schema: undefined, schema_b64 }), row("none", { schema: undefined }), row("both", { schema: { type: "array" }, schema_b64 })]);
  assert.deepEqual(outcome(await post(definition, "coded", "{}")), [422, MISSING]);
  assert.equal((await post(definition, "coded", FITS)).status, 200);
  assert.deepEqual(outcome(await post(definition, "none", FITS)), [500, "no schemas to validate against"]);
  assert.equal((await post(definition, "both", "[]")).status, 200);
});

test("an unusable schema is refused when it is written", async () => {
  const wrong = row("people", { schema: { properties: { a: { $ref: "https://example.com/a.json" } } } });
  const answer = await gateway.admin("POST", "/gateway/apis", { body: api(extended({ validate_json: [wrong] }), { target_url: upstream.url }) });
  assert.equal(answer.status, 400, answer.text);
  const [issue] = answer.json.issues.filter(({ severity }) => severity === "error");
  assert.equal(issue.pointer, "/version_data/versions/Default/extended_paths/validate_json/0/schema/properties/a/$ref");
  assert.match(issue.message, /not fetched, put it into definitions/);
});

test("batch items, debugged requests and loops are validated too", async () => {
  const definition = await served([row("people")], {
    lists: { url_rewrites: [{ path: "/loop", method: "POST", match_pattern: "loop", rewrite_to: "gateway://self/people" }] },
    more: { enable_batch_request_support: true },
  });
  const items = [FITS, "{}"].map((body) => ({ method: "POST", body, relative_url: "people" }));
  const batch = await post(definition, "gateway/batch/", JSON.stringify({ requests: items, suppress_parallel_execution: true }));
  assert.deepEqual(batch.json.map(({ code }) => code), [200, 422]);
  assert.equal(JSON.parse(batch.json[1].body).error, MISSING);
  assert.deepEqual(outcome(await post(definition, "loop", "{}")), [422, MISSING]);
  const debug = await gateway.admin("POST", "/gateway/debug", { body: { api_id: definition.api_id, request: { method: "POST", path: "/people", body: "{}" } } });
  const step = debug.json.trace.findLast(({ name }) => name === "validate_json");
  assert.match(step.detail, /^Rule 1\. \(root\): name is required; \(root\): age is required$/);
});

test("error overrides can use the violations", async () => {
  const own = { match: { flag: "BIV" }, response: { status_code: 418, body: '{"n":{{.StatusCode}},"wrong":"{{.InvalidParams}}"}' } };
  const definition = await served([row("people")], { more: { error_overrides: { 422: [own] } } });
  const answer = await post(definition, "people", "{}");
  assert.deepEqual([answer.status, answer.json], [418, { n: 418, wrong: MISSING }]);
});

test("a trap fails only its request, and the next one gets a fresh instance", async () => {
  const transform_jq = [{ path: "/jq", method: "POST", filter: '{body: (.body + {own: 1})}' }];
  const definition = await served([row("people"), row("list", { schema: { type: "array" } })], { lists: { transform_jq } });
  // More values than the module's memory can hold.
  const huge = `[${"0,".repeat(3_500_000)}0]`;
  for (let round = 0; round < 2; round += 1) {
    assert.deepEqual(outcome(await post(definition, "list", huge)), [500, "the body could not be validated"]);
    assert.deepEqual(outcome(await post(definition, "people", "{}")), [422, MISSING]);
    assert.equal((await post(definition, "people", FITS)).status, 200);
    assert.equal((await post(definition, "jq", "{}")).json.body, '{"own":1}', "other extras still work");
  }
});

test("recursive and combinatorial schemas are limited", async () => {
  const $ref = "#";
  const ways = { items: { $ref }, anyOf: [{ minItems: 9, items: { $ref } }, { maxItems: 0 }, { minItems: 8, items: { $ref } }] };
  const definition = await served([row("endless", { schema: { anyOf: [{ $ref }, { $ref }] } }), row("ways", { schema: ways }), row("deep", { schema: { items: { allOf: [{ $ref }] } } })]);
  const deep = (levels) => "[".repeat(levels) + "]".repeat(levels);
  for (const [path, body] of [["endless", "1"], ["ways", deep(60)]]) {
    assert.deepEqual(outcome(await post(definition, path, body)), [422, "(root): the body asks for too much work, or is nested too deep"]);
  }
  assert.equal((await post(definition, "deep", deep(100))).status, 200);
});

test("too large a body is a 413", async () => {
  const { proxy } = await served([row("people")]);
  const head = { method: "POST", path: `${proxy.listen_path}people`, headers: { "Content-Length": "8000001" } };
  const { request, response } = await open(gateway.ports.gateway, head, (request) => request.write("{"));
  assert.equal(response.statusCode, 413);
  request.destroy();
});
