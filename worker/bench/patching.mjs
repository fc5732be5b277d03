// Load of merge patches: what each connection sends, what must be stored in the end, and the rounds.

import assert from "node:assert/strict";
import { Agent, request } from "node:http";
import { median } from "./load.mjs";

export const CONNECTIONS = 16;

const mapping = (n) => `api-${String(n).padStart(4, "0")}`;

/** A client identity provider with `count` mappings: each connection gets at least one scope. */
export function provider(count) {
  const scopes = Math.max(3, Math.ceil(CONNECTIONS / count));
  const entry = (n) => Object.fromEntries(Array.from({ length: scopes }, (_, at) => [`scope-${at}`, `policy-${n}-${at}`]));
  const mappings = Array.from({ length: count }, (_, n) => [mapping(n), { scope_to_policy: entry(n) }]);
  return {
    name: "Example login",
    client_idp_id: `login-${count}`,
    issuer: "https://login.example/",
    jwks_uri: "https://login.example/.well-known/jwks.json",
    scope_claim_name: "scope",
    api_mappings: Object.fromEntries(mappings),
  };
}

/**
 * One document under load on one service: each connection cycles through scopes of its own, so that the last value of
 * each is known. `side` has `patch(document)`, which returns `{url, headers, wrap}`.
 */
export class Patching {
  #lanes;
  #target;
  #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

  constructor(side, document) {
    this.expected = structuredClone(document.api_mappings);
    this.acknowledged = 0;
    this.#target = side.patch(document);
    const slots = Object.entries(document.api_mappings).flatMap(([api, { scope_to_policy: scopes }]) =>
      Object.keys(scopes).map((scope) => ({ api, scope })));
    this.#lanes = Array.from({ length: CONNECTIONS }, (_, lane) => ({
      slots: slots.filter((_, at) => at % CONNECTIONS === lane),
      sent: 0,
    }));
  }

  /** Applies load for this many seconds: `{rate, p50, p99}`. */
  async run(seconds) {
    const took = [];
    const start = performance.now();
    const until = start + seconds * 1000;
    await Promise.all(this.#lanes.map(async (lane) => {
      while (performance.now() < until) {
        const began = performance.now();
        await this.#send(lane);
        took.push(performance.now() - began);
      }
    }));
    const rate = took.length / ((performance.now() - start) / 1000);
    took.sort((a, b) => a - b);
    return { rate, p50: took[took.length >> 1], p99: took[Math.floor(took.length * 0.99)] };
  }

  close() {
    this.#agent.destroy();
  }

  async #send(lane) {
    const { api, scope } = lane.slots[lane.sent % lane.slots.length];
    const value = `policy-${lane.sent++}`;
    const patch = { [api]: { scope_to_policy: { [scope]: value } } };
    const { url, headers, wrap } = this.#target;
    const { status, text } = await send(this.#agent, "PATCH", url, headers, wrap(patch));
    if (status !== 200) throw new Error(`PATCH ${url}: ${status} ${text}`);
    this.acknowledged += 1;
    this.expected[api].scope_to_policy[scope] = value;
  }
}

/** Makes a call with a JSON body: `{status, headers, text}`. */
export function send(agent, method, url, headers, body) {
  const text = body === undefined ? undefined : JSON.stringify(body);
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  const length = text === undefined ? {} : { "content-type": type, "content-length": Buffer.byteLength(text) };
  return new Promise((done, failed) => {
    const sent = request(url, { agent, method, headers: { ...headers, ...length } }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", failed);
      response.on("end", () => {
        done({ status: response.statusCode, headers: response.headers, text: Buffer.concat(chunks).toString() });
      });
    });
    sent.on("error", failed);
    sent.end(text);
  });
}

/**
 * Puts load on all sides in turns, in rotating order; the first turn of each only warms up. Returns the figures of each
 * side for each round.
 */
export async function inRounds(patchings, { rounds, seconds }) {
  for (const patching of patchings) await patching.run(Math.min(2, seconds));
  const found = patchings.map(() => []);
  for (let round = 0; round < rounds; round++) {
    for (let at = 0; at < patchings.length; at++) {
      const side = (at + round) % patchings.length;
      found[side].push(await patchings[side].run(seconds));
    }
  }
  return found;
}

/** Compares two sides, in the form that `against` in report.mjs expects. */
export function compared(ours, others) {
  const middle = (runs) => ({
    rate: median(runs.map(({ rate }) => rate)),
    p50: median(runs.map(({ p50 }) => p50)),
    p99: median(runs.map(({ p99 }) => p99)),
  });
  // Of neighbouring rounds, as in load.mjs.
  return { a: middle(ours), b: middle(others), ratio: median(ours.map(({ rate }, round) => rate / others[round].rate)) };
}

/** Throws if a service hasn't stored what it acknowledged to its connections. */
export function checkDocument(stored, patching) {
  assert.deepEqual(stored.api_mappings, patching.expected);
}
