// `cargo xtask serve --workers`: several processes that serve together are as exact as one, a reload and a revocation
// are effective in all of them once answered, and a process that dies is restarted.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { api } from "./definitions.mjs";
import { ROOT } from "./harness.mjs";
import { keys, soon, token } from "./jose.mjs";
import { begin, send, sendLine } from "./http.mjs";
import { load, maxInWindow, now } from "./load.mjs";
import { listen } from "./upstream.mjs";

const SECRET = "0123456789abcdef0123456789abcdef";
const PORT = 32110;
const CONNECTIONS = 24;
const env = { ...process.env, GATEWAY_SECRET: SECRET, DASHBOARD_TOKEN: SECRET, NO_COLOR: "1" };
const running = new Set();
let upstream;

before(async () => {
  upstream = await listen();
});
after(async () => {
  running.forEach((child) => child.kill("SIGKILL"));
  await upstream.close();
});

/** Starts this many processes on a new data folder; returns what tests do with them. */
async function serve(workers, variables = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), "gatewright-processes-"));
  const args = ["xtask", "serve", "--no-build", "--port", String(PORT), "--data-dir", dataDir, "--workers", String(workers)];
  const child = spawn("cargo", args, { cwd: ROOT, env: { ...env, ...variables }, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  child.once("exit", () => running.delete(child));
  const gateway = { child, dataDir, output: "" };
  child.stderr.on("data", (chunk) => (gateway.output += chunk));
  const ready = new Promise((resolve, reject) => {
    child.stdout.on("data", (chunk) => {
      gateway.output += chunk;
      if (/^ready /m.test(gateway.output)) resolve();
    });
    child.once("exit", () => reject(new Error(`serve ended: ${gateway.output}`)));
  });
  await ready;
  return gateway;
}

async function stop({ child, dataDir }) {
  const exit = once(child, "exit");
  child.kill("SIGINT");
  const [code] = await exit;
  rmSync(dataDir, { recursive: true, force: true });
  return code;
}

/** Returns the process ids of workerd with this configuration. */
function pids({ child }, config) {
  const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim().split(" ");
  return children.map(Number).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(config);
    } catch {
      return false;
    }
  });
}

const admin = (method, path, body, headers) =>
  send(PORT, { method, path: `/gateway/${path}`, headers: { "x-gateway-authorization": SECRET, ...headers }, body });

async function published() {
  const definition = api({ use_keyless: false }, { target_url: upstream.url });
  assert.equal((await admin("POST", "apis", definition)).status, 200);
  assert.equal((await admin("GET", "reload?block=true")).status, 200);
  return definition;
}

async function make(definition, limits) {
  const made = await admin("POST", "keys", { access_rights: { [definition.api_id]: {} }, ...limits });
  assert.equal(made.status, 200, made.text);
  const { key: token, key_hash: hash } = made.json;
  return { hash, request: { path: `${definition.proxy.listen_path}${hash}`, headers: { Authorization: token } } };
}

const seen = (key) => upstream.seen.filter(({ url }) => url === `/${key.hash}`).length;
const applyLoad = (key, ms, continues = () => true) => load(PORT, { connections: CONNECTIONS, ms, next: () => (continues() ? key.request : undefined) });
const until = async (condition) => {
  while (!condition()) await new Promise(setImmediate);
};

