// Makes vectors.json from the test vectors of Wycheproof (https://github.com/C2SP/wycheproof, Apache License 2.0):
//
//   node worker/tests/wycheproof/export.mjs <folder with its testvectors_v1>
//
// Includes only what can reach the gateway: signatures of the algorithms that it accepts, over messages that are text.

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Each algorithm by its name in tokens, plus `HS1` of HTTP signatures: the files, and whether a group qualifies. */
const ALGORITHMS = {
  HS1: ["hmac_sha1_test", ({ tagSize }) => tagSize === 160],
  HS256: ["hmac_sha256_test", ({ tagSize }) => tagSize === 256],
  HS384: ["hmac_sha384_test", ({ tagSize }) => tagSize === 384],
  HS512: ["hmac_sha512_test", ({ tagSize }) => tagSize === 512],
  RS256: ["rsa_signature_2048_sha256_test"],
  RS384: ["rsa_signature_2048_sha384_test"],
  RS512: ["rsa_signature_2048_sha512_test"],
  PS256: ["rsa_pss_2048_sha256_mgf1_32_test"],
  PS384: ["rsa_pss_2048_sha384_mgf1_48_test"],
  PS512: ["rsa_pss_4096_sha512_mgf1_64_test"],
  ES256: ["ecdsa_secp256r1_sha256_p1363_test"],
  ES384: ["ecdsa_secp384r1_sha384_p1363_test"],
  ES512: ["ecdsa_secp521r1_sha512_p1363_test"],
  EdDSA: ["ed25519_test"],
};

const bytes = (hex) => Buffer.from(hex, "hex");
const base64 = (hex) => bytes(hex).toString("base64");
/** Decodes bytes as text; `undefined` if they aren't UTF-8. */
function text(hex) {
  const found = bytes(hex).toString("utf8");
  return Buffer.from(found).equals(bytes(hex)) && !found.startsWith("\ufeff") ? found : undefined;
}

const [folder] = process.argv.slice(2);
const vectors = {};
for (const [name, [file, fits = () => true]] of Object.entries(ALGORITHMS)) {
  const keys = new Map();
  const { testGroups } = JSON.parse(readFileSync(join(folder, `${file}.json`), "utf8"));
  for (const { tests, ...group } of testGroups.filter(fits)) {
    for (const { tcId, key, msg, sig, tag, result } of tests) {
      const [signed, of] = [text(msg), base64(key ?? group.publicKeyDer)];
      // Vectors that a verifier may accept or not prove nothing.
      if (signed === undefined || result === "acceptable") continue;
      if (!keys.has(of)) keys.set(of, []);
      keys.get(of).push([tcId, signed, base64(sig ?? tag), result === "valid"]);
    }
  }
  vectors[name] = [...keys].map(([key, tests]) => ({ key, tests }));
}
const source = "Wycheproof, https://github.com/C2SP/wycheproof, Apache License 2.0; made by export.mjs";
const lines = Object.entries(vectors).map(([name, groups]) => `"${name}":[\n${groups.map((group) => JSON.stringify(group)).join(",\n")}\n]`);
writeFileSync(new URL("vectors.json", import.meta.url), `{"source":${JSON.stringify(source)},\n${lines.join(",\n")}\n}\n`);
