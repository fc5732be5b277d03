// The inputs that the playground passes to a rule, the same as the gateway's, tested without a browser.

import assert from "node:assert/strict";
import { test } from "node:test";
import { facts, firstBody, firstFacts, fromBase64, problems, shown, toBase64 } from "../editor/playground-rule.js";

const KNOWN = JSON.stringify({ context: { path: "/a b", url: "https://x/?y" }, meta: { plan: "gold", list: [1] }, answer: { status: 404, headers: { A: ["b"] } } });
const passed = (rule, source = "", text = KNOWN) => {
  const lines = facts({ context: true, meta: true, ...rule }, source, text).split("\n");
  const { now, ...rest } = JSON.parse(lines.at(-1));
  assert.ok(Math.abs(now - Date.now() / 1000) < 5);
  return { head: lines.length > 1 ? JSON.parse(lines[0]) : undefined, ...rest };
};

test("context and metadata the definition switches off are not passed", () => {
  const { context, meta } = JSON.parse(KNOWN);
  assert.deepEqual(passed({ kind: "transform" }), { head: undefined, context, meta });
  assert.deepEqual(passed({ kind: "transform", context: false, meta: false }), { head: undefined });
  assert.deepEqual(passed({ kind: "transform_jq" }), { head: undefined, context });
  assert.deepEqual(passed({ kind: "transform" }, "", " "), { head: undefined, context: {}, meta: {} });
});

test("rules for responses get the response's head on a line of its own", () => {
  const { context, meta, answer } = JSON.parse(KNOWN);
  assert.deepEqual(passed({ kind: "transform_jq_response" }), { head: answer, context });
  assert.deepEqual(passed({ kind: "transform_response" }, "", "{}"), { head: { status: 200, headers: {} }, context: {}, meta: {} });
  assert.equal(meta.plan, "gold");
});

test("template variables have their values, URL-escaped", () => {
  const source = "$gateway_context.path $tyk_meta.plan. $gateway_context.url $gateway_meta.list $gateway_meta.none $other";
  const { variables } = passed({ kind: "transform" }, source);
  assert.deepEqual(variables, {
    "$gateway_context.path": "%2Fa+b",
    "$tyk_meta.plan": "gold",
    "$gateway_context.url": "https://x/?y",
    "$gateway_meta.list": "%5B1%5D",
    "$gateway_meta.none": "",
  });
  assert.equal(passed({ kind: "transform_response" }, source).variables, undefined);
});

test("the known facts must be an object", () => {
  for (const text of ["[]", "5", "{", "null"]) assert.throws(() => facts({ kind: "transform" }, "", text), text);
});

test("templates are Base64 of UTF-8, and anything else is refused", () => {
  for (const text of ["", "größe 𝄞", "{{ .a }}\n"]) assert.deepEqual(fromBase64(toBase64(text)), { text });
  assert.equal(toBase64("größe"), Buffer.from("größe").toString("base64"));
  for (const bad of ["%", "/w=="]) assert.match(fromBase64(bad).broken, /not a text in Base64/);
});

test("outcomes show their position", () => {
  assert.deepEqual(shown({}, "ä", false), { text: "Another body, 2 bytes.", state: "good", place: undefined });
  assert.deepEqual(shown({ broken: "no", line: 2, column: 3 }, undefined, false), { text: "It can't be read, line 2, column 3: no. The gateway leaves the rule out.", state: "bad", place: { line: 2, column: 3 } });
  assert.equal(shown({ error: "no" }, undefined, true).text, "The client gets the body as it is: no.");
  assert.equal(shown({ error: "no", line: 1, column: 1 }, undefined, false).text, "It can't be read, line 1, column 1: no. The upstream gets the body as it is.");
  assert.equal(shown({ headers: {} }, undefined, true).text, "The client gets the body as it is.");
  assert.deepEqual(problems({ error: "no" }), []);
  assert.deepEqual(problems({ error: "no", line: 2, column: 3 }).map(({ line, column, end_column: end, severity }) => [line, column, end, severity]), [[2, 3, 4, "error"]]);
});

test("the initial input suits the kind of rule", () => {
  assert.ok(JSON.parse(firstFacts({ kind: "transform_jq_response" })).answer);
  assert.equal(JSON.parse(firstFacts({ kind: "transform_jq" })).meta, undefined);
  assert.equal(JSON.parse(firstBody("json")).id, 42);
  assert.match(firstBody("xml"), /^<order/);
});
