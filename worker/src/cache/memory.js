// Cached responses in an isolate's memory; the least recently used are evicted first.

/** How many invalidated scopes are remembered; one more invalidates everything stored so far. */
const FORGOTTEN_MAX = 10_000;
/** Estimated bytes of an entry besides its strings and its body. */
const OVERHEAD = 300;

/**
 * Entries by their key, `{ until, noted, status, headers, body }`: the time they expire (Unix milliseconds), the data
 * plane's notes, the status, pairs of names and values, and bytes or null.
 *
 * Deleting only records a mark with an increasing number. An entry is valid if it was requested after every mark that
 * concerns it, so a response that was on its way during an invalidation isn't stored either.
 */
export class Memory {
  #entries = new Map();
  #forgotten = new Map();
  #floor = 0;
  #bytes = 0;
  #maxBytes;
  /** The number of the latest mark. */
  stamp = 0;

  constructor(maxBytes) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the entry at a place, `{ api, url, key }`. */
  find(place) {
    const { key } = place;
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.until <= Date.now() || entry.stamp < this.#since(place)) {
      this.#bytes -= entry.size;
      return undefined;
    }
    this.#entries.set(key, entry);
    return entry;
  }

  /**
   * Stores an entry that was requested when `stamp` was the latest mark; returns false if it is invalid by now, or too
   * large.
   */
  keep(place, stamp, entry) {
    const { until, noted, status, headers, body } = entry;
    const texts = headers.reduce((sum, [name, value]) => sum + name.length + value.length, noted.length);
    const size = (body?.length ?? 0) + 2 * texts + OVERHEAD;
    if (stamp < this.#since(place) || size > this.#maxBytes) return false;
    this.#drop(place.key);
    this.#entries.set(place.key, { until, noted, status, headers, body, stamp, size });
    this.#bytes += size;
    for (const key of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#drop(key);
    }
    return true;
  }

  /** Invalidates the entries of a scope: `{ api }`, `{ url }` or `{ key }`. */
  forget(scope) {
    this.stamp += 1;
    if (this.#forgotten.size >= FORGOTTEN_MAX) {
      this.#forgotten.clear();
      this.#floor = this.stamp;
    }
    const [[kind, name]] = Object.entries(scope);
    this.#forgotten.set(`${kind} ${name}`, this.stamp);
  }

  #since(place) {
    let since = this.#floor;
    if (this.#forgotten.size === 0) return since;
    for (const kind of ["api", "url", "key"]) since = Math.max(since, this.#forgotten.get(`${kind} ${place[kind]}`) ?? 0);
    return since;
  }

  #drop(key) {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.size;
  }
}
