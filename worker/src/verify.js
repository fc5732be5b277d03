// Verifies signatures with the platform's own cryptography, as the extra `auth` wishes for
// (`extras/auth/src/keys.rs`).

import { Kept } from "./kept.js";

/** Imported keys with their algorithms, by the wishes to verify something with them. */
const keys = new Kept();

const encoder = new TextEncoder();

async function imported(wish) {
  const { import: algorithm, by, format, key } = JSON.parse(wish).verify;
  const material = format === "jwk" ? key : Uint8Array.fromBase64(key);
  // A name is read faster than an object that has only a name.
  const how = Object.keys(by).length === 1 ? by.name : by;
  const known = { by: how, key: await crypto.subtle.importKey(format, material, algorithm, false, ["verify"]) };
  keys.put(wish, known);
  return known;
}

/** Whether a signature was made with a key, given by a wish to verify one; false if the key can't be used. */
export async function verify(wish, signature, signed) {
  try {
    const { by, key } = keys.get(wish) ?? (await imported(wish));
    const bytes = Uint8Array.fromBase64(signature, { alphabet: "base64url" });
    return await crypto.subtle.verify(by, key, bytes, encoder.encode(signed));
  } catch (error) {
    console.error("verify", error?.name);
    return false;
  }
}
