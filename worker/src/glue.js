// The platform's functions, for the WebAssembly modules and the JavaScript around them.

import { takeFailures } from "./failures.js";
import { meters, parts } from "./meters.js";
import { place, shards } from "./places.js";
import { read, recordStatement } from "./reads.js";

/**
 * Bypasses Cloudflare's cache for upstreams in both directions: caching is decided by a link
 * (https://developers.cloudflare.com/workers/runtime-apis/request/#the-cf-property-requestinitcfproperties). The option
 * `cache: "no-store"` would do the same, but add `Cache-Control` and `Pragma` to the request.
 */
export const NO_CACHE = { cacheTtlByStatus: { "100-599": -1 } };

/** Returns method and URL in a single crossing; a method has no spaces. */
export function head(request) {
  return `${request.method} ${request.url}`;
}

/** Returns the client's address, from the header that the operator trusts, else from the connection. */
export function clientAddress(request, trustedHeader) {
  if (trustedHeader) return request.headers.get(trustedHeader) ?? "";
  const address = request.cf?.clientIp ?? "";
  const port = address.lastIndexOf(":");
  return port < 0 || address.endsWith("]") ? address : address.slice(0, port).replace(/^\[|\]$/g, "");
}

/** Waits for `ms` milliseconds. */
export function wait(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * Reads a body of at most `max` bytes. A result of `max + 1` bytes means that there are more, which are left for
 * [`discard`].
 */
export async function readBody(request, max) {
  return (await readWhole(request, max, { preventCancel: true })) ?? new Uint8Array(max + 1);
}

/**
 * Returns the parts of a form, as alternating names and texts; undefined if the bytes are not a form of this type or a
 * part is not UTF-8.
 */
export async function readForm(bytes, contentType) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    // Without this check, the runtime would replace invalid UTF-8 in a field with other characters.
    text.decode(bytes);
    const form = await new Response(bytes, { headers: { "content-type": contentType } }).formData();
    const parts = [];
    for (const [name, value] of form) {
      parts.push(name, typeof value === "string" ? value : text.decode(await value.arrayBuffer()));
    }
    return parts;
  } catch {
    return undefined;
  }
}

