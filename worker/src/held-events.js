// The complete events at the start of a stream that arrives in parts.

const [LF, CR] = [10, 13];

/** What is held of a stream until the event in it is complete. */
export class HeldEvents {
  #bytes = new Uint8Array();
  #length = 0;

  /** How many bytes are held. */
  get length() {
    return this.#length;
  }

  /** Adds a part, and returns the events that it completes, undefined if there are none. */
  add(part) {
    const known = this.#length;
    this.#hold(part);
    const end = this.#endOfEvents(known);
    return end === 0 ? undefined : this.take(end);
  }

  /** Returns what is held, or so many bytes of it, and holds only the rest. */
  take(length = this.#length) {
    const taken = this.#bytes.slice(0, length);
    this.#bytes = this.#bytes.slice(length, this.#length);
    this.#length = this.#bytes.length;
    return taken;
  }

  // With twice the room each time, an event in any number of parts is copied no more than a few times.
  #hold(part) {
    const length = this.#length + part.length;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(part, this.#length);
    this.#length = length;
  }

  /** Returns where the last empty line ends; 0 if none ends at `from` or later. */
  #endOfEvents(from) {
    const bytes = this.#bytes;
    for (let at = this.#length - 1; at >= Math.max(from, 1); at--) {
      const [first, before, last] = [bytes[at - 2], bytes[at - 1], bytes[at]];
      const isEmptyLine = last === CR ? before === CR || before === LF : last === LF && (before === LF || (before === CR && first === LF));
      if (isEmptyLine) return at + 1;
    }
    return 0;
  }
}
