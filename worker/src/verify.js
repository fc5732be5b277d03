// Verifies signatures with the platform's own cryptography, as the extra `auth` wishes for
// (`extras/auth/src/keys.rs`).

import { Kept } from "./kept.js";

/** Imported keys, by their import parameters as JSON. */
const keys = new Kept();

/** Whether a signature was made with a key; false if the key can't be used. */
export async function verify({ import: algorithm, by, format, key, signature, signed }) {
  try {
    const name = JSON.stringify([algorithm, format, key]);
    let known = keys.get(name);
    if (known === undefined) {
      const material = format === "jwk" ? key : Uint8Array.fromBase64(key);
      known = await crypto.subtle.importKey(format, material, algorithm, false, ["verify"]);
      keys.put(name, known);
    }
    const bytes = Uint8Array.fromBase64(signature, { alphabet: "base64url" });
    return await crypto.subtle.verify(by, known, bytes, new TextEncoder().encode(signed));
  } catch (error) {
    console.error("verify", error?.name);
    return false;
  }
}
