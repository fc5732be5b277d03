// The Durable Object that counts for its owners: keys, organisations, APIs and texts. The sessions of keys and
// organisations live here. The data plane's ledger.rs decides about each.

import { DurableObject } from "cloudflare:workers";
import { callLedger, callRegistry, wait } from "../glue.js";
import { dataplane } from "../modules.js";
import { place, shards, shardsBefore } from "../places.js";
import { Own, Rows, isOwn } from "./owners.js";
import { version } from "./statements.json";

const logFailure = (error) => console.error("ledger", error);
/** With this many owners in memory, idle ones are searched for and dropped. */
const IDLE_SEARCH_MIN = 256;
/** The mark in front of the state of an owner that is moving to another object. */
const MOVED = "moved ";

/** Whether an owner may live in another object, given what is stored of it. */
const isElsewhere = (stored) => stored === undefined || stored.startsWith(MOVED);
/** Returns a stored state without the mark of one that has moved. */
const returned = (stored) => (isElsewhere(stored) ? stored?.slice(MOVED.length) : stored);

/** Whether a stored state has counters that an import has put there: they belong to a session, and there is none. */
function isImported(stored) {
  if (isElsewhere(stored)) return false;
  const { kept, copy, reset } = JSON.parse(stored);
  return (kept ?? copy) === undefined && reset > 0;
}

