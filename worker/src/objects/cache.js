// The Durable Object that knows the generation of an API's cache at the edge (`../cache/edge.js`).

import { DurableObject } from "cloudflare:workers";

/** How long an isolate goes by a generation without asking again, milliseconds. */
export const LEASE_MS = 1000;

export class CacheGeneration extends DurableObject {
  // What was leased before this object began anew.
  #leasedUntil = Date.now() + LEASE_MS;

  #number() {
    return this.ctx.storage.kv.get("generation") ?? 0;
  }

  /** The generation, for a while counted from when it was asked for. */
  lease() {
    this.#leasedUntil = Date.now() + LEASE_MS;
    return this.#number();
  }

  /** Goes on to the next one; answers when nobody goes by an earlier one any more. */
  async advance() {
    this.ctx.storage.kv.put("generation", this.#number() + 1);
    const ms = this.#leasedUntil - Date.now();
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
  }
}
