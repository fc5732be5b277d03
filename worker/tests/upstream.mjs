// An upstream in the test's own process: what the gateway sent can be inspected, and the responses can be held back
// until a test releases them.

import { createHash } from "node:crypto";
import http from "node:http";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";

/** The content of the compressed responses. */
export const PLAIN = Buffer.from("what is compressed stays compressed. ".repeat(50));
export const GZIP = gzipSync(PLAIN);
export const BROTLI = brotliCompressSync(PLAIN);
/** In an encoding that the runtime doesn't decode. */
export const DEFLATE = deflateSync(PLAIN);
/** Bytes that are not UTF-8. */
export const BINARY = Buffer.from([0xff, 0xfe, 0x00, 0x80, 0xc3, 0x28, 0x0d, 0x0a]);

const ROUTES = {
  "/gzip": (request, response) => response.writeHead(200, { "Content-Encoding": "gzip", "Content-Length": GZIP.length }).end(GZIP),
  "/br": (request, response) => response.writeHead(200, { "Content-Encoding": "br", "Content-Length": BROTLI.length }).end(BROTLI),
  "/deflate": (request, response) => response.writeHead(200, { "Content-Encoding": "deflate", "Content-Length": DEFLATE.length }).end(DEFLATE),
  "/binary": (request, response) => response.writeHead(200, { "Content-Type": "application/octet-stream" }).end(BINARY),
  "/cookies": (request, response) => response.writeHead(200, { "Set-Cookie": ["a=1; Path=/", "b=2, with comma"] }).end(),
  "/redirect": (request, response) => response.writeHead(302, { Location: "http://127.0.0.1:9/elsewhere" }).end("moved"),
  "/reset": (request) => request.socket.resetAndDestroy(),
  "/204": (request, response) => response.writeHead(204).end(),
  "/304": (request, response) => response.writeHead(304, { ETag: '"x"' }).end(),
  "/503": (request, response) => response.writeHead(503, { "Retry-After": "7" }).end("later"),
  "/hop": (request, response) =>
    response.writeHead(200, { Connection: "close, X-Nominated", "X-Nominated": "1", "Proxy-Authenticate": "Basic", "Keep-Alive": "timeout=9", "X-Kept": "1" }).end("hop"),
};

/**
 * Starts an upstream. `routes` maps a path to `(request, response, url)`; other paths get one of the responses above,
 * or an echo: `{ method, url, headers, body }` of the request unchanged, with `headers` as pairs in order.
 *
 * Returns `{ url, port, seen, close() }`; `seen` lists `{ method, url, headers }` of all requests.
 */
export async function listen(routes = {}) {
  const seen = [];
  const server = http.createServer({ maxHeaderSize: 256 * 1024 }, (request, response) => {
    const url = new URL(request.url, "http://upstream");
    seen.push({ method: request.method, url: request.url, headers: request.headers });
    const route = routes[url.pathname] ?? ROUTES[url.pathname] ?? echo;
    route(request, response, url);
  });
  // Its own timeout of idle connections would compete with the gateway's.
  server.keepAliveTimeout = 0;
  server.on("upgrade", (request, socket) => {
    seen.push({ method: request.method, url: request.url, headers: request.headers });
    echoFrames(request, socket);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    seen,
    close: () => new Promise((resolve) => {
      server.close(resolve);
      server.closeAllConnections();
    }),
  };
}

/** Reads a request's body. */
export async function body(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function echo(request, response) {
  const headers = [];
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    headers.push([request.rawHeaders[at].toLowerCase(), request.rawHeaders[at + 1]]);
  }
  // A client that disconnects midway gets no response.
  const sent = await body(request).catch(() => undefined);
  if (!sent) return;
  response.writeHead(200, { "Content-Type": "application/json" });
  response.end(JSON.stringify({ method: request.method, url: request.url, headers, body: sent.toString() }));
}

/** Returns the values of a header in an echo. */
export const values = (echoed, name) => echoed.headers.filter(([key]) => key === name).map(([, value]) => value);

/** Returns a promise and the function that resolves it, with which a test holds an upstream back. */
export function gate() {
  let open;
  const opened = new Promise((resolve) => (open = resolve));
  return { opened, open };
}

// The handshake of RFC 6455 section 4.2.2, and short frames of section 5.2 sent back unmasked.
function echoFrames(request, socket) {
  const accept = createHash("sha1").update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
  socket.on("error", () => {});
  let pending = Buffer.alloc(0);
  socket.on("data", (chunk) => {
    pending = Buffer.concat([pending, chunk]);
    while (pending.length >= 6) {
      const length = pending[1] & 0x7f;
      if (length > 125) throw new Error("only short frames are echoed here");
      if (pending.length < 6 + length) return;
      const mask = pending.subarray(2, 6);
      const payload = pending.subarray(6, 6 + length).map((byte, at) => byte ^ mask[at % 4]);
      socket.write(Buffer.concat([Buffer.from([pending[0], length]), payload]));
      // A close frame is answered with another, then the connection is over (section 5.5.1).
      if ((pending[0] & 0x0f) === 8) socket.end();
      pending = pending.subarray(6 + length);
    }
  });
}
