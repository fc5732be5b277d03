// Certificates for signing and for verifying signatures, fetched from the Registry, which alone stores them. A private
// key is imported as non-extractable, and kept in no other form.

import { callRegistry } from "./glue.js";
import { Kept } from "./kept.js";

/**
 * How long an isolate uses a certificate without checking that it still exists, in milliseconds. On one machine the
 * Registry is near and is asked each time, so a deleted certificate signs nothing more; at the edge it may be on
 * another continent.
 */
const FRESH_MS = 10_000;
/** How many certificates an isolate keeps. */
const MAX_KEPT = 100;
/** How many times in a second an isolate looks for a certificate that doesn't exist. */
const MAX_MISSES_PER_SECOND = 50;

const known = new Map();
/** How often certificates were looked for in vain, and in which second, by id: one lookup must not take another's. */
const missed = new Kept();

/**
 * Fetches a certificate: `{ certificate, public, private, algorithm }`, all strings, the keys in base64; undefined if
 * it doesn't exist. Rejects if the Registry doesn't answer.
 */
async function fetchCertificate(env, id) {
  const second = Math.floor(Date.now() / 1000);
  const inVain = () => (missed.get(id)?.second === second ? missed.get(id).count : 0);
  if (inVain() >= MAX_MISSES_PER_SECOND) return undefined;
  const text = await callRegistry(env, "certificate", id);
  if (text === undefined || text === null) missed.put(id, { second, count: inVain() + 1 });
  return text ? JSON.parse(text) : undefined;
}

/**
 * Returns an isolate's copy of a certificate, `{ public, algorithm, private }` with a `CryptoKey` or null as `private`;
 * undefined if it doesn't exist.
 */
async function lookUp(env, id) {
  const isNear = env.EGRESS !== undefined || env.PROCESS !== undefined;
  const found = known.get(id);
  if (!isNear && found && Date.now() - found.at < FRESH_MS) return found;
  const stored = await fetchCertificate(env, id);
  if (stored === undefined) {
    known.delete(id);
    return undefined;
  }
  // The id is the certificate's fingerprint, so its key never changes, except by being present or not.
  const hasKey = stored.private !== "";
  if (found && found.hasKey === hasKey) {
    found.at = Date.now();
    return found;
  }
  const { public: spki, algorithm } = stored;
  const fresh = { at: Date.now(), hasKey, public: spki, algorithm, private: await importKey(stored) };
  if (known.size >= MAX_KEPT) known.delete(known.keys().next().value);
  known.set(id, fresh);
  return fresh;
}

async function importKey({ algorithm, private: base64 }) {
  if (algorithm !== "rsa" || !base64) return null;
  const how = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  return crypto.subtle.importKey("pkcs8", Uint8Array.fromBase64(base64), how, false, ["sign"]);
}

/** Signs bytes with a certificate's RSA key (RSASSA-PKCS1-v1_5 with SHA-256). `failure.rs` interprets the errors. */
export async function signByCertificate(env, id, bytes) {
  const certificate = await lookUp(env, id);
  if (certificate === undefined) throw new Error("signing: no certificate");
  if (certificate.private === null) throw new Error("signing: no RSA key");
  return crypto.subtle.sign("RSASSA-PKCS1-v1_5", certificate.private, bytes);
}

/**
 * Returns a certificate's public key, `{ public, algorithm }`; null if it doesn't exist, false if the Registry doesn't
 * answer.
 */
export async function publicKey(env, id) {
  try {
    const certificate = await lookUp(env, id);
    return certificate === undefined ? null : { public: certificate.public, algorithm: certificate.algorithm };
  } catch (error) {
    console.error("certificate", error);
    return false;
  }
}
