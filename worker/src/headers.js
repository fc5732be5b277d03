// The headers of requests and answers, and what is done to them where they pass by: what ends here, what rules
// change, and what describes a body that is another one now.

import { clientAddress } from "./glue.js";

// The headers that end here: the table of `crates/protocol/src/headers.rs`. What belongs to the connection
// the runtime itself never sends on (`Upgrade` only for a WebSocket); the end-to-end tests see to it.
let notSent = new Set();
let notAnswered = new Set();
let hopByHop = [];
let neverAdded = [];
let neverAnswered = new Set();

/** Takes the table, before the first request: four lines of names with spaces between. */
export function useHeaderTable(text) {
  const lines = text.split("\n").map((line) => line.split(" "));
  [notSent, notAnswered] = lines.map((line) => new Set(line));
  [, , hopByHop, neverAdded] = lines;
  neverAnswered = new Set([...hopByHop, ...notAnswered]);
}

/** Whether a header of an answer is never passed on. */
export const endsHere = (name) => neverAnswered.has(name);

// What an answer says of quotas is the gateway's to say: an upstream's own numbers are not those that its
// caller is held to (reference 3.4).
const QUOTA = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];

// `token` of RFC 9110 section 5.6.2.
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;

/** The headers that this value of `Connection` names and the runtime would send on. */
function nominated(connection) {
  if (connection === "keep-alive" || connection === "close") return [];
  const names = connection.split(",").map((part) => part.trim().toLowerCase());
  return names.filter((name) => name !== "close" && !hopByHop.includes(name) && TOKEN.test(name));
}