for (const workers of [1, 3]) {
  test(`${workers} processes: limits are exact, and reloads and revocations apply to all at once`, async (context) => {
    const gateway = await serve(workers);
    for (let round = 0; round < 5; round += 1) {
      const definition = await published();
      const key = await make(definition, {});
      // Each on a connection of its own, which any process may accept.
      const requests = Array.from({ length: 20 }, () => send(PORT, { ...key.request, headers: { ...key.request.headers, connection: "close" } }));
      for (const { status } of await Promise.all(requests)) assert.equal(status, 200);
    }
    const { processes } = (await admin("GET", "health/figures")).json;
    const serving = Array.from({ length: workers }, (_, at) => `process-${at + 1}`);
    assert.deepEqual(processes.map(({ name }) => name), workers === 1 ? ["worker"] : ["objects", ...serving]);
    const { generation } = (await admin("GET", "reload/status")).json;
    for (const one of processes) {
      assert.deepEqual({ ...one, wasm_bytes: one.wasm_bytes > 1_000_000 }, { name: one.name, ready: true, generation, wasm_bytes: true });
    }
    const definition = await published();
    const rated = await make(definition, { rate: 200, per: 1 });
    const admitted = (await applyLoad(rated, 3000)).filter(({ status }) => status === 200);
    assert.equal(admitted.length, seen(rated));
    assert.ok(maxInWindow(admitted, 1000) <= 200, `${maxInWindow(admitted, 1000)} in a window of 200`);
    assert.ok(admitted.length >= 500, String(admitted.length));
    const key = await make(definition, { quota_max: 4000, quota_renewal_rate: 3600 });
    let refused = 0;
    const answers = load(PORT, {
      connections: CONNECTIONS,
      ms: 60_000,
      next: () => (refused < 200 ? key.request : undefined),
      onAnswer: ({ status }) => (refused += Number(status === 403)),
    });
    await answers;
    context.diagnostic(`${seen(key)} of a quota of 4000`);
    assert.ok(seen(key) <= 4000 && seen(key) >= 3900, String(seen(key)));

    const revoked = await make(definition, {});
    let answered = Infinity;
    const loading = applyLoad(revoked, 20_000, () => now() < answered + 300);
    await until(() => seen(revoked) > 300);
    assert.equal((await admin("DELETE", `keys/${revoked.hash}`)).status, 200);
    answered = now();
    const later = (await loading).filter(({ sent }) => sent > answered);
    assert.ok(later.length > 0 && later.every(({ status }) => status === 403));
    assert.equal(await stop(gateway), 0, gateway.output);
  });
}

test("processes share one cache, for storing and for purging", async () => {
  const gateway = await serve(3);
  const definition = api({ cache_options: { enable_cache: true, cache_all_safe_requests: true } }, { target_url: upstream.url });
  assert.equal((await admin("POST", "apis", definition)).status, 200);
  assert.equal((await admin("GET", "reload?block=true")).status, 200);
  // Each on a connection of its own, which any process may accept.
  const call = (path, method = "GET") => send(PORT, { method, path: definition.proxy.listen_path + path, headers: { connection: "close" } });
  const asked = (path) => upstream.seen.filter(({ url }) => url === `/${path}`).length;
  for (let round = 0; round < 20; round += 1) {
    const path = `round-${round}`;
    for (const step of ["emptied", "written", "emptied again"]) {
      if (step === "written") await call(path, "POST");
      else assert.equal((await admin("DELETE", `cache/${definition.api_id}`)).status, 200);
      const seen = asked(path);
      const answers = [];
      for (let time = 0; time < 6; time += 1) answers.push((await call(path)).headers["x-gateway-cached-response"]);
      assert.deepEqual(answers, [undefined, "1", "1", "1", "1", "1"], `${path}, ${step}`);
      assert.equal(asked(path), seen + 1);
    }
  }
  assert.equal(await stop(gateway), 0, gateway.output);
});

test("a body that breaks off on its way to the administration is answered with 400, and not logged", async () => {
  const gateway = await serve(2);
  const logged = gateway.output.length;
  const fields = [`X-Gateway-Authorization: ${SECRET}`];
  for (const line of ["POST /gateway/apis HTTP/1.1", "PUT /gateway/keys/a HTTP/1.1", "POST /gateway/import HTTP/1.1"]) {
    const invalid = await sendLine(PORT, line, [...fields, "Transfer-Encoding: chunked"], "5\r\nhello\r\nZZZ\r\n");
    assert.deepEqual([invalid.status, invalid.json.message], [400, "The body of the request broke off"], line);
    assert.equal(await begin(PORT, line, [...fields, "Content-Length: 50"], "{}", (socket) => socket.end()), 400, line);
    await begin(PORT, line, [...fields, "Content-Length: 50"], "{}", (socket) => setTimeout(() => socket.resetAndDestroy(), 20));
  }
  // Whole bodies arrive, with and without a length.
  const body = JSON.stringify(api({ name: "x".repeat(100_000) }, { target_url: upstream.url }));
  for (const headers of [{}, { "Transfer-Encoding": "chunked" }]) assert.equal((await admin("POST", "apis", body, headers)).status, 200);
  assert.equal(await stop(gateway), 0, gateway.output);
  assert.doesNotMatch(gateway.output.slice(logged), /error/i);
});

