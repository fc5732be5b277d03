// Many keys: created, listed, searched, read, used and deleted, while watching the runtime's memory.
//
// Environment: KEYS_MANY is their number, 2,000 by default.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import http from "node:http";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { ask, now } from "./load.mjs";
import { listen } from "./upstream.mjs";

const KEYS = Number(process.env.KEYS_MANY ?? 2000);
/** How many of them are read, used and deleted. */
const SAMPLE = Math.min(KEYS, 500);
const CONNECTIONS = 32;
/** How much memory idle keys may add to the runtime, in MiB, however many there are: the limit of two isolates. */
const MEMORY_MIB = 256;
/**
 * How much a key in use may add, in MiB: the runtime keeps its Ledger's database open until that has been idle for 10
 * s.
 */
const IN_USE_MIB = 0.75;

let gateway;
let upstream;
let definition;
let agent;
before(async () => {
  [gateway, upstream] = await Promise.all([start(), listen()]);
  definition = api({ use_keyless: false }, { target_url: upstream.url });
  await publish(gateway, definition);
  agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS });
});
after(() => {
  agent.destroy();
  return Promise.all([gateway.stop(), upstream.close()]);
});

/** Returns the runtime's resident memory in MiB. */
const memory = () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${gateway.pid()}/status`, "utf8"))[1]) / 1024;

async function admin(method, path, body) {
  const headers = { "X-Gateway-Authorization": gateway.secret, "Content-Type": "application/json" };
  const text = body === undefined ? undefined : JSON.stringify(body);
  const answer = await ask(gateway.ports.gateway, agent, { method, path: `/gateway/${path}`, headers, body: text });
  assert.equal(answer.status, 200, `${method} ${path}: ${answer.status} ${answer.text}`);
  return { ...JSON.parse(answer.text), ms: answer.done - answer.sent };
}

/** Runs `work` for each number, over all connections; returns the results and prints how long it took. */
async function each(context, what, count, work) {
  const results = [];
  const begin = now();
  const tenths = [];
  let number = 0;
  let done = 0;
  const worker = async () => {
    while (number < count) {
      const mine = number;
      number += 1;
      results[mine] = await work(mine);
      done += 1;
      if (done % Math.ceil(count / 10) === 0) tenths.push({ at: now(), mib: Math.round(memory()) });
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  const seconds = (now() - begin) / 1000;
  const share = tenths.map(({ at, mib }, index) => `${Math.round(at - (tenths[index - 1]?.at ?? begin))}/${mib}`);
  context.diagnostic(`${what}: ${Math.round(count / seconds)} a second; tenths in ms/MiB: ${share.join(" ")}`);
  return results;
}

const alias = (number) => `key number ${String(number).padStart(7, "0")}`;

async function timed(context, what, run) {
  const begin = now();
  const answer = await run();
  context.diagnostic(`${what}: ${(now() - begin).toFixed(1)} ms`);
  return answer;
}

test(`${KEYS} keys are created, found, used and removed`, async (context) => {
  const before = memory();
  context.diagnostic(`memory before: ${Math.round(before)} MiB`);
  const made = await each(context, "made", KEYS, (number) =>
    admin("POST", "keys", {
      alias: alias(number),
      tags: [`tag-${number % 10}`],
      access_rights: { [definition.api_id]: { api_id: definition.api_id } },
      quota_max: 5,
      quota_renewal_rate: 3600,
    }),
  );
  assert.equal(new Set(made.map(({ key_hash }) => key_hash)).size, KEYS);

  const page = (query) => timed(context, query, () => admin("GET", `keys?view=summary&${query}`));
  const last = Math.ceil(KEYS / 50);
  const first = await page("sort=alias&p=1");
  assert.deepEqual([first.total, first.pages, first.keys[0].alias], [KEYS, last, alias(0)]);
  const end = await page(`sort=alias&p=${last}`);
  assert.equal(end.keys.at(-1).alias, alias(KEYS - 1));
  for (const sort of ["created_at", "-updated_at", "expires"]) assert.equal((await page(`sort=${sort}&p=${last}`)).total, KEYS);
  const some = Math.floor(KEYS / 3);
  const found = await page(`q=${encodeURIComponent(alias(some))}`);
  assert.deepEqual([found.total, found.keys[0].key_hash], [1, made[some].key_hash]);
  assert.equal((await page("tag=tag-7")).total, Math.floor((KEYS - 8) / 10) + 1);
  assert.equal((await page(`api_id=${definition.api_id}&state=active`)).total, KEYS);
  assert.equal((await page(`filter=${made[some].key_hash.slice(0, 16)}`)).total, 1);
  const grown = memory() - before;
  context.diagnostic(`memory has grown by ${Math.round(grown)} MiB`);
  assert.ok(grown < MEMORY_MIB, `${grown} MiB`);
  const plain = await timed(context, "the plain list", () => admin("GET", "keys"));
  assert.equal(plain.keys.length, KEYS);

  await each(context, "read", SAMPLE, async (number) => {
    const read = await admin("GET", `keys/${made[number].key_hash}`);
    assert.equal(read.alias, alias(number));
  });
  await each(context, "used", SAMPLE, async (number) => {
    const headers = { Authorization: made[number].key };
    const answer = await ask(gateway.ports.gateway, agent, { path: `${definition.proxy.listen_path}x`, headers });
    assert.deepEqual([answer.status, answer.headers["x-ratelimit-remaining"]], [200, "4"]);
  });
  await each(context, "removed", SAMPLE, (number) => admin("DELETE", `keys/${made[number].key_hash}?hashed=1`));
  assert.equal((await page("q=key")).total, KEYS - SAMPLE);
  assert.equal((await admin("GET", "keys")).keys.length, KEYS - SAMPLE);
  const used = memory() - before;
  context.diagnostic(`memory has grown by ${Math.round(used)} MiB with ${SAMPLE} keys in use`);
  assert.ok(used < MEMORY_MIB + SAMPLE * IN_USE_MIB, `${used} MiB`);
});
