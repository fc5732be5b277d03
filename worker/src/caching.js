// How a run uses the cache: where its response belongs, and the entry found there. The data plane decides
// (`crates/dataplane/src/driver/caching.rs`); `cache.js` stores.

import * as cache from "./cache.js";
import { edited } from "./headers.js";

export class RunCache {
  #run;
  #env;
  #request;
  /** The slot of the latest lookup (`cache.js`); undefined before any. */
  slot;
  /** The entry found there. */
  entry;

  constructor(run, env, request) {
    this.#run = run;
    this.#env = env;
    this.#request = request;
  }

  /** Looks up an entry; returns it, or a promise of it. */
  find([api, url, key]) {
    this.slot = { ...this.slot, api, url, key };
    return cache.find(this.#env, this.slot);
  }

  /** Returns the decision about a response: a text with what to invalidate or to store, undefined for nothing. */
  #decide(status, headers, sentAt, ofGet) {
    return this.#run.ready().decideCaching(this.#run.id, status, headers, sentAt, ofGet);
  }

  /**
   * Caches the response that all rules have been applied to, if allowed, and returns it with the edits specific to this
   * request. `sending` is the directive with which it was requested.
   */
  async store(response, sending, sentAt, edits) {
    const [api, url, keyOfGet] = sending.cache;
    if (keyOfGet !== null) await this.#updateGet({ api, url, key: keyOfGet }, response, sentAt);
    const text = this.#decide(response.status, response.headers, sentAt, false);
    if (text === undefined) return edited(response, edits);
    const { forget, store } = JSON.parse(text);
    if (forget) {
      const addresses = cache.invalidatedAddresses(response.headers, this.#request.url, sending.url);
      const urls = addresses.map(([path, query]) => this.#run.ready().cacheAddress(this.#run.id, path, query));
      await Promise.all([url, ...urls.filter(Boolean)].map((each) => cache.forgetAddress(this.#env, { api, url: each })));
      return edited(response, edits);
    }
    return edited(await cache.store(this.#env, this.slot ?? { api, url, key: store.entries[0][0] }, store, response), edits);
  }

  /**
   * Checks with the response to a HEAD whether the cached response to the same GET is still valid, and updates or
   * deletes it (RFC 9111 section 4.3.5).
   */
  async #updateGet(slot, { status, headers }, sentAt) {
    const check = async () => {
      const entry = await cache.find(this.#env, slot);
      return [entry, this.#run.ready().checkGet(this.#run.id, entry?.notes ?? "", status, headers)];
    };
    let [entry, verdict] = await check();
    if (verdict !== undefined && verdict !== "holds" && verdict !== "forget") {
      // The key of one of several responses.
      slot.key = verdict;
      [entry, verdict] = await check();
    }
    let order;
    if (verdict === "holds") {
      entry = await cache.refreshed(entry, headers);
      order = this.#decide(entry.status, new Headers(entry.headers), sentAt, true);
    } else entry?.body?.cancel?.();
    if (order !== undefined) await cache.storeAgain(this.#env, slot, JSON.parse(order).store, entry);
    else if (verdict === "holds" || verdict === "forget") await cache.forgetAddress(this.#env, this.slot ?? slot);
  }

  /** Updates the entry with the headers of the 304 that confirmed it. */
  async refresh(headers, sentAt) {
    this.entry = await cache.refreshed(this.entry, headers);
    const text = this.#decide(this.entry.status, new Headers(this.entry.headers), sentAt, false);
    const { store } = text === undefined ? {} : JSON.parse(text);
    if (store) await cache.storeAgain(this.#env, this.slot, store, this.entry);
  }
}
