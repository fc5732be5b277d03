// Filters and templates that can't be parsed, through workerd: a write reports what the modules that run them report
// (`extras/jq`, `extras/transform`), and so does a debugged request.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { listen } from "./upstream.mjs";

let gateway;
let upstream;
before(async () => {
  [gateway, upstream] = await Promise.all([start(), listen()]);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

const OF = "/version_data/versions/Default/extended_paths";
/** Returns a definition with these lists of rules. */
const ruled = (extended_paths) =>
  api(
    { version_data: { not_versioned: true, versions: { Default: { name: "Default", use_extended_paths: true, extended_paths } } } },
    { target_url: upstream.url },
  );
const jq = (filter, more) => ({ path: "/echo", method: "POST", filter, ...more });
const blob = (text, more) => ({ path: "/echo", method: "POST", template_data: { template_mode: "blob", template_source: Buffer.from(text).toString("base64"), input_type: "json" }, ...more });
const rest = "; mend it, or the rule leaves bodies as they are";

const LISTS = {
  transform_jq: [jq("{body: .body}"), jq("{body: (.body | frob)}"), jq("{body:", { disabled: true })],
  transform_jq_response: [jq("{body: (.body + }")],
  transform: [blob("{{ .a }}"), blob("a\n{{ frob .a }}")],
  transform_response: [blob("x{{ $y }}")],
};
const EXPECTED = {
  [`${OF}/transform_jq/1/filter`]: /^the filter is wrong in line 1, column 17: the filter frob is not known; /,
  [`${OF}/transform_jq_response/0/filter`]: /^the filter is wrong in line 1, column 17: .* was expected; /,
  [`${OF}/transform/1/template_data/template_source`]: /^the template is wrong in line 2, column \d+: .*"frob"/,
  [`${OF}/transform_response/0/template_data/template_source`]: /^the template is wrong in line 1, column \d+: /,
};

test("a write reports filters and templates that can't be parsed", async () => {
  const definition = ruled(LISTS);
  const path = `/gateway/apis/${definition.api_id}`;
  for (const [method, target, query] of [
    ["POST", "/gateway/apis", { dry_run: "true" }],
    ["POST", "/gateway/apis", {}],
    ["PUT", path, {}],
  ]) {
    const { status, json, text } = await gateway.admin(method, target, { body: definition, query });
    assert.equal(status, 200, text);
    const found = (json.issues ?? []).filter(({ message }) => message.endsWith(rest));
    assert.deepEqual(found.map(({ pointer }) => pointer).sort(), Object.keys(EXPECTED).sort());
    for (const { pointer, message, severity, code, line } of found) {
      assert.match(message, EXPECTED[pointer]);
      assert.deepEqual([severity, code, line], ["warning", "format", 1]);
    }
  }
});

test("writing an OpenAPI document reports invalid templates and whatever prevents it from being served", async () => {
  const body = (text) => ({ enabled: true, format: "json", body: Buffer.from(text).toString("base64") });
  const rules = { transformRequestBody: body("{{ .a }}"), transformResponseBody: body("a\n{{ frob .a }}"), scopeCheck: { enabled: true } };
  const document = {
    openapi: "3.0.3", info: { title: "templates", version: "1" }, paths: { "/echo": { post: { operationId: "echo", responses: { 200: { description: "ok" } } } } },
    "x-gateway-api-gateway": {
      info: { name: "templates", state: { active: true } }, upstream: { url: upstream.url },
      server: { listenPath: { value: "/templates-of-a-document/", strip: true } }, middleware: { operations: { echo: rules } },
    },
  };
  const { status, json, text } = await gateway.admin("POST", "/gateway/apis/oas", { body: document });
  assert.equal(status, 200, text);
  const of = "/x-gateway-api-gateway/middleware/operations/echo";
  const messages = Object.fromEntries(json.issues.map(({ pointer, message }) => [pointer, message]));
  assert.deepEqual(Object.keys(messages).sort(), [`${of}/scopeCheck`, `${of}/transformResponseBody/body`]);
  assert.match(messages[`${of}/transformResponseBody/body`], /^the template is wrong in line 2, column \d+: .*"frob"/);
});

test("valid filters and templates are stored without a warning", async () => {
  const definition = ruled({ transform_jq: [jq("{body: .body}")], transform: [blob("{{ .a }}")], transform_response: [] });
  const { status, json } = await gateway.admin("POST", "/gateway/apis", { body: definition });
  assert.deepEqual([status, json.issues], [200, undefined]);
});

test("a debugged request reports which filter can't be parsed, and why", async () => {
  const definition = ruled({ transform_jq: [jq("{body: (.body | frob)}")] });
  const request = { method: "POST", path: "/echo", body: "{}" };
  const sent = await gateway.admin("POST", "/gateway/debug", { body: { spec: definition, request } });
  await publish(gateway, definition);
  const loaded = await gateway.admin("POST", "/gateway/debug", { body: { api_id: definition.api_id, request } });
  for (const { status, json, text } of [sent, loaded]) {
    assert.equal(status, 200, text);
    const { detail } = json.trace.findLast(({ name }) => name === "transform_jq");
    assert.match(detail, /Rule 1: the filter frob is not known, the body stays/);
  }
});
