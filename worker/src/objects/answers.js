// The Durable Object of an API that keeps what servers have answered that its upstreams are found or asked with: the
// list of a service registry, and a token. A server is called once for all isolates that ask meanwhile. What an answer
// says, and for how long it holds, is for who asks (`crates/dataplane/src/upstreams/answers.rs`).

import { DurableObject } from "cloudflare:workers";
import { NO_CACHE, readWithin } from "../glue.js";

/** How long a server may take, and how long its answer may be. */
const PATIENCE_MS = 10_000;
const MOST_BYTES = 1024 * 1024;
/** For how long a server that has failed is not called again, milliseconds. */
const PAUSE_MS = 1000;
/** What nobody has asked for in so long is forgotten, milliseconds. */
const KEPT_MS = 24 * 60 * 60 * 1000;

export class UpstreamAnswers extends DurableObject {
  /** Calls under way: all that happens in an object is of one context, so they may be shared here. */
  #calls = new Map();
  #failures = new Map();

  /** Answers a message of `Question::write`: when a server has answered, how that is known, and its answer. */
  async ask(message) {
    const end = message.indexOf("\n");
    const [, kind, of, seen, ...name] = message.slice(0, end).split(" ");
    const kept = this.#kept(kind, of);
    if (kept.at > Number(seen)) return written(kept, "kept");
    const failure = this.#failures.get(kind);
    if (failure?.of === of && Date.now() < failure.until) return written(kept, `old ${failure.error}`);
    const key = `${kind} ${of}`;
    let call = this.#calls.get(key);
    if (call === undefined) {
      const request = JSON.parse(message.slice(end + 1));
      call = this.#call(kind, of, request, name.join(" ")).finally(() => this.#calls.delete(key));
      this.#calls.set(key, call);
    }
    return call;
  }

  /** What is kept: when it was answered and why there is no newer one, and the text. */
  look(kind) {
    const { at, text } = this.ctx.storage.kv.get(kind) ?? NOTHING;
    return `${at} ${this.#failures.get(kind)?.error ?? ""}\n${text}`;
  }

  #kept(kind, of) {
    const kept = this.ctx.storage.kv.get(kind);
    return kept?.of === of ? kept : NOTHING;
  }

  async #call(kind, of, request, name) {
    const { text, error } = await getList(this.env, request);
    await this.ctx.storage.setAlarm(Date.now() + KEPT_MS);
    if (error !== undefined) {
      // Not what was answered: it may name what was sent.
      console.error(`${kind} of ${name}: ${error}`);
      this.#failures.set(kind, { of, error, until: Date.now() + PAUSE_MS });
      return written(this.#kept(kind, of), `old ${error}`);
    }
    this.#failures.delete(kind);
    const kept = { of, at: Date.now(), text };
    this.ctx.storage.kv.put(kind, kept);
    return written(kept, "new");
  }

  async alarm() {
    await this.ctx.storage.deleteAll();
  }
}

const NOTHING = { at: 0, text: "" };

const written = ({ at, text }, how) => `${at} ${how}\n${text}`;

/**
 * Calls a server of upstreams; with a form it gets that in a POST. Answers `{ text }`, or `{ error }` where there is
 * no answer of a good status.
 */
export async function getList(env, { url, form, authorization }) {
  const headers = { accept: "application/json", "user-agent": "Gatewright" };
  const init = { headers, signal: AbortSignal.timeout(PATIENCE_MS) };
  if (form !== undefined) {
    headers["content-type"] = "application/x-www-form-urlencoded";
    if (authorization) headers.authorization = authorization;
    // No secret goes where a redirect leads.
    Object.assign(init, { method: "POST", body: form, redirect: "manual" });
  }
  if (env.EGRESS === undefined) init.cf = NO_CACHE;
  try {
    const response = await fetch(url, init);
    if (!response.ok) {
      await response.body?.cancel();
      return { error: `status ${response.status}` };
    }
    const body = await readWithin(response.body, MOST_BYTES);
    return body === null ? { error: `more than ${MOST_BYTES} bytes` } : { text: new TextDecoder().decode(body) };
  } catch (error) {
    const late = error?.name === "TimeoutError";
    return { error: late ? `no answer within ${PATIENCE_MS} ms` : String(error?.message ?? error).replaceAll("\n", " ") };
  }
}
