// The processes of a run: each is a workerd on a free port of the loopback interface.

import { execFileSync, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer } from "node:http";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import workerd from "workerd";
import { PACKAGES } from "./packages.mjs";

export const ROOT = resolve(fileURLToPath(import.meta.url), "../../..");
export const SECRET = randomBytes(16).toString("hex");

const WORKERD = process.env.GATEWRIGHT_WORKERD || workerd.default || workerd;
const STARTS_WITHIN_MS = 20_000;

// The memory backend stores nothing on disk. It has no transactions: with more than one thread it could lose patches
// that arrive together, and Python runs one at a time anyway.
const KINTO = `
[app:main]
use = egg:kinto
kinto.storage_backend = kinto.core.storage.memory
kinto.cache_backend = kinto.core.cache.memory
kinto.permission_backend = kinto.core.permission.memory
kinto.userid_hmac_secret = bench
multiauth.policies = basicauth
kinto.bucket_create_principals = system.Authenticated

[server:main]
use = egg:waitress#main
host = 127.0.0.1
port = PORT
threads = 1

[loggers]
keys = root
[handlers]
keys = console
[formatters]
keys = plain
[logger_root]
level = ERROR
handlers = console
[handler_console]
class = StreamHandler
args = (sys.stderr,)
formatter = plain
[formatter_plain]
format = %(message)s
`;

const running = new Set();
let scratch;

/**
 * Bundles each Hono worker with its packages into one file, as it would be deployed. All of them, because workerd reads
 * every file that its configuration names.
 */
export function bundleHono() {
  // Generated, so kept apart from the sources.
  const generated = (name) => join(ROOT, `target/bench/${name}.gen.js`);
  mkdirSync(dirname(generated("")), { recursive: true });
  for (const [name, made] of Object.entries(PACKAGES)) writeFileSync(generated(name), made());
  buildSync({
    absWorkingDir: ROOT,
    entryPoints: ["ajv", "forwarding", "hono", "jose", "limits", "patches", "rewriting"].map((name) => `worker/bench/${name}.js`),
    outdir: "target/bench",
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    // jq-web imports these from Node but doesn't need them here.
    external: ["cloudflare:workers", "./jq.wasm", "crypto", "fs", "path"],
    alias: Object.fromEntries(Object.keys(PACKAGES).map((name) => [name, generated(name)])),
    define: { "self.location.href": '""' },
    logLevel: "warning",
  });
}

/** Creates a folder, which is deleted after the run. */
export function folder(name) {
  scratch ??= mkdtempSync(join(tmpdir(), "gatewright-bench-"));
  const path = join(scratch, name);
  mkdirSync(path, { recursive: true });
  return path;
}

/** Writes a body to a file as JSON. */
export function bodyFile(name, body) {
  const file = join(folder("bodies"), name);
  writeFileSync(file, JSON.stringify(body));
  return file;
}

/** Starts a server on the loopback interface that serves one document: `{ url, close }`. */
export async function serveDocument(document) {
  const text = JSON.stringify(document);
  const server = createHttpServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "application/json" }).end(text);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/** Ends the processes that were started and deletes the files that were written. */
export function stopAll() {
  for (const service of running) service.child.kill("SIGKILL");
  running.clear();
  if (scratch) rmSync(scratch, { recursive: true, force: true });
  scratch = undefined;
}

export async function startUpstream() {
  return start("upstream", ["worker/bench/baselines.capnp", "upstream"]);
}

export async function startBare(upstream, ready = answers) {
  return start("bare worker", ["worker/bench/baselines.capnp", "bare"], { TARGET: upstream.url }, { ready });
}

/** Starts the worker that forwards requests by hand, with everything that requires. */
export async function startForwarding(upstream) {
  return start("forwarding worker", ["worker/bench/baselines.capnp", "forwarding"], { TARGET: upstream.url });
}

/** Starts the worker that rewrites bodies in JavaScript. */
export async function startRewriting(upstream) {
  return start("rewriting worker", ["worker/bench/baselines.capnp", "rewriting"], { TARGET: upstream.url });
}

export async function startHono() {
  const options = [`--directory-path=disk=${folder("hono")}`];
  return start("Hono worker", ["worker/bench/baselines.capnp", "hono", ...options], { GATEWAY_SECRET: SECRET });
}

/** Starts the Hono worker that counts for the key `token`. */
export async function startLimits(upstream, token, rate, quota) {
  const options = [`--directory-path=disk=${folder("limits")}`];
  const variables = { TARGET: upstream.url, TOKEN: token, RATE: String(rate), QUOTA: String(quota) };
  return start("Hono worker", ["worker/bench/baselines.capnp", "limits", ...options], variables);
}

/** Starts the Hono worker that verifies JSON Web Tokens with a key set. */
export async function startJose(upstream, keySet) {
  return start("Hono worker", ["worker/bench/baselines.capnp", "jose"], { TARGET: upstream.url, KEY_SET: keySet });
}

/** Starts the Hono worker that validates bodies against a schema. */
export async function startAjv(upstream) {
  return start("Hono worker", ["worker/bench/baselines.capnp", "ajv"], { TARGET: upstream.url });
}

