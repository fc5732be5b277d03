// Keys that several isolates serve at once: limits are exact, revocation is complete once it is answered, and hardly
// any request calls the object that counts.
//
// Environment: LOAD_SECONDS is the duration of each load, 4 by default.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { join } from "node:path";
import { api, publish } from "./definitions.mjs";
import { ROOT, start } from "./harness.mjs";
import { load, maxInWindow, now } from "./load.mjs";
import { listen } from "./upstream.mjs";

const CONNECTIONS = 16;
const SECONDS = Number(process.env.LOAD_SECONDS ?? 4);
const ELSEWHERE = ["east", "west"];
const ISOLATES = ["gateway", ...ELSEWHERE];
const REPORT_SECONDS = 1;

let gateway;
let upstream;
let definition;
before(async () => {
  upstream = await listen();
  gateway = await start({
    config: join(ROOT, "worker/tests/leases.capnp"),
    sockets: ELSEWHERE,
    env: { FIGURES_REPORT_SECONDS: String(REPORT_SECONDS) },
  });
  definition = api({ use_keyless: false }, { target_url: upstream.url });
  await publish(gateway, definition);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

const admin = (method, path, body) => gateway.admin(method, `/gateway/${path}`, { body });
const session = (limits) => ({ access_rights: { [definition.api_id]: {} }, ...limits });

async function make(limits) {
  const made = await admin("POST", "keys", session(limits));
  assert.equal(made.status, 200, made.text);
  return { token: made.json.key, hash: made.json.key_hash };
}

const request = (key) => ({ key, path: `${definition.proxy.listen_path}${key.hash}`, headers: { Authorization: key.token } });
/** Applies load with this key in all isolates, or in the given ones. */
async function loadFrom(key, { isolates = ISOLATES, ms = SECONDS * 1000, while: continues = () => true } = {}) {
  const next = () => (continues() ? request(key) : undefined);
  const loads = isolates.map((name) => load(gateway.ports[name], { connections: CONNECTIONS, ms, next }));
  return (await Promise.all(loads)).flat();
}
const seen = (key) => upstream.seen.filter(({ url }) => url === `/${key.hash}`).length;
const count = (answers, status) => answers.filter((answer) => answer.status === status).length;

async function figures() {
  const { json } = await gateway.admin("GET", "/gateway/health/figures", { query: { api_id: definition.api_id } });
  return json.totals ?? json.sums ?? json;
}

test("no quota or rate is exceeded, whichever isolate serves", async (context) => {
  const quota = await make({ quota_max: 5000, quota_renewal_rate: 3600 });
  const slow = await make({ rate: 100, per: 1 });
  const fast = await make({ rate: 1000, per: 1 });
  for (const [key, rate] of [[slow, 100], [fast, 1000]]) {
    const answers = await loadFrom(key);
    const admitted = answers.filter(({ status }) => status === 200);
    for (const { status } of answers) assert.ok([200, 429].includes(status), String(status));
    assert.equal(seen(key), admitted.length);
    const largest = maxInWindow(admitted, 1000);
    context.diagnostic(`rate ${rate}: ${answers.length} sent, ${admitted.length} admitted, ${largest} in a window`);
    assert.ok(largest <= rate, `${largest} in a window of ${rate}`);
    // A machine that is busy with something else sends less when a window is nearly full.
    assert.ok(admitted.length >= Math.min(answers.length, rate * SECONDS) * 0.75);
  }
  let refused = 0;
  const answers = await loadFrom(quota, { ms: 60_000, while: () => refused < CONNECTIONS * ISOLATES.length && ((refused = seen(quota) >= 4990 ? refused + 1 : 0), true) });
  context.diagnostic(`quota 5000: ${answers.length} sent, ${seen(quota)} admitted`);
  assert.ok(seen(quota) <= 5000, String(seen(quota)));
  assert.equal(count(answers, 200), seen(quota));
});

test("requests of a busy key rarely cause a call", async (context) => {
  const key = await make({ rate: 1_000_000, per: 1, quota_max: 1_000_000_000, quota_renewal_rate: 3600 });
  const before = await figures();
  const answers = await loadFrom(key, { isolates: ELSEWHERE });
  assert.equal(count(answers, 200), answers.length);
  let sums;
  const deadline = now() + 20_000;
  do sums = await figures();
  while (sums.requests - before.requests < answers.length && now() < deadline);
  const calls = sums.ledger_calls - before.ledger_calls;
  const leased = sums.leased_counts - before.leased_counts;
  const leases = sums.leases - before.leases;
  context.diagnostic(`${answers.length} requests, ${calls} calls, ${leased} by ${leases} leases`);
  // A call is answered with one lease at most.
  assert.ok(leases > 0 && leases <= calls, `${leases} leases by ${calls} calls`);
  assert.ok(leased > answers.length / 2, `${leased} of ${answers.length} by leases`);
  assert.ok(calls < answers.length * 0.25, `${calls} calls for ${answers.length} requests`);
});

test("a revoked or changed key is refused everywhere once the write is acknowledged", async () => {
  for (const [status, revoke] of [
    [403, (key) => admin("DELETE", `keys/${key.hash}`)],
    [403, (key) => admin("PUT", `keys/${key.hash}`, session({ is_inactive: true }))],
    [429, (key) => admin("PUT", `keys/${key.hash}`, session({ rate: 1, per: 3600 }))],
  ]) {
    for (const limits of [{}, { rate: 100_000, per: 1 }]) {
      const key = await make(limits);
      let revoked = Infinity;
      const loading = loadFrom(key, { ms: 20_000, while: () => now() < revoked + 300 });
      while (seen(key) < 500) await new Promise(setImmediate);
      const answer = await revoke(key);
      revoked = now();
      assert.equal(answer.status, 200, answer.text);
      const answers = await loading;
      const later = answers.filter(({ sent }) => sent > revoked);
      assert.ok(later.length > 0);
      // One request of the new rate is admitted.
      const admitted = count(later, 200);
      assert.ok(admitted <= Number(status === 429), `${admitted} of ${later.length} after the answer`);
      assert.equal(count(later, status) + admitted, later.length);
    }
  }
});

test("no quota is exceeded across a crash", async (context) => {
  const key = await make({ quota_max: 20_000, quota_renewal_rate: 3600 });
  for (let kill = 0; kill < 2; kill += 1) {
    let over = false;
    const loading = loadFrom(key, { ms: 30_000, while: () => !over });
    const middle = seen(key) + 2000;
    while (seen(key) < middle) await new Promise(setImmediate);
    await gateway.kill();
    over = true;
    await loading;
    await gateway.restart();
  }
  let over = false;
  const answers = loadFrom(key, { ms: 60_000, while: () => !over });
  while (seen(key) < 19_000) await new Promise(setImmediate);
  over = true;
  await answers;
  const rest = await loadFrom(key, { ms: 5000 });
  context.diagnostic(`${seen(key)} of 20000, ${count(rest, 403)} refused at the end`);
  assert.ok(count(rest, 403) > 0);
  assert.ok(seen(key) <= 20_000, String(seen(key)));
});
