// Documents from other servers: which are called at all, and with what result. The rules for addresses are tested
// natively (crates/controlplane/src/egress); these tests cover the runtime's part and its networks.

import assert from "node:assert/strict";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ROOT, start } from "./harness.mjs";
import { send } from "./http.mjs";
import { listen, PLAIN } from "./upstream.mjs";

const LIMIT = 2 * 1024 * 1024;
const TEXT = '\ufeff{"openapi": "3.1.0", "n": 1.0, "big": 12345678901234567890,\r\n "ü": "\\u2028"}';

/** Responds without end; `gone` receives the promise that the client has disconnected. */
function endless(gone, chunk) {
  return (request, response) => {
    gone.push(once(response, "close"));
    response.writeHead(200, { "Content-Type": "text/plain" });
    response.write("begun");
    const more = () => response.writable && response.write(chunk, more);
    if (chunk) more();
  };
}

const fetchFrom = (gateway, url) => gateway.admin("POST", "/gateway/openapi/fetch", { body: { url } });

function assertRefused(answer, status, message) {
  const { request_id: id, ...rest } = answer.json;
  assert.deepEqual(rest, { status: "error", message });
  assert.equal(answer.status, status);
  assert.ok(id);
}

describe("where private addresses are allowed", () => {
  const gone = [];
  let gateway;
  let upstream;
  before(async () => {
    upstream = await listen({
      "/openapi.json": (request, response) => response.writeHead(200, { "Content-Type": "application/vnd.oai.openapi+json; charset=utf-8" }).end(TEXT),
      "/full": (request, response) => response.writeHead(200).end("x".repeat(LIMIT)),
      "/endless": endless(gone, "x".repeat(64 * 1024)),
      "/silent": (request, response) => gone.push(once(response, "close")),
      "/stuck": endless(gone),
      "/relative": (request, response) => response.writeHead(301, { Location: "../docs/openapi.json?x=1" }).end(),
    });
    gateway = await start({ env: { EGRESS_ALLOW_PRIVATE: "true", EGRESS_TIMEOUT_SECONDS: "3" } });
  });
  after(async () => {
    await gateway.stop();
    await upstream.close();
  });

  test("a document is fetched unchanged", async () => {
    const url = `${upstream.url}/openapi.json?token=x`;
    const answer = await fetchFrom(gateway, `  ${url}#/paths `);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.json, { status: "success", url, content_type: "application/vnd.oai.openapi+json; charset=utf-8", text: TEXT });
    assert.match(answer.text, /^\{"status":"success","url":/);
    assert.equal(answer.headers["cache-control"], "no-store");
    // Nothing of the administration's own request is passed on.
    const { headers, method } = upstream.seen.at(-1);
    assert.equal(method, "GET");
    assert.deepEqual(Object.keys(headers).filter((name) => !["connection", "accept-encoding"].includes(name)).sort(), ["accept", "host", "user-agent"]);
  });

  test("the console's origin fetches as well, and only with the secret", async () => {
    const body = { url: `${upstream.url}/openapi.json` };
    const path = "/gateway/openapi/fetch";
    assert.equal((await gateway.admin("POST", path, { body, port: gateway.ports.console })).status, 200);
    const calls = upstream.seen.length;
    assert.equal((await send(gateway.ports.console, { method: "POST", path, body })).status, 403);
    assert.equal(upstream.seen.length, calls);
  });

  test("a compressed document is decoded", async () => {
    for (const path of ["/gzip", "/br"]) {
      assert.equal((await fetchFrom(gateway, upstream.url + path)).json.text, PLAIN.toString(), path);
    }
  });

  test("a document is read only up to the limit", async () => {
    assert.equal((await fetchFrom(gateway, `${upstream.url}/full`)).json.text.length, LIMIT);
    const answer = await fetchFrom(gateway, `${upstream.url}/endless`);
    assertRefused(answer, 413, `The answer is larger than the ${LIMIT} bytes that are fetched`);
    await gone.at(-1);
  });

  test("a slow server is abandoned, even in the middle of its response", async () => {
    const paths = ["/silent", "/stuck"];
    const left = gone.length;
    for (const answer of await Promise.all(paths.map((path) => fetchFrom(gateway, upstream.url + path)))) {
      assertRefused(answer, 504, "The server did not answer in time");
    }
    assert.equal(gone.length, left + paths.length);
    await Promise.all(gone);
  });

  test("a redirect is reported, never followed", async () => {
    const calls = upstream.seen.length;
    const message = (status, to) => `The server answered ${status} and sends on to ${to}; fetch that address instead`;
    assertRefused(await fetchFrom(gateway, `${upstream.url}/redirect`), 502, message(302, "http://127.0.0.1:9/elsewhere"));
    assertRefused(await fetchFrom(gateway, `${upstream.url}/relative`), 502, message(301, `${upstream.url}/docs/openapi.json?x=1`));
    assert.equal(upstream.seen.length, calls + 2);
  });

  test("a response that is not a document is reported as such", async () => {
    assertRefused(await fetchFrom(gateway, `${upstream.url}/503`), 502, "The server answered with status 503");
    assertRefused(await fetchFrom(gateway, `${upstream.url}/304`), 502, "The server answered with status 304");
    assertRefused(await fetchFrom(gateway, `${upstream.url}/binary`), 502, "What the server sent is no text in UTF-8");
    const unreachable = "The server can't be reached: check the address, that the server runs, and that it is not in a private network";
    assertRefused(await fetchFrom(gateway, `${upstream.url}/reset`), 502, unreachable);
  });

  test("URLs are not logged", async () => {
    await gateway.logged(/egress: /);
    assert.ok(!gateway.log().includes("token=x"));
    assert.ok(!gateway.log().includes(upstream.url));
  });
});

