// A bounded cache of what an isolate or an object has looked up.

/** The maximum number of entries, and of characters that all of them have: an isolate has 128 MB for everything. */
const MAX_ENTRIES = 500;
const MAX_LENGTH = 8 * 1024 * 1024;

/** Values by name, of which the oldest make room for others. */
export class Kept {
  #entries = new Map();
  #maxEntries;
  #length = 0;

  constructor(maxEntries = MAX_ENTRIES) {
    this.#maxEntries = maxEntries;
  }

  get(name) {
    return this.#entries.get(name)?.value;
  }

  /** Keeps a value; `length` is that of its texts. */
  put(name, value, length = 0) {
    this.delete(name);
    const added = name.length + length;
    while (this.#entries.size > 0 && (this.#entries.size >= this.#maxEntries || this.#length + added > MAX_LENGTH)) {
      this.delete(this.#entries.keys().next().value);
    }
    this.#entries.set(name, { value, added });
    this.#length += added;
  }

  delete(name) {
    this.#length -= this.#entries.get(name)?.added ?? 0;
    this.#entries.delete(name);
  }
}

/** Responses of servers: those about tokens, which anybody can make up, evict no others. */
export class Responses {
  #ofTokens;
  #others;

  constructor(maxEntries) {
    this.#ofTokens = new Kept(maxEntries);
    this.#others = new Kept(maxEntries);
  }

  /** Returns the cache for responses to requests with this form, which those about tokens have. */
  to(form) {
    return form ? this.#ofTokens : this.#others;
  }
}
