// What the gateway does to the headers of requests and responses that pass through: the ones it drops, the ones that
// rules change, and the ones that describe a body which has been replaced.

import { clientAddress } from "./glue.js";

// The headers that end at the gateway: the table of `crates/protocol/src/headers.rs`. The runtime itself never forwards
// headers of the connection (`Upgrade` only for a WebSocket); the end-to-end tests check that.
let notSent = new Set();
let known = new Set();
let notReturned = new Set();
let hopByHop = [];
let neverAdded = [];
let neverReturned = new Set();

/** Sets the table, before the first request: five lines of names separated by spaces. */
export function useHeaderTable(text) {
  const lines = text.split("\n").map((line) => line.split(" "));
  [notSent, notReturned] = lines.map((line) => new Set(line));
  [, , hopByHop, neverAdded] = lines;
  neverReturned = new Set([...hopByHop, ...notReturned]);
  known = new Set(lines.flat());
}

/** Whether a request header ends at the gateway: by its name, or spelt with underscores (RFC 3875 section 4.1.18). */
const endsHere = (name) => notSent.has(name) || (name.includes("_") && known.has(name.replaceAll("_", "-")));

/** Whether a response header is never passed on. */
export const isNeverReturned = (name) => neverReturned.has(name);

// Only the gateway reports quotas: an upstream's own numbers are not the limits its caller is held to (reference 3.4).
const QUOTA = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];

// `token` of RFC 9110 section 5.6.2.
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/;

/** Returns the headers that this value of `Connection` names and that the runtime would forward. */
function nominated(connection) {
  if (connection === "keep-alive" || connection === "close") return [];
  const names = connection.split(",").map((part) => part.trim().toLowerCase());
  return names.filter((name) => name !== "close" && !hopByHop.includes(name) && TOKEN.test(name));
}

