// The WebAssembly modules as deployed: they need nothing that only the newest engines support.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { number } from "../../web/imports.mjs";
import { ROOT } from "./harness.mjs";

/** Returns the sections of a module by their id (WebAssembly core specification, section 5.5). */
function sections(bytes) {
  const found = new Map();
  for (let at = 8; at < bytes.length; ) {
    const id = bytes[at];
    const [length, start] = number(bytes, at + 1);
    found.set(id, bytes.subarray(start, start + length));
    at = start + length;
  }
  return found;
}

for (const module of ["dataplane", "controlplane"]) {
  test(`the ${module} is deployed without the contracts of its ports`, () => {
    assert.ok(!readFileSync(`${ROOT}/worker/build/${module}_bg.wasm`).includes("checkContract"));
    assert.ok(readFileSync(`${ROOT}/target/contracts/build/${module}_bg.wasm`).includes("checkContract"));
  });

  test(`imports of the ${module} use the encoding every engine supports`, () => {
    const bytes = readFileSync(`${ROOT}/worker/build/${module}_bg.wasm`);
    assert.deepEqual([...bytes.subarray(0, 8)], [0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
    const imports = sections(bytes).get(2);
    let [left, at] = number(imports, 0);
    assert.ok(left > 0);
    for (; left > 0; left -= 1) {
      for (let name = 0; name < 2; name += 1) {
        const [length, start] = number(imports, at);
        at = start + length;
      }
      // A function with its type; no module here imports anything else.
      assert.equal(imports[at], 0, `an import of kind ${imports[at]}`);
      [, at] = number(imports, at + 1);
    }
    assert.equal(at, imports.length);
  });
}
