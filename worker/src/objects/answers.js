// The Durable Object of an API that stores what servers have answered its upstreams' needs with: the list of a service
// registry, and a token. A server is called once for all isolates that ask in the meantime. The caller decides what a
// response means and how long it is valid (`crates/dataplane/src/upstreams/answers.rs`).

import { DurableObject } from "cloudflare:workers";
import { NO_CACHE, readWithin } from "../glue.js";
import { Responses } from "../kept.js";

/** The time limit of a call, and the longest response. */
const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1024 * 1024;
/** How long a server that has failed is not called again, in milliseconds. */
const FAILURE_PAUSE_MS = 1000;
/** A response that nothing has asked for in this long is deleted, in milliseconds. */
const KEPT_MS = 24 * 60 * 60 * 1000;

/** How many responses about credentials are held at once. */
const MAX_RECENT = 2000;

export class UpstreamAnswers extends DurableObject {
  /** Calls under way: everything in an object runs in one context, so promises may be shared here. */
  #calls = new Map();
  #failures = new Map();
  /** Responses about credentials, in memory only: key sets, and the status of tokens. */
  #recent = new Responses(MAX_RECENT);

  /**
   * Returns a server's response to this request that is at most `seconds` old, as JSON: `{ at, status, body }`, with
   * status 0 if the call failed. Responses to the same request with another `since` are not used.
   */
  async get(message) {
    const { url, form, seconds, since } = JSON.parse(message);
    const key = `${since}\n${url}\n${form}`;
    const recent = this.#recent.to(form).get(key);
    // After a failure, the server isn't called again for a moment.
    const kept = isGood(recent) ? seconds * 1000 : Math.min(seconds * 1000, FAILURE_PAUSE_MS);
    if (recent !== undefined && Date.now() < recent.at + kept) return JSON.stringify(recent);
    let call = this.#calls.get(key);
    if (call === undefined) {
      call = this.#get(key, url, form).finally(() => this.#calls.delete(key));
      this.#calls.set(key, call);
    }
    return JSON.stringify(await call);
  }

  async #get(key, url, form) {
    const answer = await getAnswer(this.env, { url, form });
    this.#recent.to(form).put(key, answer, answer.body.length);
    return answer;
  }

  /** Answers a message of `Question::write`: when the server responded, how that is known, and its response. */
  async ask(message) {
    const end = message.indexOf("\n");
    const [, kind, of, seen, ...name] = message.slice(0, end).split(" ");
    const kept = this.#load(kind, of);
    if (kept.at > Number(seen)) return reply(kept, "kept");
    const failure = this.#failures.get(kind);
    if (failure?.of === of && Date.now() < failure.until) return reply(kept, `old ${failure.error}`);
    const key = `${kind} ${of}`;
    let call = this.#calls.get(key);
    if (call === undefined) {
      const request = JSON.parse(message.slice(end + 1));
      call = this.#call(kind, of, request, name.join(" ")).finally(() => this.#calls.delete(key));
      this.#calls.set(key, call);
    }
    return call;
  }

  /** Returns what is stored: when it arrived, why there is nothing newer, and the text. */
  look(kind) {
    const { at, text } = this.ctx.storage.kv.get(kind) ?? NOTHING;
    return `${at} ${this.#failures.get(kind)?.error ?? ""}\n${text}`;
  }

  #load(kind, of) {
    const kept = this.ctx.storage.kv.get(kind);
    return kept?.of === of ? kept : NOTHING;
  }

  async #call(kind, of, request, name) {
    const { text, error } = await getList(this.env, request);
    await this.ctx.storage.setAlarm(Date.now() + KEPT_MS);
    if (error !== undefined) {
      // Without the response, which may repeat what was sent.
      console.error(`${kind} of ${name}: ${error}`);
      this.#failures.set(kind, { of, error, until: Date.now() + FAILURE_PAUSE_MS });
      return reply(this.#load(kind, of), `old ${error}`);
    }
    this.#failures.delete(kind);
    const kept = { of, at: Date.now(), text };
    this.ctx.storage.kv.put(kind, kept);
    return reply(kept, "new");
  }

  async alarm() {
    await this.ctx.storage.deleteAll();
  }
}

const NOTHING = { at: 0, text: "" };

const reply = ({ at, text }, how) => `${at} ${how}\n${text}`;

const isGood = (answer) => answer?.status >= 200 && answer.status < 300;

/**
 * Calls a server, by POST if there is a form. Resolves to `{ text }`, or to `{ error }` unless the response has a 2xx
 * status.
 */
export async function getList(env, request) {
  const { status, body, error } = await getAnswer(env, request);
  if (error !== undefined) return { error };
  return isGood({ status }) ? { text: body } : { error: `status ${status}` };
}

/**
 * Does the same for any status: `{ at, status, body }`, plus `error` and status 0 if there is no response or it is too
 * long.
 */
export async function getAnswer(env, { url, form, authorization }) {
  const headers = { accept: "application/json", "user-agent": "Gatewright" };
  const init = { headers, signal: AbortSignal.timeout(TIMEOUT_MS) };
  if (form) {
    headers["content-type"] = "application/x-www-form-urlencoded";
    if (authorization) headers.authorization = authorization;
    // A secret must not follow a redirect.
    Object.assign(init, { method: "POST", body: form, redirect: "manual" });
  }
  if (env.EGRESS === undefined) init.cf = NO_CACHE;
  const failed = (error) => ({ at: Date.now(), status: 0, body: "", error });
  try {
    const response = await fetch(url, init);
    const body = await readWithin(response.body, MAX_BYTES);
    if (body === null) return failed(`more than ${MAX_BYTES} bytes`);
    return { at: Date.now(), status: response.status, body: new TextDecoder().decode(body) };
  } catch (error) {
    const late = error?.name === "TimeoutError";
    return failed(late ? `no answer within ${TIMEOUT_MS} ms` : String(error?.message ?? error).replaceAll("\n", " "));
  }
}