test("a disabled organisation is refused by all processes once that is acknowledged", async () => {
  const gateway = await serve(3);
  const definition = api({ org_id: "shut" }, { target_url: upstream.url });
  assert.equal((await admin("POST", "apis", definition)).status, 200);
  assert.equal((await admin("GET", "reload?block=true")).status, 200);
  const codes = async () => {
    const request = { path: `${definition.proxy.listen_path}x`, headers: { connection: "close" } };
    const answers = await Promise.all(Array.from({ length: 20 }, () => send(PORT, request)));
    return [...new Set(answers.map(({ status }) => status))];
  };
  assert.deepEqual(await codes(), [200]);
  assert.equal((await admin("POST", "org/keys/shut", { is_inactive: true })).status, 200);
  assert.deepEqual(await codes(), [403]);
  assert.equal(await stop(gateway), 0, gateway.output);
});

test("key sets are fetched once for all processes, and flushes and new mappings apply to all", async () => {
  const gateway = await serve(3);
  let named = "first";
  let fetched = 0;
  const idp = await listen({
    "/keys": (request, response) => {
      fetched += 1;
      response.writeHead(200).end(JSON.stringify({ keys: [{ ...keys.rsa.jwk, kid: named }] }));
    },
  });
  const dashboard = (method, path, body) =>
    send(PORT + 1, { method, path: `/api/clientidps${path}`, headers: { Authorization: `Bearer ${SECRET}`, "Content-Type": "application/json" }, body });
  const source = { use_keyless: false, enable_jwt: true, jwt_signing_method: "rsa", jwt_source: `${idp.url}/keys` };
  const definition = api(source, { target_url: upstream.url });
  for (const [id, access] of [["opens", { [definition.api_id]: {} }], ["closes", { elsewhere: {} }]]) {
    assert.equal((await admin("POST", "policies", { id, access_rights: access, rate: -1, quota_max: -1 })).status, 200);
  }
  assert.equal((await admin("POST", "apis", definition)).status, 200);
  assert.equal((await admin("GET", "reload?block=true")).status, 200);
  const mappings = (read) => ({ [definition.api_id]: { scope_to_policy: { read } } });
  const made = await dashboard("POST", "", { name: "IdP", client_idp_id: "idp", jwks_uri: `${idp.url}/keys`, api_mappings: mappings("opens") });
  assert.equal(made.status, 201, made.text);
  // Each on a connection of its own, which any process may accept.
  let number = 0;
  const statuses = async (kid) => {
    const sent = Array.from({ length: 20 }, () => {
      const Authorization = token({ sub: "anna", scope: "read", exp: soon(), number: (number += 1) }, keys.rsa.key, { alg: "RS256", kid });
      return send(PORT, { path: definition.proxy.listen_path, headers: { Authorization, connection: "close" } });
    });
    return [...new Set((await Promise.all(sent)).map(({ status }) => status))];
  };
  assert.deepEqual([await statuses("first"), fetched], [[200], 1]);
  for (let round = 0; round < 3; round += 1) {
    assert.equal((await dashboard("PATCH", "/idp/mappings", mappings("closes"))).status, 200);
    assert.deepEqual(await statuses("first"), [403]);
    assert.equal((await dashboard("PATCH", "/idp/mappings", mappings("opens"))).status, 200);
    assert.deepEqual(await statuses("first"), [200]);
  }
  assert.equal(fetched, 1);
  named = "second";
  assert.equal((await admin("DELETE", `cache/jwks/${definition.api_id}`)).status, 200);
  assert.deepEqual([await statuses("second"), await statuses("first"), fetched], [[200], [403], 2]);
  await Promise.all([stop(gateway), idp.close()]);
});

