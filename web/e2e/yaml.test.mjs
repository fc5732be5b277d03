// YAML as JSON: the output of `web/editor/yaml.js`, and what it refuses at which position.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readYaml } from "../editor/yaml.js";

for (const [what, yaml, json] of [
  ["numbers keep their text where JSON has it", "[1.0, -0, 1e3, 123456789012345678901234567890]", "[1.0,-0,1e3,123456789012345678901234567890]"],
  ["other numbers become decimal", "[0x1F, 0o17, +3, .5, 007]", "[31,15,3,0.5,7]"],
  ["words and dates of YAML 1.1 are texts", "[yes, off, 2020-01-01, 1_000]", '["yes","off","2020-01-01","1_000"]'],
  ["null has three spellings", "[~, null, ]", "[null,null]"],
  ["names are texts", "{200: a, true: b, 1.0: c}", '{"200":"a","true":"b","1.0":"c"}'],
  ["aliases are written out", "a: &x {b: [1]}\nc: *x", '{"a":{"b":[1]},"c":{"b":[1]}}'],
  ["an alias is the anchor before it", "[&x 1, *x, &x 2, *x]", "[1,1,2,2]"],
  ["maps merge, the own members winning", "a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}", '{"a":{"b":1,"c":2},"d":{"c":3,"b":1}}'],
  ["of several merged maps the first wins", "<<: [{a: 1}, {a: 2, b: 3}]", '{"a":1,"b":3}'],
  ["a quoted << is a name", "'<<': 1", '{"<<":1}'],
  ["block texts keep their lines", "a: |\n  x\n   y\nb: >\n  x\n  y\n", '{"a":"x\\n y\\n","b":"x y\\n"}'],
  ["nothing is null", "# only a comment", "null"],
]) {
  test(what, () => assert.equal(readYaml(yaml).json, json));
}

for (const [what, yaml, message, line, column] of [
  ["a duplicate name", "a: 1\nb: 2\na: 3", /"a" occurs twice/, 3, 1],
  ["a duplicate name as number and string", "200: a\n'200': b", /"200" occurs twice/, 2, 1],
  ["a number JSON doesn't have", "a:\n  - .inf", /a number that JSON doesn't have/, 2, 5],
  ["a list as a name", "? [a]\n: b", /has to be a string/, 1, 3],
  ["an unknown alias", "a: *nope", /no anchor named nope/, 1, 4],
  ["an alias inside itself", "a: &x\n  - *x", /contains it/, 2, 5],
  ["a merge of a number", "<<: 5", /merges maps/, 1, 5],
  ["two documents", "a: 1\n---\nb: 2", /several YAML documents/, 2, 1],
  ["a tab", "a:\n\tb: 1", /tabs/, 2, 1],
  ["a broken quote", 'a: "b', /./, 1, 6],
  ["a deep list", "[".repeat(100_000), /too deep/, 1, 201],
  ["a deep list of lines", `${"- ".repeat(5_000)}b`, /too deep/, 1, undefined],
  ["a deep map", Array.from({ length: 300 }, (_, at) => `${" ".repeat(at)}a:`).join("\n"), /too deep/, 200, undefined],
]) {
  test(`${what} is refused`, () => {
    const [issue] = readYaml(yaml).issues;
    assert.match(issue.message, message);
    assert.deepEqual([issue.line, column && issue.column], [line, column]);
  });
}

test("expansion of aliases and merges is limited", () => {
  const bomb = (line) => Array.from({ length: 60 }, (_, at) => line(at)).join("\n");
  const lists = bomb((at) => `a${at}: &a${at} [${at ? Array(9).fill(`*a${at - 1}`) : "x"}]`);
  assert.match(readYaml(lists).issues[0].message, /longer than 8388608 bytes/);
  const keys = Array.from({ length: 2_000 }, (_, at) => `k${at}: 1`).join(", ");
  const merges = [`b: &b {${keys}}`, ...Array.from({ length: 5_000 }, (_, at) => `m${at}: {<<: *b}`)].join("\n");
  assert.match(readYaml(merges).issues[0].message, /longer than 8388608 bytes/);
});

test("pointers resolve to lines, or to the closest existing parent", () => {
  const { rangeOf } = readYaml("a: &x\n  b/c: [1, {d: 2}]\ne: *x\n");
  const line = (pointer) => rangeOf(pointer).line;
  assert.deepEqual([line("/a/b~1c/1/d"), line("/e"), line("/e/b~1c/0"), line("/a/zzz"), line("/zzz"), line("")], [2, 3, 2, 1, 1, 1]);
});

test("a tag is noted at its position", () => {
  const { json, notes } = readYaml("a: !include x.yaml\nb: !!str 1\n");
  assert.equal(json, '{"a":"x.yaml","b":"1"}');
  assert.deepEqual(notes.map(({ pointer, line, column }) => [pointer, line, column]), [["/a", 1, 13]]);
});
