// The processes of a run: each a workerd on a free port of the loopback interface.

import { execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import workerd from "workerd";

export const ROOT = resolve(fileURLToPath(import.meta.url), "../../..");
export const SECRET = randomBytes(16).toString("hex");

const WORKERD = process.env.GATEWRIGHT_WORKERD || workerd.default || workerd;
const STARTS_WITHIN_MS = 20_000;

const running = new Set();
let scratch;

/** A new folder, gone after the run. */
export function folder(name) {
  scratch ??= mkdtempSync(join(tmpdir(), "gatewright-bench-"));
  const path = join(scratch, name);
  mkdirSync(path, { recursive: true });
  return path;
}

/** Ends what was started and removes what was written. */
export function stopAll() {
  for (const service of running) service.child.kill("SIGKILL");
  running.clear();
  if (scratch) rmSync(scratch, { recursive: true, force: true });
  scratch = undefined;
}

export async function startUpstream() {
  return start("upstream", ["worker/bench/baselines.capnp", "upstream"]);
}

export async function startBare(upstream) {
  return start("bare worker", ["worker/bench/baselines.capnp", "bare"], { TARGET: upstream.url });
}

export async function startHono() {
  const options = [`--directory-path=disk=${folder("hono")}`];
  return start("Hono worker", ["worker/bench/baselines.capnp", "hono", ...options], { GATEWAY_SECRET: SECRET });
}

/** The gateway as `cargo xtask serve` runs it, with its state in `data`. */
export async function startGateway(data) {
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
  };
  return start("gateway", ["worker/workerd.capnp", ...options], environment, "gateway", port);
}

async function start(name, words, environment = {}, socket = "http", port = undefined) {
  port ??= await freePort();
  const child = spawn(WORKERD, ["serve", ...words, `--socket-addr=${socket}=127.0.0.1:${port}`], {
    cwd: ROOT,
    env: environment,
    stdio: ["ignore", "ignore", "pipe"],
  });
  const service = { name, port, child, url: `http://127.0.0.1:${port}`, said: "" };
  child.stderr.on("data", (text) => (service.said = (service.said + text).slice(-4000)));
  child.on("exit", () => running.delete(service));
  running.add(service);
  await answers(service);
  return service;
}

/** Ends one service and waits until it is gone. */
export async function stop(service) {
  if (service.child.exitCode !== null) return;
  const gone = new Promise((done) => service.child.once("exit", done));
  service.child.kill("SIGTERM");
  await gone;
}

async function answers(service) {
  const until = Date.now() + STARTS_WITHIN_MS;
  while (Date.now() < until) {
    if (service.child.exitCode !== null) break;
    try {
      await (await fetch(`${service.url}/ready`)).arrayBuffer();
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

/** The resident memory of a service's process, in MiB (`ps` counts in KiB). */
export function residentMb(service) {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(service.child.pid)], { encoding: "utf8" })) / 1024;
}