test("a process that dies under load is restarted without losing a count", async (context) => {
  const gateway = await serve(3);
  const definition = await published();
  const key = await make(definition, { quota_max: 6000, quota_renewal_rate: 3600 });
  const serving = () => pids(gateway, "process.capnp");
  assert.equal(serving().length, 3);
  let refused = 0;
  const loading = load(PORT, {
    connections: CONNECTIONS,
    ms: 60_000,
    next: () => (refused < 200 ? key.request : undefined),
    onAnswer: ({ status }) => (refused += Number(status === 403)),
  });
  for (const admitted of [1000, 2500]) {
    await until(() => seen(key) > admitted);
    const [victim] = serving();
    process.kill(victim, "SIGKILL");
    await until(() => serving().length === 3 && !serving().includes(victim));
  }
  const answers = await loading;
  context.diagnostic(`${seen(key)} of 6000, ${answers.filter(({ status }) => status === undefined).length} connections broke`);
  assert.ok(seen(key) <= 6000, String(seen(key)));
  // Allows for what two processes may have had left, and for the requests in flight.
  assert.ok(seen(key) >= 5800, String(seen(key)));
  assert.match(gateway.output, /ended by itself .*started again/);
  assert.equal(await stop(gateway), 0, gateway.output);
});

test("a client can't forge its address when its request is passed on between processes", async () => {
  const gateway = await serve(2);
  const spec = api({ enable_ip_whitelisting: true, allowed_ips: ["127.0.0.1"] }, { target_url: upstream.url });
  const debugged = { spec, request: { method: "GET", path: "/from" } };
  const answer = await admin("POST", "debug", debugged, { "Cf-Blob": JSON.stringify({ clientIp: "192.0.2.1:1" }) });
  assert.equal(answer.status, 200, answer.text);
  assert.match(answer.json.logs, /The address 127\.0\.0\.1 may call/);
  const stored = await admin("POST", "apis", api(), { "Cf-Blob": JSON.stringify({ clientIp: "192.0.2.1:1" }) });
  assert.equal(stored.status, 200, stored.text);
  const trail = await send(PORT + 1, { path: "/api/audit", headers: { Authorization: `Bearer ${SECRET}` } });
  assert.deepEqual(trail.json.entries.map((entry) => entry.ip_address), ["127.0.0.1"]);
  assert.equal(await stop(gateway), 0, gateway.output);
});

test("refusing an unread body doesn't lose the response", async () => {
  const gateway = await serve(2);
  const body = "x".repeat(3 * 1024 * 1024);
  for (const [headers, status] of [[{}, 403], [{ "X-Gateway-Authorization": SECRET }, 413]]) {
    for (let time = 0; time < 5; time += 1) {
      assert.equal((await send(PORT, { method: "POST", path: "/gateway/policies", headers, body })).status, status);
    }
  }
  assert.equal(await stop(gateway), 0, gateway.output);
});

test("if the process with the objects dies, the gateway exits", async () => {
  const gateway = await serve(2);
  const folder = join(gateway.dataDir, "run");
  assert.ok(existsSync(folder));
  const exit = once(gateway.child, "exit");
  process.kill(pids(gateway, "objects.capnp")[0], "SIGKILL");
  const [code] = await exit;
  assert.notEqual(code, 0);
  assert.match(gateway.output, /ended by itself/);
  assert.equal(existsSync(folder), false, "its sockets are gone");
  rmSync(gateway.dataDir, { recursive: true, force: true });
});

