// What the platform offers, for both WebAssembly modules and the JavaScript around them.

import { takeFailures } from "./failures.js";
import { meters, parts } from "./meters.js";
import { place, shards } from "./places.js";

/**
 * The answer of an upstream is never taken from Cloudflare's cache nor put there: caching is a link's to
 * decide (https://developers.cloudflare.com/workers/runtime-apis/request/#the-cf-property-requestinitcfproperties).
 * The option `cache: "no-store"` would do the same and add `Cache-Control` and `Pragma` to the request.
 */
export const NO_CACHE = { cacheTtlByStatus: { "100-599": -1 } };

/** Method and URL in one crossing; a method has no spaces. */
export function head(request) {
  return `${request.method} ${request.url}`;
}

/** The client's address: from the header that the operator trusts, else from the connection. */
export function clientAddress(request, trustedHeader) {
  if (trustedHeader) return request.headers.get(trustedHeader) ?? "";
  const address = request.cf?.clientIp ?? "";
  const port = address.lastIndexOf(":");
  return port < 0 || address.endsWith("]") ? address : address.slice(0, port).replace(/^\[|\]$/g, "");
}

/** Lets time pass. */
export function wait(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Reads a body of at most `max` bytes; one more byte tells that there was more, which is left for [`discard`]. */
export async function readBody(request, max) {
  return (await readWhole(request, max, { preventCancel: true })) ?? new Uint8Array(max + 1);
}

/**
 * The parts of a form as names and texts in turn; nothing if the bytes are no such form, or a part
 * is no text.
 */
export async function readForm(bytes, contentType) {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    // The runtime would take what is no text in a field for other letters.
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

function join(chunks, length) {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}

/**
 * Gets a text from a server of somebody else. Where the runtime has a private network, `env.EGRESS`
 * is the binding that reaches only the public network. Answers `{ status, location, contentType, body }`, `body` being
 * null if it has more than `max` bytes.
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

/** Sends a request to a server of somebody else, by the same binding; its body is not read. */
export async function sendOut(env, method, url, headers, body, allowPrivate, ms) {
  const publicNetwork = allowPrivate ? undefined : env.EGRESS;
  const init = { method, headers: fields(headers), body, redirect: "manual", signal: AbortSignal.timeout(ms) };
  const response = await (publicNetwork ? publicNetwork.fetch(url, init) : fetch(url, init));
  await response.body?.cancel();
  return response;
}

// How long a call to KV may take: one that never answers would hold up every reload after it. KV
// answers within milliseconds where it has the key, and within a second or two where it has to fetch
// it.
const KV_PATIENCE_MS = 15_000;

async function patiently(call) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error("no answer in time")), KV_PATIENCE_MS);
  });
  try {
    return await Promise.race([call, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Calls `get` or `delete` of KV. */
export async function callKv(env, method, key) {
  return patiently(env.KV[method](key));
}

/** Sets a key of KV. */
export async function putKv(env, key, value, metadata) {
  await patiently(env.KV.put(key, value, { metadata }));
}

/** All keys with a prefix: names and metadata in turn, undefined where that is no text. */
export async function listKv(env, prefix) {
  const found = [];
  let cursor;
  do {
    const page = await patiently(env.KV.list({ prefix, cursor }));
    for (const { name, metadata } of page.keys) {
      found.push(name, typeof metadata === "string" ? metadata : undefined);
    }
    cursor = page.list_complete ? undefined : page.cursor;
  } while (cursor);
  return found;
}

/** A file that was built with this software. */
export async function fetchAsset(env, path) {
  return env.ASSETS.fetch(`http://assets${path}`);
}

/** The text of such a file, null if there is none. */
export async function assetText(env, path) {
  const response = await fetchAsset(env, path);
  if (response.status === 200) return response.text();
  await response.body?.cancel();
  return null;
}

/** A stream's bytes, null if there are more than `max`. */
export async function readWithin(stream, max, options) {
  const chunks = [];
  let length = 0;
  // Leaving the loop cancels the stream, unless `options` prevent it.
  for await (const chunk of stream?.values(options) ?? []) {
    length += chunk.length;
    if (length > max) return null;
    chunks.push(chunk);
  }
  return join(chunks, length);
}

/** The bytes of a request or an answer, unpacked; null if there are more than `max`. */
export async function readWhole(message, max, options) {
  const { headers } = message;
  const length = headers.get("content-length");
  // What is packed may be of any length once it isn't.
  if (length === null || headers.has("content-encoding")) return readWithin(message.body, max, options);
  if (Number(length) > max) return null;
  // No body is longer than that says (RFC 9112 section 6.3), and reading it whole is one wait instead of several. An
  // item of a batch says of itself what it likes, but is there already.
  const bytes = new Uint8Array(await message.arrayBuffer());
  return bytes.length > max ? null : bytes;
}

/** The values of some headers, each on a line; a header's value has none itself. */
export function headerLines(request, names) {
  const headers = request.headers;
  return names
    .split("\n")
    .map((name) => headers.get(name) ?? "")
    .join("\n");
}

/** Headers of names and values in turn, each on a line. */
function fields(text) {
  const headers = new Headers();
  const lines = text.split("\n");
  for (let at = 0; at + 1 < lines.length; at += 2) headers.append(lines[at], lines[at + 1]);
  return headers;
}

/** Makes a response. `headers` has names and values in turn, each on a line. */
export function respond(status, headers, body) {
  // An empty text would be given a content type.
  return new Response(body === "" ? null : body, { status, headers: fields(headers) });
}

/** A response that the Registry's stream of this message is the body of; nothing if there are too many of them. */
export async function openStream(env, headers, message) {
  const path = headers.includes("text/event-stream") ? "notifications" : "";
  const stream = await registry(env).fetch(`http://registry/${path}`, { method: "POST", body: message });
  return stream.ok ? respond(200, headers, stream.body) : undefined;
}

/** A response whose body is written part by part. */
export function openBody(status, headers) {
  const { readable, writable } = new IdentityTransformStream();
  return { response: new Response(readable, { status, headers: fields(headers) }), writer: writable.getWriter() };
}

/** Writes a part of such a body, once the one before has been taken; without a part it ends. */
export function writePart(writer, part, brokeOff) {
  if (brokeOff) return writer.abort(new Error("broke off"));
  return part === undefined ? writer.close() : writer.write(new TextEncoder().encode(part));
}

/** What reads a request's body part by part. */
export function bodyReader(request) {
  const gzip = request.headers.get("content-encoding") === "gzip";
  const body = gzip ? request.body?.pipeThrough(new DecompressionStream("gzip")) : request.body;
  return body?.getReader();
}

/** The next part of a body, undefined behind the last one. */
export async function readPart(reader) {
  return (await reader?.read())?.value;
}

/** Reads the rest of a body for nothing. */
export async function drain(reader) {
  try {
    while ((await readPart(reader)) !== undefined);
  } catch {
    // Whoever has stopped sending wants nothing more.
  }
}

/** How much of a body is read that nobody wants, for how long in all, and for how long it may pause. */
const DISCARDED_BYTES = 32 * 1024 * 1024;
const DISCARDED_MS = 10_000;
const PAUSE_MS = 500;

/** Reads what nobody has read of a body, if it ends soon. */
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
    // Whoever has stopped sending wants nothing more.
  } finally {
    clearTimeout(pause);
  }
}

const sealing = { name: "PBKDF2", hash: "SHA-512", iterations: 100_000 };
const NONCE_BYTES = 12;
const bytesOf = (text) => new TextEncoder().encode(text);

/** The key that a passphrase and a salt make; `SEALING` of the control plane says how. */
export async function openVault(passphrase, salt) {
  const given = await crypto.subtle.importKey("raw", bytesOf(passphrase), "PBKDF2", false, ["deriveKey"]);
  const derived = { name: "AES-GCM", length: 256 };
  return crypto.subtle.deriveKey({ ...sealing, salt: bytesOf(salt) }, given, derived, false, ["encrypt", "decrypt"]);
}

/** The key that a secret of many random bits makes for one purpose (RFC 5869). */
export async function ownVault(secret, purpose) {
  const given = await crypto.subtle.importKey("raw", bytesOf(secret), "HKDF", false, ["deriveKey"]);
  const how = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(0), info: bytesOf(purpose) };
  return crypto.subtle.deriveKey(how, given, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
}

/** Seals a text under a name, in base64. */
export async function seal(key, name, text) {
  const iv = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: bytesOf(name) }, key, bytesOf(text));
  let binary = "";
  for (const byte of [iv, new Uint8Array(sealed)].flatMap((part) => [...part])) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** What was sealed under a name, undefined if it was not. */
