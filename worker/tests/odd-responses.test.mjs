// Responses of upstreams that are hard to handle: encodings that the runtime doesn't know, and statuses that it only passes
// on.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { gunzipSync, gzipSync } from "node:zlib";
import { api, publish } from "./definitions.mjs";
import { extended, version } from "./enforced-stage.mjs";
import { start } from "./harness.mjs";
import { send } from "./http.mjs";
import { DEFLATE, GZIP, listen } from "./upstream.mjs";

let gateway;
let upstream;
const routes = {
  "/encoded": (request, response) => response.writeHead(200, { "Content-Encoding": "gzip", "Content-Length": 3 }).end("abc"),
  "/status": (request, response, url) => response.writeHead(Number(url.searchParams.get("code")), { "X-RateLimit-Limit": url.searchParams.get("limit") ?? [] }).end("odd"),
  "/upper": (request, response) => response.writeHead(200, { "Content-Encoding": "GZIP" }).end(GZIP),
  "/identity": (request, response) => response.writeHead(200, { "Content-Encoding": "Identity" }).end('{"a":2}'),
  "/negotiated": (request, response) => {
    const encoding = /zstd|deflate|gzip/.exec(request.headers["accept-encoding"])?.[0] ?? "identity";
    const json = Buffer.from('{"a":3}');
    response.writeHead(200, { "Content-Encoding": encoding }).end(encoding === "gzip" ? gzipSync(json) : json);
  },
  "/untyped": (request, response) => response.writeHead(200).end('{"a":1}'),
};
before(async () => {
  [gateway, upstream] = await Promise.all([start(), listen(routes)]);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

const template_source = Buffer.from("[{{.a}}]").toString("base64");
const template = { path: "/", method: "GET", template_data: { template_mode: "blob", input_type: "json", template_source } };
const cached = { cache_options: { enable_cache: true, cache_timeout: 60, cache_all_safe_requests: true } };
const overridden = { error_overrides: { "5xx": [{ match: { message_pattern: "abc" }, response: { message: "never" } }] } };

/** Loads an API with these members in front of the upstream; returns what calls it. */
async function loaded(members) {
  const definition = api(members, { target_url: upstream.url });
  await publish(gateway, definition);
  return (rest, headers) => send(gateway.ports.gateway, { path: definition.proxy.listen_path + rest, headers });
}

const isError = ({ status, json }) => assert.deepEqual([status, json?.error], [500, "There was a problem proxying the request"]);

test("a body that a template can't decompress is replaced by an error", async () => {
  const templated = await loaded(extended({ transform_response: [template] }));
  isError(await templated("encoded"));
});

test("the result of a template gets no content type that neither upstream nor rule gave it", async () => {
  const templated = await loaded(extended({ transform_response: [template] }));
  const answer = await templated("untyped");
  assert.deepEqual([answer.status, answer.text, answer.headers["content-type"]], [200, "[1]", undefined]);
});

test("a template leaves a body alone that the runtime doesn't decode", async () => {
  const templated = await loaded(extended({ transform_response: [template] }));
  for (const headers of [{}, { "Accept-Encoding": "gzip, deflate" }]) {
    const [deflate, upper] = [await templated("deflate", headers), await templated("upper", headers)];
    assert.ok(deflate.bytes.equals(DEFLATE));
    assert.ok(upper.bytes.equals(GZIP));
    assert.deepEqual([deflate.headers["content-encoding"], upper.headers["content-encoding"]], ["deflate", "GZIP"]);
  }
  assert.equal((await templated("identity")).text, "[2]");
});

test("for a template the upstream is asked only for encodings that can be decoded", async () => {
  const templated = await loaded(extended({ transform_response: [template] }));
  const asked = () => upstream.seen.at(-1).headers["accept-encoding"];
  const content = ({ bytes, headers }) => (headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString();
  for (const [accepted, passed] of [
    ["zstd, deflate, gzip;q=0.5, br", "gzip;q=0.5, br"],
    ["gzip, br", "gzip, br"],
    ["zstd, *", "identity"],
    ["GZIP,identity;q=0", "GZIP,identity;q=0"],
  ]) {
    const answer = await templated("negotiated", { "Accept-Encoding": accepted });
    assert.deepEqual([content(answer), asked()], ["[3]", passed]);
  }
  await templated("negotiated");
  assert.equal(asked(), undefined);
});

test("an unknown status is passed on, or replaced by an error if the response has to be changed", async () => {
  const plain = await loaded({});
  const [templated, stored, ruled] = [await loaded(extended({ transform_response: [template] })), await loaded(cached), await loaded(overridden)];
  const marked = await loaded(version({ global_response_headers: { "X-Own": "1" } }));
  for (const code of [600, 999]) {
    for (const call of [plain, ruled]) {
      const { status, text } = await call(`status?code=${code}`);
      assert.deepEqual([status, text], [code, "odd"]);
    }
    for (const call of [templated, stored, marked]) isError(await call(`status?code=${code}`));
    isError(await plain(`status?code=${code}&limit=9`));
  }
});

test("a mock gets no content type if a rule removes it", async () => {
  const middleware = {
    global: { transformResponseHeaders: { enabled: true, remove: ["Content-Type"] } },
    operations: { mocked: { mockResponse: { enabled: true, code: 200, body: "plain" } } },
  };
  const extension = {
    info: { id: "untyped", name: "Untyped", state: { active: true } },
    server: { listenPath: { value: "/untyped/", strip: true } },
    upstream: { url: upstream.url },
    middleware,
  };
  const paths = { "/m": { get: { operationId: "mocked", responses: { 200: { description: "" } } } } };
  const body = { openapi: "3.0.3", info: { title: "Untyped", version: "1" }, paths, "x-gateway-api-gateway": extension };
  const stored = await gateway.admin("POST", "/gateway/apis/oas", { body });
  assert.equal(stored.status, 200, stored.text);
  await publish(gateway);
  const answer = await send(gateway.ports.gateway, { path: "/untyped/m" });
  assert.deepEqual([answer.status, answer.text, answer.headers["content-type"]], [200, "plain", undefined]);
});
