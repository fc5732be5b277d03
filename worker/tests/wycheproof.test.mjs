// The test vectors of Wycheproof, verified on the runtime that verifies signatures at the edge: forged, malformed and
// unusual ones of every algorithm that is accepted (wycheproof/export.mjs lists which).

import assert from "node:assert/strict";
import { createPublicKey } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ROOT, start } from "./harness.mjs";
import { send } from "./http.mjs";

const { source, ...vectors } = JSON.parse(readFileSync(join(ROOT, "worker/tests/wycheproof/vectors.json"), "utf8"));
const CURVES = { ES256: "P-256", ES384: "P-384", ES512: "P-521" };

/**
 * Returns the algorithms for importing a key and for verifying, as `extras/auth/src/keys.rs` wishes for; its tests
 * check the same values.
 */
function algorithms(name) {
  const hash = name === "HS1" ? "SHA-1" : `SHA-${name.slice(2)}`;
  switch (name.slice(0, 2)) {
    case "HS":
      return [{ name: "HMAC", hash }, { name: "HMAC" }];
    case "RS":
      return [{ name: "RSASSA-PKCS1-v1_5", hash }, { name: "RSASSA-PKCS1-v1_5" }];
    case "PS":
      return [{ name: "RSA-PSS", hash }, { name: "RSA-PSS", saltLength: Number(name.slice(2)) / 8 }];
    case "ES":
      return [{ name: "ECDSA", namedCurve: CURVES[name] }, { name: "ECDSA", hash }];
    default:
      return [{ name: "Ed25519" }, { name: "Ed25519" }];
  }
}

/** Returns a key in every form it can arrive in: bytes of a secret or of a public key, and a JSON Web Key. */
function forms(name, key) {
  if (name.startsWith("HS")) return [["raw", key]];
  const { kty, crv, n, e, x, y } = createPublicKey({ key: Buffer.from(key, "base64"), format: "der", type: "spki" }).export({ format: "jwk" });
  return [["spki", key], ["jwk", { kty, crv, n, e, x, y }]];
}

let runtime;
before(async () => {
  runtime = await start({ config: join(ROOT, "worker/tests/wycheproof.capnp") });
});
after(() => runtime?.stop());

for (const [name, groups] of Object.entries(vectors)) {
  test(`${name}: valid signatures are accepted, invalid ones refused`, async () => {
    const [algorithm, by] = algorithms(name);
    const checks = [];
    for (const { key, tests } of groups) {
      for (const [format, of] of forms(name, key)) {
        for (const [id, signed, signature, is] of tests) {
          checks.push([{ import: algorithm, by, format, key: of, signature: Buffer.from(signature, "base64").toString("base64url"), signed }, is, `${id} as ${format}`]);
        }
      }
    }
    const { json } = await send(runtime.ports.gateway, { method: "POST", body: checks.map(([check]) => check) });
    assert.equal(json.length, checks.length);
    const wrong = checks.filter(([, is], at) => json[at] !== is).map(([, is, what]) => `${what} is ${is ? "" : "not "}valid`);
    assert.deepEqual(wrong, []);
    // Some are valid and some are not.
    assert.ok(json.includes(true) && json.includes(false));
  });
}
