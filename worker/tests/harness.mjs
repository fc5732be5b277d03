// Starts Gatewright on a real workerd, with an empty data folder and free ports, for the tests of the worker and of the
// console.
//
//   const gateway = await start();
//   await gateway.admin("POST", "/gateway/apis", { body: { … } });
//   await gateway.stop();
//
// Environment: GATEWRIGHT_WORKERD is the runtime's executable and GATEWRIGHT_ROOT the project's folder; both are found
// by default. worker/build and target/assets must have been built before.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { send } from "./http.mjs";

/** The project's folder. */
export const ROOT = process.env.GATEWRIGHT_ROOT ?? fileURLToPath(new URL("../..", import.meta.url));

const READY_WITHIN_MS = 20_000;
const LOGGED_WITHIN_MS = 20_000;
const POLL_MS = 10;
// Below the range from which systems assign ports, which an outgoing connection of another test could take between
// choosing a port and using it.
const PORTS = { from: 20_000, to: 32_000 };

// A file for each port that a test has taken, until its process ends.
const CLAIMS = join(tmpdir(), `gatewright-ports-${process.getuid?.() ?? ""}`);
mkdirSync(CLAIMS, { recursive: true });

const claimed = new Set();
process.on("exit", () => claimed.forEach((file) => rmSync(file, { force: true })));

const children = new Set();
process.on("exit", () => children.forEach((child) => child.kill("SIGKILL")));
for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));

/**
 * Starts a gateway and waits until it is ready.
 *
 * Options, all of them optional:
 * - `env`: worker variables that override the defaults; `undefined` removes one.
 * - `dataDir`: the folder of its state; by default a temporary one, which `stop()` deletes.
 * - `config`: a workerd configuration other than worker/workerd.capnp, and `constant`, which of several in it.
 * - `sockets`: names of further sockets in that configuration; `ports` has their ports.
 * - `assets`: the folder of the console's files, target/assets by default.
 * - `until`: a condition on the response of /ready; by default, that its status is 200.
 *
 * Returns `{ gateway, console, ports, secret, token, dataDir, pid(), admin(), dashboard(), log(), logged(), kill(),
 * restart(), stop() }`: the base URLs without a trailing slash, and the functions documented below.
 */
