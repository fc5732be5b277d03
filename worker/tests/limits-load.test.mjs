// Rates and quotas under load: never one admission too many, hardly one too few, and none too many across a crash
// either.
//
// Environment: LOAD_SECONDS is the duration of the load, 60 by default.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { load, ideal, maxInWindow } from "./load.mjs";
import { listen } from "./upstream.mjs";

const SECONDS = Number(process.env.LOAD_SECONDS ?? 60);
const CONNECTIONS = 64;
const KILLS = 2;
const WITHIN_MS = 20_000;

let gateway;
let upstream;
let definition;
before(async () => {
  upstream = await listen();
  gateway = await start();
  definition = api({ use_keyless: false }, { target_url: upstream.url });
  await publish(gateway, definition);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

const admin = (method, path, body, query) => gateway.admin(method, `/gateway/${path}`, { body, query });
const session = (limits) => ({ access_rights: { [definition.api_id]: {} }, ...limits });

async function make(limits) {
  const made = await admin("POST", "keys", session(limits));
  assert.equal(made.status, 200, made.text);
  return { ...limits, token: made.json.key, hash: made.json.key_hash };
}

/** Requests with these keys in turn, each key on a path of its own. */
const inTurn = (keys) => (number) => {
  const key = keys[number % keys.length];
  return { key, path: `${definition.proxy.listen_path}${key.hash}`, headers: { Authorization: key.token } };
};

const answersTo = (answers, key, status) => answers.filter((answer) => answer.key === key && (status === undefined || answer.status === status));

/**
 * Returns how many requests with this key the upstream has seen: all that were admitted, whether or not the client got
 * the response.
 */
const seen = (key) => upstream.seen.filter(({ url }) => url === `/${key.hash}`).length;

test(`${CONNECTIONS} connections with 10 keys for ${SECONDS} s: no limit is exceeded, and what is allowed is admitted`, async (context) => {
  const rates = [[20, 1], [50, 1], [5, 0.5], [100, 2], [200, 4]].map(([rate, per]) => ({ rate, per }));
  const quotas = [1, 50, 300].map((quota_max) => ({ quota_max, quota_renewal_rate: 3600 }));
  const both = [{ rate: 30, per: 1, quota_max: 45, quota_renewal_rate: 3600 }, { rate: 10, per: 2, quota_max: 100_000, quota_renewal_rate: 3600 }];
  const keys = await Promise.all([...rates, ...quotas, ...both].map(make));
  const answers = await load(gateway.ports.gateway, { connections: CONNECTIONS, ms: SECONDS * 1000, next: inTurn(keys) });
  for (const { status } of answers) assert.ok([200, 403, 429].includes(status), String(status));
  for (const key of keys) {
    const { rate, per, quota_max = Infinity } = key;
    const all = answersTo(answers, key);
    const admitted = answersTo(answers, key, 200);
    assert.equal(seen(key), admitted.length);
    const allowed = Math.min(quota_max, rate === undefined ? all.length : ideal(all, rate, per * 1000));
    context.diagnostic(`${JSON.stringify({ rate, per, quota_max: key.quota_max })}: ${all.length} sent, ${admitted.length} admitted of ${allowed}`);
    if (rate !== undefined) assert.ok(maxInWindow(admitted, per * 1000) <= rate, `${maxInWindow(admitted, per * 1000)} in a window of ${rate}`);
    assert.ok(admitted.length <= quota_max);
    if (rate === undefined) assert.equal(admitted.length, Math.min(quota_max, all.length));
    // Allows for what the last requests in flight could have used.
    assert.ok(admitted.length >= allowed * 0.99 - CONNECTIONS / keys.length, `${admitted.length} of ${allowed}`);
  }
  context.diagnostic(`${Math.round(answers.length / SECONDS)} requests a second`);
});

test("across crashes under load no quota or rate is exceeded, and no acknowledged write is lost", async (context) => {
  const quota = { quota_max: 400, quota_renewal_rate: 3600 };
  const rate = { rate: 20, per: 2 };
  const keys = await Promise.all([quota, quota, quota, rate, rate].map(make));
  const written = { made: new Map(), gone: new Set(), sure: new Set() };
  const answers = [];
  for (let kill = 0; kill <= KILLS; kill += 1) {
    let over = false;
    const next = (number) => (over ? undefined : inTurn(keys)(number));
    // The last round is over when every quota is used up.
    const open = new Set(keys.filter(({ quota_max }) => quota_max !== undefined));
    const onAnswer = ({ key, status }) => {
      if (kill === KILLS && status === 403) open.delete(key);
      over ||= open.size === 0;
    };
    const loaded = load(gateway.ports.gateway, { connections: CONNECTIONS, ms: WITHIN_MS, next, onAnswer });
    loaded.then(() => (over = true));
    const writing = write(written, () => over);
    if (kill < KILLS) {
      // Midway: once this many requests have been forwarded and something was written.
      const middle = upstream.seen.length + 60 * (kill + 1);
      const keysBefore = written.made.size;
      while ((upstream.seen.length < middle || written.made.size === keysBefore) && !over) await new Promise(setImmediate);
      assert.equal(over, false, "there was nothing to crash");
      await gateway.kill();
      over = true;
    }
    answers.push(...(await loaded));
    await writing;
    if (kill < KILLS) await gateway.restart();
  }
  for (const key of keys) {
    const { quota_max = Infinity, rate: limit = Infinity, per = 0 } = key;
    const total = seen(key);
    context.diagnostic(`${JSON.stringify({ quota_max: key.quota_max, rate: key.rate, per: key.per })}: ${total} forwarded`);
    assert.ok(total <= quota_max, `${total} of ${quota_max}`);
    // A crash may lose a hundredth of a quota, plus the requests in flight.
    if (per === 0) assert.ok(total >= quota_max * (1 - KILLS / 100) - KILLS * CONNECTIONS, `${total} of ${quota_max}`);
    if (per > 0) assert.ok(maxInWindow(answersTo(answers, key, 200), per * 1000) <= limit);
  }
  context.diagnostic(`${written.made.size} keys written, ${written.gone.size} of them removed`);
  assert.ok(written.made.size > 0);
  for (const [hash, alias] of written.made) {
    const read = await admin("GET", `keys/${hash}`);
    // A deletion that was never acknowledged may have happened.
    if (written.gone.has(hash)) assert.ok([404, ...(written.sure.has(hash) ? [] : [200])].includes(read.status), hash);
    else assert.deepEqual([read.status, read.json.alias], [200, alias]);
  }
});

/** Creates keys, changes every second of them and deletes every third, and records what was acknowledged. */
async function write(written, over) {
  const done = (answer) => answer?.status === 200;
  for (let number = 0; !over(); number += 1) {
    const made = await admin("POST", "keys", session({ alias: "made" })).catch(() => undefined);
    if (!done(made)) return;
    const { key_hash: hash } = made.json;
    written.made.set(hash, "made");
    if (number % 2 === 0) {
      const put = await admin("PUT", `keys/${hash}`, session({ alias: "changed" })).catch(() => undefined);
      // An unacknowledged write may have happened or not.
      if (!done(put)) {
        written.made.delete(hash);
        return;
      }
      written.made.set(hash, "changed");
    }
    if (number % 3 === 0) {
      written.gone.add(hash);
      const gone = await admin("DELETE", `keys/${hash}`).catch(() => undefined);
      if (!done(gone)) return;
      written.sure.add(hash);
    }
  }
}
