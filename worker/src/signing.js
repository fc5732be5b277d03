// Signatures of requests to upstreams, made with the platform's own cryptography.

import { signByCertificate } from "./certificates.js";
import { Kept } from "./kept.js";

/**
 * Appends a text's signature to `before` and puts both into a header (`crates/dataplane/src/links/request_signing.rs`).
 */
export async function sign(env, headers, { hash, rsa, secret, text, header, before }) {
  const bytes = new TextEncoder().encode(text);
  const signature = rsa ? await signByCertificate(env, secret, bytes) : await signBySecret(hash, secret, bytes);
  const base64 = new Uint8Array(signature).toBase64();
  headers.set(header, `${before}${rsa ? base64 : encodeURIComponent(base64)}"`);
}

/** Imported secrets, by hash and secret. */
const keys = new Kept();

async function signBySecret(hash, secret, bytes) {
  const name = `${hash} ${secret}`;
  let key = keys.get(name);
  if (key === undefined) {
    key = await crypto.subtle.importKey("raw", new TextEncoder().encode(secret), { name: "HMAC", hash }, false, ["sign"]);
    keys.put(name, key);
  }
  return crypto.subtle.sign("HMAC", key, bytes);
}
