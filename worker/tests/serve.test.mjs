// What a newcomer does first: `cargo xtask serve`, an API, a request, a stop, and a second start.

import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { ROOT } from "./harness.mjs";
import { send } from "./http.mjs";
import { listen } from "./upstream.mjs";

const SECRET = "0123456789abcdef0123456789abcdef";
const env = { ...process.env, GATEWAY_SECRET: SECRET, DASHBOARD_TOKEN: SECRET, NO_COLOR: "1" };
const dataDir = mkdtempSync(join(tmpdir(), "gatewright-serve-"));
const running = new Set();
let upstream;

before(async () => {
  upstream = await listen();
});
after(async () => {
  running.forEach((child) => child.kill("SIGKILL"));
  await upstream.close();
  rmSync(dataDir, { recursive: true, force: true });
});

/** Starts `cargo xtask serve` and waits for its last line. */
async function serve(...more) {
  const args = ["xtask", "serve", "--no-build", "--port", "32100", "--data-dir", dataDir, ...more];
  const child = spawn("cargo", args, { cwd: ROOT, env, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  child.once("exit", () => running.delete(child));
  let output = "";
  child.stderr.on("data", (chunk) => (output += chunk));
  for await (const chunk of child.stdout) {
    output += chunk;
    if (/^ready /m.test(output)) return { child, output };
  }
  throw new Error(`serve ended: ${output}`);
}

async function stop(child, signal) {
  const exit = once(child, "exit");
  child.kill(signal);
  return (await exit)[0];
}

const admin = (method, path, body) =>
  send(32100, { method, path, headers: { "x-gateway-authorization": SECRET }, body: body && JSON.stringify(body) });

test("stored and loaded data survives a restart", async () => {
  const first = await serve();
  assert.match(first.output, /^ready http:\/\/127\.0\.0\.1:32100 console http:\/\/127\.0\.0\.1:32101\/console\/$/m);
  assert.doesNotMatch(first.output, new RegExp(SECRET));
  const [, code] = /^connect  http:\/\/127\.0\.0\.1:32101\/console\/#connect=([0-9a-f]{64})  \(once, within a minute\)$/m.exec(first.output);
  const connected = await send(32101, { method: "POST", path: "/console/connect", body: code });
  assert.deepEqual([connected.json.gateway, connected.json.dashboard], [true, true], connected.text);
  assert.match(connected.headers["set-cookie"], /^gateway-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
  assert.ok(!connected.text.includes(SECRET));
  const definition = {
    name: "Echo",
    api_id: "echo",
    use_keyless: true,
    proxy: { listen_path: "/echo/", target_url: upstream.url, strip_listen_path: true },
  };
  assert.equal((await admin("POST", "/gateway/apis", definition)).status, 200);
  assert.equal((await admin("GET", "/gateway/reload?block=true")).status, 200);
  assert.equal((await send(32100, { path: "/echo/x" })).status, 200);
  assert.equal(await stop(first.child, "SIGINT"), 0);

  const second = await serve();
  assert.equal((await send(32100, { path: "/echo/x" })).status, 200);
  assert.equal((await send(32101, { path: "/console/" })).status, 200);
  assert.equal(await stop(second.child, "SIGTERM"), 0);
});

test("another organisation gets its own credential, whose token is shown once", async () => {
  const { child, output } = await serve("--organisation", "two");
  const [, token] = /^token    (\S+)  \(dashboard of two, shown only now\)$/m.exec(output);
  const answer = await send(32101, { path: "/api/clientidps", headers: { authorization: `Bearer ${token}` } });
  assert.equal(answer.status, 200, answer.text);
  const gateway = await send(32100, { path: "/gateway/apis", headers: { authorization: `Bearer ${token}` } });
  assert.equal(gateway.status, 403, gateway.text);
  const issued = (await admin("GET", "/gateway/dashboard/credentials")).json;
  assert.deepEqual(issued.credentials.map((one) => one.org_id), ["two"], JSON.stringify(issued));
  assert.equal(await stop(child, "SIGTERM"), 0);
});

test("a port in use is reported in one line", async () => {
  const holder = net.createServer().listen(32100, "127.0.0.1");
  await once(holder, "listening");
  const ended = spawnSync("cargo", ["xtask", "serve", "--no-build", "--port", "32100", "--data-dir", dataDir], { cwd: ROOT, env });
  holder.close();
  assert.notEqual(ended.status, 0);
  const lines = ended.stderr.toString().trim().split("\n");
  assert.equal(lines.length, 1, lines.join("\n"));
  assert.match(lines[0], /32100/);
});
