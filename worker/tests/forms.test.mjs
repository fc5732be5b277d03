// Forms are UTF-8 text, their fields as well as their files.

import assert from "node:assert/strict";
import { test } from "node:test";
import { readForm } from "../src/glue.js";

const TYPE = "multipart/form-data; boundary=b";

function form(field, file) {
  const part = (name, more, text) => `--b\r\nContent-Disposition: form-data; name="${name}"${more}\r\n\r\n${text}\r\n`;
  return Buffer.from(`${part("metadata", "", field)}${part("ruleset", '; filename="r.json"', file)}--b--\r\n`, "latin1");
}

test("a form is read as names and texts in turn", async () => {
  assert.deepEqual(await readForm(form('{"name":"a"}', "{}"), TYPE), ["metadata", '{"name":"a"}', "ruleset", "{}"]);
});

test("bytes that are no text are no form, in a field as in a file", async () => {
  for (const bytes of [form("\xff", "{}"), form("{}", "\xff"), form("\xc0\x80", "{}")]) assert.equal(await readForm(bytes, TYPE), undefined);
});
