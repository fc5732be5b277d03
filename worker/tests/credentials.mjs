// Credentials of requests for tests: user names with passwords, and signatures.

import { createHash, createHmac } from "node:crypto";

/** `Authorization` of a user. */
export const basic = (user, password) => `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

/** `Authorization` and `Date` of a request that is signed by the drafts; `sign` signs a text, else the secret does. */
export function signature(key, { secret, sign, algorithm = "hmac-sha256", date = new Date().toUTCString(), name = "date", text = `${name}: ${date}` }) {
  const base64 = sign ? sign(text) : createHmac(algorithm.slice("hmac-".length), secret).update(text).digest("base64");
  return { [name]: date, Authorization: `Signature keyId="${key}",algorithm="${algorithm}",signature="${encodeURIComponent(base64)}"` };
}

/** The signature of a token, `apart` seconds from now. */
export function tokenSignature(token, secret, { hash = "md5", apart = 0 } = {}) {
  return createHash(hash).update(`${token}${secret}${Math.floor(Date.now() / 1000) + apart}`).digest("hex");
}
