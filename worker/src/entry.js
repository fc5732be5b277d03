// The module that the runtime loads: it instantiates the WebAssembly module and hands events over.
//
// A request that is only sent on takes the short way: one synchronous call asks Rust where it
// goes, and everything else about it stays in JavaScript. So does one with a key that is known here
// and that its Ledger lets pass. All other requests take the long way through `fetch` in lib.rs. Both
// decide with the same functions.

import { DurableObject } from "cloudflare:workers";
import module from "./index_bg.wasm";
import * as wasm from "./index.js";
import { callLedger, callRegistry, forward } from "./glue.js";
import { follow } from "./stream.js";

export { Meter } from "./meter.js";

wasm.initSync({ module });

// A trap leaves the module's memory as it was in the middle of something, so nothing may run in it
// any more: the next event gets a fresh one.
let trapped = false;
let generation = 0;

function guard(error) {
  if (error instanceof WebAssembly.RuntimeError) {
    console.error("trap", error.stack);
    trapped = true;
  }
}

// A trap inside a promise job of wasm-bindgen arrives here.
addEventListener("error", (event) => guard(event.error));

function recover() {
  if (!trapped) return;
  trapped = false;
  generation += 1;
  wasm.__wbg_reset_state();
}

export default {
  async fetch(request, env, ctx) {
    recover();
    const url = request.url;
    try {
      let target = wasm.route(request.method, url);
      let headers;
      // Where it is counted. Asked for at once: the next request is routed elsewhere.
      const place = wasm.place();
      if (target?.startsWith("?")) {
        const admitted = await admit(request, url, target.slice(1), env, ctx, place);
        if (admitted.refusal !== undefined) return reported(admitted.refusal, wasm.due(), env, ctx);
        ({ target, headers } = admitted);
      }
      if (target === undefined) return await wasm.fetch(request, env, ctx);
      const sent = Date.now();
      let answer;
      try {
        answer = await forward(request, url, target, env.CLIENT_IP_HEADER, undefined, headers);
      } catch (error) {
        return reported(wasm.failed(request, error, place), wasm.due(), env, ctx);
      }
      recover();
      return reported(answer, wasm.answered(place, answer.status, sent), env, ctx);
    } catch (error) {
      guard(error);
      throw error;
    }
  },
};

/** An answer, behind which what has been counted is reported if nobody else does. */
function reported(answer, due, env, ctx) {
  if (due) wasm.report(env, ctx);
  return answer;
}

/**
 * Asks the Ledger about a request with a key: where the request goes and the headers of its answer, or
 * the answer itself; nothing of these if the request takes the long way.
 */
async function admit(request, url, header, env, ctx, place) {
  const token = request.headers.get(header);
  const question = token === null ? undefined : wasm.question(request.method, url, token);
  if (question === undefined) return {};
  const [ledger, target] = question.split("\n", 2);
  const message = question.slice(ledger.length + target.length + 2);
  // What is wrong with the Ledger is told on the long way.
  const answer = await callLedger(env, ledger, "consume", message).catch(() => undefined);
  recover();
  if (answer === undefined) return {};
  const headers = wasm.settle(question, answer, place);
  return headers === undefined ? { refusal: wasm.refuse(request, env, ctx, question, answer, place) } : { target, headers };
}

// Turns of the event loop (each far shorter than a commit) that writes are collected for.
const COLLECTING = 16;

/** The Durable Object of registry.rs. */
export class Registry extends DurableObject {
  #object;
  #generation = -1;
  /** Writes that have arrived and are not carried out yet. */
  #waiting = [];

  get #current() {
    recover();
    if (this.#generation !== generation) {
      this.#object = new wasm.Registry(this.ctx, this.env);
      this.#generation = generation;
    }
    return this.#object;
  }

  // Not async: a promise more on each read costs more than the read.
  call(message) {
    try {
      return this.#current.call(message);
    } catch (error) {
      guard(error);
      throw error;
    }
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
    return new Response(follow(await request.text(), (message) => this.#look(message)));
  }

  #look(message) {
    try {
      return this.#current.look(message);
    } catch (error) {
      guard(error);
      throw error;
    }
  }

  ping() {
    return this.#current.ping();
  }

  publish() {
    return this.#run((object) => object.publish());
  }

  alarm() {
    return this.#run((object) => object.alarm());
  }

  async #run(event) {
    try {
      return await event(this.#current);
    } catch (error) {
      guard(error);
      throw error;
    }
  }
}

// Milliseconds without a request after which a Ledger stores its exact state.
const QUIET = 1000;
// For how many times as long as they count, counters without a session are kept after that.
const PATIENCE = 4;

/** The Durable Object of ledger.rs. Its name comes with each call: it says whom it counts for. */
export class Ledger extends DurableObject {
  #object;
  #generation = -1;
  #timer;
  #busy = false;
  /** When the alarm rings, as far as this object knows. */
  #look = 0;

  #current(name) {
    recover();
    if (this.#generation !== generation) {
      this.#object = new wasm.Ledger(name, this.ctx.storage.kv.get("state"), Date.now());
      this.#generation = generation;
    }
    return this.#object;
  }

  // Not async: a promise more on each request costs more than counting it.
  consume(name, message) {
    try {
      const now = Date.now();
      const object = this.#current(name);
      const answer = object.consume(message, now);
      this.#keep(object, now);
      return answer ?? this.#learn(name, message);
    } catch (error) {
      guard(error);
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
        this.#keep(object, now);
        if (answer !== undefined) return answer;
      }
    } catch (error) {
      guard(error);
      throw error;
    }
  }

  hold(name) {
    this.#current(name).hold(Date.now());
  }

  release(name) {
    this.#current(name).release();
  }

  // No answer leaves before what is put here is durable.
  #keep(object, now) {
    this.#busy = true;
    const state = object.toStore(now);
    if (state === undefined) return;
    if (state === "") {
      this.ctx.storage.deleteAll().catch((error) => console.error("ledger", error));
      return;
    }
    this.ctx.storage.kv.put("state", state);
    this.#timer ??= setTimeout(() => this.#settle(), QUIET);
  }

  #settle() {
    this.#timer = undefined;
    if (this.#generation !== generation) return;
    if (this.#busy) {
      this.#busy = false;
      this.#timer = setTimeout(() => this.#settle(), QUIET);
      return;
    }
    const state = this.#object.settle();
    if (state !== undefined) this.ctx.storage.kv.put("state", state);
    const at = this.#object.emptyAt();
    if (at === undefined || at <= this.#look) return;
    // Not at once: what comes again and again need not be stored anew each time.
    this.#look = at + PATIENCE * Math.max(at - Date.now(), 0);
    this.ctx.storage.setAlarm(this.#look).catch((error) => console.error("ledger", error));
  }

  // Counters that belong to no session, of which there may be any number, are stored as long as they count
  // something. What is counting now sets the alarm anew when it settles.
  async alarm() {
    this.#look = 0;
    if (this.#timer !== undefined) return;
    const at = this.#current("").emptyAt();
    if (at > Date.now()) await this.ctx.storage.setAlarm(at);
    else if (at !== undefined) await this.ctx.storage.deleteAll();
  }
}
