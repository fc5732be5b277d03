// Forms are UTF-8 text, their fields as well as their files.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readForm } from "../src/glue.js";

const TYPE = "multipart/form-data; boundary=b";

function form(field, file) {
  const part = (name, more, text) => `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${text}\r\n`;
  return Buffer.from(`${part("metadata", "", field)}${part("ruleset", '; filename="r.json"', file)}--b--\r\n`, "latin1");
}

test("a form is parsed into alternating names and values", async () => {
  assert.deepEqual(await readForm(form('{"name":"a"}', "{}"), TYPE), ["metadata", '{"name":"a"}', "ruleset", "{}"]);
});

test("invalid UTF-8 is refused, in fields and in files", async () => {
  for (const bytes of [form("\xff", "{}"), form("{}", "\xff"), form("\xc0\x80", "{}")]) assert.equal(await readForm(bytes, TYPE), undefined);
});
