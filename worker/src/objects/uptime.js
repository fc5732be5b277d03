// The Durable Object that tests, on its alarm, whether hosts of upstreams are up. `crates/controlplane/src/uptime/`
// decides which tests there are, what their results mean and who is notified; here the tests are run.

import { connect } from "cloudflare:sockets";
import { DurableObject } from "cloudflare:workers";
import { callRegistry, join, NO_CACHE } from "../glue.js";
import { registry } from "../modules.js";
import { getList } from "./answers.js";

/**
 * How many tests run at once. Further connections would only wait in the runtime, and a test would count that wait as
 * its own time.
 */
const MAX_CONCURRENT = 6;
/** The pause after a failed round, in milliseconds. */
const RETRY_MS = 10_000;

export class Uptime extends DurableObject {
  #object;
  #generation = -1;
  #isReporting = false;

  /** Runs `event` on the tests, which are read anew if their module's instance is new. */
  #run(event) {
    return registry.run((wasm) => {
      if (this.#generation !== registry.generation) {
        this.#object = new wasm.Uptime(this.ctx, this.env);
        this.#generation = registry.generation;
      }
      return event(this.#object);
    });
  }

  /** Returns an organisation's hosts that are down, one per line. */
  down(org) {
    return this.#run((tests) => tests.down(org));
  }

  /** Returns an API's tests and their results. */
  read(apiId) {
    return this.#run((tests) => tests.read(apiId, Date.now()));
  }

  /** Starts a round, since the tests may have changed. */
  async wake() {
    await this.ctx.storage.setAlarm(Date.now());
  }

  // Whatever fails in a round, there is a next one.
  async alarm() {
    let next = Date.now() + RETRY_MS;
    try {
      await this.#round();
      next = this.#run((tests) => tests.next());
    } catch (error) {
      console.error("uptime tests", error);
    }
    if (next === undefined) return;
    // `wake` may have been called in the meantime.
    const set = await this.ctx.storage.getAlarm();
    if (set === null || set > next) await this.ctx.storage.setAlarm(Math.max(next, Date.now()));
  }

  async #round() {
    const answer = await callRegistry(this.env, "call", this.#run((tests) => tests.ask()));
    this.#run((tests) => tests.apply(answer));
    const lists = this.#run((tests) => tests.lists(Date.now())).split("\n");
    for (let at = 0; at + 1 < lists.length; at += 2) {
      const { text, error } = await getList(this.env, { url: lists[at + 1] });
      const isList = this.#run((tests) => tests.listed(lists[at], text));
      if (!isList) console.error(`uptime tests of ${lists[at]}: no list: ${error ?? "the answer has none"}`);
    }
    const due = JSON.parse(this.#run((tests) => tests.due(Date.now())));
    const lane = async () => {
      for (let test = due.shift(); test !== undefined; test = due.shift()) await this.#test(test);
    };
    await Promise.all(Array.from({ length: MAX_CONCURRENT }, lane));
    await this.#report();
  }

  async #test(test) {
    const at = Date.now();
    const result = await check(this.env, test);
    const now = Date.now();
    this.#run((tests) => tests.recordResult(test.api, test.url, JSON.stringify({ ...result, ms: now - at }), at, now));
    await this.#report();
  }

  /** Reports the changes to the Registry. Whatever doesn't arrive is reported with the next test. */
  async #report() {
    if (this.#isReporting) return;
    this.#isReporting = true;
    try {
      for (let events; (events = this.#run((tests) => tests.events())) !== undefined; ) {
        const end = events.indexOf("\n");
        await callRegistry(this.env, "write", events.slice(end + 1));
        this.#run((tests) => tests.eventsSent(Number(events.slice(0, end))));
      }
    } catch (error) {
      console.error("uptime tests: not told yet", error);
    } finally {
      this.#isReporting = false;
    }
  }
}

/** Runs a test; returns the response's status, or why there was none. */
async function check(env, test) {
  try {
    if (test.protocol === "tcp" || test.protocol === "tls") return await checkPlain(test);
    const { url, method, headers, body, timeout } = test;
    const init = { method, headers, body: body ?? undefined, redirect: "manual", signal: AbortSignal.timeout(timeout) };
    // A cached response wouldn't show whether the host is up.
    const response = await fetch(url, env.EGRESS === undefined ? { ...init, cf: NO_CACHE } : init);
    await response.body?.cancel();
    return { status: response.status };
  } catch (error) {
    const late = error?.name === "TimeoutError" || error?.name === "AbortError";
    return { error: late ? `no answer within ${test.timeout} ms` : (error?.message || String(error)) };
  }
}

/** Runs a test over a plain connection: sends and expects messages, in order. */
async function checkPlain({ host, protocol, proxy, commands, timeout }) {
  const socket = connect(host, { secureTransport: protocol === "tls" ? "on" : "off", allowHalfOpen: false });
  // `opened` reports the same error.
  socket.closed.catch(() => {});
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new DOMException("late", "TimeoutError")), timeout);
  });
  try {
    await Promise.race([late, converse(socket, proxy, commands)]);
    return { status: 200 };
  } finally {
    clearTimeout(timer);
    socket.close().catch(() => {});
  }
}

async function converse(socket, proxy, commands) {
  await socket.opened;
  const [writer, reader] = [socket.writable.getWriter(), socket.readable.getReader()];
  const encoder = new TextEncoder();
  // With no client address (PROXY protocol version 1, section 2.1).
  if (proxy) await writer.write(encoder.encode("PROXY UNKNOWN\r\n"));
  let pending = new Uint8Array(0);
  for (const [sends, message] of commands) {
    const bytes = encoder.encode(message);
    if (sends) {
      await writer.write(bytes);
      continue;
    }
    while (pending.length < bytes.length) {
      const { done, value } = await reader.read();
      if (done) throw new Error("the connection ended before what was expected");
      pending = join([pending, value], pending.length + value.length);
    }
    if (!bytes.every((byte, at) => byte === pending[at])) throw new Error("something else came than was expected");
    pending = pending.slice(bytes.length);
  }
}