export async function start(options = {}) {
  const temporary = options.dataDir === undefined;
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "gatewright-"));
  for (const folder of ["registry", "kv"]) mkdirSync(join(dataDir, folder), { recursive: true });
  const names = ["gateway", "console", ...(options.sockets ?? [])];
  const ports = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await freePort()])));
  const hosts = (name) => `127.0.0.1:${ports[name]},localhost:${ports[name]}`;
  const env = {
    GATEWAY_SECRET: randomBytes(16).toString("hex"),
    DASHBOARD_TOKEN: randomBytes(16).toString("hex"),
    GATEWAY_HOST: names.filter((name) => name !== "console").map(hosts).join(","),
    CONSOLE_HOST: hosts("console"),
    LEDGER_SHARDS: "16",
    ...options.env,
  };
  const running = { child: undefined, log: "" };
  const run = () => launch(running, { ...options, ports, env, dataDir });
  await run();

  return {
    gateway: `http://127.0.0.1:${ports.gateway}`,
    console: `http://127.0.0.1:${ports.console}`,
    ports,
    secret: env.GATEWAY_SECRET,
    token: env.DASHBOARD_TOKEN,
    dashboardToken: env.DASHBOARD_TOKEN,
    dataDir,
    /** Returns the runtime's process id. */
    pid: () => running.child.pid,
    /** Returns what the runtime has logged so far. */
    log: () => running.log,
    /** Waits until that matches: what the runtime logs about a request may arrive after the response. */
    logged: (pattern) => logged(running, pattern),
    /** Calls the administration API with the secret; see `send` in http.mjs for the rest. */
    admin: (method, path, { headers, port = ports.gateway, ...rest } = {}) =>
      send(port, { method, path, headers: { "X-Gateway-Authorization": env.GATEWAY_SECRET, ...headers }, ...rest }),
    /** Calls the dashboard API with `token`, unless `headers` has another; see `send` for the rest. */
    dashboard: (method, path, { headers, port = ports.console, ...rest } = {}) =>
      send(port, { method, path, headers: { Authorization: `Bearer ${env.DASHBOARD_TOKEN}`, ...headers }, ...rest }),
    /** Ends the runtime and waits until it has exited; its state stays. */
    kill: (signal = "SIGKILL") => end(running, signal),
    /** Starts it again with the same state and ports. */
    restart: async () => {
      await end(running, "SIGKILL");
      await run();
    },
    /** Ends it, and deletes its state if that was temporary. */
    stop: async () => {
      await end(running, "SIGTERM");
      if (temporary) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

/** Returns the runtime's executable, not the script that may wrap it: signals have to reach it. */
function workerd() {
  if (process.env.GATEWRIGHT_WORKERD) return process.env.GATEWRIGHT_WORKERD;
  const folder = join(ROOT, "node_modules/@cloudflare");
  const programs = readdirSync(folder).map((name) => join(folder, name, "bin/workerd"));
  const found = programs.find((file) => existsSync(file));
  if (!found) throw new Error(`there is no workerd in ${folder}`);
  return found;
}

async function launch(running, { ports, env, dataDir, config, constant, assets, until }) {
  const files = assets ?? join(ROOT, "target/assets");
  mkdirSync(files, { recursive: true });
  const child = spawn(
    workerd(),
    [
      "serve",
      config ?? join(ROOT, "worker/workerd.capnp"),
      ...(constant ? [constant] : []),
      ...Object.entries(ports).map(([name, port]) => `--socket-addr=${name}=127.0.0.1:${port}`),
      `--directory-path=registry-disk=${join(dataDir, "registry")}`,
      `--directory-path=kv-disk=${join(dataDir, "kv")}`,
      `--directory-path=assets-disk=${files}`,
    ],
    // Only the named variables: one of the surrounding shell must not change a test.
    { env: { PATH: process.env.PATH, ...defined(env) }, stdio: ["ignore", "pipe", "pipe"] },
  );
  children.add(child);
  running.child = child;
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text) => (running.log += text));
  child.once("exit", () => children.delete(child));
  try {
    await ready(running, ports.gateway, until);
  } catch (error) {
    await end(running, "SIGKILL");
    throw error;
  }
}

const defined = (env) => Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));

async function ready(running, port, until = ({ status }) => status === 200) {
  const deadline = Date.now() + READY_WITHIN_MS;
  for (;;) {
    if (running.child.exitCode !== null) throw new Error(`workerd ended with ${running.child.exitCode}\n${running.log}`);
    // The connection is refused until it listens.
    const answer = await send(port, { path: "/ready" }).catch(() => undefined);
    if (answer && until(answer)) return;
    if (Date.now() > deadline) throw new Error(`not ready: ${answer?.text}\n${running.log}`);
    await new Promise((resume) => setTimeout(resume, POLL_MS));
  }
}

async function logged(running, pattern) {
  const deadline = Date.now() + LOGGED_WITHIN_MS;
  while (!pattern.test(running.log)) {
    if (Date.now() > deadline) throw new Error(`not logged: ${pattern}\n${running.log}`);
    await new Promise((resume) => setTimeout(resume, POLL_MS));
  }
}

async function end({ child }, signal) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  // After its exit, the last of its log may still be on the way.
  const gone = new Promise((resolve) => child.once("close", resolve));
  child.kill(signal);
  await gone;
}

async function freePort() {
  for (;;) {
    const port = PORTS.from + Math.floor(Math.random() * (PORTS.to - PORTS.from));
    if (claim(port) && (await isFree(port))) return port;
  }
}

/** Takes a port for this process, so that no other test chooses it before the runtime listens, or while it restarts. */
function claim(port) {
  const file = join(CLAIMS, String(port));
  try {
    writeFileSync(file, "", { flag: "wx" });
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    return false;
  }
  claimed.add(file);
  return true;
}

function isFree(port) {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
