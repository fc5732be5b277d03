// HTTP as it goes over the wire: `fetch` would tidy up the paths and headers that tests are about.

import http from "node:http";
import net from "node:net";

/**
 * Sends a request to 127.0.0.1 and reads the whole answer.
 *
 * `path` goes out as it is written; `query` is an object that is appended encoded. A `body` that is
 * neither text nor bytes is sent as JSON. Answers `{ status, headers, raw, bytes, text, json }`,
 * `raw` being the header fields as pairs in their order.
 */
export function send(port, { method = "GET", path = "/", query, headers = {}, body, agent = false, signal } = {}) {
  return new Promise((resolve, reject) => {
    const content = body === undefined || typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body);
    const length = content === undefined ? {} : { "Content-Length": Buffer.byteLength(content) };
    const search = query ? `?${new URLSearchParams(query)}` : "";
    const options = { host: "127.0.0.1", port, method, path: path + search, headers: { ...length, ...headers }, agent, signal };
    const request = http.request(options, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () => resolve(answer(response.statusCode, response.rawHeaders, Buffer.concat(chunks))));
    });
    request.on("error", reject);
    request.end(content);
  });
}

/** Opens a request and answers as soon as the head of the answer is there: `{ request, response }`. */
export function open(port, { method = "GET", path = "/", headers = {} } = {}, write = (request) => request.end()) {
  return new Promise((resolve, reject) => {
    const request = http.request({ host: "127.0.0.1", port, method, path, headers, agent: false });
    request.on("response", (response) => resolve({ request, response }));
    request.on("error", reject);
    write(request);
  });
}

/**
 * Sends a request line that no library would send, and answers like `send`. The runtime may answer
 * by itself or hang up: then `status` is what it said, or undefined.
 */
export function sendLine(port, line, fields = []) {
  const head = [line, ...(fields.some((field) => /^host:/i.test(field)) ? [] : [`Host: 127.0.0.1:${port}`]), ...fields, "Connection: close", "", ""];
  return new Promise((resolve) => {
    const chunks = [];
    const socket = net.connect(port, "127.0.0.1", () => socket.write(Buffer.from(head.join("\r\n"), "latin1")));
    socket.on("data", (chunk) => chunks.push(chunk));
    // A reset ends the answer like a close does; what has arrived is judged by the test.
    socket.on("error", () => {});
    socket.on("close", () => resolve(parse(Buffer.concat(chunks))));
  });
}

function parse(bytes) {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0) return { status: undefined, headers: {}, raw: [], bytes, text: bytes.toString() };
  const [first, ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const raw = lines.flatMap((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]);
  const chunked = lines.some((line) => /^transfer-encoding:\s*chunked$/i.test(line));
  const body = bytes.subarray(end + 4);
  return answer(Number(first.split(" ")[1]), raw, chunked ? unchunk(body) : body);
}

function unchunk(bytes) {
  const chunks = [];
  for (let at = 0; at < bytes.length; ) {
    const line = bytes.indexOf("\r\n", at);
    const length = parseInt(bytes.subarray(at, line).toString(), 16);
    if (!length) break;
    chunks.push(bytes.subarray(line + 2, line + 2 + length));
    at = line + 2 + length + 2;
  }
  return Buffer.concat(chunks);
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