export async function unseal(key, name, sealed) {
  try {
    const bytes = Uint8Array.from(atob(sealed), (letter) => letter.charCodeAt(0));
    const how = { name: "AES-GCM", iv: bytes.slice(0, NONCE_BYTES), additionalData: bytesOf(name) };
    const text = await crypto.subtle.decrypt(how, key, bytes.slice(NONCE_BYTES));
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(text);
  } catch {
    return undefined;
  }
}

/** The rows that a statement finds, each an array of its values. */
export function querySql(storage, statement, values) {
  return [...storage.sql.exec(statement, ...values).raw()];
}

/** The bytes of an object's database. */
export function databaseSize(storage) {
  return storage.sql.databaseSize;
}

const registry = (env) => env.REGISTRY.getByName("registry");

/** Calls a method of the one Registry (Workers RPC). */
export function callRegistry(env, method, message) {
  if (env.PROCESS) return callElsewhere(env, "registry", method, "", message);
  return registry(env)[method](message);
}

/** Calls a method of the Ledger of this name, in the object that it lives in (Workers RPC). */
export function callLedger(env, name, method, message) {
  if (env.PROCESS) return callElsewhere(env, "ledger", method, name, message);
  return env.LEDGER.getByName(place(name, shards(env)))[method](name, message);
}

