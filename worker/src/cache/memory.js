// Cached responses in an isolate's memory; the least recently used are evicted first.

/** How many invalidated scopes are remembered; one more invalidates everything stored so far. */
const MAX_MARKS = 10_000;
/** Estimated bytes of an entry besides its strings and its body. */
const OVERHEAD = 300;

/**
 * Entries by their key, `{ until, notes, status, headers, body }`: the time they expire (Unix milliseconds), the data
 * plane's notes, the status, pairs of names and values, and bytes or null.
 *
 * Deleting only records a mark with an increasing number. An entry is valid if it was requested after every mark that
 * concerns it, so a response that was on its way during an invalidation isn't stored either.
 */
export class Memory {
  #entries = new Map();
  #marks = new Map();
  #floor = 0;
  #bytes = 0;
  #maxBytes;
  /** The number of the latest mark. */
  stamp = 0;

  constructor(maxBytes) {
    this.#maxBytes = maxBytes;
  }

  /** Returns the entry in a slot, `{ api, url, key }`. */
  find(slot) {
    const { key } = slot;
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.until <= Date.now() || entry.stamp < this.#invalidatedAt(slot)) {
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
  store(slot, stamp, entry) {
    const { until, notes, status, headers, body } = entry;
    const texts = headers.reduce((sum, [name, value]) => sum + name.length + value.length, notes.length);
    const size = (body?.length ?? 0) + 2 * texts + OVERHEAD;
    if (stamp < this.#invalidatedAt(slot) || size > this.#maxBytes) return false;
    this.#remove(slot.key);
    this.#entries.set(slot.key, { until, notes, status, headers, body, stamp, size });
    this.#bytes += size;
    for (const key of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#remove(key);
    }
    return true;
  }

  /** Invalidates the entries of a scope: `{ api }`, `{ url }` or `{ key }`. */
  forget(scope) {
    this.stamp += 1;
    if (this.#marks.size >= MAX_MARKS) {
      this.#marks.clear();
      this.#floor = this.stamp;
    }
    const [[kind, name]] = Object.entries(scope);
    this.#marks.set(`${kind} ${name}`, this.stamp);
  }

  #invalidatedAt(slot) {
    let latest = this.#floor;
    if (this.#marks.size === 0) return latest;
    for (const kind of ["api", "url", "key"]) latest = Math.max(latest, this.#marks.get(`${kind} ${slot[kind]}`) ?? 0);
    return latest;
  }

  #remove(key) {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#bytes -= entry.size;
  }
}