test("targets take turns and breakers are shared across processes", async () => {
  const gateway = await serve(3);
  const [first, second] = await Promise.all([listen(), listen({ "/fails": (request, response) => response.writeHead(500).end() })]);
  try {
    const list = [first, first, second].map(({ url }) => url);
    const rows = [{ path: "/fails", method: "GET", samples: 6, threshold_percent: 0.5, return_to_service_after: 1, disable_half_open_state: true }];
    const rules = { not_versioned: true, versions: { Default: { name: "Default", use_extended_paths: true, extended_paths: { circuit_breakers: rows } } } };
    const balanced = api({}, { target_url: first.url, enable_load_balancing: true, target_list: list });
    const failing = api({ version_data: rules }, { target_url: second.url });
    for (const definition of [balanced, failing]) assert.equal((await admin("POST", "apis", definition)).status, 200);
    assert.equal((await admin("GET", "reload?block=true")).status, 200);
    // Each on a connection of its own, one after another.
    const sent = ({ proxy }, path) => send(PORT, { path: proxy.listen_path + path, headers: { connection: "close" } });
    for (let turn = 0; turn < 30; turn += 1) {
      const before = second.seen.length;
      assert.equal((await sent(balanced, `turn-${turn}`)).status, 200);
      assert.equal(second.seen.length - before, Number(turn % 3 === 2), `turn ${turn}`);
    }
    const failed = () => second.seen.filter(({ url }) => url === "/fails").length;
    const statuses = [];
    for (let round = 0; round < 30; round += 1) statuses.push((await sent(failing, "fails")).status);
    assert.deepEqual([...new Set(statuses.slice(0, 6)), ...new Set(statuses.slice(6))], [500, 503]);
    assert.equal(failed(), 6);
    // A reload that doesn't change the APIs keeps the position of load balancing, and breakers open or closed.
    assert.equal((await sent(balanced, "x")).status, 200);
    assert.equal((await admin("GET", "reload?block=true")).status, 200);
    const before = first.seen.length;
    assert.equal((await sent(balanced, "y")).status, 200);
    assert.equal((await sent(balanced, "z")).status, 200);
    assert.equal(first.seen.length - before, 1);
    while ((await sent(failing, "fails")).status === 503);
    assert.equal(failed(), 7);
    assert.equal(await stop(gateway), 0, gateway.output);
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
});

test("discovered upstreams, down hosts and upstream tokens are shared across processes", async () => {
  const down = { status: 200 };
  let [lists, tokens] = [0, 0];
  const first = await listen({
    "/list": (request, response) => {
      lists += 1;
      response.end(JSON.stringify([{ h: `http://${request.headers.host}/a` }, { h: second.url }]));
    },
    "/token": (request, response) => response.end(JSON.stringify({ access_token: `token-${(tokens += 1)}`, expires_in: 3600 })),
  });
  const second = await listen({ "/health": (request, response) => response.writeHead(down.status).end() });
  const gateway = await serve(3, { UPTIME_TESTS_TIME_WAIT: "1", UPTIME_TESTS_FAILURE_TRIGGER_SAMPLE_SIZE: "1" });
  try {
    const client_credentials = { client_id: "me", client_secret: "s", token_url: `${first.url}/token` };
    const definition = api(
      {
        uptime_tests: { check_list: [{ url: `${second.url}/health` }] },
        upstream_auth: { enabled: true, oauth: { enabled: true, allowed_authorize_types: ["clientCredentials"], client_credentials } },
      },
      {
        target_url: first.url,
        enable_load_balancing: true,
        target_list: [first.url],
        check_host_against_uptime_tests: true,
        service_discovery: { use_discovery_service: true, query_endpoint: `${first.url}/list`, data_path: "h", endpoint_returns_list: true, use_target_list: true },
      },
    );
    assert.equal((await admin("POST", "apis", definition)).status, 200);
    assert.equal((await admin("GET", "reload?block=true")).status, 200);
    const sent = () => send(PORT, { path: `${definition.proxy.listen_path}x`, headers: { connection: "close" } });
    const urls = async (times) => {
      const answers = [];
      for (let time = 0; time < times; time += 1) answers.push((await sent()).json);
      for (const { headers } of answers) assert.deepEqual(headers.find(([name]) => name === "authorization"), ["authorization", "Bearer token-1"]);
      return answers.map(({ url }) => url);
    };
    assert.deepEqual(await urls(12), Array.from({ length: 6 }, () => ["/a/x", "/x"]).flat());
    assert.deepEqual([lists, tokens], [1, 1]);
    down.status = 500;
    while ((await urls(12)).includes("/x"));
    const { json } = await admin("GET", `health/upstreams/${definition.api_id}`);
    assert.deepEqual(json.targets.map(({ state }) => state), ["untested", "down"]);
    assert.equal(await stop(gateway), 0, gateway.output);
  } finally {
    await Promise.all([first.close(), second.close()]);
  }
});