/** Calls a method of several Ledgers at once: names, messages and answers are each on a line. */
export async function callLedgers(env, method, names, messages) {
  const texts = messages.split("\n");
  const calls = names.split("\n").map((name, at) => callLedger(env, name, method, texts[at] ?? ""));
  return (await Promise.all(calls)).join("\n");
}

/**
 * Hands the Meters the lines of their APIs, with what has failed in this isolate; `read` and `failures` with the
 * question on the first line, which all answer one after the other (Workers RPC).
 */
export async function callMeter(env, method, message) {
  const whole = message + takeFailures();
  if (env.PROCESS) return callElsewhere(env, "meter", method, "", whole);
  const names = meters(env);
  const end = method === "add" ? 0 : whole.indexOf("\n") + 1;
  const [question, report] = [whole.slice(0, end), whole.slice(end)];
  const call = (part, at) => (question || part) && env.METER.getByName(names[at])[method](question + part);
  const answers = await Promise.all(parts(report, names.length).map(call));
  return answers.join("\n");
}

/**
 * Asks about upstreams: by the first word of the message the object that tests them, the one that keeps what servers
 * have answered for an API, or the process with the objects.
 */
export async function callUpstreams(env, message) {
  if (message.startsWith("down ")) return callUptime(env, "down", message.slice(5));
  if (message.startsWith("fetch ")) return callAnswers(env, message.slice(0, message.indexOf("\n")).split(" ").slice(4).join(" "), "ask", message);
  return callElsewhere(env, "upstreams", "ask", "", message);
}

/** Calls a method of the object that tests upstreams (Workers RPC). */
export function callUptime(env, method, message) {
  if (env.PROCESS) return callElsewhere(env, "uptime", method, "", message);
  return env.UPTIME.getByName("uptime")[method](message);
}

/** Lets it look for other tests; nobody waits for that. */
export function wakeUptime(env) {
  env.UPTIME?.getByName("uptime").wake().catch((error) => console.error("uptime tests", error));
}

/** Calls a method of the object that keeps what servers have answered for an API (Workers RPC). */
export function callAnswers(env, apiId, method, message) {
  if (env.PROCESS) return callElsewhere(env, "answers", method, apiId, message);
  return env.UPSTREAM_ANSWERS.getByName(apiId)[method](message);
}

/** Calls an object that lives in another process of this machine (`processes.js`). */
async function callElsewhere(env, object, method, name, message) {
  const url = `http://objects/${object}/${method}?${encodeURIComponent(name)}`;
  const answer = await env.OBJECTS.fetch(url, { method: "POST", body: message });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return answer.status === 204 ? undefined : text;
}

/**
 * Sets the alarm of a Durable Object in this very turn: it is durable together with what the turn
 * writes, and the turn's answer waits for both. Without a time it is deleted.
 */
export function setAlarm(storage, at) {
  const set = at === undefined ? storage.deleteAlarm() : storage.setAlarm(at);
  set.catch((error) => console.error("alarm", error));
}

/** Sees to it that the alarm rings at a time or before. */
export function setAlarmBy(storage, at) {
  const set = storage.getAlarm().then((known) => (known === null || known > at ? storage.setAlarm(at) : undefined));
  set.catch((error) => console.error("alarm", error));
}

/** One transaction over the rows of a Durable Object; rolled back if `run` answers false. */
export function transactionSync(storage, run) {
  storage.transactionSync(() => {
    if (!run()) throw new Error("rolled back");
  });
}

const HEXADECIMAL = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

/** 128 random bits as hexadecimal digits. */
export function randomId() {
  let digits = "";
  for (const byte of crypto.getRandomValues(new Uint8Array(16))) digits += HEXADECIMAL[byte];
  return digits;
}

/** 128 random bits, six of which a UUID fixes, as a UUID is written. */
export function randomUuid() {
  return crypto.randomUUID();
}

/** 256 random bits as base64url (RFC 4648 section 5) without padding. */
export function randomToken() {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
