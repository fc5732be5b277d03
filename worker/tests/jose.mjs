// JSON Web Tokens for tests, made with Node's own cryptography: a different implementation from the one that verifies
// them.

import { createHmac, generateKeyPairSync, sign as signWith } from "node:crypto";

const encode = (value) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value)).toString("base64url");

/** Signs a text with an algorithm (RFC 7518 section 3, RFC 8037 section 3.1). */
function signature(alg, key, text) {
  const hash = `sha${alg.slice(2)}`;
  if (alg.startsWith("HS")) return createHmac(hash, key).update(text).digest();
  const data = Buffer.from(text);
  if (alg.startsWith("RS")) return signWith(hash, data, key);
  if (alg.startsWith("PS")) return signWith(hash, data, { key, padding: 6, saltLength: Number(alg.slice(2)) / 8 });
  if (alg.startsWith("ES")) return signWith(hash, data, { key, dsaEncoding: "ieee-p1363" });
  return signWith(null, data, key);
}

/** Returns a token with these claims; `header` says how it is signed. */
export function token(claims, key, header = {}) {
  const fullHeader = { alg: "HS256", typ: "JWT", ...header };
  const text = `${encode(fullHeader)}.${encode(claims)}`;
  return `${text}.${fullHeader.alg === "none" ? "" : signature(fullHeader.alg, key, text).toString("base64url")}`;
}

const pair = (type, options) => {
  const { publicKey, privateKey } = generateKeyPairSync(type, options);
  const pem = publicKey.export({ type: "spki", format: "pem" });
  const der = publicKey.export({ type: "spki", format: "der" });
  return { key: privateKey, pem, der, jwk: publicKey.export({ format: "jwk" }) };
};

/** A key for each algorithm. */
export const keys = {
  rsa: pair("rsa", { modulusLength: 2048 }),
  other: pair("rsa", { modulusLength: 2048 }),
  p256: pair("ec", { namedCurve: "P-256" }),
  p384: pair("ec", { namedCurve: "P-384" }),
  p521: pair("ec", { namedCurve: "P-521" }),
  ed25519: pair("ed25519"),
};

/** Encodes a text or bytes as definitions expect keys. */
export const base64 = (value) => Buffer.from(value).toString("base64");

/** Returns the Unix time this many seconds from now. */
export const soon = (seconds = 3600) => Math.floor(Date.now() / 1000) + seconds;
