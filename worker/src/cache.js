// Stores cached responses and reads them back. The data plane decides what is stored and whether it may be used
// (`crates/dataplane/src/caching`).

import * as edge from "./cache/edge.js";
import * as machine from "./cache/machine.js";
import { join } from "./glue.js";
import { whole } from "./upstream.js";

/** The longest body that is cached, in bytes; a longer one is only passed through. */
const MAX_BYTES = 1024 * 1024;
/** A body up to this many bytes is read completely before it is passed on. */
const SMALL_BYTES = 64 * 1024;
/** How long a client waits for a response to be cached. */
const MAX_WAIT_MS = 250;

// Only a self-hosted runtime has the binding to the machine's other processes.
const backend = (env) => (env.PROCESSES === undefined ? edge : machine);

const logFailure = (error) => {
  console.error("cache", error);
  return undefined;
};

/**
 * Returns the entry in a slot, or a promise of it; undefined if there is none. A slot is `{ api, url, key }`: the API,
 * the hashed address and the key (`Place` of `crates/dataplane/src/caching`). The backend adds what it has to know
 * about the lookup when it stores a response there.
 */
export function find(env, slot) {
  const found = backend(env).find(env, slot);
  return found instanceof Promise ? found.catch(logFailure) : found;
}

/** Deletes the entries of an address. A failure is logged and a delay ignored; such entries still expire. */
export const forgetAddress = (env, slot) => waitBriefly(forget(env, slot, { url: slot.url }));

/**
 * Returns the further addresses that a response has invalidated (RFC 9111 section 4.4), as paths and queries of this
 * host. An upstream that doesn't know the path under which it is served names its own, so both are tried.
 */
export function invalidatedAddresses(headers, own, upstream) {
  const here = new URL(own);
  const there = new URL(upstream);
  let end = 0;
  for (let at = 1; here.pathname.at(-at) !== undefined && here.pathname.at(-at) === there.pathname.at(-at); at += 1) {
    if (here.pathname.at(-at) === "/") end = at;
  }
  const [listen, base] = [here, there].map(({ pathname }) => pathname.slice(0, pathname.length - end));
  const values = ["location", "content-location"].map((name) => headers.get(name)).filter((value) => value !== null);
  return values.flatMap((value) => {
    const asHere = URL.canParse(value, here) ? new URL(value, here) : undefined;
    const asThere = URL.canParse(value, there) ? new URL(value, there) : undefined;
    const found = [];
    if (asHere?.origin === here.origin) found.push([asHere.pathname, asHere.search.slice(1)]);
    if (asThere?.origin === there.origin && asThere.pathname.startsWith(`${base}/`)) {
      found.push([listen + asThere.pathname.slice(base.length), asThere.search.slice(1)]);
    }
    return found;
  });
}

/** Deletes the entries of a scope: `{ api }`, `{ url }` or `{ key }`. */
const forget = async (env, slot, scope) => backend(env).forget(env, slot, scope);

/** Deletes an API's entries, everywhere. */
export const forgetApi = (env, api) => forget(env, {}, { api });

/**
 * Caches a response as `order` says, and returns the one to pass on instead. The last bytes of that are held back
 * until it is cached, so a client that has read all of one response gets the next one from the cache.
 */
export async function store(env, slot, order, response) {
  const { body, headers } = response;
  // Of a response to a HEAD it is the length that a GET would have; any other is the runtime's to state.
  const fields = [...headers].filter(([name]) => body === null || name !== "content-length");
  // RFC 9110 section 6.6.1.
  if (!headers.has("date")) fields.push(["date", new Date().toUTCString()]);
  // The runtime passes on bytes that aren't text, but replaces them when they are read.
  if (fields.some(([, value]) => value.includes("\uFFFD"))) return response;
  const put = (bytes) => waitBriefly(putAll(env, slot, order, { status: response.status, headers: fields, body: bytes }));
  if (body === null) {
    await put(null);
    return response;
  }
  const length = headers.get("content-length");
  if (Number(length) > MAX_BYTES) return response;
  if (length === null || Number(length) > SMALL_BYTES || headers.has("content-encoding")) return storeStreamed(response, put);
  const bytes = new Uint8Array(await whole(response.arrayBuffer()));
  await put(bytes);
  return new Response(bytes, response);
}

