// Raw HTTP: `fetch` would normalise the paths and headers that the tests are about.

import http from "node:http";
import net from "node:net";

/**
 * Sends a request to 127.0.0.1 and reads the complete response.
 *
 * `path` is sent exactly as given; `query` is an object that is encoded and appended. A `body` that is neither text nor
 * bytes is sent as JSON. Returns `{ status, headers, raw, bytes, text, json }`, `raw` being the header fields as pairs
 * in order.
 */
export function send(port, { method = "GET", path = "/", query, headers = {}, body, agent = false, signal } = {}) {
  return new Promise((resolve, reject) => {
    const content = body === undefined || typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
    const length = content === undefined || headers["Transfer-Encoding"] ? {} : { "Content-Length": Buffer.byteLength(content) };
    const search = query ? `?${new URLSearchParams(query)}` : "";
    const options = { host: "127.0.0.1", port, method, path: path + search, headers: { ...length, ...headers }, agent, signal };
    let answered = false;
    const request = http.request(options, (response) => {
      answered = true;
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => resolve(answer(response.statusCode, response.rawHeaders, Buffer.concat(chunks))));
    });
    // A server that responds early may close the connection on the rest of the request; its response must still be
    // read.
    request.on("error", (error) => answered || reject(error));
    request.end(content);
  });
}

/** Opens a request and resolves once the head of the response has arrived: `{ request, response }`. */
export function open(port, { method = "GET", path = "/", headers = {} } = {}, write = (request) => request.end()) {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: "127.0.0.1", port, method, path, headers, agent: false });
    request.on("response", (response) => resolve({ request, response }));
    request.on("error", reject);
    write(request);
  });
}

/**
 * Sends a request line and header fields that no library would send, and returns the same as `send`. The runtime may
 * respond by itself or close the connection: then `status` is its own, or undefined. `signal` ends the wait. `body` is
 * sent as latin-1, one byte per character.
 */
export function sendLine(port, line, fields = [], body = "", signal = undefined) {
  const has = (name) => fields.some((field) => field.toLowerCase().startsWith(`${name}:`));
  const host = has("host") ? [] : [`Host: 127.0.0.1:${port}`];
  const connection = has("connection") ? [] : ["Connection: close"];
  const head = [line, ...host, ...fields, ...connection, "", body].join("\r\n");
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0);
    const socket = net.connect({ port, host: "127.0.0.1", signal }, () => socket.write(Buffer.from(head, "latin1")));
    socket.on("data", (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      if (parse(bytes)?.whole) socket.destroy();
    });
    // A reset ends the response as a close does; the test checks what has arrived.
    socket.on("error", () => {});
    socket.on("close", () => resolve(parse(bytes)?.answer ?? answer(undefined, [], bytes)));
  });
}

/**
 * Sends part of a request, ends it with `end`, and waits for the connection to close. Resolves to the status, if any.
 */
export function begin(port, line, fields, sent, end) {
  return new Promise((resolve) => {
    let text = "";
    const head = [line, `Host: 127.0.0.1:${port}`, ...fields, "", sent].join("\r\n");
    const socket = net.connect(port, "127.0.0.1", () => socket.write(head, () => end(socket)));
    socket.on("data", (data) => {
      text += data;
      socket.destroy();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(text === "" ? undefined : Number(text.split(" ")[1])));
  });
}

/** Parses an HTTP/1.1 response, and whether its body is complete without the connection's end. */
function parse(bytes) {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first, ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const raw = lines.flatMap((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]);
  const value = (name) => raw.find((_, at) => at % 2 === 1 && raw[at - 1].toLowerCase() === name);
  const rest = bytes.subarray(end + 4);
  const chunked = value("transfer-encoding") === "chunked";
  const { body, whole } = chunked ? unchunk(rest) : { body: rest, whole: rest.length >= Number(value("content-length") ?? Infinity) };
  return { answer: answer(Number(first.split(" ")[1]), raw, body), whole };
}

function unchunk(bytes) {
  const chunks = [];
  for (let at = 0; ; ) {
    const line = bytes.indexOf("\r\n", at);
    if (line < 0) return { body: Buffer.concat(chunks), whole: false };
    const length = parseInt(bytes.subarray(at, line).toString(), 16);
    if (length === 0) return { body: Buffer.concat(chunks), whole: true };
    chunks.push(bytes.subarray(line + 2, line + 2 + length));
    at = line + 2 + length + 2;
  }
}

function answer(status, rawHeaders, bytes) {
  const raw = [];
  const headers = {};
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const [name, value] = [rawHeaders[at].toLowerCase(), rawHeaders[at + 1]];
    raw.push([name, value]);
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  const text = bytes.toString();
  return { status, headers, raw, bytes, text, get json() { return JSON.parse(text); } };
}
