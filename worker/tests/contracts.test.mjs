// The contracts of the ports (crates/testkit/src/contracts), checked on workerd against the adapters that are deployed;
// natively, the same cases are checked against the fakes. Cases share the platform's state, and ask the server for the
// last request, so they run one after another.

import assert from "node:assert/strict";
import { once } from "node:events";
import http from "node:http";
import { join } from "node:path";
import { after, test } from "node:test";
import { gzipSync } from "node:zlib";
import { ROOT, start } from "./harness.mjs";
import { send } from "./http.mjs";
import { body } from "./upstream.mjs";

const gateway = await start({
  config: join(ROOT, "worker/tests/contracts.capnp"),
  sockets: ["contracts"],
  env: { BATCH_TIMEOUT_SECONDS: "2" },
});
const { cases, pages } = (await send(gateway.ports.contracts)).json;
const server = await listen(http.createServer({}, answer));
const nobody = await listen(http.createServer());
await close(nobody);
after(() => Promise.all([gateway.stop(), close(server)]));

test("every adapted port has a suite", () => {
  const suites = new Set(cases.map(({ suite }) => suite));
  assert.deepEqual([...suites].sort(), ["dispatch", "egress", "isolate", "kv", "platform", "sql"]);
});

test("a failing case is reported, and so is a missing one", async () => {
  assert.equal(await check({ module: "registry", suite: "kv", name: "none" }), "there is no case none");
  assert.equal(await check({ module: "dataplane", suite: "none", name: "none" }), "there is no suite none");
});

for (const found of cases) {
  test(`${found.suite}: ${found.name.replaceAll("_", " ")}`, async () => {
    assert.equal(await check(found), "");
  });
}

/** Returns what is wrong with a case; an empty text if it holds. */
async function check({ module, suite, name }) {
  const query = { server: address(server), nobody: `http://127.0.0.1:${nobody.port}` };
  const answer = await send(gateway.ports.contracts, { path: `/${module}/${suite}/${name}`, query });
  assert.equal(answer.status, 200, gateway.log().slice(-2000));
  return answer.text;
}

async function listen(server) {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  server.port = server.address().port;
  return server;
}

function address({ port }) {
  return `http://127.0.0.1:${port}`;
}

function close(server) {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
}

/** The last request, in the form of `Outgoing` in crates/controlplane/src/ports.rs. */
let last = null;

/** Responds with the page of the path (crates/testkit/src/contracts/servers.rs). */
async function answer(request, response) {
  const before = last;
  last = await outgoing(request);
  const page = pages.find(({ path }) => path === request.url.split("?")[0]) ?? { status: 404, headers: [], kind: "text", body: "not found" };
  const headers = page.headers.flat();
  const head = (...more) => response.writeHead(page.status, [...headers, ...more]);
  switch (page.kind) {
    case "text":
      return head().end(page.body);
    case "gzip":
      return head("content-encoding", "gzip").end(gzipSync(page.body));
    case "bytes":
      return head().end("x".repeat(page.body));
    case "seen":
      return head().end(JSON.stringify(before));
    case "endless":
      return flood(head());
    case "stuck":
      return head().write("begun");
    case "silent":
      return undefined;
    case "reset":
      return request.socket.resetAndDestroy();
    default:
      throw new Error(`no such page: ${page.kind}`);
  }
}

async function outgoing(request) {
  const headers = [];
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    headers.push([request.rawHeaders[at].toLowerCase(), request.rawHeaders[at + 1]]);
  }
  const sent = (await body(request)).toString();
  return { method: request.method, url: `http://${request.headers.host}${request.url}`, headers, body: sent === "" ? null : sent };
}

/** Writes until the client stops listening. */
function flood(response) {
  const more = () => response.writable && response.write("x".repeat(16 * 1024), more);
  more();
}