// The characters of a host and a port (RFC 9110 section 4.2.1). The runtime puts whatever came as `Host` before the path,
// so what has others could be a path itself, and what is there twice is joined with a blank.
const HOST = /^[\w!$%&'()*+,.:;=[\]~-]*$/;
let lastHost = "";

/** Whether a request has to be refused for its `Host` (RFC 9112 section 3.2). */
export function hasWrongHost(request) {
  const host = request.headers.get("host") ?? "";
  if (host === lastHost) return false;
  if (!HOST.test(host)) return true;
  lastHost = host;
  return false;
}

// The cookies of `crates/controlplane/src/console.rs`, with what stands before one that is not the first. The runtime
// joins several headers with a comma.
const SIGN_IN = /(^|[;,]\s*)(__Host-)?gateway-session=[^;,]*/g;

/** Whether a request has the console's sign-in among its cookies. */
export const hasSignIn = (request) => request.headers.get("cookie")?.includes("gateway-session=") ?? false;

/**
 * A request without the console's sign-in. Cookies know no ports, so where console and gateway are one host a browser
 * sends it to APIs as well: neither their rules nor their upstreams are to see it.
 */
export function withoutSignIn(request) {
  const copy = new Request(request);
  const others = copy.headers.get("cookie").replace(SIGN_IN, "").replace(/^[;,]\s*/, "");
  if (others) copy.headers.set("cookie", others);
  else copy.headers.delete("cookie");
  return copy;
}

/**
 * The request that an upstream gets: as it came, at another address, with what a directive says of method and
 * headers. `body` is what somebody has read of it. A copy, because that keeps what JavaScript can't give to
 * `fetch`: bytes in headers that are no text, and the body of a GET (Fetch Standard, section 5.4).
 */
export function outgoing(client, request, { url, method = request.method, headers: edits = NO_EDITS }, body, trustedHeader) {
  const isCopy = body === undefined && method === request.method;
  const sent = isCopy ? new Request(url, request) : new Request(url, withBody(request, method, body));
  const headers = sent.headers;
  if (!isCopy && sent.body === null) headers.delete("content-length");
  rewriteHeaders(headers, client, edits, trustedHeader);
  return sent;
}

/** The init of a request whose method or body is another one. `body` is undefined where nobody has read it. */
function withBody(request, method, body) {
  const init = { method, headers: request.headers, redirect: "manual" };
  if (method !== "GET" && method !== "HEAD" && body?.length !== 0) init.body = body ?? request.body;
  return init;
}

/**
 * Takes out of the headers of a request what ends here, applies what rules change (`edits`: names in lower
 * case, with null for none), and says where the request comes from and what the log calls it. A header that
 * a rule has set or removed is the rule's to say, but the list of addresses goes on behind what one has set.
 */
function rewriteHeaders(headers, client, edits, trustedHeader) {
  const trusted = trustedHeader?.toLowerCase();
  for (const name of notSent) if (headers.has(name) && name !== trusted) headers.delete(name);
  const connection = headers.get("connection");
  if (connection !== null) for (const name of nominated(connection)) headers.delete(name);
  for (const [name, value] of edits) {
    if (value === null) headers.delete(name);
    else if (!neverAdded.includes(name)) headers.set(name, value);
  }
  const isFree = (name) => !edits.some(([ruled]) => ruled === name);
  const { url } = client;
  const scheme = url.indexOf("://");
  const address = clientAddress(client, trustedHeader);
  const from = headers.get("x-forwarded-for");
  if (from !== null) headers.set("x-forwarded-for", `${from}, ${address}`);
  else if (isFree("x-forwarded-for")) headers.set("x-forwarded-for", address);
  if (isFree("x-real-ip")) headers.set("x-real-ip", address);
  if (isFree("x-forwarded-proto")) headers.set("x-forwarded-proto", url.slice(0, scheme));
  if (isFree("x-forwarded-host")) headers.set("x-forwarded-host", url.slice(scheme + 3, url.indexOf("/", scheme + 3)));
  if (isFree("x-request-id") && !headers.has("x-request-id")) headers.set("x-request-id", crypto.randomUUID());
}

const NO_EDITS = [];

export function edited(response, edits) {
  edit(response.headers, edits);
  return response;
}

/** Changes headers of an answer: what to do, the name, the value. */
export function edit(headers, edits) {
  for (const [verb, name, text] of edits) {
    if (verb === "remove") headers.delete(name);
    else if (neverAnswered.has(name)) continue;
    else if (verb === "set") headers.set(name, text);
    else if (verb === "append") headers.append(name, text);
    else if (verb === "prepend") headers.set(name, headers.has(name) ? `${text}, ${headers.get(name)}` : text);
    else if (headers.get(name)) headers.set(name, moved(headers.get(name), text.split(" ")));
  }
}

/** An address as clients know it: beginnings and what they become in turn (`crates/dataplane/src/headers/moves.rs`). */
function moved(address, moves) {
  if (address.startsWith("//")) return address;
  for (let at = 0; at + 1 < moves.length; at += 2) {
    const rest = address.slice(moves[at].length);
    if (address.startsWith(moves[at]) && /^([/?#]|$)/.test(rest)) return moves[at + 1] + rest;
  }
  return address;
}

// The same cookies where an answer sets one. Browsers drop what is blank around its name, and a name that is empty.
const SETS_SIGN_IN = /^[\s=]*(__Host-)?gateway-session\s*(=|;|$)/i;

/**
 * Takes the console's sign-in out of the cookies that an upstream sets: where console and gateway are one host, a browser
 * would be signed out by it, or signed in as somebody else.
 */
function withoutSetSignIn(headers) {
  const cookies = headers.getSetCookie();
  headers.delete("set-cookie");
  for (const cookie of cookies) if (!SETS_SIGN_IN.test(cookie)) headers.append("set-cookie", cookie);
}

/** Makes the gateway's own answer. */
export function respond({ status, headers, body }, method) {
  const fields = new Headers();
  for (const [name, value] of headers) fields.append(name, value);
  const bare = method === "HEAD" || body === "" || [101, 204, 205, 304].includes(status);
  return new Response(bare ? null : body, { status, headers: fields });
}

/** Most answers need no change and pass through as they are, their bodies untouched. */
export function clean(response, request) {
  const headers = response.headers;
  const unwanted = [];
  if (headers.has("connection")) unwanted.push(...nominated(headers.get("connection")));
  for (const name of notAnswered) if (headers.has(name)) unwanted.push(name);
  for (const name of QUOTA) if (headers.has(name)) unwanted.push(name);
  // Who says nothing of encodings gets the body unpacked; a body that is read is.
  if (headers.has("content-encoding") && !request.headers.has("accept-encoding")) unwanted.push("content-encoding", "content-length");
  const signsIn = headers.has("set-cookie") && headers.getSetCookie().some((cookie) => SETS_SIGN_IN.test(cookie));
  if (!signsIn && (unwanted.length === 0 || response.webSocket)) return response;
  const copy = new Response(response.body, response);
  for (const name of unwanted) copy.headers.delete(name);
  if (signsIn) withoutSetSignIn(copy.headers);
  return copy;
}

/** Headers that describe a body's bytes, of which another body has others. */
export const OF_BODY = ["content-encoding", "content-length"];

/** Encodings that the runtime unpacks where a body is read, and packs where one is sent. */
export const PACKED = ["gzip", "br"];

/** Whether the body of an answer is read as it was before it was encoded. */
export function isUnpacked(headers) {
  const encoding = headers.get("content-encoding");
  return encoding === null || PACKED.includes(encoding.trim().toLowerCase());
}

/** Whether a client takes this encoding (RFC 9110 section 12.5.3). */
function takes(request, encoding) {
  const listed = (request.headers.get("accept-encoding") ?? "").toLowerCase().split(",");
  const weights = new Map();
  for (const entry of listed) {
    const [name, ...parameters] = entry.split(";").map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)));
  }
  return (weights.get(encoding) ?? weights.get("*") ?? 0) > 0;
}

/** What an extra is told of an answer, one line of JSON. */
export function head({ status, headers }) {
  // Whatever a header is called: one named `constructor` is none of an object's own.
  const fields = Object.create(null);
  for (const [name, value] of headers) (fields[name] ??= []).push(value);
  return JSON.stringify({ status, headers: fields });
}

/** An answer with another body, packed as it came if the client takes it so. */
export function replaced(response, body, request) {
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  const encoding = headers.get("content-encoding")?.trim().toLowerCase();
  if (encoding !== undefined && !(PACKED.includes(encoding) && takes(request, encoding))) headers.delete("content-encoding");
  headers.delete("content-length");
  return new Response(body, { status, statusText, headers });
}