/** Splits what an owner gives up into its state and its session, empty texts if there are none. */
function split(given = "\n") {
  const end = given.indexOf("\n");
  return [given.slice(0, end), given.slice(end + 1)];
}

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
  /** Owners that the Registry is being asked about, as promises. */
  #asking = new Map();
  /**
   * Whether the Registry has said that it knows no session that isn't in its Ledger. Not stored: it holds until another
   * deployment changes LEDGER_SHARDS, and that replaces this object.
   */
  #isSettled = false;
  /** How often the Registry has opened this object. */
  #opened = 0;

  /** Returns the stored state: in the form that it has, or else in that for this number of shards. */
  #store(count = shards(this.env)) {
    const { storage } = this.ctx;
    this.#stored ??= (isOwn(storage) ?? count === 0) ? new Own(storage) : new Rows(storage, version);
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
    if (this.#fetching.has(name)) return undefined;
    const [stored, session] = this.#store().get(name);
    if (isElsewhere(stored)) {
      // Where a session lives, the Registry says: another object may still have one that has ended since.
      if (!/^(key|org):/.test(name) && shardsBefore(this.env).length > 0) return undefined;
      return this.#open(wasm, name, undefined, undefined);
    }
    return this.#open(wasm, name, stored, session);
  }

  #open(wasm, name, stored, session) {
    const now = Date.now();
    const { size } = this.#owners;
    // Only at powers of two, so that searching costs no more in total than creating the owners did.
    if (size >= IDLE_SEARCH_MIN && (size & (size - 1)) === 0) this.#forgetIdle(now);
    const object = new wasm.Ledger(name, stored, session, now);
    this.#owners.set(name, object);
    return object;
  }

  #forgetIdle(now) {
    for (const [name, object] of this.#owners) {
      if (!object.isIdle(now)) continue;
      this.#close(name, object);
    }
  }

  // From now on, nothing may count on it directly.
  #close(name, object) {
    this.#owners.delete(name);
    object.free();
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
      this.#carryOut(name, object, object.chores(now))?.catch(logFailure);
      return answer;
    });
  }

  // Not async: one more promise per request costs more than counting it.
  consume(name, message) {
    try {
      const now = Date.now();
      const object = this.#owner(name);
      if (object === undefined) return this.#fetch(name).then(() => this.consume(name, message));
      const answer = object.consume(message, this.#isSettled, now);
      this.#carryOut(name, object, object.chores(now))?.catch(logFailure);
      return answer ?? this.#ask(name, (object, now) => object.consume(message, true, now));
    } catch (error) {
      dataplane.guard(error);
      throw error;
    }
  }

  /**
   * Looks up a session. The first line of `message` is the command for the Registry, and the others are the Ledgers that
   * may have it; they are asked if it isn't here.
   */
  async find(name, message) {
    const known = await this.#run(name, (object, now) => object.find(this.#isSettled, now));
    const own = known ?? (await this.#ask(name, (object, now) => object.find(true, now)));
    if (own !== "") return own;
    const [question, ...ledgers] = message.trimEnd().split("\n");
    // An isolate of the previous release expects what the Registry answers.
    if (ledgers.length === 0) return callRegistry(this.env, "call", message);
    const others = ledgers.filter((other) => other !== name);
    const answers = await Promise.all(others.map((other) => callLedger(this.env, other, "find", `${question}\n${other}`)));
    return answers.find((answer) => answer !== "") ?? "";
  }

  /**
   * Keeps what the Registry hands over: names of owners, each with a message and the counters that its session
   * continues with, an empty text for its own. Resolves to the counters of those whose sessions have ended, empty texts
   * for all others, when the writes may be answered. `opens` says that more may exist than is handed over, and `places`
   * for which values of LEDGER_SHARDS owners of which nothing is known here may live; empty for no others.
   */
  async keep(entries, opens, places) {
    if (opens) {
      this.#isSettled = false;
      this.#opened += 1;
    }
    const keep = async ([name, message, counters]) => {
      if (places) await this.#fetchMissing(name, places.split(",").map(Number));
      return this.#change(name, (object, now) => object.keep(message, counters, now));
    };
    const kept = (await Promise.all(entries.map(keep))).map((answer) => {
      const end = answer.indexOf(" ");
      return { ms: Number(answer.slice(0, end)), counters: answer.slice(end + 1) };
    });
    const ms = Math.max(0, ...kept.map(({ ms }) => ms));
    if (ms > 0) await wait(ms);
    return kept.map(({ counters }) => counters);
  }

  /** Returns the sessions of owners as the Registry replies with them, an empty text for one that has none. */
  kept(names) {
    return Promise.all(names.map((name) => this.#kept(name)));
  }

  async #kept(name) {
    const kept = (object) => object.kept();
    const known = await this.#run(name, kept);
    if (known !== undefined) return known;
    // It may live in the object for another LEDGER_SHARDS.
    const isKnown = await this.#run(name, (object, now) => object.find(this.#isSettled, now) !== undefined);
    return (isKnown ? undefined : await this.#ask(name, kept)) ?? "";
  }

  // Only an isolate of the previous release calls this, before a write.
  hold() {}

  // And this after it, as does a Registry of that release: its answer to an earlier question may be out of date now.
  async release(name) {
    const ms = await this.#change(name, (object, now) => object.release(now));
    this.#asking.delete(name);
    if (ms > 0) await wait(ms);
  }

  // Asks the Registry for the session, then runs `event` on its owner, which knows now whether there is one.
  async #ask(name, event) {
    for (;;) {
      const object = await this.#askOnce(name);
      if (object !== undefined && this.#isKnown(name, object)) return this.#change(name, event);
    }
  }

  // Resolves to the owner that has learnt the answer, to undefined if that was out of date. All that wait for it share
  // one call.
  #askOnce(name) {
    const known = this.#asking.get(name);
    if (known !== undefined) return known;
    const asking = this.#askNow(name, () => this.#asking.get(name) === asking).finally(() => {
      if (this.#asking.get(name) === asking) this.#asking.delete(name);
    });
    this.#asking.set(name, asking);
    return asking;
  }

  async #askNow(name, isCurrent) {
    const count = shards(this.env);
    const opened = this.#opened;
    const question = await this.#run(name, (object) => object.question(count));
    const reply = await callRegistry(this.env, "call", question);
    if (!isCurrent()) return undefined;
    const [object, learnt] = await this.#change(name, (object, now) => [object, object.learn(reply, now)]);
    if (learnt === "settled" && opened === this.#opened) this.#isSettled = true;
    return learnt === undefined || learnt === "settled" ? object : this.#fetchLost(name, object, learnt.split(",").map(Number));
  }

  // Fetches a session that lives in the object for another LEDGER_SHARDS.
  async #fetchLost(name, object, counts) {
    this.#close(name, object);
    const fetched = await this.#fetch(name, counts);
    if (fetched.kept() === undefined) console.error(`ledger: a session is kept in no object for LEDGER_SHARDS=${counts.join(" or ")}, although the Registry lists it`);
    return fetched;
  }

  // Fetches an owner of which nothing is known here from where it may live.
  async #fetchMissing(name, counts) {
    const isKnown = await this.#run(name, (object, now) => object.find(false, now) !== undefined);
    if (!isKnown) await this.#fetch(name, counts);
  }

  /** Takes an owner's counters, to be carried to another one; an empty text if it has none. */
  take(name) {
    return this.#run(name, (object, now) => object.takeCounters(now) ?? "");
  }

  /** Continues from the counters of another owner. */
  put(name, counters) {
    return this.#change(name, (object, now) => object.putCounters(counters, now));
  }

  // Fetches an owner from where it lived before LEDGER_SHARDS was changed, or may live. The old object deletes it only
  // once it is stored here, so nothing is lost in between; calls that arrive meanwhile wait.
  #fetch(name, counts = []) {
    const fetching = this.#fetching.get(name) ?? this.#fetchNow(name, counts).finally(() => this.#fetching.delete(name));
    this.#fetching.set(name, fetching);
    return fetching;
  }

  async #fetchNow(name, counts) {
    const others = new Set([...counts, ...shardsBefore(this.env)]);
    others.delete(shards(this.env));
    const before = [...others].map((count) => ({ count, object: this.env.LEDGER.getByName(place(name, count)) }));
    const given = await Promise.all(before.map(({ count, object }) => object.giveUp(name, count)));
    // The previous release has no sessions to give.
    const owners = given.map((owner) => (typeof owner === "string" ? [owner, ""] : owner));
    const owner = owners.find(([state]) => state !== "");
    const store = this.#store();
    if (owner !== undefined) {
      const [state, session] = this.#withImported(name, owner);
      const known = this.#owners.get(name);
      if (known !== undefined) this.#close(name, known);
      store.put(name, state);
      store.putSession(name, session);
      await this.ctx.storage.sync();
      const left = before.filter((_, at) => owners[at][0] !== "");
      await Promise.all(left.map(({ count, object }) => object.forget(name, count)));
    }
    return dataplane.run((wasm) => {
      this.#owner(name);
      const [stored, session] = store.get(name);
      const object = this.#owners.get(name) ?? this.#open(wasm, name, returned(stored), session);
      // What was here may have told clients that there is no session: a new one waits until they have forgotten that.
      if (owner !== undefined) object.find(true, Date.now());
      return object;
    });
  }

  // An import puts counters here before the session that they belong to. What is fetched then is the end of an earlier one.
  #withImported(name, [state, session]) {
    const [here] = this.#store().get(name);
    if (session !== "" || !isImported(here)) return [state, session];
    return dataplane.run((wasm) => {
      const now = Date.now();
      const object = new wasm.Ledger(name, state, undefined, now);
      object.putCounters(here, now);
      const both = split(object.giveUp(now));
      object.free();
      return both;
    });
  }

  /**
   * Returns the state and the session of an owner that is moving to another object, empty texts if there are none. It
   * stops counting here.
   */
  giveUp(name, count) {
    // From an object of another deployment: here, the owner lives in this one.
    if (count === shards(this.env)) throw new Error("LEDGER_SHARDS was changed meanwhile");
    return dataplane.run((wasm) => {
      const known = this.#generation === dataplane.generation ? this.#owners.get(name) : undefined;
      const store = this.#store(count);
      const [stored, row] = store.get(name);
      const object = known ?? new wasm.Ledger(name, returned(stored), row, Date.now());
      this.#moved.add(name);
      const [state, session] = split(object.giveUp(Date.now()));
      this.#close(name, object);
      // If the owner ever comes back, it has to be fetched first.
      if (state !== "") store.put(name, MOVED + state);
      store.putSession(name, session);
      // Here, nothing more is known of owners than when they left.
      this.#isSettled = false;
      return [state, session];
    });
  }

  /** Deletes an owner that has been stored elsewhere, unless another deployment has brought it back. */
  forget(name, count) {
    return count === shards(this.env) ? undefined : this.#store(count).drop(name);
  }

  // No reply leaves before what is put here is durable. The returned promise rejects if the rest fails; an alarm then
  // fires again.
  #carryOut(name, object, chores) {
    if (chores === undefined) return undefined;
    const { store, session, number, deletes, wakeAfter, alarmAt } = chores;
    chores.free();
    const stored = this.#store();
    if (wakeAfter !== undefined) setTimeout(() => this.#wake(name, object), wakeAfter);
    const isDue = alarmAt !== undefined && !deletes;
    let done;
    // In one transaction with the state, which names it.
    if (session !== undefined) stored.putSession(name, session);
    if (store !== undefined) {
      done = isDue ? stored.putUntil(name, store, alarmAt) : stored.put(name, store);
      if (number > 0) this.ctx.storage.sync().then(() => this.#confirm(name, object, number)).catch(logFailure);
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
      const stored = this.#store();
      return stored.rung(now, (name) => {
        const known = this.#generation === dataplane.generation ? this.#owners : new Map();
        const [own] = known.values();
        const object = stored instanceof Own ? own : known.get(name);
        const [state, session] = stored.get(name);
        const looked = object ?? new wasm.Ledger(name, returned(state), session, now);
        const done = this.#carryOut(name, looked, looked.rung(now));
        if (object === undefined) looked.free();
        return done;
      });
    });
  }
}
