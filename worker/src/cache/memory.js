// Kept answers in the memory of an isolate, the longest unused of which go first.

/** Scopes that are remembered to be old; more make everything old that came before. */
const FORGOTTEN_MAX = 10_000;
/** What an entry takes beside its texts and its body. */
const OVERHEAD = 300;

/**
 * Answers by their key, `{ until, noted, status, headers, body }`: when they end, Unix milliseconds, what the data
 * plane has noted about them, names and values, and bytes or null.
 *
 * What is forgotten is only marked, with a number that goes up; an answer holds if it was asked for behind all
 * marks that concern it. So what was on its way when something was forgotten is not kept either.
 */
export class Memory {
  #entries = new Map();
  #forgotten = new Map();
  #floor = 0;
  #bytes = 0;
  #maxBytes;
  /** The number of the last mark. */
  stamp = 0;

  constructor(maxBytes) {
    this.#maxBytes = maxBytes;
  }

  /** What is kept at a place, `{ api, url, key }`. */
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

  /** Keeps what was asked for when the last mark had this number; false if it is old already, or too large. */
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

  /** Forgets what is kept of a scope: `{ api }`, `{ url }` or `{ key }`. */
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
