// Interprets the directives of a request: does what each asks for and resumes the run in WebAssembly with the result,
// until there is a response.

import * as wasm from "./dataplane.js";
import { GONE, watched } from "./bodies.js";
import { reused, sliced, withBytes } from "./cache.js";
import { RunCache } from "./caching.js";
import { directive } from "./directives.js";
import { eventsThrough, isStream, whileCurrent } from "./events.js";
import { callExtra } from "./extras.js";
import { noteFailure } from "./failures.js";
import { callLedger, callUpstreams, findSession, readWhole } from "./glue.js";
import { BODY_HEADERS, clean, described, edit, edited, hasNoBody, isReadable, outgoing, ownResponse, RUNTIME_ENCODINGS, withBody, withRead } from "./headers.js";
import { dataplane } from "./modules.js";
import { prove } from "./proofs.js";
import { reportIf } from "./reports.js";
import { sign } from "./signing.js";
import { toolResult } from "./tools.js";
import { BrokenOff, describeError, details, fetchUpstream, TIMED_OUT, whole } from "./upstream.js";

export class Run {
  #client;
  #request;
  #env;
  #ctx;
  #signal;
  /** The request's body, once something has read it. */
  #body;
  /** Whether an extra produced the body. */
  #isBodyReplaced = false;
  /** The latest directive to send the request, what was sent and when (0 if never), and the response. */
  #sending;
  #eventSettings;
  #sent;
  #sentAt = 0;
  #response;
  /** The index under which the request is counted. */
  #figures = 0;
  /** How the run uses the cache, once it does. */
  #cache;
  /** Whether a stale response has been served already, and this run is fetching its replacement. */
  #isRenewal = false;
  /** What the extra `mcp` needs to turn an API's response into a message, if the request was a tool call. */
  #toolCall;
  /** How such a response is counted once it has been read: its status, when it was asked for, and when it arrived. */
  #toCount;
  /** Details of the call to an upstream that couldn't be reached. */
  #failedCall;
  /** The run's number in Rust, once it has one, and the generation of the instance that holds its state. */
  id;
  generation = dataplane.generation;

  constructor(client, request, env, ctx, signal) {
    this.#client = client;
    this.#request = request;
    this.#env = env;
    this.#ctx = ctx;
    this.#signal = signal;
  }

  /** Carries out a directive and the ones that follow; resolves to the response. */
  serve(text) {
    return this.#served(this.#follow(text));
  }

  /**
   * Continues a run whose request has been sent, as its first directive asked, with the response or a description of the
   * error. `text` is the next directive, if the run has seen the response already.
   */
  resume({ id, generation, figures, send, sent, sentAt, response, error, text }) {
    this.id = id;
    this.generation = generation;
    this.#figures = figures;
    this.#sending = send;
    this.#sent = sent;
    this.#sentAt = sentAt;
    this.#response = response;
    if (error !== undefined) this.#failedCall = details(send, sentAt, error);
    return this.#served(this.#resumed(error, text));
  }