/** Does the same for a streamed body. */
function storeStreamed(response, put) {
  let chunks = [];
  let length = 0;
  const collector = new TransformStream({
    transform(chunk, controller) {
      length += chunk.length;
      if (length > MAX_BYTES) chunks = undefined;
      chunks?.push(chunk);
      controller.enqueue(chunk);
    },
    async flush() {
      if (chunks === undefined) return;
      await put(join(chunks, length));
    },
  });
  return new Response(response.body.pipeThrough(collector), response);
}

async function putAll(env, slot, { until, entries, replaces }, response) {
  const [[key, notes], choice] = entries;
  const own = { ...slot, key };
  if (replaces) await forget(env, own, { key });
  await backend(env).store(env, own, { until, notes, ...response });
  if (choice === undefined) return;
  const chosen = { until, notes: choice[1], status: 0, headers: [], body: null };
  await backend(env).store(env, { ...own, key: choice[0] }, chosen);
}

/** Waits for a promise whose result isn't needed, for `MAX_WAIT_MS` at most. */
function waitBriefly(promise) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, MAX_WAIT_MS);
    promise.catch(logFailure).finally(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/**
 * Headers that a 304 does not update (RFC 9111 section 3.2): they describe the body, which remains the stored one, or
 * how it was transferred.
 */
const NOT_UPDATED = ["content-encoding", "content-length", "content-md5", "content-range", "etag", "transfer-encoding"];

/** Returns an entry with the headers of a 304 that confirmed it, and its body in memory. */
export async function refreshed(entry, validated) {
  const changed = [...validated].filter(([name]) => !NOT_UPDATED.includes(name));
  const names = new Set(changed.map(([name]) => name));
  const retained = entry.headers.filter(([name]) => name !== "age" && !names.has(name));
  return { ...(await withBytes(entry)), headers: [...retained, ...changed] };
}

/** Returns an entry with its body as bytes, which can be sent more than once. */
export async function withBytes(entry) {
  const { body } = entry;
  return body instanceof ReadableStream ? { ...entry, body: new Uint8Array(await new Response(body).arrayBuffer()) } : entry;
}

/** Stores an entry again, as `order` says. */
export const storeAgain = (env, slot, order, { status, headers, body }) => waitBriefly(putAll(env, slot, order, { status, headers, body }));

/**
 * Returns the requested byte range (`Range` of `crates/dataplane/src/caching/reuse.rs`) of an entry whose body is in
 * memory. If the runtime encodes the body when sending it, offsets don't refer to the stored bytes, so all of it is
 * returned.
 */
export function sliced(entry, [first, last]) {
  const { headers, body } = entry;
  if (headers.some(([name]) => name === "content-encoding")) return entry;
  const length = body?.length ?? 0;
  const from = first ?? Math.max(length - last, 0);
  const end = first === null || last === null ? length : Math.min(last + 1, length);
  if (from >= end) return { status: 416, headers: [...headers.filter(([name]) => name !== "content-type"), ["content-range", `bytes */${length}`]], body: null };
  return { status: 206, headers: [...headers, ["content-range", `bytes ${from}-${end - 1}/${length}`]], body: body.subarray(from, end) };
}

/** Builds a response from an entry; `isNotModified` is true if the client's own copy is still valid. */
export function reused({ status, headers, body }, isNotModified, method) {
  if (isNotModified) {
    if (body instanceof ReadableStream) body.cancel().catch(() => {});
    return new Response(null, { status: 304, headers });
  }
  return new Response(method === "HEAD" ? null : body, { status, headers });
}
