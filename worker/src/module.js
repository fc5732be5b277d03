// A WebAssembly module of the worker and its instance. It imports nothing: the generated code that `modules.js` and
// `extras.js` import leads back to both, so only a file outside of that circle is sure to be evaluated before them.

/**
 * The interval, in milliseconds, at which a pending call is checked for a trap that would leave it pending for ever.
 */
const CHECK_MS = 1000;

/**
 * A module and its single instance. A trap leaves its memory in the middle of an operation, so nothing may run in it
 * any more: the next event gets a fresh instance, and the other modules go on.
 */
export class Module {
  static #all = [];
  #name;
  #code;
  #exports;
  #started = false;
  #trapped = false;
  /** Counts the instances: objects made in an earlier one are gone. */
  generation = 0;

  constructor(name, code, exports) {
    this.#name = name;
    this.#code = code;
    this.#exports = exports;
    Module.#all.push(this);
  }

  /** Returns the total memory of all modules that have an instance, in bytes. */
  static memoryBytes() {
    return Module.#all.reduce((sum, module) => sum + (module.#started ? module.#memory().buffer.byteLength : 0), 0);
  }

  // Once initialised, `initSync` just returns the exports of the instance.
  #memory() {
    return this.#exports.initSync().memory;
  }

  /** Returns the exports of a sound instance. Has to be called again after every await. */
  ready() {
    if (!this.#started) {
      this.#exports.initSync({ module: this.#code });
      this.#started = true;
    } else if (this.#trapped) {
      this.#trapped = false;
      this.generation += 1;
      this.#exports.__wbg_reset_state();
    }
    return this.#exports;
  }

  /** Discards the instance: the next event gets a fresh one. */
  discard() {
    this.#trapped = true;
  }

  /** Checks whether an error thrown by this module is a trap. */
  guard(error) {
    if (error instanceof WebAssembly.RuntimeError) {
      console.error(`trap in ${this.#name}`, error.stack);
      this.#trapped = true;
    }
  }

  /** Does the same for an error that may be another module's; the build puts the module's name into its code. */
  guardIfOwn(error) {
    const named = /wasm:\/\/wasm\/(\w+)/.exec(error?.stack ?? "");
    const own = named === null || !NAMES.includes(named[1]) || named[1] === this.#name;
    if (this.#started && own) this.guard(error);
  }

  /** Calls a synchronous function with the exports, and returns its result. */
  run(call) {
    try {
      return call(this.ready());
    } catch (error) {
      this.guard(error);
      throw error;
    }
  }

  /** Does the same for an asynchronous function. */
  async wait(call) {
    try {
      return await call(this.ready());
    } catch (error) {
      this.guard(error);
      throw error;
    }
  }

  /**
   * Does the same for a call that only the runtime waits for: a trap in a promise job leaves the call's promise pending
   * for ever, and as long as an alarm is pending, no other one fires. A timer checks for it, because what belongs to
   * one request must not be settled by another.
   */
  async settle(call) {
    const exports = this.ready();
    const { generation } = this;
    let timer;
    const gone = new Promise((_, reject) => {
      timer = setInterval(() => {
        if (this.#trapped || this.generation !== generation) reject(new Error(`${this.#name} was trapped meanwhile`));
      }, CHECK_MS);
    });
    try {
      return await Promise.race([call(exports), gone]);
    } catch (error) {
      this.guard(error);
      throw error;
    } finally {
      clearInterval(timer);
    }
  }
}

/** The names that the build puts into the code of the modules. */
const NAMES = ["dataplane", "controlplane", "registry"];
