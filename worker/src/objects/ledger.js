// The Durable Object that counts for a key, an organisation or an API; ledger.rs of the data plane decides.

import { DurableObject } from "cloudflare:workers";
import { callRegistry } from "../glue.js";
import { dataplane } from "../modules.js";

const failed = (error) => console.error("ledger", error);

/** Its name comes with each call: it says whom it counts for. */
export class Ledger extends DurableObject {
  #object;
  #generation = -1;

  #current(name) {
    const wasm = dataplane.ready();
    if (this.#generation !== dataplane.generation) {
      this.#object = new wasm.Ledger(name, this.ctx.storage.kv.get("state"), Date.now());
      this.#generation = dataplane.generation;
    }
    return this.#object;
  }

  // Not async: a promise more on each request costs more than counting it.
  consume(name, message) {
    try {
      const now = Date.now();
      const object = this.#current(name);
      const answer = object.consume(message, now);
      this.#do(object, object.keep(now))?.catch(failed);
      return answer ?? this.#learn(name, message);
    } catch (error) {
      dataplane.guard(error);
      throw error;
    }
  }

  // The session has to be asked for; asked again if it was written meanwhile.
  async #learn(name, message) {
    try {
      for (;;) {
        const asked = this.#current(name);
        const epoch = asked.epoch;
        const reply = await callRegistry(this.env, "call", asked.question());
        const now = Date.now();
        const object = this.#current(name);
        const answer = object === asked ? object.learn(epoch, reply, message, now) : undefined;
        this.#do(object, object.keep(now))?.catch(failed);
        if (answer !== undefined) return answer;
      }
    } catch (error) {
      dataplane.guard(error);
      throw error;
    }
  }

  hold(name) {
    dataplane.run(() => this.#current(name).hold(Date.now()));
  }

  // A write is answered when every isolate that has leased anything has asked again, a quarter of a second at
  // most.
  async release(name) {
    const ms = dataplane.run(() => this.#current(name).release(Date.now()));
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
  }

  /** What it counts, for another one; an empty text for nothing. */
  take(name) {
    return dataplane.run(() => this.#current(name).takeCounters(Date.now()) ?? "");
  }

  /** Goes on from what another one has counted. */
  put(name, counters) {
    dataplane.run(() => {
      const object = this.#current(name);
      const now = Date.now();
      object.putCounters(counters, now);
      this.#do(object, object.keep(now))?.catch(failed);
    });
  }

  // No answer leaves before what is put here is durable. What this answers fails if the rest can't be done;
  // an alarm then rings again.
  #do(object, chores) {
    if (chores === undefined) return undefined;
    const { store, number, deletes, wakeAfter, alarmAt } = chores;
    chores.free();
    const { storage } = this.ctx;
    if (store !== undefined) {
      storage.kv.put("state", store);
      storage.sync().then(() => this.#confirm(object, number)).catch(failed);
    }
    if (wakeAfter !== undefined) setTimeout(() => this.#wake(object), wakeAfter);
    if (!deletes && alarmAt === undefined) return undefined;
    return deletes ? storage.deleteAll() : storage.setAlarm(alarmAt);
  }

  // What is on the disk covers what is counted without a call.
  #confirm(object, number) {
    if (this.#object !== object || this.#generation !== dataplane.generation) return;
    dataplane.run(() => object.confirm(number, Date.now()));
  }

  // A timer of an object that is gone has nothing to do.
  #wake(object) {
    if (this.#object !== object || this.#generation !== dataplane.generation) return;
    dataplane.run(() => this.#do(object, object.woken(Date.now()))?.catch(failed));
  }

  alarm() {
    return dataplane.wait(() => {
      const object = this.#current("");
      return this.#do(object, object.rung(Date.now()));
    });
  }
}
