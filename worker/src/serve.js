// Carries out what the data plane decides (`crates/dataplane/src/driver/directive.rs`), for single requests, items of
// batches and debugged requests. A request whose first directive is to send it, or to check a credential before that, is
// sent from here; every other one is handed to a run (`run.js`).
//
// Headers and bodies stay in JavaScript. Passing one header into WebAssembly and back costs more than all of Rust's
// work on a request, so only decisions cross the boundary.

import * as wasm from "./dataplane.js";
import { forwarding, isForwarding, isProving, proving } from "./directives.js";
import { noteFailure } from "./failures.js";
import { join } from "./glue.js";
import { clean, isNeverReturned, isReadDecoded, outgoing, ownResponse } from "./headers.js";
import { dataplane } from "./modules.js";
import { prove } from "./proofs.js";
import { reportIf } from "./reports.js";
import { Run } from "./run.js";
import { describeError, details, fetchUpstream } from "./upstream.js";

/**
 * Serves a request, starting with its first directive. `client` is the request that arrived, which for an item of a
 * batch has the item's URL; `ctx` is its context, given only if collected figures may be reported after the response;
 * `signal` aborts upstream calls that take too long.
 */
export function serve(client, request, text, env, { ctx, signal }) {
  if (isForwarding(text)) return forward(client, request, forwarding(text), env, ctx, signal);
  if (isProving(text)) return checked(client, request, proving(text), env, ctx, signal);
  return new Run(client, request, env, ctx, signal).serve(text);
}

/** Checks a credential, then sends the request if that follows. It needs no object for the run. */
async function checked(client, request, { run, proof }, env, ctx, signal) {
  const { generation } = dataplane;
  let text;
  try {
    const report = await prove(env, client, proof, wasm.extraSettings(run) ?? "");
    const exports = dataplane.ready();
    if (generation !== dataplane.generation) throw new Error("the instance of this request is gone");
    text = exports.resumeProof(run, report);
  } catch (error) {
    dataplane.guard(error);
    // After a trap, the run's state in Rust disappears with its instance.
    if (generation === dataplane.generation && !(error instanceof WebAssembly.RuntimeError)) wasm.dropRun(run);
    throw error;
  }
  if (isForwarding(text)) return forward(client, request, forwarding(text), env, ctx, signal);
  return new Run(client, request, env, ctx, signal).serve(text);
}

/**
 * Sends a request whose first directive is to do so, with or without a run. An object for the run is only needed if the
 * call fails, or if the run sees the response and wants something else than to pass it on.
 */
async function forward(client, request, { run, figures, send }, env, ctx, signal) {
  const { generation } = dataplane;
  let sent;
  let sentAt = 0;
  let response;
  let cleaned;
  let error;
  try {
    sent = outgoing(client, request, send, undefined, env.CLIENT_IP_HEADER);
    sentAt = Date.now();
    response = await fetchUpstream(sent, env, send.timeout, signal);
    // A response with a status from 600 on can't be changed, which fails here as the call would; a run sees it below.
    if (run === undefined) cleaned = clean(response, request, sent);
  } catch (thrown) {
    response?.body?.cancel().catch(() => {});
    error = describeError(thrown, send.url);
  }
  const isFailed = error !== undefined || response.status >= 500;
  if (run !== undefined) {
    const needsRun = isFailed || generation !== dataplane.generation;
    const isInspected = !needsRun && response.status >= send.inspect_from;
    const text = isInspected ? dataplane.run((exports) => exports.resumeUpstream(run, response.status)) : undefined;
    if (needsRun || text) {
      const resumed = new Run(client, request, env, ctx, signal);
      return resumed.resume({ id: run, generation, figures, send, sent, sentAt, response, error, text });
    }
  }
  if (error !== undefined) return plainFailed(request, { figures, send, sent, sentAt, error }, env, ctx);
  const { status } = response;
  if (isFailed) noteFailure({ api: wasm.countedApi(figures), link: "upstream" }, status, request, details(send, sentAt));
  reportIf(dataplane.run((exports) => exports.countResponse(figures, status, sentAt, run)), env, ctx);
  return cleaned ?? clean(response, request, sent, send.edits);
}

/** Answers a request without a run whose upstream could not be reached. */
function plainFailed(request, { figures, send, sent, sentAt, error }, env, ctx) {
  const id = sent?.headers.get("x-request-id") ?? "";
  const { failed, answer } = JSON.parse(dataplane.run((exports) => exports.plainFailed(figures, error, id, request)));
  if (failed) noteFailure(failed, answer.status, request, details(send, sentAt, error));
  reportIf(wasm.due(), env, ctx);
  return ownResponse(answer, request.method);
}

/** Returns the length of these bytes in a JSON string, with control characters as `\u0000` (RFC 8259 section 7). */
function jsonLength(bytes) {
  let length = bytes.length;
  for (const byte of bytes) {
    if (byte < 32) length += 5;
    else if (byte === 34 || byte === 92) length += 1;
  }
  return length;
}

/**
 * Runs an item of a batch to completion. `charge` accounts for the bytes of its response (all so far, and the latest
 * chunk as JSON); when it returns false, the rest is not read and `cut` is true.
 */
export async function serveItem(arrived, url, method, headers, body, directive, env, signal, charge) {
  // As bytes: with a string, `fetch` would add a content type that the item doesn't have.
  const content = body ? new TextEncoder().encode(body) : undefined;
  const request = new Request(url, { method, headers, body: content, redirect: "manual" });
  // The address under which an upstream knows the API, and where the request really comes from.
  const client = { url, headers: arrived.headers, cf: arrived.cf };
  const response = await serve(client, request, directive, env, { signal });
  const pairs = [...response.headers].filter(([name]) => name !== "set-cookie" && !isNeverReturned(name));
  for (const cookie of response.headers.getSetCookie()) pairs.push(["set-cookie", cookie]);
  // If the body is read decoded, the headers about its encoding no longer apply.
  const isEncoded = response.headers.has("content-encoding");
  const returned = isEncoded && isReadDecoded(response.headers) ? pairs.filter(([name]) => name !== "content-encoding" && name !== "content-length") : pairs;
  return { status: response.status, headers: returned, ...(await readItem(response, isEncoded, charge)) };
}

/** The length up to which the body of a response to an item is read in one go, without a reader. */
const SHORT_BYTES = 64 * 1024;

/** Reads such a body, as far as `charge` allows. */
async function readItem(response, isEncoded, charge) {
  if (!isEncoded && Number(response.headers.get("content-length") ?? Infinity) <= SHORT_BYTES) {
    const body = new Uint8Array(await response.arrayBuffer());
    return { body, cut: body.length > 0 && !charge(body.length, jsonLength(body)) };
  }
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
      cut = !charge(length, jsonLength(value));
    }
    if (cut) await reader.cancel();
  }
  return { body: join(chunks, length), cut };
}
