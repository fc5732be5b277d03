// Credentials of requests for tests: user names with passwords, and signatures.

import { createHash, createHmac } from "node:crypto";

/** Returns the `Authorization` header of a user. */
export const basic = (user, password) => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

/**
 * Returns `Authorization` and `Date` of a request signed according to the drafts, with `sign` if given, else with the
 * secret.
 */
export function signature(key, { secret, sign, algorithm = "hmac-sha256", date = new Date().toUTCString(), name = "date", text = `${name}: ${date}` }) {
  const hmac = () => createHmac(algorithm.slice("hmac-".length), secret).update(text).digest("base64");
  // Only signatures with a secret are percent-encoded.
  const signed = sign ? sign(text) : encodeURIComponent(hmac());
  return { [name]: date, Authorization: `Signature keyId="${key}",algorithm="${algorithm}",signature="${signed}"` };
}

/** Returns the signature of a token at a time `apart` seconds from now. */
export function tokenSignature(token, secret, { hash = "md5", apart = 0 } = {}) {
  return createHash(hash).update(`${token}${secret}${Math.floor(Date.now() / 1000) + apart}`).digest("hex");
}
