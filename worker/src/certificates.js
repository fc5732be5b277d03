// What certificates sign and are checked with: asked of the Registry, which alone has them. A private key is imported
// so that nobody can read it again, and stays in no other form.

import { callRegistry } from "./glue.js";

/**
 * For how long an isolate goes on with a certificate without asking whether it is still there, in milliseconds. On one
 * machine the Registry is near, and is asked each time, so that what is removed signs nothing more; at the edge it may
 * be on another continent.
 */
const FRESH_MS = 10_000;
/** So many are kept. */
const KEPT = 100;
/** So often in a second, at most, an isolate asks for certificates that there aren't. */
const MISSES = 50;

const known = new Map();
let missed = { second: 0, count: 0 };

/**
 * What is known of a certificate: `{ certificate, public, private, algorithm }` in base64, all of them texts; undefined
 * if there is none. Rejects if nobody can say.
 */
async function material(env, id) {
  const second = Math.floor(Date.now() / 1000);
  if (missed.second !== second) missed = { second, count: 0 };
  if (missed.count >= MISSES) return undefined;
  const text = await callRegistry(env, "certificate", id);
  if (text === undefined || text === null) missed.count += 1;
  return text ? JSON.parse(text) : undefined;
}

const bytesOf = (base64) => Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));

/** What an isolate keeps of a certificate: `{ public, algorithm, private }`, the last a key or null; undefined without one. */
async function keptOf(env, id) {
  const nearby = env.EGRESS !== undefined || env.PROCESS !== undefined;
  const found = known.get(id);
  if (!nearby && found && Date.now() - found.at < FRESH_MS) return found;
  const stored = await material(env, id);
  if (stored === undefined) {
    known.delete(id);
    return undefined;
  }
  // A fingerprint stands for the certificate, and the key belongs to that.
  const has = stored.private !== "";
  if (found && found.has === has) {
    found.at = Date.now();
    return found;
  }
  const { public: spki, algorithm } = stored;
  const fresh = { at: Date.now(), has, public: spki, algorithm, private: await imported(stored) };
  if (known.size >= KEPT) known.delete(known.keys().next().value);
  known.set(id, fresh);
  return fresh;
}

async function imported({ algorithm, private: base64 }) {
  if (algorithm !== "rsa" || !base64) return null;
  const how = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" };
  return crypto.subtle.importKey("pkcs8", bytesOf(base64), how, false, ["sign"]);
}

/** Signs bytes with the RSA key of a certificate (RSASSA-PKCS1-v1_5 with SHA-256). The errors are `failure.rs`'s to read. */
export async function signByCertificate(env, id, bytes) {
  const kept = await keptOf(env, id);
  if (kept === undefined) throw new Error("signing: no certificate");
  if (kept.private === null) throw new Error("signing: no RSA key");
  return crypto.subtle.sign("RSASSA-PKCS1-v1_5", kept.private, bytes);
}

/** The public half of a certificate, `{ public, algorithm }`; null if there is none, false if nobody can say. */
export async function publicKey(env, id) {
  try {
    const kept = await keptOf(env, id);
    return kept === undefined ? null : { public: kept.public, algorithm: kept.algorithm };
  } catch (error) {
    console.error("certificate", error);
    return false;
  }
}
