// Carries out what the data plane decides: the only interpreter of its directives
// (`crates/dataplane/src/driver/directive.rs`), for single requests, items of batches and debugged requests.
//
// Headers and bodies stay in JavaScript. Passing one header into WebAssembly and back costs more than all of Rust's
// work on a request, so only decisions cross the boundary.

import * as wasm from "./dataplane.js";
import { GONE, watched } from "./bodies.js";
import { callExtra } from "./extras.js";
import { callLedger, callRegistry, callUpstreams, NO_CACHE, readWhole } from "./glue.js";
import { clean, edit, edited, endsHere, head, isUnpacked, OF_BODY, outgoing, PACKED, replaced, respond } from "./headers.js";
import * as cache from "./cache.js";
import { noteFailure } from "./failures.js";
import { prove } from "./proofs.js";
import { dataplane } from "./modules.js";
import { sign } from "./signing.js";

/**
 * Serves a request, starting with its first directive. `client` is the request that arrived, which for an item of a
 * batch is the batch itself; `ctx` is its context, given only if collected figures may be reported after the response;
 * `signal` aborts upstream calls that take too long.
 */
export function serve(client, request, text, env, { ctx, signal }) {
  const isRun = text.charCodeAt(0) === 123;
  return isRun ? new Run(client, request, env, ctx, signal).serve(text) : sendPlain(client, request, text, env, ctx, signal);
}

/** Reports the collected figures if they are due, after the response is sent: no request waits for the report. */
export function reportIf(isDue, env, ctx) {
  if (isDue && ctx !== undefined) wasm.report(env, ctx);
}

/** Forwards a request without a run. `text` is `<figures> <time limit> <address>`. */
async function sendPlain(client, request, text, env, ctx, signal) {
  const first = text.indexOf(" ");
  const second = text.indexOf(" ", first + 1);
  const figures = Number(text.slice(0, first));
  const timeout = Number(text.slice(first + 1, second));
  const start = Date.now();
  let sent;
  let answer;
  try {
    sent = outgoing(client, request, { url: text.slice(second + 1) }, undefined, env.CLIENT_IP_HEADER);
    answer = await ask(sent, env, timeout, signal);
  } catch (error) {
    const id = sent?.headers.get("x-request-id") ?? "";
    const url = text.slice(second + 1);
    const trouble = troubleOf(error, url);
    const { failed, answer } = JSON.parse(dataplane.run((exports) => exports.failed(figures, trouble, id, request)));
    if (failed) noteFailure(failed, answer.status, request, { url, ms: Date.now() - start, timeout, error: trouble });
    reportIf(wasm.due(), env, ctx);
    return respond(answer, request.method);
  }
  if (answer.status >= 500) {
    const failed = { api: wasm.countedAs(figures), link: "upstream" };
    noteFailure(failed, answer.status, request, { url: text.slice(second + 1), ms: Date.now() - start, timeout });
  }
  reportIf(dataplane.run((exports) => exports.answered(figures, answer.status, start)), env, ctx);
  return clean(answer, request);
}

/**
 * Sends a request to an upstream, which must start responding within `ms` milliseconds; 0 means no limit. A late
 * response is dropped together with the request: an abort signal per request would cost three times as much. The timer
 * isn't cleared either: once there is a response, its rejection has no effect.
 */
function ask(sent, env, ms, signal) {
  // A self-hosted runtime has a binding for the public network (`EGRESS`), and no cache in front of `fetch`. Passing an
  // options object costs as much as all the headers.
  const cf = env.EGRESS === undefined ? NO_CACHE : undefined;
  const answer = cf === undefined && signal === undefined ? fetch(sent) : fetch(sent, { cf, signal });
  if (!ms) return answer;
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(LATE), ms);
    answer.then(resolve, reject);
  });
}

/** Rejection of a call that timed out. One shared instance, so it can be told apart from errors the runtime throws. */
const LATE = new Error("timeout");

