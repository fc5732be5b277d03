// The Durable Object that owns the documents; registry.rs decides.

import { DurableObject } from "cloudflare:workers";
import { registry } from "../modules.js";
import { begin, follow } from "../stream.js";

export class Registry extends DurableObject {
  #object;
  #generation = -1;
  /** Writes that have arrived and are not carried out yet. */
  #waiting = [];

  /** What `event` answers of the object, made anew where its module was. */
  #run(event) {
    return registry.run((wasm) => event(this.#current(wasm)));
  }

  #current(wasm) {
    if (this.#generation !== registry.generation) {
      this.#object = new wasm.Registry(this.ctx, this.env);
      this.#generation = registry.generation;
    }
    return this.#object;
  }

  // Not async: a promise more on each read costs more than the read.
  call(message) {
    return this.#run((object) => object.call(message));
  }

  // What is stored in one event is one commit, and a commit waits for the disk; so writes that come
  // together are carried out in one event. No answer leaves before everything is durable.
  write(message) {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ message, resolve, reject });
      if (this.#waiting.length === 1) this.#collect();
    });
  }

  #collect() {
    setTimeout(() => {
      if (this.#wait()) this.#collect();
      else this.#writeAll();
    }, 0);
  }

  // Whatever happens to the module, each write is answered.
  #wait() {
    try {
      return this.#run((object) => object.waits(this.#waiting.length));
    } catch {
      return false;
    }
  }

  #writeAll() {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      const answers = this.#run((object) => object.write(waiting.map(({ message }) => message)));
      answers.forEach((answer, at) => {
        if (answer instanceof Error) waiting[at].reject(answer);
        else waiting[at].resolve(answer);
      });
    } catch {
      // A trap, which has rolled back all of them: whichever of them leads to it fails alone.
      this.#writeEach(waiting);
    }
    this.#keepUp();
  }

  #writeEach(waiting) {
    for (const { message, resolve, reject } of waiting) {
      try {
        resolve(this.call(message));
      } catch (error) {
        reject(error);
      }
    }
  }

  // No answer waits for it. What fails is logged, and the alarm does it again.
  #keepUp() {
    try {
      if (!this.#run((object) => object.isBehind())) return;
      registry.wait((wasm) => this.#current(wasm).keepUp()).catch((error) => console.error("keep up", error));
    } catch (error) {
      console.error("keep up", error);
    }
  }

  // A stream of notifications or of all definitions; nobody else sends it requests. Those of notifications stay
  // open, so there may only be so many.
  async fetch(request) {
    const ended = request.url.endsWith("/notifications") ? begin(this.env) : () => {};
    if (ended === undefined) return new Response(null, { status: 503 });
    return new Response(follow(await request.text(), (message) => this.#run((object) => object.look(message)), ended));
  }

  // What KV ought to have under a key; undefined for what is not published.
  published(key) {
    return this.#run((object) => object.published(key));
  }

  // What is signed and checked with; undefined where there is no such certificate. For isolates alone.
  certificate(id) {
    return this.#run((object) => object.certificate(id));
  }

  ping() {
    return this.#run((object) => object.ping());
  }

  // For whoever asks for it, by name.
  publish(by) {
    return registry.settle((wasm) => this.#current(wasm).publish(by));
  }

  publishSelected(message) {
    return registry.settle((wasm) => this.#current(wasm).publishSelected(message));
  }

  alarm() {
    // One that fails rings again, in an object that looks for what is due.
    return registry.settle((wasm) => this.#current(wasm).alarm());
  }
}