/** Joins the chunks of a body, `length` bytes in all. */
export function join(chunks, length) {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/**
 * Fetches a text from an external server. Where the runtime is in a private network, `env.EGRESS` is the binding that
 * reaches only the public network. Resolves to `{ status, location, contentType, body }`, with a null `body` if it has
 * more than `max` bytes.
 */
export async function getText(env, url, allowPrivate, max, ms) {
  const publicNetwork = allowPrivate ? undefined : env.EGRESS;
  const headers = { accept: "application/json, application/yaml;q=0.9, text/*;q=0.8, */*;q=0.1", "user-agent": "Gatewright" };
  const init = { headers, redirect: "manual", signal: AbortSignal.timeout(ms) };
  const response = await (publicNetwork ? publicNetwork.fetch(url, init) : fetch(url, init));
  const location = response.headers.get("location");
  return {
    status: response.status,
    location: location === null ? null : (URL.parse(location, url)?.href ?? location),
    contentType: response.headers.get("content-type") ?? "",
    body: await readWithin(response.body, max),
  };
}

/** How long the beginning of a response's body is waited for. */
const BEGINNING_MS = 1000;

/** Returns at most `max` bytes of a body, and whether it goes on; of a body that stops, what has arrived. */
async function beginning(body, max) {
  const reader = body?.getReader();
  const chunks = [];
  let [length, ended, timer] = [0, !reader];
  const late = new Promise((done) => {
    timer = setTimeout(done, BEGINNING_MS);
  });
  while (!ended && length <= max) {
    const part = await Promise.race([reader.read(), late]).catch(() => undefined);
    if (!part) break;
    ended = part.done;
    if (!ended) length += chunks[chunks.push(part.value) - 1].length;
  }
  clearTimeout(timer);
  // What doesn't end by itself is of no further interest.
  if (!ended) reader.cancel().catch(() => {});
  return { body: join(chunks, length).subarray(0, max), cut: !ended || length > max };
}

/**
 * Sends a request to an external server, through the same binding. Resolves to `{ status, contentType, length, body,
 * cut }`; `body` is at most `max` bytes.
 */
export async function sendOut(env, method, url, headers, body, allowPrivate, ms, max) {
  const publicNetwork = allowPrivate ? undefined : env.EGRESS;
  const init = { method, headers: fields(headers), body, redirect: "manual", signal: AbortSignal.timeout(ms) };
  const response = await (publicNetwork ? publicNetwork.fetch(url, init) : fetch(url, init));
  const { status, headers: sent } = response;
  const [contentType, length] = [sent.get("content-type") ?? "", sent.get("content-length") ?? undefined];
  return { status, contentType, length, ...(await beginning(response.body, max)) };
}

// The time limit of a call to KV: one that never completes would block every later reload. KV responds within
// milliseconds if it has the key at hand, and within a second or two if it has to fetch it.
const KV_TIMEOUT_MS = 15_000;

async function withTimeLimit(call) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer in time")), KV_TIMEOUT_MS);
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Calls KV's `get` or `delete`. */
export async function callKv(env, method, key) {
  return withTimeLimit(env.KV[method](key));
}

/** Writes a key to KV. */
export async function putKv(env, key, value, metadata) {
  await withTimeLimit(env.KV.put(key, value, { metadata }));
}

/** Lists all keys with a prefix, as alternating names and metadata; metadata that isn't text is undefined. */
export async function listKv(env, prefix) {
  const found = [];
  let cursor;
  do {
    const page = await withTimeLimit(env.KV.list({ prefix, cursor }));
    for (const { name, metadata } of page.keys) {
      found.push(name, typeof metadata === "string" ? metadata : undefined);
    }
    cursor = page.list_complete ? undefined : page.cursor;
  } while (cursor);
  return found;
}

/** Fetches a file that was built with this release. */
export async function fetchAsset(env, path) {
  return env.ASSETS.fetch(`http://assets${path}`);
}

/** Returns the text of such a file, null if it doesn't exist. */
export async function assetText(env, path) {
  const response = await fetchAsset(env, path);
  if (response.status === 200) return response.text();
  await response.body?.cancel();
  return null;
}

/** Returns a stream's bytes, null if there are more than `max`. */
export async function readWithin(stream, max, options) {
  const chunks = [];
  let length = 0;
  // Leaving the loop cancels the stream, unless `options` prevent that.
  for await (const chunk of stream?.values(options) ?? []) {
    length += chunk.length;
    if (length > max) return null;
    chunks.push(chunk);
  }
  return join(chunks, length);
}

/** Returns the body of a request or response, decoded; null if it has more than `max` bytes. */
export async function readWhole(message, max, options) {
  const { headers } = message;
  const length = headers.get("content-length");
  // The length of an encoded body says nothing about its decoded length.
  if (length === null || headers.has("content-encoding")) return readWithin(message.body, max, options);
  if (Number(length) > max) return null;
  // A body is never longer than its content length (RFC 9112 section 6.3), and reading it in one go is one wait instead
  // of several. An item of a batch may state any length, but is in memory already.
  const bytes = new Uint8Array(await message.arrayBuffer());
  return bytes.length > max ? null : bytes;
}

/** Returns the values of some headers, one per line; a header's value has no line breaks. */
export function headerLines(request, names) {
  const headers = request.headers;
  return names
    .split("\n")
    .map((name) => headers.get(name) ?? "")
    .join("\n");
}

/** Parses headers from alternating names and values, one per line. */
function fields(text) {
  const headers = new Headers();
  const lines = text.split("\n");
  for (let at = 0; at + 1 < lines.length; at += 2) headers.append(lines[at], lines[at + 1]);
  return headers;
}

/** Builds a response. `headers` has alternating names and values, one per line. */
export function respond(status, headers, body) {
  // The runtime would add a content type to an empty string.
  return new Response(body === "" ? null : body, { status, headers: fields(headers) });
}

/**
 * Returns a response that streams what the Registry sends for this message, or a text with the limit if too many streams
 * are open: in total, or of this credential, which is empty for a stream that ends by itself.
 */
export async function openStream(env, headers, message, credential) {
  const stream = await registry(env).fetch(`http://registry/${credential}`, { method: "POST", body: message });
  return stream.ok ? respond(200, headers, stream.body) : stream.text();
}

/** Opens a response whose body is written in parts. */
export function openBody(status, headers) {
  const { readable, writable } = new IdentityTransformStream();
  return { response: new Response(readable, { status, headers: fields(headers) }), writer: writable.getWriter() };
}

/** Writes a part of such a body, once the previous one has been consumed; without a part, ends the body. */
export function writePart(writer, part, brokeOff) {
  if (brokeOff) return writer.abort(new Error("broke off"));
  return part === undefined ? writer.close() : writer.write(new TextEncoder().encode(part));
}

/** Returns a reader of a request's body, decompressed if it is gzip. */
export function bodyReader(request) {
  const gzip = request.headers.get("content-encoding") === "gzip";
  const body = gzip ? request.body?.pipeThrough(new DecompressionStream("gzip")) : request.body;
  return body?.getReader();
}

/** Returns the next part of a body, undefined after the last one. */
export async function readPart(reader) {
  return (await reader?.read())?.value;
}

/** Reads and discards the rest of a body. */
export async function drain(reader) {
  try {
    while ((await readPart(reader)) !== undefined);
  } catch {
    // The client has stopped sending, so there is nothing left to read.
  }
}

/** Limits on discarding an unread body: its bytes, the time in all, and the longest pause in milliseconds. */
const DISCARDED_BYTES = 32 * 1024 * 1024;
const DISCARDED_MS = 10_000;
const PAUSE_MS = 500;

/** Reads and discards what is left of a request's body, within those limits. */
export async function discard(request) {
  const { body } = request;
  if (!body || body.locked) return;
  const until = Date.now() + DISCARDED_MS;
  let pause;
  try {
    const reader = body.getReader();
    for (let length = 0; length <= DISCARDED_BYTES && Date.now() < until; ) {
      pause = setTimeout(() => reader.cancel().catch(() => {}), PAUSE_MS);
      const part = await readPart(reader);
      if (part === undefined) return;
      clearTimeout(pause);
      length += part.length;
    }
  } catch {
    // The client has stopped sending, so there is nothing left to read.
  } finally {
    clearTimeout(pause);
  }
}

const KEY_DERIVATION = { name: "PBKDF2", hash: "SHA-512", iterations: 100_000 };
const NONCE_BYTES = 12;
const encoder = new TextEncoder();

/** Returns a text as UTF-8. */
export const bytesOf = (text) => encoder.encode(text);

/** Derives a key from a passphrase and a salt; `SEALING` of the control plane describes how. */
export async function openVault(passphrase, salt) {
  const material = await crypto.subtle.importKey("raw", bytesOf(passphrase), "PBKDF2", false, ["deriveKey"]);
  const derived = { name: "AES-GCM", length: 256 };
  return crypto.subtle.deriveKey({ ...KEY_DERIVATION, salt: bytesOf(salt) }, material, derived, false, ["encrypt", "decrypt"]);
}

/** Derives a key for one purpose from a secret of high entropy (HKDF, RFC 5869). */
export async function ownVault(secret, purpose) {
  const material = await crypto.subtle.importKey("raw", bytesOf(secret), "HKDF", false, ["deriveKey"]);
  const algorithm = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info: bytesOf(purpose) };
  return crypto.subtle.deriveKey(algorithm, material, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

/** Encrypts a text and binds it to a name (AES-GCM, as additional data). Returns base64. */
export async function seal(key, name, text) {
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: bytesOf(name) }, key, bytesOf(text));
  return join([iv, new Uint8Array(sealed)], iv.length + sealed.byteLength).toBase64();
}

