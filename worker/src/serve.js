// Carries out what the data plane decides (`crates/dataplane/src/driver/directive.rs`), for single requests, items of
// batches and debugged requests. A request that is only forwarded is sent from here; every other one is a run
// (`run.js`).
//
// Headers and bodies stay in JavaScript. Passing one header into WebAssembly and back costs more than all of Rust's
// work on a request, so only decisions cross the boundary.

import * as wasm from "./dataplane.js";
import { noteFailure } from "./failures.js";
import { join } from "./glue.js";
import { clean, isNeverReturned, isReadDecoded, outgoing, ownResponse } from "./headers.js";
import { dataplane } from "./modules.js";
import { reportIf } from "./reports.js";
import { Run } from "./run.js";
import { describeError, fetchUpstream } from "./upstream.js";

/**
 * Serves a request, starting with its first directive. `client` is the request that arrived, which for an item of a
 * batch has the item's URL; `ctx` is its context, given only if collected figures may be reported after the response;
 * `signal` aborts upstream calls that take too long.
 */
export function serve(client, request, text, env, { ctx, signal }) {
  // A plain forward is text, a run's directive is JSON.
  const isRun = text.charCodeAt(0) === 123;
  return isRun ? new Run(client, request, env, ctx, signal).serve(text) : sendPlain(client, request, text, env, ctx, signal);
}

/** Forwards a request without a run. `text` is `<figures> <time limit> <address>`. */
async function sendPlain(client, request, text, env, ctx, signal) {
  const first = text.indexOf(" ");
  const second = text.indexOf(" ", first + 1);
  const figures = Number(text.slice(0, first));
  const timeout = Number(text.slice(first + 1, second));
  const start = Date.now();
  let sent;
  let response;
  let cleaned;
  try {
    sent = outgoing(client, request, { url: text.slice(second + 1) }, undefined, env.CLIENT_IP_HEADER);
    response = await fetchUpstream(sent, env, timeout, signal);
    cleaned = clean(response, request);
  } catch (error) {
    response?.body?.cancel().catch(() => {});
    const id = sent?.headers.get("x-request-id") ?? "";
    const url = text.slice(second + 1);
    const description = describeError(error, url);
    const { failed, answer } = JSON.parse(dataplane.run((exports) => exports.plainFailed(figures, description, id, request)));
    if (failed) noteFailure(failed, answer.status, request, { url, ms: Date.now() - start, timeout, error: description });
    reportIf(wasm.due(), env, ctx);
    return ownResponse(answer, request.method);
  }
  if (response.status >= 500) {
    const failed = { api: wasm.countedApi(figures), link: "upstream" };
    noteFailure(failed, response.status, request, { url: text.slice(second + 1), ms: Date.now() - start, timeout });
  }
  reportIf(dataplane.run((exports) => exports.countResponse(figures, response.status, start)), env, ctx);
  return cleaned;
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
