// Names of the imports of the console's modules: short, and the same in JavaScript and WebAssembly.

import assert from "node:assert/strict";
import { test } from "node:test";
import { shortened } from "../imports.mjs";

const NAMES = ["__wbg_add_0123456789abcdef", "__wbg_add_fedcba9876543210", "__wbindgen_throw"];
const text = (value) => [value.length, ...new TextEncoder().encode(value)];
const section = (id, bytes) => [id, bytes.length, ...bytes];

/** A module that imports functions of these names and calls the second one. */
const MODULE = new Uint8Array([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(1, [1, 0x60, 0, 1, 0x7f]),
  ...section(2, [NAMES.length, ...NAMES.flatMap((name) => [...text("./m_bg.js"), ...text(name), 0, 0])]),
  ...section(3, [1, 0]),
  ...section(7, [1, ...text("run"), 0, NAMES.length]),
  ...section(10, [1, 4, 0, 0x10, 1, 0x0b]),
]);
const CODE = `return { ${NAMES[0]}: () => 1, ${NAMES[1]}: () => 2, ${NAMES[2]}: () => wasm.__wbg_other_0123456789abcdef }`;

test("a module's imports are found under their short names", () => {
  const { code, wasm } = shortened(CODE, MODULE);
  const named = WebAssembly.Module.imports(new WebAssembly.Module(wasm)).map((one) => one.name);
  assert.deepEqual(named, ["i0", "i1", "__wbindgen_throw"]);
  const functions = new Function(code)();
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(wasm), { "./m_bg.js": functions });
  assert.equal(exports.run(), 2);
});

test("names the module does not import are unchanged", () => {
  assert.match(shortened(CODE, MODULE).code, /wasm\.__wbg_other_0123456789abcdef/);
});

test("an import that is not a function is refused", () => {
  const memory = new Uint8Array([...MODULE.slice(0, 8), ...section(2, [1, ...text("./m_bg.js"), ...text("memory"), 2, 0, 1])]);
  assert.throws(() => shortened("", memory), /no function/);
});
