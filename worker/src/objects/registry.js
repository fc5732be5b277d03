// The Durable Object that owns the documents; registry.rs decides.

import { DurableObject } from "cloudflare:workers";
import { registry } from "../modules.js";
import { place, shards, shardsBefore } from "../places.js";
import { once } from "../reads.js";
import { begin, follow } from "../stream.js";

/** How long handovers stay open after Ledgers keep them, in milliseconds, so that many are closed at once. */
const RECORD_MS = 500;
/** How long generated keys are collected for an object, in milliseconds. */
const LATER_MS = 1000;
/** How often what wants sessions is tried. */
const TRIES_MAX = 3;

export class Registry extends DurableObject {
  #object;
  #generation = -1;
  /** Writes that have arrived and are not carried out yet. */
  #pending = [];
  /** Handovers to be closed: Ledgers keep them. */
  #kept = [];
  #recording = false;
  /** The names of objects that ask about sessions they don't have, each with the generated keys that it gets soon. */
  #open = new Map();

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
    const call = () => this.#run((object) => object.call(message, this.#open.size > 0));
    const answer = call();
    return typeof answer === "string" ? answer : this.#complete(answer, call);
  }

  // Does what has to be done before a reply leaves: Ledgers lend the sessions that are wanted, and the command is carried
  // out `again`; then Ledgers keep what was written.
  async #complete(answer, again) {
    let finished = answer;
    for (let tries = 0; finished[0] === undefined; tries += 1) {
      // What is lent may have been written meanwhile.
      if (tries === TRIES_MAX) throw new Error(`${finished[1].length} Ledgers don't have their sessions as the index says`);
      await this.#lend(finished[1]);
      finished = again();
      if (typeof finished === "string") return finished;
    }
    const [reply, list, drains] = finished;
    try {
      await this.#handOver(list);
      while (drains && (await this.#handOverRest(false)));
    } catch (error) {
      // `protocol/src/error.rs` knows these words. The alarm tries again.
      throw new Error(`stored, and not kept by its Ledger yet: ${error}`);
    }
    return reply;
  }

  async #lend(ledgers) {
    const lend = async (names) => {
      const answers = await this.#ledger(names[0]).kept(names);
      names.forEach((name, at) => this.#run((object) => object.lend(name, answers[at])));
    };
    await Promise.all(this.#byObject(ledgers, (name) => name).map(lend));
  }

  // Ends first: a key that replaces another one continues the counters that this had in the end.
  async #handOver(list) {
    const waiting = list.filter((entry) => !this.#handOverLater(entry));
    const [first, then] = [false, true].map((follows) => waiting.filter(([, , , after]) => (after !== "") === follows));
    const ended = new Map();
    for (const part of [first, then]) await Promise.all(this.#byObject(part, ([name]) => name).map((part) => this.#keep(part, ended)));
  }

  // Lets the Ledgers of one object keep what is theirs, and notes the counters of those that have `ended`. If a key was just
  // generated, more will be soon.
  async #keep(list, ended = new Map()) {
    const counters = async (after) => (after === "" ? "" : (ended.get(after) ?? this.#ledger(after).take(after)));
    const entries = list.map(async ([name, , message, after]) => [name, message, await counters(after)]);
    const opens = shards(this.env) > 0 && list.some(([, , , , isGenerated]) => isGenerated);
    const places = this.#run((object) => object.places()) || shardsBefore(this.env).join();
    const kept = await this.#ledger(list[0][0]).keep(await Promise.all(entries), opens, places);
    // What is taken later may be of a key that was created with the same id since.
    for (const [at, [name, , message]] of list.entries()) if (!message.includes("\n")) ended.set(name, kept?.[at]);
    if (opens) this.#openObject(place(list[0][0], shards(this.env)));
    this.#kept.push(...list);
    this.#recordKeptSoon();
  }

  // From now on, the object asks about sessions that it doesn't have: generated keys can be handed over together.
  #openObject(name) {
    if (this.#open.has(name)) return;
    this.#open.set(name, []);
    this.#keepSoon(name);
  }

  /** Returns whether the Ledger gets the session later, because its object asks about sessions that it doesn't have. */
  #handOverLater(entry) {
    const [ledger, , , , isGenerated] = entry;
    const later = isGenerated ? this.#open.get(place(ledger, shards(this.env))) : undefined;
    return later !== undefined && later.push(entry) > 0;
  }

  #keepSoon(name) {
    setTimeout(async () => {
      const list = this.#open.get(name);
      this.#open.delete(name);
      if (list.length === 0) return;
      try {
        await this.#keep(list);
      } catch (error) {
        // Until the alarm has handed them over, the object finds them here.
        console.error("sessions", error);
      }
    }, LATER_MS);
  }

  #recordKeptSoon() {
    if (this.#recording || this.#kept.length === 0) return;
    this.#recording = true;
    setTimeout(() => {
      this.#recording = false;
      try {
        this.#recordKept();
      } catch (error) {
        console.error("sessions", error);
      }
    }, RECORD_MS);
  }

  #recordKept() {
    const kept = this.#kept;
    this.#kept = [];
    if (kept.length > 0) this.#run((object) => object.kept(kept.map(([ledger]) => ledger), kept.map(([, revision]) => revision)));
  }

  // Carries out a part of the open handovers; for the alarm, if they are due. Returns whether there are more.
  async #handOverRest(isDue) {
    this.#recordKept();
    const [rest, isMore] = this.#run((object) => object.openHandovers(isDue));
    await this.#handOver(rest);
    this.#recordKept();
    return isMore;
  }

  // After an upgrade, or if LEDGER_SHARDS was changed, each Ledger fetches its session from where that lived before.
  async #goThrough() {
    const next = this.#run((object) => object.nextToGoThrough());
    if (next === undefined) return;
    const asks = [];
    for (let at = 0; at < next.length; at += 2) asks.push(this.#ledger(next[at]).find(next[at], next[at + 1]));
    await Promise.all(asks);
    this.#run((object) => object.wentThrough(next.at(-2)));
  }

  /** Returns the object that a Ledger lives in. */
  #ledger(name) {
    return this.env.LEDGER.getByName(place(name, shards(this.env)));
  }

  /** Groups entries by the object that the Ledger of each lives in. */
  #byObject(list, nameOf) {
    return [...Map.groupBy(list, (entry) => place(nameOf(entry), shards(this.env))).values()];
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
    for (let tries = 0; tries < TRIES_MAX; tries += 1) {
      try {
        const answers = await this.ctx.storage.transaction(async () => this.#run((object) => object.write(messages)));
        answers.forEach((answer, at) => this.#reply(pending[at], answer));
        this.#keepUp();
        return;
      } catch {
        // They want sessions; or one of them has failed, or trapped. All were rolled back.
        if (!(await this.#lendWanted())) break;
      }
    }
    // One by one, only that one fails.
    for (const write of pending) this.#writeAlone(write);
    this.#keepUp();
  }

  #reply({ resolve, reject }, answer) {
    if (answer instanceof Error) reject(answer);
    else if (typeof answer === "string") resolve(answer);
    else this.#complete(answer).then(resolve, reject);
  }

  /** Returns whether the commands that failed wanted sessions, and these could be lent. */
  async #lendWanted() {
    try {
      const wanted = this.#run((object) => object.wanted());
      await this.#lend(wanted);
      return wanted.length > 0;
    } catch (error) {
      console.error("sessions", error);
      return false;
    }
  }

  #writeAlone({ message, resolve, reject }) {
    try {
      resolve(this.call(message));
    } catch (error) {
      reject(error);
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

  async alarm() {
    await this.#keepSessions();
    // An alarm that fails fires again, in an object that looks for what is due.
    return registry.settle((wasm) => this.#current(wasm).alarm());
  }

  // What fails is tried again by a later alarm, and keeps nothing else from being done.
  async #keepSessions() {
    for (const part of [this.#moveSessions, this.#removeEnded]) {
      try {
        await part.call(this);
      } catch (error) {
        console.error("sessions", error);
        this.#run((object) => object.pause());
      }
    }
  }

  async #moveSessions() {
    if (!(await this.#handOverRest(true))) await this.#goThrough();
  }

  async #removeEnded() {
    const removed = () => this.#run((object) => object.removeEnded());
    const answer = removed();
    if (typeof answer !== "string") await this.#complete(answer, removed);
  }
}
