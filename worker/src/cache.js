// Where answers are kept, and how they get there. What is kept, and whether it may be used, the data plane decides
// (`crates/dataplane/src/caching`).

import * as edge from "./cache/edge.js";
import * as machine from "./cache/machine.js";

/** The longest body that is kept; what is longer passes by as it comes. */
const MAX_BYTES = 1024 * 1024;
/** A body of so many bytes is taken whole before it is passed on. */
const SMALL_BYTES = 64 * 1024;
/** How long a client waits for an answer to be kept. */
const PATIENCE_MS = 250;

// A runtime of one's own says what other processes there are.
const store = (env) => (env.PROCESSES === undefined ? edge : machine);

const nothing = (error) => {
  console.error("cache", error);
  return undefined;
};

/** What is kept at a place, `{ api, url, key }`, or a promise of it. */
export function find(env, place) {
  const found = store(env).find(env, place);
  return found instanceof Promise ? found.catch(nothing) : found;
}

/** Forgets what is kept of an address; what can't be forgotten in time is in the log, and ends by itself. */
export const forgetAddress = (env, place) => within(forget(env, place, { url: place.url }));

/**
 * The addresses that an answer names and has changed too (RFC 9111 section 4.4), as paths and queries of this host.
 * An upstream that does not know under which path it is served names its own: both are meant.
 */
export function named(headers, own, upstream) {
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

/** Forgets what is kept of a scope: `{ api }`, `{ url }` or `{ key }`. */
const forget = async (env, place, scope) => store(env).forget(env, place, scope);

/** Forgets what is kept of an API, everywhere. */
export const forgetApi = (env, api) => forget(env, {}, { api });

/**
 * Keeps an answer as `order` says; answers what to pass on instead of it. Its last bytes wait for that, so
 * that whoever has all of an answer gets the next one from the cache.
 */
export async function keep(env, place, order, response) {
  const { body, headers } = response;
  const fields = [...headers].filter(([name]) => name !== "content-length");
  const put = (bytes) => within(putAll(env, place, order, { status: response.status, headers: fields, body: bytes }));
  if (body === null) {
    await put(null);
    return response;
  }
  const length = headers.get("content-length");
  if (Number(length) > MAX_BYTES) return response;
  if (length === null || Number(length) > SMALL_BYTES || headers.has("content-encoding")) return passing(response, put);
  const bytes = new Uint8Array(await response.arrayBuffer());
  await put(bytes);
  return new Response(bytes, response);
}

/** The same of a body that comes piece by piece. */
function passing(response, put) {
  let chunks = [];
  let length = 0;
  const kept = new TransformStream({
    transform(chunk, controller) {
      length += chunk.length;
      if (length > MAX_BYTES) chunks = undefined;
      chunks?.push(chunk);
      controller.enqueue(chunk);
    },
    async flush() {
      if (chunks === undefined) return;
      const bytes = new Uint8Array(length);
      let at = 0;
      for (const chunk of chunks) {
        bytes.set(chunk, at);
        at += chunk.length;
      }
      await put(bytes);
    },
  });
  return new Response(response.body.pipeThrough(kept), response);
}

async function putAll(env, place, { until, notes, replaces }, answer) {
  const [[key, noted], choice] = notes;
  const own = { ...place, key };
  if (replaces) await forget(env, own, { key });
  await store(env).keep(env, own, { until, noted, ...answer });
  if (choice === undefined) return;
  const chosen = { until, noted: choice[1], status: 0, headers: [], body: null };
  await store(env).keep(env, { ...own, key: choice[0] }, chosen);
}

/** Waits for something that nobody needs, but not for long. */
function within(promise) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PATIENCE_MS);
    promise.catch(nothing).finally(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Headers that describe the body, which is the one that is kept (RFC 9111 section 3.2), or who gave it. */
const OF_BODY = ["content-encoding", "content-length", "content-md5", "content-range", "etag", "transfer-encoding"];

/** A kept answer with the headers of one that says that it holds, its body at hand. */
export async function refreshed(kept, said) {
  const changed = [...said].filter(([name]) => !OF_BODY.includes(name));
  const names = new Set(changed.map(([name]) => name));
  const stay = kept.headers.filter(([name]) => name !== "age" && !names.has(name));
  return { ...(await whole(kept)), headers: [...stay, ...changed] };
}

/** A kept answer with its body as bytes, which can be given more than once. */
export async function whole(kept) {
  const { body } = kept;
  return body instanceof ReadableStream ? { ...kept, body: new Uint8Array(await new Response(body).arrayBuffer()) } : kept;
}

/** Keeps a kept answer anew, as `order` says. */
export const keepAgain = (env, place, order, { status, headers, body }) => within(putAll(env, place, order, { status, headers, body }));

/**
 * What there is of a range of bytes (`Range` of `crates/dataplane/src/caching/reuse.rs`) in a kept answer, whose
 * body is at hand. One that the runtime packs has other bytes than those that are kept: all of it is given.
 */
export function cut(kept, [first, last]) {
  const { headers, body } = kept;
  if (headers.some(([name]) => name === "content-encoding")) return kept;
  const length = body?.length ?? 0;
  const from = first ?? Math.max(length - last, 0);
  const end = first === null || last === null ? length : Math.min(last + 1, length);
  if (from >= end) return { status: 416, headers: [...headers.filter(([name]) => name !== "content-type"), ["content-range", `bytes */${length}`]], body: null };
  return { status: 206, headers: [...headers, ["content-range", `bytes ${from}-${end - 1}/${length}`]], body: body.subarray(from, end) };
}

/** A kept answer as a response; `known` is true for a client that has it. */
export function reused({ status, headers, body }, known, method) {
  if (known) {
    if (body instanceof ReadableStream) body.cancel().catch(() => {});
    return new Response(null, { status: 304, headers });
  }
  return new Response(method === "HEAD" ? null : body, { status, headers });
}
