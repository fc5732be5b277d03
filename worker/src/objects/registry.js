// The Durable Object that owns the documents; registry.rs of the control plane decides.

import { DurableObject } from "cloudflare:workers";
import { controlplane } from "../modules.js";
import { follow } from "../stream.js";

// Turns of the event loop (each far shorter than a commit) that writes are collected for.
const COLLECTING = 16;

export class Registry extends DurableObject {
  #object;
  #generation = -1;
  /** Writes that have arrived and are not carried out yet. */
  #waiting = [];

  /** What `event` answers of the object, made anew where its module was. */
  #run(event) {
    return controlplane.run((wasm) => event(this.#current(wasm)));
  }

  #current(wasm) {
    if (this.#generation !== controlplane.generation) {
      this.#object = new wasm.Registry(this.ctx, this.env);
      this.#generation = controlplane.generation;
    }
    return this.#object;
  }

  // Not async: a promise more on each read costs more than the read.
  call(message) {
    return this.#run((object) => object.call(message));
  }

  // What is stored in one event is one commit, and a commit waits for the disk; so writes that come
  // together are carried out in one event, each in its own transaction. No answer leaves before
  // everything is durable.
  write(message) {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ message, resolve, reject });
      if (this.#waiting.length === 1) this.#collect(1, COLLECTING);
    });
  }

  // Those who were answered together come back one by one: as long as each turn of the event loop
  // brings another write, and for so many turns at most, the commit waits for it. A lone one doesn't.
  #collect(known, turns) {
    setTimeout(() => {
      const arrived = this.#waiting.length;
      if (arrived > known && turns > 0) this.#collect(arrived, turns - 1);
      else this.#writeAll();
    }, 0);
  }

  #writeAll() {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { message, resolve, reject } of waiting) {
      try {
        resolve(this.call(message));
      } catch (error) {
        reject(error);
      }
    }
  }

  // A stream of notifications; nobody else sends it requests.
  async fetch(request) {
    return new Response(follow(await request.text(), (message) => this.#run((object) => object.look(message))));
  }

  ping() {
    return this.#run((object) => object.ping());
  }

  publish() {
    return controlplane.wait((wasm) => this.#current(wasm).publish());
  }

  alarm() {
    return controlplane.wait((wasm) => this.#current(wasm).alarm());
  }
}