/** Starts the Hono worker of the dashboard's measures, which accepts `token`. */
export async function startPatches(token, data) {
  const options = [`--directory-path=disk=${folder(`hono-${data}`)}`];
  const hash = createHash("sha256").update(token).digest("hex");
  return start("Hono worker", ["worker/bench/baselines.capnp", "patches", ...options], { TOKEN_HASH: hash });
}

/** Starts Kinto with its memory backend from the virtual environment `home`. */
export async function startKinto(home) {
  const port = await freePort();
  const settings = join(folder("kinto"), "kinto.ini");
  writeFileSync(settings, KINTO.replace("PORT", String(port)));
  const args = [join(home, "bin/kinto"), "start", "--ini", settings];
  return launch("Kinto", join(home, "bin/python"), args, {}, port);
}

/** Starts the gateway as `cargo xtask serve` runs it, with its state in `data`. */
export async function startGateway(data, ready = answers) {
  const port = await freePort();
  const console = await freePort();
  const options = [
    `--socket-addr=console=127.0.0.1:${console}`,
    `--directory-path=registry-disk=${folder(`${data}/registry`)}`,
    `--directory-path=kv-disk=${folder(`${data}/kv`)}`,
    `--directory-path=assets-disk=${folder("assets")}`,
  ];
  const environment = {
    GATEWAY_SECRET: SECRET,
    DASHBOARD_TOKEN: SECRET,
    GATEWAY_HOST: `127.0.0.1:${port}`,
    CONSOLE_HOST: `127.0.0.1:${console}`,
    LEDGER_SHARDS: "16",
  };
  const service = await start("gateway", ["worker/workerd.capnp", ...options], environment, { socket: "gateway", port, ready });
  return Object.assign(service, { console: `http://127.0.0.1:${console}` });
}

/** Starts the gateway in several processes, as `cargo xtask serve --workers` does. */
export async function startServe(data, workers) {
  const [port, console] = [await freePort(), await freePort()];
  const args = ["serve", "--no-build", "--port", port, "--console-port", console, "--data-dir", folder(data), "--workers", workers];
  const environment = { ...process.env, GATEWAY_SECRET: SECRET, DASHBOARD_TOKEN: SECRET };
  return launch("gateway", process.env.XTASK, args.map(String), environment, port);
}

async function start(name, args, environment = {}, { socket = "http", port, ready = answers } = {}) {
  port ??= await freePort();
  return launch(name, WORKERD, ["serve", ...args, `--socket-addr=${socket}=127.0.0.1:${port}`], environment, port, ready);
}

async function launch(name, program, args, environment, port, ready = answers) {
  const child = spawn(program, args, {
    cwd: ROOT,
    env: environment,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const service = { name, port, child, url: `http://127.0.0.1:${port}`, said: "" };
  child.stderr.on("data", (text) => (service.said = (service.said + text).slice(-4000)));
  child.on("exit", () => running.delete(service));
  running.add(service);
  await ready(service);
  return service;
}

/** Ends one service and waits until it has exited. */
export async function stop(service) {
  if (service.child.exitCode !== null) return;
  const gone = new Promise((done) => service.child.once("exit", done));
  service.child.kill("SIGTERM");
  await gone;
}

/** Waits until a service responds. */
const answers = (service) => waitFor(service, async () => (await fetch(`${service.url}/ready`)).arrayBuffer());

/** Waits until a service accepts connections, without sending it a request. */
export const listens = (service) =>
  waitFor(service, async () => {
    const socket = connect(service.port, "127.0.0.1");
    await once(socket, "connect");
    socket.destroy();
  });

async function waitFor(service, isReady) {
  const until = Date.now() + STARTS_WITHIN_MS;
  while (Date.now() < until) {
    if (service.child.exitCode !== null) break;
    try {
      await isReady();
      return;
    } catch {
      await new Promise((done) => setTimeout(done, 20));
    }
  }
  throw new Error(`the ${service.name} does not answer\n${service.said}`);
}

function freePort() {
  return new Promise((found, failed) => {
    const server = createServer();
    server.once("error", failed);
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => found(port));
    });
  });
}

/** Returns the resident memory of a service's process, in MiB (`ps` counts in KiB). */
export function residentMb(service) {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(service.child.pid)], { encoding: "utf8" })) / 1024;
}

// The system's unit of CPU time, proc_pid_stat(5): a hundredth of a second everywhere.
const TICK_MS = 10;

/** Returns the CPU time that a service's processes have used so far, in milliseconds. */
export function cpuMs({ child: { pid } }) {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
  const ticks = [pid, ...children].map((each) => {
    // The fields after the name in brackets, which may contain spaces; utime and stime are the 14th and 15th of all.
    const fields = readFileSync(`/proc/${each}/stat`, "utf8").split(") ").at(-1).split(" ");
    return Number(fields[11]) + Number(fields[12]);
  });
  return ticks.reduce((sum, each) => sum + each, 0) * TICK_MS;
}