/** Matches a URL without TLS whose host is a name, not an address. */
const PLAIN_NAME = /^http:\/\/(?![\d.]+(?:[:/?]|$)|\[)/i;

/**
 * Describes a failed call in the runtime's words. The runtime reports a name that doesn't resolve as an `internal
 * error`; without TLS, nothing else on the path to an upstream is reported like that.
 */
function troubleOf(error, url) {
  const text = String(error);
  return text.startsWith("Error: internal error") && PLAIN_NAME.test(url) ? `${text}: DNS lookup failed` : text;
}

class Run {
  #client;
  #request;
  #env;
  #ctx;
  #signal;
  /** The request's body, once something has read it. */
  #body;
  /** Whether an extra produced the body. */
  #replaced = false;
  #sending;
  #response;
  #sent = 0;
  /** Where the response is cached, and the cached response found there. */
  #place;
  #kept;
  #figures = 0;
  /** What the extra `mcp` needs to turn an API's response into a message, if the request was a message. */
  #told;
  /** Whether a stale response has been served already, and this run is fetching its replacement. */
  #renews = false;
  /** Details of the call to an upstream that couldn't be reached. */
  #failed;
  id;
  generation = dataplane.generation;

  constructor(client, request, env, ctx, signal) {
    this.#client = client;
    this.#request = request;
    this.#env = env;
    this.#ctx = ctx;
    this.#signal = signal;
  }

  async serve(text) {
    try {
      const response = await this.#follow(text);
      return this.#told === undefined ? response : await this.#result(response);
    } catch (error) {
      dataplane.guard(error);
      // After a trap, the run's state in Rust disappears with its instance.
      if (error instanceof WebAssembly.RuntimeError) this.id = undefined;
      throw error;
    } finally {
      if (!this.#renews) this.#drop();
    }
  }

  /** Releases the run's state in Rust, whether or not the run succeeded. */
  #drop() {
    if (this.id !== undefined && this.generation === dataplane.generation) wasm.drop(this.id);
  }

  /** After a stale cached response has been sent, fetches its replacement and caches it. */
  async #renew(key) {
    try {
      const response = await this.#follow(this.#whole().resumeTime(this.id));
      for await (const _ of response.body ?? []) continue;
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError) this.id = undefined;
      console.error("renew", error);
    } finally {
      renewed.delete(key);
      this.#drop();
    }
  }

  async #follow(text) {
    for (;;) {
      const step = JSON.parse(text);
      this.id = step.run;
      this.#figures = step.figures;
      if (step.questions && this.#ctx !== undefined) wasm.askAhead(this.#env, this.#ctx);
      if (step.answer) {
        this.#response?.body?.cancel().catch(() => {});
        if (step.failed) noteFailure(step.failed, step.answer.status, this.#request, this.#failed);
        reportIf(this.#whole().due(), this.#env, this.#ctx);
        return respond(step.answer, this.#request.method);
      }
      if (step.reuse?.then === "renew" && this.#ctx === undefined) {
        text = this.#whole().resumeTime(this.id);
        continue;
      }
      if (step.reuse) return this.#reuse(step.reuse);
      if (step.pass || step.override) {
        const first = step.pass ?? step.override.first ?? [];
        if (first.length > 0) this.#response = edited(new Response(this.#response.body, this.#response), first);
        return this.#answer(step.override);
      }
      if (step.send) {
        this.#sending = step.send;
        const error = await this.#send();
        const whole = this.#whole();
        if (error === undefined && step.send.pins) this.#pin(whole);
        if (error !== undefined) text = whole.resumeFailed(this.id, error);
        else if (this.#response.status >= step.send.inspect) text = whole.resumeUpstream(this.id, this.#response.status);
        else return this.#answer();
      } else {
        try {
          text = await this.#need(step);
        } catch (error) {
          if (error !== GONE) throw error;
          text = this.#whole().resumeFailed(this.id, GONE);
        }
      }
    }
  }

  /** Returns the module's exports; throws if the instance that holds this run's state is gone. */
  #whole() {
    const whole = dataplane.ready();
    if (this.generation !== dataplane.generation) throw new Error("the instance of this request is gone");
    return whole;
  }

  async #need(step) {
    const { id } = this;
    if (step.counters) {
      const ask = ([ledger, message]) => callLedger(this.#env, ledger, "consume", message).catch(noAnswer);
      const answers = step.counters.length === 1 ? [await ask(step.counters[0])] : await Promise.all(step.counters.map(ask));
      return this.#whole().resumeCounters(id, answers);
    }
    if (step.session !== undefined) {
      const answer = await callRegistry(this.#env, "call", step.session).catch(noAnswer);
      return this.#whole().resumeSession(id, answer);
    }
    if (step.body !== undefined) {
      const body = await this.#read(step.body);
      return this.#whole().resumeBody(id, body);
    }
    if (step.upstreams !== undefined) {
      const answer = await callUpstreams(this.#env, step.upstreams).catch(noAnswer);
      return this.#whole().resumeUpstreams(id, answer);
    }
    if (step.cached !== undefined) {
      const [api, url, key] = step.cached;
      this.#place = { ...this.#place, api, url, key };
      const found = cache.find(this.#env, this.#place);
      this.#kept = found instanceof Promise ? await found : found;
      return this.#whole().resumeCached(id, this.#kept?.noted);
    }
    if (step.extra) {
      const { body, report, fits } = await this.#extra(step.extra);
      return this.#whole().resumeExtra(id, report, body !== undefined, fits);
    }
    if (step.proof) {
      const report = await prove(this.#env, this.#client, step.proof);
      return this.#whole().resumeProof(id, report);
    }
    if (step.time !== undefined) {
      await new Promise((resolve) => setTimeout(resolve, step.time));
      return this.#whole().resumeTime(id);
    }
    const body = await this.#beginning(step.upstream_body);
    return this.#whole().resumeUpstream(id, this.#response.status, body);
  }

  /** Reads the request's body; undefined if it is longer than `max`. Throws [`GONE`] if the client disconnects. */
  async #read(max) {
    if (this.#body) return this.#body.length > max ? undefined : this.#body;
    if (Number(this.#request.headers.get("content-length")) > max) return undefined;
    try {
      this.#body = (await readWhole(this.#isBare() ? this.#request.clone() : this.#request, max)) ?? undefined;
    } catch {
      throw GONE;
    }
    return this.#body;
  }

  /** Whether the runtime would send a body only by copying the original request, whose body then has to stay unread. */
  #isBare() {
    const { method } = this.#request;
    return method === "GET" || method === "HEAD";
  }

  /** Calls an extra with a body, and replaces the body with the one the extra returns, if any. */
  async #extra({ module, function: name, settings, facts, answer, max }) {
    // With a limit of 0, the body isn't read at all.
    const whole = max === 0 ? new Uint8Array() : await (answer ? this.#readAnswer(max) : this.#read(max));
    if (whole === undefined) return { fits: false };
    const told = answer ? `${head(this.#response)}\n${facts}` : facts;
    const [report, body, result] = callExtra(module, name, settings, told, whole) ?? [];
    this.#told = result ?? this.#told;
    if (body !== undefined) {
      if (answer) this.#response = replaced(this.#response, body, this.#request);
      else this.#replaceBody(body);
    }
    return { report, body, fits: true };
  }

  /**
   * Wraps an API's response to a tool call (`crates/dataplane/src/links/mcp_tools.rs`) in the message the client waits
   * for.
   */
  async #result(response) {
    const { body, isCut } = await beginning(response.body, MAX_RESULT_BYTES);
    const [, text] = callExtra("mcp", "result", isCut ? "cut" : "", `${head(response)}\n${this.#told}`, body) ?? [];
    if (text === undefined) throw new Error("the answer of a tool can't be told");
    const headers = new Headers({ "Content-Type": "application/json" });
    for (const [name, value] of response.headers) if (OF_RESULT.test(name)) headers.append(name, value);
    return new Response(text, { headers });
  }

  /** Replaces the request's body. */
  #replaceBody(body) {
    this.#body = new TextEncoder().encode(body);
    // `#send` then drops the headers that described the original body.
    this.#replaced = true;
  }

  /** Reads the upstream's body, decoded; undefined if it is longer than `max`. */
  async #readAnswer(max) {
    const response = this.#response;
    const body = await readWhole(response, max);
    if (body === null) return undefined;
    // An encoding that the runtime can't decode is passed on unchanged.
    const encodeBody = isUnpacked(response.headers) ? "automatic" : "manual";
    const { status, statusText, headers } = response;
    this.#response = new Response(body, { status, statusText, headers, encodeBody });
    this.#response.headers.delete("content-length");
    return body;
  }

  /** Sends the request. Resolves to a description of the error if there is no response, else to undefined. */
  async #send() {
    let watch;
    try {
      const body = this.#isBare() && !this.#replaced ? undefined : this.#body;
      const sent = outgoing(this.#client, this.#request, this.#sending, body, this.#env.CLIENT_IP_HEADER);
      if (this.#sending.sign) await sign(this.#env, sent.headers, this.#sending.sign);
      if (this.#replaced) for (const name of OF_BODY) sent.headers.delete(name);
      if (this.#sending.watch && this.#isStreamed(sent, body)) {
        watch = watched(sent);
        this.#ctx?.waitUntil(watch.passed);
      }
      this.#sent = Date.now();
      this.#response = await ask(watch?.sent ?? sent, this.#env, this.#sending.timeout, this.#signal);
      return undefined;
    } catch (error) {
      const trouble = troubleOf(error, this.#sending.url);
      this.#failed = this.#asked(trouble);
      return watch?.fault(error === LATE) ?? trouble;
    }
  }

  /** Whether the body is streamed from the client while it is sent. Items of a batch have theirs in memory. */
  #isStreamed(sent, body) {
    return body === undefined && this.#client === this.#request && !this.#isBare() && sent.body !== null;
  }

  #asked(error) {
    const { url, timeout } = this.#sending;
    return { url, timeout, error, ms: this.#sent && Date.now() - this.#sent };
  }

  /**
   * Rewrites the id of an MCP session so that it names the target that has the session
   * (`crates/dataplane/src/mcp/sessions.rs`).
   */
  #pin(whole) {
    const response = this.#response;
    const id = response.headers.get("mcp-session-id");
    if (id === null) return;
    this.#response = new Response(response.body, response);
    this.#response.headers.set("mcp-session-id", whole.session(this.id, id));
  }

  /** Returns up to `max` bytes from the start of the upstream's body, as text. */
  async #beginning(max) {
    const response = this.#response;
    if (!response.body) return "";
    const [kept, looked] = response.body.tee();
    this.#response = new Response(kept, response);
    const reader = looked.getReader();
    const decoder = new TextDecoder();
    let text = "";
    let length = 0;
    while (length < max) {
      const { done, value } = await reader.read();
      if (done) break;
      text += decoder.decode(value.subarray(0, max - length), { stream: true });
      length += value.length;
    }
    reader.cancel().catch(() => {});
    return text;
  }

  /** Counts a response. */
  #count(status, sent) {
    if (this.#renews) return;
    if (status >= 500 && sent) noteFailure(JSON.parse(this.#whole().failedAs(this.id)), status, this.#request, this.#asked());
    reportIf(this.#whole().answered(this.#figures, status, sent), this.#env, this.#ctx);
  }

  /** Returns the upstream's response with the changes that the directives ask for. */
  #answer(override) {
    const response = clean(this.#response, this.#request);
    this.#count(response.status, this.#sent);
    if (this.#sending.cache !== undefined && !response.webSocket) {
      const { answer = [] } = this.#sending;
      const ruled = override === undefined ? edited(new Response(response.body, response), answer) : this.#overridden(response, override);
      return this.#keep(ruled, override?.answer ?? this.#sending.after ?? []);
    }
    if (override !== undefined) return edited(this.#overridden(response, override), override.answer);
    const { answer = [] } = this.#sending;
    if (answer.length === 0 || response.webSocket) return response;
    return edited(new Response(response.body, response), answer);
  }

  #overridden(response, override) {
    const headers = new Headers(response.headers);
    edit(headers, this.#sending.answer ?? []);
    let { body } = response;
    if (override.body !== null) {
      response.body?.cancel().catch(() => {});
      body = override.body;
      for (const name of ["content-encoding", "content-length", "etag", "last-modified"]) headers.delete(name);
    }
    for (const [name, value] of override.headers) headers.set(name, value);
    const bare = this.#request.method === "HEAD" || [101, 204, 205, 304].includes(override.status);
    return new Response(bare ? null : body, { status: override.status, headers });
  }

  /**
   * Caches the response that all rules have been applied to, if allowed, and returns it with the edits specific to this
   * request.
   */
  async #keep(response, after) {
    if (this.#sending.cache[2] !== null) await this.#tellOfGet(response);
    const text = this.#whole().keep(this.id, response.status, response.headers, this.#sent, false);
    if (text === undefined) return edited(response, after);
    const { forget, kept } = JSON.parse(text);
    const [api, url] = this.#sending.cache;
    if (forget) {
      const named = cache.named(response.headers, this.#request.url, this.#sending.url);
      const urls = named.map(([path, query]) => this.#whole().named(this.id, path, query));
      await Promise.all([url, ...urls.filter(Boolean)].map((each) => cache.forgetAddress(this.#env, { api, url: each })));
      return edited(response, after);
    }
    return edited(await cache.keep(this.#env, this.#place ?? { api, url, key: kept.notes[0][0] }, kept, response), after);
  }

  /**
   * Checks with the response to a HEAD whether the cached response to the same GET is still valid (RFC 9111 section
   * 4.3.5).
   */
  async #tellOfGet({ status, headers }) {
    const [api, url, key] = this.#sending.cache;
    const place = { api, url, key };
    const look = async () => {
      const kept = await cache.find(this.#env, place);
      return [kept, this.#whole().saidOfGet(this.id, kept?.noted ?? "", status, headers)];
    };
    let [kept, said] = await look();
    if (said !== undefined && said !== "holds" && said !== "forget") {
      place.key = said;
      [kept, said] = await look();
    }
    let order;
    if (said === "holds") {
      kept = await cache.refreshed(kept, headers);
      order = this.#whole().keep(this.id, kept.status, new Headers(kept.headers), this.#sent, true);
    } else kept?.body?.cancel?.();
    if (order !== undefined) await cache.keepAgain(this.#env, place, JSON.parse(order).kept, kept);
    else if (said === "holds" || said === "forget") await cache.forgetAddress(this.#env, this.#place ?? place);
  }

  /** Updates the cached response with the headers of the 304 that confirmed it. */
  async #refresh() {
    const said = clean(this.#response, this.#request);
    const { headers } = edited(new Response(null, said), this.#sending.answer ?? []);
    this.#kept = await cache.refreshed(this.#kept, headers);
    const text = this.#whole().keep(this.id, this.#kept.status, new Headers(this.#kept.headers), this.#sent, false);
    const { kept } = text === undefined ? {} : JSON.parse(text);
    if (kept) await cache.keepAgain(this.#env, this.#place, kept, this.#kept);
  }

  /** Returns the cached response, with the edits specific to this request. */
  async #reuse({ status, known = false, range, answer, then }) {
    if (then === "refresh") await this.#refresh();
    else this.#response?.body?.cancel().catch(() => {});
    if (range !== undefined || then === "renew") this.#kept = await cache.whole(this.#kept);
    const given = range === undefined ? this.#kept : cache.cut(this.#kept, range);
    this.#count(known ? status : given.status, this.#sent || undefined);
    const { key } = this.#place;
    if (then === "renew" && !renewed.has(key)) {
      renewed.add(key);
      this.#renews = true;
      this.#ctx.waitUntil(this.#renew(key));
    }
    const encoding = PACKED.includes(this.#kept.headers.find(([name]) => name === "content-encoding")?.[1]);
    const response = edited(cache.reused(given, known, this.#request.method), answer);
    // The body is stored decoded; the runtime encodes it again if this header says so.
    if (encoding && !this.#request.headers.has("accept-encoding")) response.headers.delete("content-encoding");
    return response;
  }
}

/** Cache keys of stale responses whose replacements are being fetched. */
const renewed = new Set();

/** The most bytes of a response that become the result of a tool, as in the reference. */
const MAX_RESULT_BYTES = 1024 * 1024;

/** Response headers that concern the request itself rather than the API's content. */
const OF_RESULT = /^(x-ratelimit-|access-control-|x-request-id$|x-content-type-options$|vary$|retry-after$)/;

/** Reads at most `max` bytes of a body. `isCut` says whether there were more. */
async function beginning(stream, max) {
  const chunks = [];
  let length = 0;
  for await (const chunk of stream ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > max) break;
  }
  const whole = new Uint8Array(await new Blob(chunks).arrayBuffer());
  return { body: whole.subarray(0, max), isCut: length > max };
}

const noAnswer = (error) => {
  console.error("ask", error);
  return undefined;
};

/** Returns the length of these bytes in a JSON string, with control characters as `\u0000` (RFC 8259 section 7). */
function written(bytes) {
  let length = bytes.length;
  for (const byte of bytes) {
    if (byte < 32) length += 5;
    else if (byte === 34 || byte === 92) length += 1;
  }
  return length;
}

/**
 * Runs an item of a batch to completion. `take` accounts for the bytes of its response; when it returns false, the rest
 * is not read and `cut` is true.
 */
export async function serveItem(client, url, method, headers, body, directive, env, signal, take) {
  // As bytes: with a string, `fetch` would add a content type that the item doesn't have.
  const content = body ? new TextEncoder().encode(body) : undefined;
  const request = new Request(url, { method, headers, body: content, redirect: "manual" });
  const response = await serve(client, request, directive, env, { signal });
  const pairs = [...response.headers].filter(([name]) => name !== "set-cookie" && !endsHere(name));
  for (const cookie of response.headers.getSetCookie()) pairs.push(["set-cookie", cookie]);
  // The body is read decoded, so the headers about its encoding no longer apply.
  const encoded = response.headers.has("content-encoding");
  const kept = encoded ? pairs.filter(([name]) => name !== "content-encoding" && name !== "content-length") : pairs;
  const chunks = [];
  let length = 0;
  let cut = false;
  if (response.body) {
    const reader = response.body.getReader();
    while (!cut) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.length;
      chunks.push(value);
      cut = !take(length, written(value));
    }
    if (cut) await reader.cancel();
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return { status: response.status, headers: kept, body: whole, cut };
}
