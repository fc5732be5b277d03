// The Durable Object that counts for its owners: keys, organisations, APIs and texts. The data plane's ledger.rs
// decides about each.

import { DurableObject } from "cloudflare:workers";
import { callRegistry } from "../glue.js";
import { dataplane } from "../modules.js";
import { place, shards, shardsBefore } from "../places.js";
import { Own, Rows, isOwn } from "./owners.js";
import { version } from "./statements.json";

const logFailure = (error) => console.error("ledger", error);
/** With this many owners in memory, idle ones are searched for and dropped. */
const IDLE_SEARCH_MIN = 256;

/** Each call names the owner it is for. */
export class Ledger extends DurableObject {
  /** The owners in memory, by name. */
  #owners = new Map();
  #generation = -1;
  #stored;
  /** Owners that are being fetched from the objects they lived in before, as promises. */
  #fetching = new Map();
  /** Names of owners that have moved to another object. */
  #moved = new Set();

  /** Returns the stored state, in the form for this number of shards. */
  #store(count = shards(this.env)) {
    this.#stored ??= count === 0 ? new Own(this.ctx.storage) : new Rows(this.ctx.storage, version);
    return this.#stored;
  }

  /** Returns an owner; undefined if it has to be fetched first. */
  #owner(name) {
    const wasm = dataplane.ready();
    if (this.#generation !== dataplane.generation) {
      this.#owners.clear();
      this.#generation = dataplane.generation;
    }
    const known = this.#owners.get(name);
    if (known !== undefined) return known;
    if (this.#moved.has(name)) throw new Error("its counts are kept elsewhere now");
    const [stored, copy] = this.#store().get(name);
    if (stored === undefined && shardsBefore(this.env).length > 0) return undefined;
    return this.#open(wasm, name, stored, copy);
  }

  #open(wasm, name, stored, copy) {
    const now = Date.now();
    const { size } = this.#owners;
    // Only at powers of two, so that searching costs no more in total than creating the owners did.
    if (size >= IDLE_SEARCH_MIN && (size & (size - 1)) === 0) this.#forgetIdle(now);
    const object = new wasm.Ledger(name, stored, copy, now);
    this.#owners.set(name, object);
    return object;
  }

  #forgetIdle(now) {
    for (const [name, object] of this.#owners) {
      if (!object.isIdle(now)) continue;
      this.#owners.delete(name);
      object.free();
    }
  }

  /** Runs `event` on an owner, once it is in memory, and returns its result. */
  #run(name, event) {
    const object = dataplane.run(() => this.#owner(name));
    if (object === undefined) return this.#fetch(name).then(() => this.#run(name, event));
    return dataplane.run(() => event(object, Date.now()));
  }

  /** Does the same for an event that changes the owner. */
  #change(name, event) {
    return this.#run(name, (object, now) => {
      const answer = event(object, now);
      this.#carryOut(name, object, object.keep(now))?.catch(logFailure);
      return answer;
    });
  }

  // Not async: one more promise per request costs more than counting it.
  consume(name, message) {
    try {
      const now = Date.now();
      const object = this.#owner(name);
      if (object === undefined) return this.#fetch(name).then(() => this.consume(name, message));
      const answer = object.consume(message, now);
      this.#carryOut(name, object, object.keep(now))?.catch(logFailure);
      return answer ?? this.#askRegistry(name, message);
    } catch (error) {
      dataplane.guard(error);
      throw error;
    }
  }

  // Asks the Registry for the session, again if the session was written in the meantime.
  async #askRegistry(name, message) {
    try {
      for (;;) {
        const object = this.#owner(name) ?? (await this.#fetch(name));
        const epoch = object.epoch;
        const givenUp = object.givenUp(Date.now());
        const reply = await callRegistry(this.env, "call", object.question(givenUp));
        if (!this.#isKnown(name, object)) continue;
        const now = Date.now();
        const answer = object.learn(epoch, givenUp, reply, message, now);
        this.#carryOut(name, object, object.keep(now))?.catch(logFailure);
        if (answer !== undefined) return answer;
      }
    } catch (error) {
      dataplane.guard(error);
      throw error;
    }
  }

  /** Looks up a session. `message` is the query for the Registry, which is asked if it isn't known here. */
  async find(name, message) {
    const known = await this.#run(name, (object, now) => object.find(now));
    if (known !== undefined) return known;
    const object = dataplane.run(() => this.#owner(name));
    const epoch = object.epoch;
    const reply = await callRegistry(this.env, "call", message);
    if (this.#isKnown(name, object)) this.#change(name, (_, now) => object.learnFound(epoch, reply, now));
    return reply;
  }

  // Stored before the reply is sent, so that no crash loses the hold while the write is under way.
  hold(name, write) {
    return this.#change(name, (object, now) => object.hold(write, now));
  }

  // A write completes when every isolate with a lease has asked again, after a quarter of a second at most.
  async release(name, write) {
    const ms = await this.#change(name, (object, now) => object.release(write, now));
    if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
  }

  /** Takes an owner's counters, to be carried to another one; an empty text if it has none. */
  take(name) {
    return this.#run(name, (object, now) => object.takeCounters(now) ?? "");
  }

  /** Continues from the counters of another owner. */
  put(name, counters) {
    return this.#change(name, (object, now) => object.putCounters(counters, now));
  }

  // Fetches an owner from where it lived before LEDGER_SHARDS was changed. The old object deletes it only once it is
  // stored here, so nothing is lost in between; calls that arrive meanwhile wait.
  #fetch(name) {
    const fetching = this.#fetching.get(name) ?? this.#fetchNow(name).finally(() => this.#fetching.delete(name));
    this.#fetching.set(name, fetching);
    return fetching;
  }

  async #fetchNow(name) {
    const before = shardsBefore(this.env).map((count) => ({ count, object: this.env.LEDGER.getByName(place(name, count)) }));
    const states = await Promise.all(before.map(({ count, object }) => object.giveUp(name, count)));
    const state = states.find((text) => text !== "");
    if (state !== undefined) {
      this.#store().put(name, state);
      await this.ctx.storage.sync();
      const left = before.filter((_, at) => states[at] !== "");
      await Promise.all(left.map(({ count, object }) => object.forget(name, count)));
    }
    return dataplane.run((wasm) => this.#owner(name) ?? this.#open(wasm, name, undefined));
  }

  /**
   * Returns the state of an owner that is moving to another object, an empty text if there is none. It stops counting
   * here.
   */
  giveUp(name, count) {
    return dataplane.run((wasm) => {
      const known = this.#generation === dataplane.generation ? this.#owners.get(name) : undefined;
      const store = this.#store(count);
      const object = known ?? new wasm.Ledger(name, store.get(name)[0], undefined, Date.now());
      this.#moved.add(name);
      this.#owners.delete(name);
      const state = object.giveUp(Date.now()) ?? "";
      // If the owner ever comes back, its session may have been written meanwhile.
      store.putCopy(name, "");
      // From now on, nothing may count on it directly.
      object.free();
      return state;
    });
  }

  /** Deletes an owner that has been stored elsewhere. */
  forget(name, count) {
    return this.#store(count).drop(name);
  }

  // No reply leaves before what is put here is durable. The returned promise rejects if the rest fails; an alarm then
  // fires again.
  #carryOut(name, object, chores) {
    if (chores === undefined) return undefined;
    const { store, copy, number, deletes, wakeAfter, alarmAt } = chores;
    chores.free();
    const stored = this.#store();
    if (wakeAfter !== undefined) setTimeout(() => this.#wake(name, object), wakeAfter);
    const isDue = alarmAt !== undefined && !deletes;
    let done;
    // In one transaction with the state, which names it.
    if (copy !== undefined) stored.putCopy(name, copy);
    if (store !== undefined) {
      done = isDue ? stored.putUntil(name, store, alarmAt) : stored.put(name, store);
      this.ctx.storage.sync().then(() => this.#confirm(name, object, number)).catch(logFailure);
    }
    if (deletes) return stored.drop(name);
    return isDue && store === undefined ? stored.wake(name, alarmAt) : done;
  }

  #isKnown(name, object) {
    return this.#owners.get(name) === object && this.#generation === dataplane.generation;
  }

  // Once the state is on disk, it covers what is counted without a call.
  #confirm(name, object, number) {
    if (this.#isKnown(name, object)) dataplane.run(() => object.confirm(number, Date.now()));
  }

  // The timer of an owner that is gone does nothing.
  #wake(name, object) {
    if (!this.#isKnown(name, object)) return;
    dataplane.run(() => this.#carryOut(name, object, object.woken(Date.now()))?.catch(logFailure));
  }

  alarm() {
    return dataplane.wait((wasm) => {
      const now = Date.now();
      // An object that belonged to a single owner is looked after in that form until nothing is left.
      const stored = this.#store(isOwn(this.ctx.storage) ? 0 : undefined);
      return stored.rung(now, (name) => {
        const known = this.#generation === dataplane.generation ? this.#owners : new Map();
        const [own] = known.values();
        const object = stored instanceof Own ? own : known.get(name);
        const looked = object ?? new wasm.Ledger(name, ...stored.get(name), now);
        const done = this.#carryOut(name, looked, looked.rung(now));
        if (object === undefined) looked.free();
        return done;
      });
    });
  }
}
