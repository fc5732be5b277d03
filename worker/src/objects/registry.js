// The Durable Object that owns the documents; registry.rs decides.

import { DurableObject } from "cloudflare:workers";
import { registry } from "../modules.js";
import { once } from "../reads.js";
import { begin, follow } from "../stream.js";

export class Registry extends DurableObject {
  #object;
  #generation = -1;
  /** Writes that have arrived and are not carried out yet. */
  #pending = [];

  /** Runs `event` on the Rust object, which is recreated if its module's instance was. */
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

  // Not async: one more promise per read costs more than the read.
  call(message) {
    return this.#run((object) => object.call(message));
  }

  // What is stored in one event is one commit, and a commit waits for the disk; so writes that arrive together are
  // carried out in one event. No reply leaves before everything is durable.
  write(message) {
    return new Promise((resolve, reject) => {
      this.#pending.push({ message, resolve, reject });
      if (this.#pending.length === 1) this.#collect();
    });
  }

  #collect() {
    setTimeout(() => {
      if (this.#shouldWait()) this.#collect();
      else this.#writeAll();
    }, 0);
  }

  // Whatever happens to the module, each write gets a reply.
  #shouldWait() {
    try {
      return this.#run((object) => object.waits(this.#pending.length));
    } catch {
      return false;
    }
  }

  // The transaction is the outermost one. Within another one, as `transactionSync` would make it, SQLite copies each page
  // before it is changed, into a file from 64 kB on.
  async #writeAll() {
    const pending = this.#pending;
    this.#pending = [];
    const messages = pending.map(({ message }) => message);
    try {
      const answers = await this.ctx.storage.transaction(async () => this.#run((object) => object.write(messages)));
      answers.forEach((answer, at) => {
        if (answer instanceof Error) pending[at].reject(answer);
        else pending[at].resolve(answer);
      });
    } catch {
      // One of them has failed, or trapped, and all were rolled back: retried one by one, only that one fails.
      this.#writeEach(pending);
    }
    this.#keepUp();
  }

  #writeEach(pending) {
    for (const { message, resolve, reject } of pending) {
      try {
        resolve(this.call(message));
      } catch (error) {
        reject(error);
      }
    }
  }

  // No reply waits for it. A failure is logged, and the alarm tries again.
  #keepUp() {
    try {
      this.#run((object) => object.tell());
      if (!this.#run((object) => object.isBehind())) return;
      registry.wait((wasm) => this.#current(wasm).keepUp()).catch((error) => console.error("keep up", error));
    } catch (error) {
      console.error("keep up", error);
    }
  }

  // Streams notifications or all definitions; nothing else sends it requests. Streams of notifications stay open, so
  // their number is limited; the path names the credential, and a refusal the limit.
  async fetch(request) {
    const credential = new URL(request.url).pathname.slice(1);
    const ended = credential ? begin(this.env, credential) : () => {};
    if (typeof ended === "string") return new Response(ended, { status: 503 });
    return new Response(follow(await request.text(), (message) => this.#run((object) => object.look(message)), ended));
  }

  // Returns what KV should have under a key; undefined if the key isn't published. After writes that were carried out
  // together, each of them asks for the list of organisations.
  published(key) {
    return once(key, () => this.#run((object) => object.published(key)));
  }

  // Returns a certificate with its keys, for isolates only; undefined if it doesn't exist.
  certificate(id) {
    return this.#run((object) => object.certificate(id));
  }

  ping() {
    return this.#run((object) => object.ping());
  }

  // `actor` and `client` are the requester's; an isolate of the previous release sends no client.
  publish(actor, client) {
    return registry.settle((wasm) => this.#current(wasm).publish(actor, client));
  }

  publishSelected(message, client) {
    return registry.settle((wasm) => this.#current(wasm).publishSelected(message, client));
  }

  alarm() {
    // An alarm that fails fires again, in an object that looks for what is due.
    return registry.settle((wasm) => this.#current(wasm).alarm());
  }
}
