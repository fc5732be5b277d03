// OpenAPI documents in YAML (RFC 9512): sent, returned, and stored as sent. Responses are also parsed with another YAML
// library.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { parse } from "yaml";
import { start } from "./harness.mjs";
import { send } from "./http.mjs";
import { listen } from "./upstream.mjs";

const YAML = { "Content-Type": "application/yaml" };
const ACCEPT = { Accept: "application/yaml" };

let gateway;
let upstream;
before(async () => {
  gateway = await start();
  upstream = await listen({});
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

const named = (id) => `# The pets of ${id}
openapi: 3.0.3
info:
  title: Pets
  version: "1.0"   # text
servers:
  # ours
  - url: ${upstream.url}
x-build: 9007199254740993
x-rate: 1.50
paths:
  /pets:   # all of them
    get:
      operationId: listPets
      parameters:
        - {name: limit, in: query, schema: {type: integer, maximum: 5}}
      responses:
        200: {description: "no"}
        default: {description: no}
x-gateway-api-gateway:
  info:
    name: ${id} # its name
    id: ${id}
    state: {active: true}
  upstream: {url: "${upstream.url}"}
  server:
    listenPath: {value: /${id}/, strip: true}
  middleware:
    operations:
      listPets: {validateRequest: {enabled: true}}
`;

const path = (id) => `/gateway/apis/oas/${id}`;
const create = (body) => gateway.admin("POST", "/gateway/apis/oas", { body, headers: YAML });

test("a YAML document is stored with the gateway's additions, and served", async () => {
  const sent = named("kept");
  const created = await create(sent);
  assert.equal(created.status, 200, created.text);
  // Both notations of the same text are equal to it.
  assert.deepEqual(created.json.issues.map(({ severity, pointer, line }) => [severity, pointer, line]), [["info", "/paths/~1pets/get/responses/default/description", 19]]);
  const shown = await gateway.admin("GET", path("kept"), { headers: ACCEPT });
  assert.equal(shown.headers["content-type"], "application/yaml");
  assert.equal(shown.headers.vary, "Accept");
  const servers = `servers:\n  - url: ${gateway.gateway}/kept\n  - url: /kept\n  # ours\n`;
  assert.equal(shown.text, `${sent.replace("servers:\n  # ours\n", servers)}components: {}\n`);

  const json = await gateway.admin("GET", path("kept"));
  assert.equal(json.headers["content-type"], "application/json");
  assert.equal(json.headers.vary, "Accept");
  assert.deepEqual(parse(shown.text, { intAsBigInt: false }), { ...json.json, "x-build": 9007199254740992 });
  // Numbers keep their digits, and members their order.
  assert.match(json.text, /"x-build":\s*9007199254740993,\s*"x-rate":\s*1\.50,/);
  assert.deepEqual(Object.keys(json.json), ["openapi", "info", "servers", "x-build", "x-rate", "paths", "x-gateway-api-gateway", "components"]);

  await gateway.admin("GET", "/gateway/reload", { query: { block: "true" } });
  const served = await send(gateway.ports.gateway, { path: "/kept/pets?limit=3" });
  assert.equal(served.json.url, "/pets?limit=3");
  assert.equal((await send(gateway.ports.gateway, { path: "/kept/pets?limit=9" })).status, 422);
  // What is published doesn't contain the document.
  const classic = await gateway.admin("GET", "/gateway/apis/kept");
  assert.ok(!classic.text.includes("The pets of kept"));
});

test("sending back what was read changes nothing", async () => {
  await create(named("again"));
  const shown = await gateway.admin("GET", path("again"), { headers: ACCEPT });
  const answer = await gateway.admin("PUT", path("again"), { body: shown.bytes, headers: { ...YAML, "If-Match": shown.headers.etag } });
  assert.equal(answer.status, 200, answer.text);
  assert.ok((await gateway.admin("GET", path("again"), { headers: ACCEPT })).bytes.equals(shown.bytes));
});

test("Accept selects the format, and each has its own ETag", async () => {
  await create(named("asked"));
  const read = (accept, headers = {}) => gateway.admin("GET", path("asked"), { headers: { Accept: accept, ...headers } });
  const type = async (accept) => (await read(accept)).headers["content-type"];
  for (const accept of ["application/yaml", "text/yaml", "application/x-yaml", "text/x-yaml"]) assert.equal(await type(accept), accept);
  for (const accept of ["*/*", "application/*", "application/json, application/yaml", "application/yaml;q=0.1, */*", "text/html"]) {
    assert.equal(await type(accept), "application/json", accept);
  }
  assert.equal(await type("application/json;q=0.5, application/yaml;q=0.9"), "application/yaml");

  const [yaml, json] = [await read("application/yaml"), await read("application/json")];
  assert.notEqual(yaml.headers.etag, json.headers.etag);
  const known = await read("application/yaml", { "If-None-Match": yaml.headers.etag });
  assert.deepEqual([known.status, known.text, known.headers.vary, known.headers.etag], [304, "", "Accept", yaml.headers.etag]);
  assert.equal((await read("application/yaml", { "If-None-Match": json.headers.etag })).status, 200);
  // Either one is valid as the condition of a write.
  const put = (tag) => gateway.admin("PUT", path("asked"), { body: named("asked"), headers: { ...YAML, "If-Match": tag } });
  assert.equal((await put('"999-yaml"')).status, 412);
  assert.equal((await put(yaml.headers.etag)).status, 200);
});

test("a JSON document can be returned as YAML, and a YAML document stays YAML when replaced by JSON", async () => {
  await create(named("both"));
  const { json } = await gateway.admin("GET", path("both"));
  json.info.title = "Animals";
  const put = await gateway.admin("PUT", path("both"), { body: json });
  assert.equal(put.status, 200, put.text);
  const shown = await gateway.admin("GET", path("both"), { headers: ACCEPT });
  assert.ok(shown.text.startsWith("# The pets of both\nopenapi: 3.0.3\ninfo:\n  title: Animals\n  version: \"1.0\"   # text\n"), shown.text);

  json["x-gateway-api-gateway"].info.id = "plain";
  json["x-gateway-api-gateway"].server.listenPath.value = "/plain/";
  assert.equal((await gateway.admin("POST", "/gateway/apis/oas", { body: json })).status, 200);
  const plain = await gateway.admin("GET", path("plain"), { headers: ACCEPT });
  assert.equal(plain.headers["content-type"], "application/yaml");
  assert.deepEqual(parse(plain.text), (await gateway.admin("GET", path("plain"))).json);
});

test("a PATCH keeps the extension with its comments, and an import adds one", async () => {
  await create(named("patched"));
  const body = `# New\nopenapi: 3.0.3\ninfo: {title: New, version: '2'}\npaths: {} # none\n`;
  const patched = await gateway.admin("PATCH", path("patched"), { body, headers: YAML });
  assert.equal(patched.status, 200, patched.text);
  const shown = await gateway.admin("GET", path("patched"), { headers: ACCEPT });
  for (const line of ["# New", "paths: {} # none", "    name: patched # its name"]) assert.ok(shown.text.split("\n").includes(line), shown.text);

  const plain = named("imported").replace(/x-gateway-api-gateway:[^]*/, "");
  const answer = await gateway.admin("POST", "/gateway/apis/oas/import", { body: plain, headers: YAML, query: { apiID: "imported", listenPath: "/imported/", allowList: "true" } });
  assert.equal(answer.status, 200, answer.text);
  const imported = await gateway.admin("GET", path("imported"), { headers: ACCEPT });
  assert.match(imported.text, /\n {2}\/pets: {3}# all of them\n[^]*\nx-gateway-api-gateway:\n {2}info:\n/);
  const refused = await gateway.admin("POST", "/gateway/apis/oas/import", { body: named("refused"), headers: YAML });
  assert.deepEqual([refused.status, refused.json.message], [400, "the import payload should not contain x-gateway-api-gateway"]);
});

test("exports, revisions and MCP proxies support both formats", async () => {
  await create(named("files"));
  const shown = await gateway.admin("GET", path("files"), { headers: ACCEPT });
  const file = await gateway.admin("GET", `${path("files")}/export`, { headers: ACCEPT });
  assert.equal(file.headers["content-disposition"], 'attachment;filename="OasApiDef-files.yaml"');
  assert.equal(file.text, shown.text);
  const open = await gateway.admin("GET", `${path("files")}/export`, { headers: ACCEPT, query: { mode: "public" } });
  assert.equal(open.headers["content-disposition"], 'attachment;filename="oas-files.yaml"');
  assert.equal(open.text, shown.text.replace(/x-gateway-api-gateway:[^]*(?=components:)/, ""));
  const json = await gateway.admin("GET", `${path("files")}/export`);
  assert.deepEqual([json.headers["content-type"], json.headers["content-disposition"]], ["application/octet-stream", 'attachment;filename="OasApiDef-files.json"']);
  const all = await gateway.admin("GET", "/gateway/apis/oas/export", { headers: ACCEPT });
  assert.deepEqual(parse(all.text), (await gateway.admin("GET", "/gateway/apis/oas/export")).json);
  const revision = await gateway.admin("GET", `/gateway/apis/files/revisions/${shown.headers.etag.match(/\d+/)[0]}`, { headers: ACCEPT });
  assert.equal(revision.text, shown.text);

  const proxy = named("tools").replace(/paths:[^]*(?=x-gateway)/, "paths: {}\n").replace(/ {2}middleware:[^]*/, "");
  const dry = await gateway.admin("POST", "/gateway/mcps", { body: proxy, headers: { ...YAML, ...ACCEPT }, query: { dryRun: "true" } });
  assert.equal(dry.status, 200, dry.text);
  assert.ok(dry.text.startsWith("# The pets of tools\n"), dry.text);
  assert.equal((await gateway.admin("GET", "/gateway/mcps/tools")).status, 404);
  assert.equal((await gateway.admin("POST", "/gateway/mcps", { body: proxy, headers: YAML })).status, 200);
  assert.equal((await gateway.admin("GET", "/gateway/mcps/tools", { headers: ACCEPT })).text, dry.text);
  assert.equal((await gateway.admin("PUT", "/gateway/mcps/tools", { body: dry.text, headers: YAML })).status, 200);
});

test("versions are written into the text of their base", async () => {
  await create(named("base"));
  const query = { base_api_id: "base", base_api_version_name: "v1", new_version_name: "v2" };
  const child = await gateway.admin("POST", "/gateway/apis/oas", { body: named("child"), headers: YAML, query });
  assert.equal(child.status, 200, child.text);
  const shown = await gateway.admin("GET", path("base"), { headers: ACCEPT });
  assert.match(shown.text, /\n {4}name: base # its name\n/);
  assert.deepEqual(parse(shown.text)["x-gateway-api-gateway"].info.versioning.versions, [{ name: "v2", id: "child" }]);
});

test("a refusal says where the problem is, and changes nothing", async () => {
  await create(named("safe"));
  const before = await gateway.admin("GET", path("safe"), { headers: ACCEPT });
  const bomb = ["a: &a [x, x, x, x, x, x, x, x, x]", ..."bcdefghijk"].map((name, at) => (at ? `${name}: &${name} [${`*${"abcdefghijk"[at - 1]}, `.repeat(9)}]` : name)).join("\n");
  for (const [body, code, place, remedy] of [
    [before.text.replace("info:\n", "info:\n\t"), "syntax", [4, 4], /tabs/],
    [`${before.text}\n---\na: 1\n`, "syntax", undefined, /one at a time/],
    [before.text.replace("x-rate: 1.50", "x-build: 1"), "duplicate_member", [12, 1], /first at line 11/],
    [before.text.replace("1.50", "0150"), "syntax", [12, 9], /quotes/],
    [before.text.replace("1.50", "!!binary aGk="), "syntax", undefined, /!!binary/],
    [bomb, "too_large", undefined, /aliases/],
    ["[".repeat(100_000), "too_deep", undefined, /128/],
    [Buffer.from([0x61, 0x3a, 0x0a, 0x20, 0xff]), "syntax", [2, 2], /UTF-8/],
  ]) {
    const answer = await gateway.admin("PUT", path("safe"), { body, headers: YAML });
    assert.deepEqual([answer.status, answer.json.message], [400, "request malformed"], answer.text);
    const [issue] = answer.json.issues;
    assert.equal(issue.code, code, answer.text);
    if (place) assert.deepEqual([issue.line, issue.column], place, answer.text);
    assert.match(issue.message, remedy);
  }
  const wrong = await gateway.admin("PUT", path("safe"), { body: before.text.replace("title: Pets", "title: 7"), headers: YAML });
  assert.equal(wrong.status, 400);
  assert.deepEqual([wrong.json.issues[0].pointer, wrong.json.issues[0].line, wrong.json.issues[0].column], ["/info/title", 4, 10]);
  const forgotten = await gateway.admin("PUT", path("safe"), { body: before.text });
  assert.match(forgotten.json.issues[0].message, /Content-Type: application\/yaml/);
  assert.equal((await gateway.admin("GET", path("safe"), { headers: ACCEPT })).text, before.text);
});

test("other formats are not accepted", async () => {
  for (const type of ["application/xml", "multipart/form-data; boundary=x", "application/yaml; charset=utf-16"]) {
    for (const [method, at] of [["POST", "/gateway/apis/oas"], ["POST", "/gateway/apis/oas/import"], ["PUT", path("safe")], ["PATCH", path("safe")], ["POST", "/gateway/mcps"], ["PUT", "/gateway/mcps/tools"]]) {
      const answer = await gateway.admin(method, at, { body: "{}", headers: { "Content-Type": type } });
      assert.deepEqual([answer.status, answer.headers.accept], [415, "application/json, application/yaml"], `${method} ${at} ${type}`);
    }
  }
  // curl sends this type by default.
  const answer = await gateway.admin("POST", "/gateway/apis/oas", { body: "[]", headers: { "Content-Type": "application/x-www-form-urlencoded" } });
  assert.equal(answer.status, 400);
});