describe("where private addresses are forbidden", () => {
  let gateway;
  let upstream;
  before(async () => {
    upstream = await listen();
    gateway = await start({ config: join(ROOT, "worker/tests/egress.capnp"), sockets: ["upstreams", "public"] });
  });
  after(async () => {
    await gateway.stop();
    await upstream.close();
  });

  test("no spelling of a loopback address is called", async () => {
    for (const host of ["127.0.0.1", "localhost", "LocalHost.", "x.localhost", "127.1", "2130706433", "0x7f000001", "017700000001", "0", "[::1]", "[::ffff:7f00:1]", "169.254.169.254", "metadata.google.internal"]) {
      const answer = await fetchFrom(gateway, `http://${host}:${upstream.port}/`);
      assertRefused(answer, 400, `The host ${host} is part of a private network, which is not called from here unless EGRESS_ALLOW_PRIVATE is true`);
    }
    assert.equal(upstream.seen.length, 0);
  });

  test("no obfuscated address is accepted", async () => {
    for (const url of [`http://example.com@127.0.0.1:${upstream.port}/`, `http://127.0.0.1:${upstream.port}\\@example.com/`, `http://①②⑦.0.0.1:${upstream.port}/`, `http://127.0.0.1%2eexample.com:${upstream.port}/`, `//127.0.0.1:${upstream.port}/`, "file:///etc/passwd", "data:text/plain,x"]) {
      const answer = await fetchFrom(gateway, url);
      assert.equal(answer.status, 400, url);
      assert.match(answer.json.message, /^The address is wrong: /, url);
    }
    assert.equal(upstream.seen.length, 0);
  });

  // The runtime resolves names itself, so only its network can refuse one that resolves to this machine.
  test("the worker's outbound network reaches no private address, whatever its name", async () => {
    const headers = { Host: `localhost:${upstream.port}` };
    assert.equal((await send(gateway.ports.upstreams, { headers })).status, 200);
    assert.equal(upstream.seen.length, 1);
    for (const host of ["localhost", "127.0.0.1", "[::ffff:127.0.0.1]"]) {
      assert.equal((await send(gateway.ports.public, { headers: { Host: `${host}:${upstream.port}` } })).status, 500, host);
    }
    assert.equal(upstream.seen.length, 1);
  });

  test("the worker fetches through that network", async () => {
    const answer = await fetchFrom(gateway, "https://example.com/x");
    assert.equal(answer.json.text, "one server at https://example.com/x");
  });
});