// The characters of a host and port (RFC 9110 section 4.2.1). The runtime puts the value of `Host`, whatever it is,
// before the path, so other characters could make it look like a path. Repeated headers are joined with a space.
const HOST = /^[\w!$%&'()*+,.:;=[\]~-]*$/;
let lastHost = "";

/** Whether a request must be refused because of its `Host` (RFC 9112 section 3.2). */
export function hasWrongHost(request) {
  const host = request.headers.get("host") ?? "";
  if (host === lastHost) return false;
  if (!HOST.test(host)) return true;
  lastHost = host;
  return false;
}

// The cookies of `crates/controlplane/src/console.rs`, with the separator before any but the first. The runtime joins
// repeated headers with a comma.
const SIGN_IN = /(^|[;,]\s*)(__Host-)?gateway-session=[^;,]*/g;

/** Whether a request carries the console's sign-in cookie. */
export const hasSignIn = (request) => request.headers.get("cookie")?.includes("gateway-session=") ?? false;

/**
 * Returns the request without the console's sign-in cookie. Cookies ignore ports, so where console and gateway share a
 * host, a browser sends the cookie to APIs as well: neither their rules nor their upstreams may see it.
 */
export function withoutSignIn(request) {
  const copy = new Request(request);
  const others = copy.headers.get("cookie").replace(SIGN_IN, "").replace(/^[;,]\s*/, "");
  if (others) copy.headers.set("cookie", others);
  else copy.headers.delete("cookie");
  return copy;
}

/**
 * Returns the request for the upstream: the client's, at another address, with the method and headers of a directive.
 * `body` is what has been read of it, undefined if nothing has. It is a copy of the original request, because a copy
 * keeps what JavaScript can't pass to `fetch`: header bytes that aren't text, and the body of a GET (Fetch Standard,
 * section 5.4). Once the body has been read, it is the init of a request, with an address: `fetch` makes a request of
 * its own in any case, and one more costs 3 % of a call.
 */
export function outgoing(client, request, send, body, trustedHeader) {
  const { url, method = request.method, headers: edits = NO_EDITS } = send;
  const sent = body === undefined ? unread(request, url, method) : read(request, url, method, body);
  const headers = sent.headers;
  rewriteHeaders(headers, client, edits, trustedHeader);
  // A response that may have to be read is only wanted in an encoding that can be decoded.
  const encodings = send.inspect_from === undefined ? null : headers.get("accept-encoding");
  if (encodings !== null) headers.set("accept-encoding", decodable(encodings));
  return sent;
}

/** Whether a request with this method is sent with its body, unless it is a copy. */
const hasBody = (method) => method !== "GET" && method !== "HEAD";

/** Returns a request whose body has not been read. */
function unread(request, url, method) {
  if (method === request.method) return new Request(url, request);
  const body = hasBody(method) ? request.body : undefined;
  const sent = new Request(url, { method, headers: request.headers, body, redirect: "manual" });
  if (sent.body === null) sent.headers.delete("content-length");
  return sent;
}

/** Returns the init of a request with this body. */
function read(request, url, method, body) {
  const headers = new Headers(request.headers);
  const isSent = hasBody(method) && body.length > 0;
  if (!isSent) headers.delete("content-length");
  return { url, method, headers, body: isSent ? body : undefined, redirect: "manual" };
}

/**
 * Drops the request headers that end at the gateway, applies the rules' changes (`edits`: those of [`edit`] that set or
 * remove, names in lower case), and adds the headers for the client's address and the request id. A header that a rule
 * has set or removed is left alone, except that the client's address is still appended to an `X-Forwarded-For` that a
 * rule has set.
 */
function rewriteHeaders(headers, client, edits, trustedHeader) {
  const trusted = trustedHeader?.toLowerCase();
  let ended;
  // One pass over the headers costs as much as asking for each name of the table.
  headers.forEach((_, name) => {
    if (endsHere(name) && name !== trusted) (ended ??= []).push(name);
  });
  if (ended) for (const name of ended) headers.delete(name);
  const connection = headers.get("connection");
  if (connection !== null) for (const name of nominated(connection)) headers.delete(name);
  // The runtime takes the word `websocket` there for a handshake, and drops the body. A handshake has a version (RFC 6455
  // section 4.1, RFC 8441 section 5).
  if (headers.has("upgrade") && !headers.has("sec-websocket-version")) headers.delete("upgrade");
  for (let at = 0; at < edits.length; at += 3) {
    const name = edits[at + 1];
    if (edits[at] === "remove") headers.delete(name);
    else if (!neverAdded.includes(name)) headers.set(name, edits[at + 2]);
  }
  const isUntouched = (name) => {
    for (let at = 1; at < edits.length; at += 3) if (edits[at] === name) return false;
    return true;
  };
  const { url } = client;
  const scheme = url.indexOf("://");
  const address = clientAddress(client, trustedHeader);
  const from = headers.get("x-forwarded-for");
  if (from !== null) headers.set("x-forwarded-for", `${from}, ${address}`);
  else if (isUntouched("x-forwarded-for")) headers.set("x-forwarded-for", address);
  if (isUntouched("x-real-ip")) headers.set("x-real-ip", address);
  if (isUntouched("x-forwarded-proto")) headers.set("x-forwarded-proto", url.slice(0, scheme));
  if (isUntouched("x-forwarded-host")) headers.set("x-forwarded-host", url.slice(scheme + 3, url.indexOf("/", scheme + 3)));
  if (isUntouched("x-request-id") && !headers.has("x-request-id")) headers.set("x-request-id", crypto.randomUUID());
}

const NO_EDITS = [];

/** Applies edits to the headers of a response that may be changed, and returns it. */
export function edited(response, edits) {
  edit(response.headers, edits);
  return response;
}

/** Applies edits to response headers: a list with a verb, a name and a value for each. */
export function edit(headers, edits) {
  for (let at = 0; at < edits.length; at += 3) {
    const verb = edits[at];
    const name = edits[at + 1];
    const text = edits[at + 2];
    if (verb === "remove") headers.delete(name);
    else if (neverReturned.has(name)) continue;
    else if (verb === "set") headers.set(name, text);
    else if (verb === "prepend") headers.set(name, headers.has(name) ? `${text}, ${headers.get(name)}` : text);
    else if (headers.get(name)) headers.set(name, translated(headers.get(name), text.split(" ")));
  }
}

/**
 * Translates an upstream's address into the one clients know, or all that stand in angle brackets (`Link`, RFC 8288
 * section 3); `moves` alternates prefixes and their replacements (`crates/dataplane/src/headers/moves.rs`).
 */
function translated(address, moves) {
  if (address.includes("<")) return address.replace(/<([^<>]*)>/g, (_, inside) => `<${translated(inside, moves)}>`);
  if (address.startsWith("//")) return address;
  for (let at = 0; at + 1 < moves.length; at += 2) {
    const rest = address.slice(moves[at].length);
    if (address.startsWith(moves[at]) && /^([/?#]|$)/.test(rest)) return moves[at + 1] + rest;
  }
  return address;
}

// The same cookies in `Set-Cookie`. Browsers ignore whitespace around a cookie's name, and an empty name.
const SETS_SIGN_IN = /^[\s=]*(__Host-)?gateway-session\s*(=|;|$)/i;

/**
 * Removes the console's sign-in from the cookies that an upstream sets: where console and gateway share a host, it
 * would sign the browser out, or in as somebody else.
 */
function withoutSetSignIn(headers) {
  const cookies = headers.getSetCookie();
  headers.delete("set-cookie");
  for (const cookie of cookies) if (!SETS_SIGN_IN.test(cookie)) headers.append("set-cookie", cookie);
}

/** Whether a response to this method with this status has no body (RFC 9110 section 6.4.1). */
export const hasNoBody = (method, status) => method === "HEAD" || [101, 204, 205, 304].includes(status);

const encoder = new TextEncoder();

/** Returns a text as bytes: the runtime would add a content type to a text, even if a rule has removed it. */
const untyped = (text) => encoder.encode(text);

/** Builds a response of the gateway's own. */
export function ownResponse({ status, headers, body }, method) {
  const fields = new Headers();
  for (const [name, value] of headers) fields.append(name, value);
  return new Response(body === "" || hasNoBody(method, status) ? null : untyped(body), { status, headers: fields });
}

/**
 * Removes the headers that end at the gateway, and applies edits unless the response is a WebSocket. Most responses need
 * no change and pass through as they are, their bodies untouched. `sent` is the request that the upstream got, which may
 * lack headers of the client's.
 */
export function clean(response, request, sent = request, edits = NO_EDITS) {
  const isEdited = edits.length > 0 && !response.webSocket;
  // Only the headers of the copy are looked at, if there is one: an object for those of the original would cost as much
  // as five changes.
  let copy = isEdited ? new Response(response.body, response) : undefined;
  const { headers } = copy ?? response;
  const unwanted = unwantedOf(headers, request, sent);
  const signsIn = headers.has("set-cookie") && headers.getSetCookie().some((cookie) => SETS_SIGN_IN.test(cookie));
  if (signsIn || (unwanted.length > 0 && !response.webSocket)) {
    copy ??= new Response(response.body, response);
    for (const name of unwanted) copy.headers.delete(name);
    if (signsIn) withoutSetSignIn(copy.headers);
  }
  if (isEdited) edit(headers, edits);
  return copy ?? response;
}

/** Returns which headers of a response are not passed on. */
function unwantedOf(headers, request, sent) {
  const unwanted = [];
  if (headers.has("connection")) unwanted.push(...nominated(headers.get("connection")));
  for (const name of notReturned) if (headers.has(name)) unwanted.push(name);
  for (const name of QUOTA) if (headers.has(name)) unwanted.push(name);
  if (headers.has("content-encoding") && isDecoded(headers, request, sent)) unwanted.push(...BODY_HEADERS);
  return unwanted;
}

/**
 * Whether an encoded body is passed on decoded: to a client that doesn't send `Accept-Encoding`, or for which a rule
 * removes it. That needs an encoding that the runtime decodes, and the whole body: a range is one of encoded bytes (RFC
 * 9110 section 14.1.2), and the response to HEAD has none.
 */
function isDecoded(headers, request, sent) {
  const isAccepted = request.headers.has("accept-encoding") && sent.headers.has("accept-encoding");
  return !isAccepted && isReadDecoded(headers) && request.method !== "HEAD" && !request.headers.has("range");
}

/** Headers that describe a body's bytes, and no longer apply once it is replaced. */
export const BODY_HEADERS = ["content-encoding", "content-length"];

/** Encodings that the runtime decodes when a body is read, and applies when one is sent, spelled exactly like this. */
export const RUNTIME_ENCODINGS = ["gzip", "br"];

/** Whether reading a response's body yields it decoded. */
export function isReadDecoded(headers) {
  const encoding = headers.get("content-encoding");
  return encoding === null || RUNTIME_ENCODINGS.includes(encoding);
}

/** Whether what is read of a response's body is its content. */
export const isReadable = (headers) => isReadDecoded(headers) || headers.get("content-encoding").toLowerCase() === "identity";

/** Returns the entries of an `Accept-Encoding` for encodings that can be decoded. */
function decodable(accepted) {
  const entries = accepted.split(",").filter((entry) => /^\s*(gzip|br|identity)\s*(;|$)/i.test(entry));
  return entries.join(",").trim() || "identity";
}

/** Whether a client accepts this encoding (RFC 9110 section 12.5.3). */
function accepts(request, encoding) {
  const listed = (request.headers.get("accept-encoding") ?? "").toLowerCase().split(",");
  const weights = new Map();
  for (const entry of listed) {
    const [name, ...parameters] = entry.split(";").map((part) => part.trim());
    const weight = parameters.find((parameter) => parameter.startsWith("q="));
    weights.set(name, weight === undefined ? 1 : Number(weight.slice(2)));
  }
  return (weights.get(encoding) ?? weights.get("*") ?? 0) > 0;
}

/**
 * Returns the status and headers of a response as one line of JSON, for an extra. Its body is read decoded, which is not
 * what a length describes.
 */
export function described({ status, headers }) {
  // Without a prototype, so a header called `constructor` doesn't find an inherited member.
  const fields = Object.create(null);
  for (const [name, value] of headers) if (name !== "content-length") (fields[name] ??= []).push(value);
  return JSON.stringify({ status, headers: fields });
}

/** Returns a response with its own body, which has been read. */
export function withRead(response, body) {
  const copy = new Response(body, response);
  copy.headers.delete("content-length");
  return copy;
}

/** Returns the response with another body, encoded as the original was if the client accepts that. */
export function withBody(response, body, request) {
  const copy = withRead(response, untyped(body));
  const encoding = copy.headers.get("content-encoding");
  if (encoding !== null && !(RUNTIME_ENCODINGS.includes(encoding) && accepts(request, encoding))) copy.headers.delete("content-encoding");
  return copy;
}
