// Load and timing: wrk for throughput, an HTTP client for whatever is timed individually.

import { spawn, spawnSync } from "node:child_process";
import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
import { SECRET, cpuMs } from "./services.mjs";

export const CONNECTIONS = 32;
const WRK = process.env.WRK || "wrk";
const script = (name) => fileURLToPath(new URL(name, import.meta.url));
const PATHS = script("paths.lua");
const KEYS = script("keys.lua");
const TOKENS = script("tokens.lua");
const POST = script("post.lua");

/** Exits with a clear message if wrk is not installed. */
export function requireWrk() {
  if (spawnSync(WRK, ["--version"]).error) {
    throw new Error("`wrk` is not installed: install it (Debian: `sudo apt-get install wrk`) or name it in WRK");
  }
}

export function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/**
 * Puts load on two sides in turns (A B, then B A, and so on), so that whatever else the machine does affects both, and
 * returns the median of each. A side is `{service, url, headers, paths, tokens, body}`; with `paths`, the load is
 * spread over that many APIs; `tokens` and `body` name files with what to send.
 */
export async function compare(a, b, pace) {
  const [found] = await compareAll([[a, b]], pace);
  return found;
}

/** Does the same for several pairs, each of which gets its turn in every round: a bad minute affects few rounds of each. */
export async function compareAll(pairs, { rounds, seconds }) {
  const found = pairs.map(() => [[], []]);
  for (const side of new Set(pairs.flat())) await wrk(side, Math.min(2, seconds));
  for (let round = 0; round < rounds; round++) {
    for (const [at, sides] of pairs.entries()) {
      for (const index of round % 2 ? [1, 0] : [0, 1]) found[at][index].push(await loaded(sides[index], seconds));
    }
  }
  return found.map(summary);
}

/** Returns the medians of the runs of two sides, and of the ratios of their rates and CPU times. */
function summary(found) {
  const of = (runs, name) => median(runs.map((run) => run[name]));
  const [first, second] = found.map((runs) => ({
    rate: of(runs, "rate"),
    p50: of(runs, "p50"),
    p99: of(runs, "p99"),
    cpu: of(runs, "cpu"),
  }));
  // Of neighbouring runs: a machine that slows down for a minute does not shift it.
  const ratioOf = (name) => median(found[0].map((run, round) => run[name] / found[1][round][name]));
  return { a: first, b: second, ratio: ratioOf("rate"), cpuRatio: ratioOf("cpu") };
}

/** Creates keys over this many connections for some rounds, and returns the median of each figure. */
export async function createKeys(service, connections, { rounds, seconds }) {
  const side = { service, url: `${service.url}/gateway/keys`, headers: { "X-Gateway-Authorization": SECRET }, script: KEYS, connections };
  await wrk(side, Math.min(2, seconds));
  const runs = [];
  for (let round = 0; round < rounds; round++) runs.push(await loaded(side, seconds));
  const of = (name) => median(runs.map((run) => run[name]));
  return { rate: of("rate"), p50: of("p50"), p99: of("p99"), cpu: of("cpu"), best: Math.max(...runs.map(({ rate }) => rate)) };
}

/** Does one run, and adds the CPU time per request of all processes of the side, in microseconds. */
async function loaded(side, seconds) {
  const before = cpuMs(side.service);
  const run = await wrk(side, seconds);
  return { ...run, cpu: ((cpuMs(side.service) - before) * 1000) / run.requests };
}

function wrk(side, seconds) {
  const args = ["-t1", `-c${side.connections ?? CONNECTIONS}`, `-d${seconds}s`, "--latency"];
  for (const [name, value] of Object.entries(side.headers ?? {})) args.push("-H", `${name}: ${value}`);
  const lua = side.script ?? (side.paths && PATHS) ?? (side.tokens && TOKENS) ?? (side.body && POST);
  if (lua) args.push("-s", lua);
  args.push(side.url);
  const parameter = side.paths ?? side.tokens ?? side.body;
  if (parameter) args.push("--", String(parameter));
  return new Promise((done, failed) => {
    const child = spawn(WRK, args, { stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    child.stdout.on("data", (chunk) => (text += chunk));
    child.on("error", failed);
    child.on("close", () => {
      try {
        done(read(text, side.url));
      } catch (error) {
        failed(error);
      }
    });
  });
}

const UNIT_MS = { us: 0.001, ms: 1, s: 1000 };

function read(text, url) {
  const wrong = /Non-2xx.*|Socket errors.*/.exec(text);
  if (wrong) throw new Error(`wrk on ${url}: ${wrong[0]}`);
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]);
  const requests = Number(/(\d+) requests in/.exec(text)?.[1]);
  const percentile = (name) => {
    const [, value, unit] = new RegExp(`^\\s+${name}%\\s+([\\d.]+)(us|ms|s)`, "m").exec(text) ?? [];
    return Number(value) * UNIT_MS[unit];
  };
  if (!(rate > 0)) throw new Error(`wrk on ${url} measured nothing:\n${text}`);
  return { rate, requests, p50: percentile(50), p99: percentile(99) };
}

/** Creates a client that keeps at most this many connections open. */
export function client(connections) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  return {
    /** Returns `{status, text}`; any status other than 200 is an error. */
    async call(method, url, body = undefined) {
      const answer = await send(agent, method, url, body);
      if (answer.status !== 200) throw new Error(`${method} ${url}: ${answer.status} ${answer.text}`);
      return answer;
    },
    close: () => agent.destroy(),
  };
}

function send(agent, method, url, body) {
  const headers = { "x-gateway-authorization": SECRET };
  if (body !== undefined) headers["content-length"] = Buffer.byteLength(body);
  return new Promise((done, failed) => {
    const sent = request(url, { agent, method, headers }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", failed);
      response.on("end", () => done({ status: response.statusCode, text: Buffer.concat(chunks).toString() }));
    });
    sent.on("error", failed);
    sent.end(body);
  });
}

/** Runs `task(0)`, … `task(count - 1)`, at most `width` of them at a time. */
export async function inParallel(count, width, task) {
  let next = 0;
  const lane = async () => {
    while (next < count) await task(next++);
  };
  await Promise.all(Array.from({ length: Math.min(width, count) }, lane));
}

/** Returns the milliseconds that `work` takes. */
export async function timed(work) {
  const start = performance.now();
  await work();
  return performance.now() - start;
}
