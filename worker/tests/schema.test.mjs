// The JSON Schemas as served, checked against the shared cases with an independent validator (ajv): what the schema of
// a kind of document accepts, the gateway accepts as far as a schema can express it. It can't express rules between
// members, texts with a grammar beyond patterns, and texts that aren't JSON.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import { CASES, rootOf } from "./cases.mjs";
import { start } from "./harness.mjs";
import { send } from "./http.mjs";

const Ajv = createRequire(import.meta.url)("ajv/dist/2020.js").default;

// Annotations of this project (crates/model/src/schema.rs). Every other unknown keyword is an error.
const ANNOTATIONS = ["support", "reason", "format", "expected", "range", "names", "types", "protects", "unless", "needs", "secret"];

let gateway;
before(async () => (gateway = await start()));
after(() => gateway.stop());

const get = (path, headers) => send(gateway.ports.gateway, { path, headers });

/** Returns the validator of every schema that is served, by its kind. */
async function validators() {
  const { paths } = (await get("/openapi/gateway.json")).json;
  const [parameter] = paths["/openapi/schemas/{root}.json"].get.parameters;
  const served = parameter.schema.enum.map(async (root) => {
    const ajv = new Ajv({ strict: true, allowUnionTypes: true, validateFormats: false });
    for (const word of ANNOTATIONS) ajv.addKeyword(`x-gatewright-${word}`);
    return [root, ajv.compile((await get(`/openapi/schemas/${root}.json`)).json)];
  });
  return Object.fromEntries(await Promise.all(served));
}

/** Parses a case's input with JavaScript; undefined if that would change it. */
function read(text) {
  try {
    const value = JSON.parse(text, (_, part) => {
      if (part === Infinity || part === -Infinity) throw new RangeError("beyond a double");
      return part;
    });
    return { value };
  } catch {
    return undefined;
  }
}

/** True if the schema has to refuse, false if it has to accept, undefined if it can't decide. */
function verdict({ name, expect }) {
  const errors = expect.issues.filter(({ severity }) => severity === "error");
  // The content of a text is beyond a schema.
  const seen = errors.filter(({ pointer, message }) => pointer !== "/definition" || !message.startsWith("line "));
  if (errors.length > 0 && seen.length === 0) return undefined;
  const codes = seen.map(({ code }) => code);
  if (codes.length === 0) return false;
  if (codes.includes("type")) return true;
  // There, one member at a time is wrong by itself; elsewhere these codes may result from a rule.
  const own = ["enum", "range", "required"].some((code) => codes.includes(code));
  return (name.startsWith("members.json") && own) || undefined;
}

test("the schemas refuse exactly what the gateway refuses", async () => {
  const schemas = await validators();
  const counts = { accepted: 0, refused: 0, open: 0 };
  for (const one of CASES.filter(({ run, root }) => run === "validate" || (run === "check" && root in schemas))) {
    const input = read(one.input);
    if (!input) continue;
    const validate = schemas[rootOf(one)];
    const refused = !validate(input.value);
    const wanted = verdict(one);
    const explained = `${one.name}: ${JSON.stringify(validate.errors)} ${JSON.stringify(one.expect)}`;
    if (wanted === undefined) counts.open += 1;
    else assert.equal(refused, wanted, explained);
    counts[refused ? "refused" : "accepted"] += 1;
  }
  assert.ok(counts.accepted > 1000 && counts.refused > 780, JSON.stringify(counts));
  assert.ok(counts.open < 160, JSON.stringify(counts));
});

test("GET /gateway/schema wraps the schema of OpenAPI documents with the extension", async () => {
  const extension = { info: { name: "a", state: { active: true } }, upstream: { url: "http://a" }, server: { listenPath: { value: "/a" } } };
  const document = (openapi, more) => ({ openapi, info: { title: "t", version: "1" }, paths: {}, "x-gateway-api-gateway": extension, ...more });
  for (const [query, right, wrong] of [[undefined, "3.0.3", "3.1.0"], [{ oasVersion: "3.0" }, "3.0.0", "3.1.0"], [{ oasVersion: "3.1" }, "3.1.0", "3.0.3"]]) {
    const answer = await gateway.admin("GET", "/gateway/schema", { query });
    assert.equal(answer.status, 200);
    const { status, message, schema } = answer.json;
    assert.deepEqual({ status, message }, { status: "Success", message: "" });
    const validate = new Ajv({ strict: false, validateFormats: false }).compile(schema);
    assert.ok(validate(document(right)), JSON.stringify(validate.errors));
    for (const refused of [document(wrong), document(right, { paths: [] }), document(right, { nope: 1 }), document(right, { "x-gateway-api-gateway": {} }), {}, []]) assert.ok(!validate(refused), JSON.stringify(refused));
  }
  const answer = await gateway.admin("GET", "/gateway/schema", { query: { oasVersion: "4" } });
  assert.equal(answer.status, 404);
  const { status, message } = answer.json;
  assert.deepEqual({ status, message }, { status: "Failed", message: 'Schema not found for version "4"' });
  assert.equal((await get("/gateway/schema")).status, 403);
});

test("the schemas need no secret, on either origin, and support conditional requests", async () => {
  for (const port of [gateway.ports.gateway, gateway.ports.console]) {
    const first = await send(port, { path: "/openapi/schemas/session.json" });
    assert.equal(first.status, 200);
    assert.equal(first.headers["content-type"], "application/schema+json");
    assert.equal(first.headers["cache-control"], "no-cache");
    const again = await send(port, { path: "/openapi/schemas/session.json", headers: { "If-None-Match": first.headers.etag } });
    assert.deepEqual([again.status, again.text, again.headers.etag], [304, "", first.headers.etag]);
  }
  const missing = await get("/openapi/schemas/mystery.json");
  assert.equal(missing.status, 404);
  assert.match(missing.json.message, /there are api_definition, session, /);
});

test("an OpenAPI document has no external references", async () => {
  for (const name of ["gateway", "dashboard"]) {
    const { text, json } = await get(`/openapi/${name}.json`);
    const references = [...text.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference);
    assert.ok(references.length > 20);
    for (const reference of references) {
      const [, schema] = reference.match(/^#\/components\/schemas\/(\w+)$/) ?? [];
      assert.ok(schema in json.components.schemas, reference);
    }
  }
});