/** Decrypts what was sealed under this name, undefined if that fails. */
export async function unseal(key, name, sealed) {
  try {
    const bytes = Uint8Array.fromBase64(sealed);
    const algorithm = { name: "AES-GCM", iv: bytes.slice(0, NONCE_BYTES), additionalData: bytesOf(name) };
    const text = await crypto.subtle.decrypt(algorithm, key, bytes.slice(NONCE_BYTES));
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(text);
  } catch {
    return undefined;
  }
}

/** Runs a statement of the Registry and returns its rows, each an array of values. */
export function querySql(storage, statement, values) {
  recordStatement(statement);
  return [...storage.sql.exec(statement, ...values).raw()];
}

/** Returns the size of an object's database, in bytes. */
export function databaseSize(storage) {
  return storage.sql.databaseSize;
}

const registry = (env) => env.REGISTRY.getByName("registry");

/** Calls a method of the single Registry (Workers RPC); `read` is a call that repeats may do without (`reads.js`). */
export function callRegistry(env, method, message, ...more) {
  if (method === "read") return read(message, env.EGRESS !== undefined, (message) => callRegistry(env, "call", message));
  if (env.PROCESS) return callObjectsProcess(env, "registry", method, "", message);
  return registry(env)[method](message, ...more);
}

/** Calls a method of the Ledger with this name, in the object that hosts it (Workers RPC). */
export function callLedger(env, name, method, message) {
  if (env.PROCESS) return callObjectsProcess(env, "ledger", method, name, message);
  return env.LEDGER.getByName(place(name, shards(env)))[method](name, message);
}

