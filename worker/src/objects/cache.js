// The Durable Object that holds the generation of an API's cache at the edge (`../cache/edge.js`).

import { DurableObject } from "cloudflare:workers";

/** How long an isolate uses a generation without asking again, in milliseconds. */
export const LEASE_MS = 1000;

export class CacheGeneration extends DurableObject {
  // Covers leases given before this object was restarted.
  #leasedUntil = Date.now() + LEASE_MS;

  #number() {
    return this.ctx.storage.kv.get("generation") ?? 0;
  }

  /** Leases the generation, from the time it was asked for. */
  lease() {
    this.#leasedUntil = Date.now() + LEASE_MS;
    return this.#number();
  }

  /** Moves on to the next generation; resolves when no isolate uses an earlier one any more. */
  async advance() {
    this.ctx.storage.kv.put("generation", this.#number() + 1);
    const ms = this.#leasedUntil - Date.now();
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
  }
}
