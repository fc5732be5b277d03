// What the hot path does on the JavaScript side. Every header that crosses into WebAssembly and
// back costs more than all of Rust's work on a request, so the headers stay where they are and
// only the decision (a URL) comes over.

// RFC 9110 section 7.6.1, and the names that proxies made up beside it. `upgrade` is handled
// where a WebSocket may need it.
const HOP_BY_HOP = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
];

// Never sent to an upstream: the administration's secret, and claims about the client that only
// this gateway may make.
const OWN = ["x-gateway-authorization", "forwarded"];

/** Method and URL in one crossing; a method has no spaces. */
export function head(request) {
  return `${request.method} ${request.url}`;
}

/** The client's address: from the header that the operator trusts, else from the connection. */
function clientAddress(request, trustedHeader) {
  if (trustedHeader) return request.headers.get(trustedHeader) ?? "";
  const address = request.cf?.clientIp ?? "";
  const port = address.lastIndexOf(":");
  return port < 0 || address.endsWith("]") ? address : address.slice(0, port).replace(/^\[|\]$/g, "");
}

function removeHopByHop(headers) {
  const nominated = headers.get("connection");
  if (nominated) for (const name of nominated.split(",")) remove(headers, name.trim());
  for (const name of HOP_BY_HOP) headers.delete(name);
}

function remove(headers, name) {
  try {
    headers.delete(name);
  } catch {
    // Not a header name, so no header has it.
  }
}

/** Tells the upstream where the request comes from, and the log what to call it. */
function stamp(headers, incoming, address) {
  for (const name of OWN) headers.delete(name);
  const from = headers.get("x-forwarded-for");
  headers.set("x-forwarded-for", from ? `${from}, ${address}` : address);
  headers.set("x-real-ip", address);
  const at = incoming.url.indexOf("://");
  headers.set("x-forwarded-proto", incoming.url.slice(0, at));
  const rest = incoming.url.slice(at + 3);
  headers.set("x-forwarded-host", incoming.headers.get("host") ?? rest.slice(0, rest.search(/[/?#]|$/)));
  if (!headers.has("x-request-id")) headers.set("x-request-id", crypto.randomUUID());
}

/** Sends a request on to `url`, its body streamed. Redirects are the client's business. */
export async function forward(request, url, trustedHeader) {
  // An incoming request has `redirect: "manual"`, and its copy with it.
  const outgoing = new Request(url, request);
  const headers = outgoing.headers;
  removeHopByHop(headers);
  if (headers.get("upgrade")?.toLowerCase() !== "websocket") headers.delete("upgrade");
  stamp(headers, request, clientAddress(request, trustedHeader));
  return clean(await fetch(outgoing));
}

/** Most answers need no change and pass through as they are, their bodies untouched. */
function clean(response) {
  const headers = response.headers;
  if (response.webSocket || !HOP_BY_HOP.some((name) => headers.has(name))) return response;
  const copy = new Response(response.body, { status: response.status, statusText: response.statusText, headers, encodeBody: "manual" });
  removeHopByHop(copy.headers);
  return copy;
}

/** Reads a body of at most `max` bytes; one more byte tells that there was more. */
export async function readBody(request, max) {
  if (Number(request.headers.get("content-length")) > max) return new Uint8Array(max + 1);
  if (!request.body) return new Uint8Array();
  const chunks = [];
  let length = 0;
  for await (const chunk of request.body) {
    length += chunk.length;
    if (length > max) return new Uint8Array(max + 1);
    chunks.push(chunk);
  }
  return join(chunks, length);
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
 * Sends one item of a batch. `take` accounts for the bytes of its answer; when it says no, the
 * rest is not read and `body` is null.
 */
export async function sendItem(incoming, url, method, headerPairs, body, trustedHeader, signal, take) {
  const headers = new Headers(headerPairs);
  stamp(headers, incoming, clientAddress(incoming, trustedHeader));
  // As bytes: a string would make fetch add a content type that the item does not have.
  const bytes = body ? new TextEncoder().encode(body) : undefined;
  const response = await fetch(url, { method, headers, body: bytes, redirect: "manual", signal });
  const pairs = [...response.headers].filter(([name]) => !HOP_BY_HOP.includes(name) && name !== "set-cookie");
  for (const cookie of response.headers.getSetCookie()) pairs.push(["set-cookie", cookie]);
  // The body is read decoded, so what described its encoding no longer holds.
  const encoded = response.headers.has("content-encoding");
  const told = encoded ? pairs.filter(([name]) => name !== "content-encoding" && name !== "content-length") : pairs;
  const chunks = [];
  let length = 0;
  if (response.body) {
    const reader = response.body.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.length;
      if (!take(length, value.length)) {
        await reader.cancel();
        return { status: response.status, headers: told, body: null };
      }
      chunks.push(value);
    }
  }
  return { status: response.status, headers: told, body: join(chunks, length) };
}

/** One transaction over the rows of a Durable Object; rolled back if `run` answers false. */
export function transactionSync(storage, run) {
  storage.transactionSync(() => {
    if (!run()) throw new Error("rolled back");
  });
}

/** 128 random bits, six of which a UUID fixes, as hexadecimal digits. */
export function randomId() {
  return crypto.randomUUID().replaceAll("-", "");
}