/** Looks up a session at the Ledger of this name. `message` names the ids under which it may be stored. */
export function findSession(env, [ledger, message]) {
  return callLedger(env, ledger, "find", message);
}

/** Calls a method of several Ledgers at once: names, messages and replies have one line each. */
export async function callLedgers(env, method, names, messages) {
  const texts = messages.split("\n");
  const calls = names.split("\n").map((name, at) => callLedger(env, name, method, texts[at] ?? ""));
  return (await Promise.all(calls)).join("\n");
}

/**
 * Calls all Meters (Workers RPC): `add` gives each the lines of its APIs, with this isolate's failures; `read` and
 * `failures` put the question on the first line. The replies are returned one after the other.
 */
export async function callMeter(env, method, message) {
  const text = message + takeFailures();
  if (env.PROCESS) return callObjectsProcess(env, "meter", method, "", text);
  const names = meters(env);
  const end = method === "add" ? 0 : text.indexOf("\n") + 1;
  const [question, report] = [text.slice(0, end), text.slice(end)];
  const call = (part, at) => (question || part) && env.METER.getByName(names[at])[method](question + part);
  const answers = await Promise.all(parts(report, names.length).map(call));
  return answers.join("\n");
}

/**
 * Sends a message about upstreams, by its first word, to the object that tests them, to the one that holds an API's
 * lists and tokens from other servers, or to the process with the objects.
 */
export async function callUpstreams(env, message) {
  if (message.startsWith("down ")) return callUptime(env, "down", message.slice(5));
  if (message.startsWith("fetch ")) return callAnswers(env, message.slice(0, message.indexOf("\n")).split(" ").slice(4).join(" "), "ask", message);
  return callObjectsProcess(env, "upstreams", "ask", "", message);
}

/** Calls a method of the object that tests upstreams (Workers RPC). */
export function callUptime(env, method, message) {
  if (env.PROCESS) return callObjectsProcess(env, "uptime", method, "", message);
  return env.UPTIME.getByName("uptime")[method](message);
}

/** Makes it look for changed tests, without waiting for the result. */
export function wakeUptime(env) {
  env.UPTIME?.getByName("uptime").wake().catch((error) => console.error("uptime tests", error));
}

/** Calls a method of the object that holds what servers have answered for an API (Workers RPC). */
export function callAnswers(env, apiId, method, message) {
  if (env.PROCESS) return callObjectsProcess(env, "answers", method, apiId, message);
  return env.UPSTREAM_ANSWERS.getByName(apiId)[method](message);
}

/** Calls an object that lives in another process of this machine (`processes.js`). */
async function callObjectsProcess(env, object, method, name, message) {
  const url = `http://objects/${object}/${method}?${encodeURIComponent(name)}`;
  const answer = await env.OBJECTS.fetch(url, { method: "POST", body: message });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return answer.status === 204 ? undefined : text;
}

/**
 * Sets a Durable Object's alarm in the current turn: it becomes durable together with the turn's writes, and the turn's
 * reply waits for both. An undefined time deletes the alarm.
 */
export function setAlarm(storage, at) {
  const set = at === undefined ? storage.deleteAlarm() : storage.setAlarm(at);
  set.catch((error) => console.error("alarm", error));
}

/** Makes sure that the alarm fires at this time or earlier. */
export function setAlarmBy(storage, at) {
  const set = storage.getAlarm().then((known) => (known === null || known > at ? storage.setAlarm(at) : undefined));
  set.catch((error) => console.error("alarm", error));
}

/** Runs one transaction over a Durable Object's rows; rolls it back if `run` returns false. */
export function transactionSync(storage, run) {
  storage.transactionSync(() => {
    if (!run()) throw new Error("rolled back");
  });
}

const HEXADECIMAL = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** Returns 128 random bits as hexadecimal digits. */
export function randomId() {
  let digits = "";
  for (const byte of crypto.getRandomValues(new Uint8Array(16))) digits += HEXADECIMAL[byte];
  return digits;
}

/**
 * Returns 128 bits as hexadecimal digits: the time in milliseconds, then 80 random bits. Ids that are stored in this order
 * are next to each other in an index, on few pages.
 */
export function timedId() {
  return Date.now().toString(16).padStart(12, "0") + randomId().slice(12);
}

/** Returns a random UUID (version 4): 128 bits, six of which are fixed. */
export function randomUuid() {
  return crypto.randomUUID();
}

/** Returns 256 random bits as base64url (RFC 4648 section 5) without padding. */
export function randomToken() {
  return crypto.getRandomValues(new Uint8Array(32)).toBase64({ alphabet: "base64url", omitPadding: true });
}