  async #resumed(error, text) {
    return this.#follow(text ?? this.#inspect(error));
  }

  async #served(following) {
    try {
      for (;;) {
        try {
          const response = await following;
          if (this.#toolCall === undefined) return response;
          const result = await toolResult(response, this.#toolCall);
          this.#countRead();
          return result;
        } catch (error) {
          // The runtime passes on a status from 600 on, but allows no change of such a response.
          const isUnchangeable = error instanceof RangeError && this.#response?.status > 599;
          if (!isUnchangeable && !(error instanceof BrokenOff)) throw error;
          this.#failedCall = details(this.#sending, this.#sentAt, error.message);
          this.#toCount = undefined;
          following = this.#follow(this.ready().resumeFailed(this.id, error.message));
        }
      }
    } catch (error) {
      dataplane.guard(error);
      // After a trap, the run's state in Rust disappears with its instance.
      if (error instanceof WebAssembly.RuntimeError) this.id = undefined;
      throw error;
    } finally {
      if (!this.#isRenewal) this.#drop();
    }
  }

  /** Releases the run's state in Rust, whether or not the run succeeded. */
  #drop() {
    if (this.id !== undefined && this.generation === dataplane.generation) wasm.dropRun(this.id);
  }

  /** After a stale cached response has been sent, fetches its replacement and caches it. */
  async #renew(key) {
    try {
      const response = await this.#follow(this.ready().resumeTime(this.id));
      for await (const _ of response.body ?? []) continue;
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) this.id = undefined;
      console.error("renew", error);
    } finally {
      renewals.delete(key);
      this.#drop();
    }
  }

  /** Returns the module's exports; throws if the instance that holds this run's state is gone. */
  ready() {
    const exports = dataplane.ready();
    if (this.generation !== dataplane.generation) throw new Error("the instance of this request is gone");
    return exports;
  }

  async #follow(text) {
    for (;;) {
      if (text === "") return this.#finish();
      const step = directive(text);
      this.id = step.run;
      this.#figures = step.figures;
      if (step.leases_due && this.#ctx !== undefined) wasm.requestLeases(this.#env, this.#ctx);
      if (step.answer) {
        this.#response?.body?.cancel().catch(() => {});
        if (step.failed) noteFailure(step.failed, step.answer.status, this.#request, this.#failedCall);
        reportIf(this.ready().due(), this.#env, this.#ctx);
        return ownResponse(step.answer, this.#request.method);
      }
      if (step.reuse?.then === "renew" && this.#ctx === undefined) {
        text = this.ready().resumeTime(this.id);
        continue;
      }
      if (step.reuse) return this.#reuse(step.reuse);
      if (step.pass || step.override) {
        const first = step.pass ?? step.override.first_edits ?? [];
        if (first.length > 0) this.#response = edited(new Response(this.#response.body, this.#response), first);
        return this.#finish(step.override);
      }
      if (step.send) {
        this.#sending = step.send;
        if (step.send.event_call) this.#eventSettings = this.ready().extraSettings(this.id) ?? "";
        text = this.#inspect(await this.#send());
      } else {
        try {
          text = await this.#fulfil(step);
        } catch (error) {
          if (error !== GONE) throw error;
          text = this.ready().resumeFailed(this.id, GONE);
        }
      }
    }
  }

  /** Resumes the run with the error or the response's status; returns "" if it doesn't have to see the response. */
  #inspect(error) {
    const exports = this.ready();
    if (error !== undefined) return exports.resumeFailed(this.id, error);
    if (this.#sending.pins_session) this.#pinSession(exports);
    const { status } = this.#response;
    return status >= this.#sending.inspect_from ? exports.resumeUpstream(this.id, status) : "";
  }

  /** Gets what a directive asks for, and resumes the run with it; resolves to the next directive. */
  async #fulfil(step) {
    const { id } = this;
    if (step.counters) {
      const ask = ([ledger, message]) => callLedger(this.#env, ledger, "consume", message).catch(logFailedCall);
      const replies = step.counters.length === 1 ? [await ask(step.counters[0])] : await Promise.all(step.counters.map(ask));
      return this.ready().resumeCounters(id, replies);
    }
    if (step.session !== undefined) {
      const reply = await findSession(this.#env, step.session).catch(logFailedCall);
      return this.ready().resumeSession(id, reply);
    }
    if (step.body !== undefined) {
      const body = await this.#readBody(step.body);
      return this.ready().resumeBody(id, body);
    }
    if (step.upstreams !== undefined) {
      const reply = await callUpstreams(this.#env, step.upstreams).catch(logFailedCall);
      return this.ready().resumeUpstreams(id, reply);
    }
    if (step.lookup !== undefined) {
      const found = this.#useCache().find(step.lookup);
      const entry = found instanceof Promise ? await found : found;
      this.#cache.entry = entry;
      return this.ready().resumeCached(id, entry?.notes);
    }
    if (step.extra) {
      const { body, report, fits } = await this.#callExtra(step.extra);
      return this.ready().resumeExtra(id, report, body !== undefined, fits);
    }
    if (step.proof) {
      const settings = this.ready().extraSettings(id) ?? "";
      const report = await prove(this.#env, this.#client, step.proof, settings);
      return this.ready().resumeProof(id, report);
    }
    if (step.time !== undefined) {
      await new Promise((resolve) => setTimeout(resolve, step.time));
      return this.ready().resumeTime(id);
    }
    const body = await this.#peek(step.upstream_body);
    return this.ready().resumeUpstream(id, this.#response.status, body);
  }

  #useCache() {
    return (this.#cache ??= new RunCache(this, this.#env, this.#request));
  }

  /** Reads the request's body; undefined if it is longer than `max`. Throws [`GONE`] if the client disconnects. */
  async #readBody(max) {
    if (this.#body) return this.#body.length > max ? undefined : this.#body;
    if (Number(this.#request.headers.get("content-length")) > max) return undefined;
    try {
      this.#body = (await readWhole(this.#isBodiless() ? this.#request.clone() : this.#request, max)) ?? undefined;
    } catch {
      throw GONE;
    }
    return this.#body;
  }

  /** Whether the runtime would send a body only by copying the original request, whose body then has to stay unread. */
  #isBodiless() {
    const { method } = this.#request;
    return method === "GET" || method === "HEAD";
  }

  /** Calls an extra with a body, and replaces the body with the one the extra returns, if any. */
  async #callExtra({ module, function: name, facts, of_answer: isOfResponse, max }) {
    // One in an encoding that the runtime doesn't decode stays as it is, as if the extra had failed.
    if (isOfResponse && max > 0 && !isReadable(this.#response.headers)) return { fits: true };
    // With a limit of 0, the body isn't read at all.
    const original = max === 0 ? new Uint8Array() : await (isOfResponse ? whole(readWhole(this.#response, max)) : this.#readBody(max));
    if (original === undefined || original === null) return { fits: false };
    // Templates see no headers.
    const about = isOfResponse && module !== "transform" ? `${described(this.#response)}\n${facts}` : facts;
    const settings = this.ready().extraSettings(this.id) ?? "";
    const [report, body, toolCall] = callExtra(module, name, settings, about, original) ?? [];
    this.#toolCall = toolCall ?? this.#toolCall;
    if (isOfResponse) {
      if (body !== undefined) this.#response = withBody(this.#response, body, this.#request);
      else if (max > 0) this.#response = withRead(this.#response, original);
    } else if (body !== undefined) this.#replaceBody(body);
    return { report, body, fits: true };
  }

  /** Replaces the request's body. */
  #replaceBody(body) {
    this.#body = new TextEncoder().encode(body);
    // `#send` then drops the headers that described the original body.
    this.#isBodyReplaced = true;
  }

  /** Returns up to `max` bytes from the start of the upstream's body, as text; the response stays complete. */
  async #peek(max) {
    const response = this.#response;
    if (!response.body) return "";
    const [passedOn, peeked] = response.body.tee();
    this.#response = new Response(passedOn, response);
    const reader = peeked.getReader();
    const decoder = new TextDecoder();
    let text = "";
    let length = 0;
    while (length < max) {
      const { done, value } = await whole(reader.read());
      if (done) break;
      text += decoder.decode(value.subarray(0, max - length), { stream: true });
      length += value.length;
    }
    reader.cancel().catch(() => {});
    return text;
  }

  /** Sends the request. Resolves to a description of the error if there is no response, else to undefined. */
  async #send() {
    let watch;
    try {
      const body = this.#isBodiless() && !this.#isBodyReplaced ? undefined : this.#body;
      const sent = outgoing(this.#client, this.#request, this.#sending, body, this.#env.CLIENT_IP_HEADER);
      if (this.#sending.sign) await sign(this.#env, sent.headers, this.#sending.sign);
      if (this.#isBodyReplaced) for (const name of BODY_HEADERS) sent.headers.delete(name);
      if (this.#sending.watches_body && this.#isStreamed(sent, body)) {
        watch = watched(sent);
        this.#ctx?.waitUntil(watch.passed);
      }
      this.#sent = sent;
      this.#sentAt = Date.now();
      const response = await fetchUpstream(watch?.sent ?? sent, this.#env, this.#sending.timeout, this.#signal);
      this.#response = eventsThrough(response, this.#sending.event_call, this.#eventSettings);
      if (this.#sending.watches_session && isStream(response)) this.#response = whileCurrent(this.#response, this.ready().streamSession(this.id), this.#env);
      return undefined;
    } catch (error) {
      const description = describeError(error, this.#sending.url);
      this.#failedCall = details(this.#sending, this.#sentAt, description);
      return watch?.fault(error === TIMED_OUT) ?? description;
    }
  }

  /** Whether the body is streamed from the client while it is sent. Items of a batch have theirs in memory. */
  #isStreamed(sent, body) {
    return body === undefined && this.#client === this.#request && !this.#isBodiless() && sent.body !== null;
  }

  /**
   * Rewrites the id of an MCP session so that it names the target that has the session
   * (`crates/dataplane/src/mcp/sessions.rs`).
   */
  #pinSession(exports) {
    const response = this.#response;
    const id = response.headers.get("mcp-session-id");
    if (id === null) return;
    this.#response = new Response(response.body, response);
    this.#response.headers.set("mcp-session-id", exports.clientSessionId(this.id, id));
  }

  /** Counts a response; a replacement fetched in the background isn't one to a client. */
  #count(status, sentAt) {
    if (this.#isRenewal) return;
    if (this.#toolCall === undefined) this.#record(status, sentAt);
    else this.#toCount = [status, sentAt, Date.now()];
  }

  /** Counts the response to the call of a tool: not before its body has been read, which could have broken off. */
  #countRead() {
    if (this.#toCount === undefined) return;
    const [status, sentAt, arrivedAt] = this.#toCount;
    // The time that it took to read it is not the upstream's.
    this.#record(status, sentAt && sentAt + Date.now() - arrivedAt);
  }

  #record(status, sentAt) {
    if (status >= 500 && sentAt) noteFailure(JSON.parse(this.ready().failureOf(this.id)), status, this.#request, details(this.#sending, this.#sentAt));
    reportIf(this.ready().countResponse(this.#figures, status, sentAt), this.#env, this.#ctx);
  }

  /** Returns the upstream's response with the changes that the directives ask for. */
  #finish(override) {
    const { edits = [], cache } = this.#sending;
    if (cache !== undefined && !this.#response.webSocket) return this.#cached(override);
    const isOverridden = override !== undefined;
    const cleaned = clean(this.#response, this.#request, this.#sent, isOverridden ? undefined : edits);
    const changed = isOverridden ? edited(this.#overridden(cleaned, override), override.edits) : cleaned;
    // Not before: the response may be one that can't be changed.
    this.#count(this.#response.status, this.#sentAt);
    return changed;
  }

  /** Caches the response with these changes, if it may be. */
  async #cached(override) {
    const arrivedAt = Date.now();
    const response = clean(this.#response, this.#request, this.#sent);
    const { edits = [], uncached_edits: uncached = [] } = this.#sending;
    const ruled = override === undefined ? edited(new Response(response.body, response), edits) : this.#overridden(response, override);
    const passedOn = await this.#useCache().store(ruled, this.#sending, this.#sentAt, override?.edits ?? uncached);
    // Not before: the body could have broken off. The time that it took to cache it is not the upstream's.
    this.#count(response.status, this.#sentAt + Date.now() - arrivedAt);
    return passedOn;
  }

  #overridden(response, override) {
    const headers = new Headers(response.headers);
    const { edits = [], cache } = this.#sending;
    // Without a cache they end with the override's own, which follow its headers.
    edit(headers, cache === undefined ? edits.slice(0, edits.length - override.edits.length) : edits);
    let { body } = response;
    if (override.body !== null) {
      response.body?.cancel().catch(() => {});
      body = override.body;
      for (const name of ["content-encoding", "content-length", "etag", "last-modified"]) headers.delete(name);
    }
    for (const [name, value] of override.headers) headers.set(name, value);
    const { status } = override;
    return new Response(hasNoBody(this.#request.method, status) ? null : body, { status, headers });
  }

  /** Returns the cached response, with the edits specific to this request. */
  async #reuse({ status, not_modified: isNotModified = false, range, edits, then }) {
    const cached = this.#cache;
    if (then === "refresh") {
      const confirmation = clean(this.#response, this.#request, this.#sent);
      const { headers } = edited(new Response(null, confirmation), this.#sending.edits ?? []);
      await cached.refresh(headers, this.#sentAt);
    } else this.#response?.body?.cancel().catch(() => {});
    if (range !== undefined || then === "renew") cached.entry = await withBytes(cached.entry);
    const entry = range === undefined ? cached.entry : sliced(cached.entry, range);
    this.#count(isNotModified ? status : entry.status, this.#sentAt || undefined);
    const { key } = cached.slot;
    if (then === "renew" && !renewals.has(key)) {
      renewals.add(key);
      this.#isRenewal = true;
      this.#ctx.waitUntil(this.#renew(key));
    }
    const isEncoded = RUNTIME_ENCODINGS.includes(cached.entry.headers.find(([name]) => name === "content-encoding")?.[1]);
    const response = edited(reused(entry, isNotModified, this.#request.method), edits);
    // The body is stored decoded; the runtime encodes it again if this header says so.
    const isWanted = this.#request.headers.has("accept-encoding") || this.#request.method === "HEAD";
    if (isEncoded && !isWanted) response.headers.delete("content-encoding");
    return response;
  }
}

/** Cache keys of stale responses whose replacements are being fetched. */
const renewals = new Set();

const logFailedCall = (error) => {
  console.error("ask", error);
  return undefined;
};
