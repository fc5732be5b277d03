// The WebAssembly modules of the worker. An isolate that serves requests needs no administration, and one that
// administers need not be where the Registry is, so only the data plane is instantiated at start; the others wait
// for their first event, and an extra for its first call (`extras.js`).

import dataplaneCode from "./dataplane_bg.wasm";
import controlplaneCode from "./controlplane_bg.wasm";
import registryCode from "./registry_bg.wasm";
import * as dataplaneExports from "./dataplane.js";
import * as controlplaneExports from "./controlplane.js";
import * as registryExports from "./registry.js";

/** Milliseconds between two looks whether what is waited for can still end. */
const LOOK_MS = 1000;

/**
 * A module and its one instance. A trap leaves its memory as it was in the middle of something, so nothing
 * may run in it any more: the next event gets a fresh instance, and the other modules go on.
 */
export class Module {
  static #all = [];
  #name;
  #code;
  #exports;
  #started = false;
  #trapped = false;
  /** Counts the instances: what was made in another one is gone. */
  generation = 0;

  constructor(name, code, exports) {
    this.#name = name;
    this.#code = code;
    this.#exports = exports;
    Module.#all.push(this);
  }

  /** Bytes of the memories of all modules that have an instance. */
  static memoryBytes() {
    return Module.#all.reduce((sum, module) => sum + (module.#started ? module.#memory().buffer.byteLength : 0), 0);
  }

  // What has been initialised answers the exports of its instance.
  #memory() {
    return this.#exports.initSync().memory;
  }

  /** What it exports, in an instance that is whole. Has to be asked for after every wait. */
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

  /** Gives up an instance: the next event gets a fresh one. */
  spoil() {
    this.#trapped = true;
  }

  /** Notes an error that came out of it. */
  guard(error) {
    if (error instanceof WebAssembly.RuntimeError) {
      console.error(`trap in ${this.#name}`, error.stack);
      this.#trapped = true;
    }
  }

  /** The same for one that may have come out of any: the build gives each module's code its name. */
  guardOwn(error) {
    const named = /wasm:\/\/wasm\/(\w+)/.exec(error?.stack ?? "");
    const own = named === null || !NAMES.includes(named[1]) || named[1] === this.#name;
    if (this.#started && own) this.guard(error);
  }

  /** What `call` answers, which gets the exports and must not wait. */
  run(call) {
    try {
      return call(this.ready());
    } catch (error) {
      this.guard(error);
      throw error;
    }
  }

  /** The same for what waits. */
  async wait(call) {
    try {
      return await call(this.ready());
    } catch (error) {
      this.guard(error);
      throw error;
    }
  }

  /**
   * The same for what the runtime waits for and nobody else would give up: a trap in a promise job leaves the
   * promise of its call as it is for ever, and while an alarm has not ended, no other one rings. Looked for by
   * a timer, because what belongs to one request must not be ended by another.
   */
  async settle(call) {
    const exports = this.ready();
    const { generation } = this;
    let timer;
    const gone = new Promise((_, reject) => {
      timer = setInterval(() => {
        if (this.#trapped || this.generation !== generation) reject(new Error(`${this.#name} was trapped meanwhile`));
      }, LOOK_MS);
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

export const memoryBytes = () => Module.memoryBytes();

const NAMES = ["dataplane", "controlplane", "registry"];

export const dataplane = new Module("dataplane", dataplaneCode, dataplaneExports);
export const controlplane = new Module("controlplane", controlplaneCode, controlplaneExports);
export const registry = new Module("registry", registryCode, registryExports);

// A trap inside a promise job of wasm-bindgen arrives here.
addEventListener("error", (event) => {
  for (const module of [dataplane, controlplane, registry]) module.guardOwn(event.error);
});
