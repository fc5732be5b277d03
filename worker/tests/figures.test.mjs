// What is counted about requests: on the short path, on the long one and in batches; added up over isolates by the
// Meter, kept across a restart, and returned in the shape of reference 1.1 and to the console.

import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { keyring, rights } from "./keyring.mjs";
import { listen } from "./upstream.mjs";

const WITHIN_MS = 15_000;
const POLL_MS = 50;

let gateway;
let upstream;
before(async () => {
  const slow = (request, response) => setTimeout(() => response.end("slow"), 60);
  [gateway, upstream] = await Promise.all([start({ env: { FIGURES_REPORT_SECONDS: "1" } }), listen({ "/slow": slow })]);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

const { issue, call, statuses, admin } = keyring(() => gateway);

/** A published API. */
async function served(members = {}) {
  const definition = api(members, { target_url: upstream.url });
  await publish(gateway, definition);
  return definition;
}

const figures = async (query) => {
  const answer = await admin("GET", "health/figures", undefined, query);
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
};
const sums = async ({ api_id }) => (await figures({ api_id, window: "15m" })).totals;

/** Returns an API's counts without its latencies. */
async function counts(definition) {
  const { average_ms: _average, p95_ms: _p95, ledger_calls: _calls, direct_counts: _direct, leased_counts: _leased, leases: _leases, cache_hits: _hits, cache_misses: _misses, ...counts } = await sums(definition);
  return counts;
}
const NONE = { requests: 0, errors: 0, key_failures: 0, rate_limited: 0, quota_exceeded: 0, refused: 0 };

test("requests are counted exactly once, by outcome, on every path", async () => {
  const open = await served();
  assert.deepEqual(await counts(open), NONE);
  assert.deepEqual(await statuses(undefined, open, 5), [200, 200, 200, 200, 200]);
  assert.deepEqual(await statuses(undefined, open, 2, { rest: "503" }), [503, 503]);
  assert.equal((await call(undefined, open, { rest: "reset" })).status, 500);
  assert.deepEqual(await counts(open), { ...NONE, requests: 8, errors: 3 });

  // With only its own headers, the short path; with a parameter, the long one.
  for (const members of [{}, { auth: { auth_header_name: "Authorization", use_param: true } }]) {
    const guarded = await served({ use_keyless: false, ...members });
    const rated = await issue({ rate: 2, per: 3600, access_rights: rights(guarded) });
    const quota = await issue({ quota_max: 3, quota_renewal_rate: 3600, access_rights: rights(guarded) });
    assert.deepEqual(await statuses(rated.key, guarded, 4), [200, 200, 429, 429]);
    assert.deepEqual(await statuses(quota.key, guarded, 4), [200, 200, 200, 403]);
    assert.deepEqual(await statuses("nonsense", guarded, 2), [403, 403]);
    assert.equal((await call(undefined, guarded)).status, 401);
    assert.equal((await call(rated.key, guarded, { rest: "reset" })).status, 429);
    const expected = { ...NONE, requests: 12, key_failures: 3, rate_limited: 3, quota_exceeded: 1 };
    assert.deepEqual(await counts(guarded), expected, JSON.stringify(members));
    const { ledger_calls, direct_counts } = await sums(guarded);
    assert.ok(ledger_calls >= 2, `${ledger_calls} calls of two keys' Ledgers`);
    assert.equal(ledger_calls + direct_counts, 9, "each request with a valid key counts once at its Ledger");
  }
});

test("batch items are counted as separate requests", async () => {
  const batched = await served({ enable_batch_request_support: true });
  const item = (relative_url) => ({ method: "GET", headers: {}, body: "", relative_url });
  const body = { requests: [item("a"), item("503"), item("reset")] };
  const answer = await call(undefined, batched, { rest: "gateway/batch/", method: "POST", body });
  assert.deepEqual(answer.json.map(({ code }) => code), [200, 503, 500]);
  assert.deepEqual(await counts(batched), { ...NONE, requests: 3, errors: 2 });
});

test("latencies are those of the upstream", async () => {
  const open = await served();
  await statuses(undefined, open, 3, { rest: "slow" });
  const { average_ms: average, p95_ms: p95 } = await sums(open);
  // Node's timers may fire a millisecond early.
  assert.ok(average >= 59, `${average}`);
  assert.ok(p95 > 50, `${p95}`);
});

test("cache hits are counted separately, and not in upstream latencies", async () => {
  const cached = await served({ cache_options: { enable_cache: true, cache_all_safe_requests: true } });
  const cache = async () => {
    const { requests, errors, cache_hits: hits, cache_misses: misses } = await sums(cached);
    return { requests, errors, hits, misses };
  };
  assert.deepEqual(await cache(), { requests: 0, errors: 0, hits: 0, misses: 0 });
  assert.deepEqual(await statuses(undefined, cached, 5, { rest: "slow" }), [200, 200, 200, 200, 200]);
  assert.deepEqual(await cache(), { requests: 5, errors: 0, hits: 4, misses: 1 });
  assert.ok((await sums(cached)).average_ms >= 59, "the upstream's only response");
  // Requests that the cache doesn't apply to are neither hits nor misses.
  await statuses(undefined, cached, 2, { rest: "slow", method: "POST" });
  assert.deepEqual(await cache(), { requests: 7, errors: 0, hits: 4, misses: 1 });
  // An unreachable upstream was called, so it is a miss; afterwards, the cached response is used again.
  await statuses(undefined, cached, 2, { rest: "reset" });
  assert.deepEqual(await cache(), { requests: 9, errors: 2, hits: 4, misses: 3 });
  const headers = { "cache-control": "no-cache" };
  await statuses(undefined, cached, 1, { rest: "slow", headers });
  assert.deepEqual(await cache(), { requests: 10, errors: 2, hits: 4, misses: 4 });
});

test("every window has its points, and they add up to its totals", async () => {
  const open = await served();
  const before = Math.floor(Date.now() / 1000);
  await statuses(undefined, open, 9);
  for (const [window, step, points] of [["15m", 30, 30], ["1h", 60, 60], ["24h", 1800, 48], ["7d", 10_800, 56]]) {
    const { series, totals, step_seconds: seconds } = await figures({ api_id: open.api_id, window });
    assert.deepEqual([seconds, series.length, totals.requests], [step, points, 9], window);
    const busy = series.filter(({ sums }) => sums.requests > 0);
    const sum = busy.reduce((sum, { sums }) => sum + sums.requests, 0);
    assert.equal(sum, 9, window);
    // The last point, or the one before if the clock has moved on.
    for (const { at } of busy) assert.ok(at % step === 0 && at > before - step, `${window} ${at}`);
  }
});

test("an API's health has the figures of the last minute", async () => {
  const open = await served();
  await statuses(undefined, open, 30);
  const answer = await admin("GET", "health", undefined, { api_id: open.api_id });
  assert.equal(answer.status, 200);
  assert.deepEqual(Object.keys(answer.json), [
    "throttle_reqests_per_second",
    "quota_violations_per_second",
    "key_failures_per_second",
    "average_upstream_latency",
    "average_requests_per_second",
  ]);
  assert.equal(answer.json.average_requests_per_second, 0.5);
  for (const [query, status, message] of [
    [{}, 400, "missing api_id parameter"],
    [{ api_id: "nothing" }, 404, "API ID not found"],
  ]) {
    const { status: got, json } = await admin("GET", "health", undefined, query);
    assert.deepEqual([got, json.message], [status, message]);
  }
});

test("a key close to its limit is listed until it is updated", async () => {
  const guarded = await served({ use_keyless: false });
  const session = { alias: "almost", quota_max: 10, quota_renewal_rate: 3600, access_rights: rights(guarded) };
  const made = await issue(session);
  const close = async () => (await figures({ api_id: guarded.api_id })).close;
  await statuses(made.key, guarded, 7);
  assert.deepEqual(await close(), []);
  await statuses(made.key, guarded, 2);
  const [key, ...others] = await close();
  assert.deepEqual(others, []);
  const { quota_renews: renews, seen_at: seen, ...rest } = key;
  assert.deepEqual(rest, {
    key_hash: made.key_hash,
    alias: "almost",
    api_id: guarded.api_id,
    api_name: guarded.name,
    quota_max: 10,
    quota_remaining: 1,
  });
  assert.ok(renews > seen && renews <= seen + 3601, `${seen} ${renews}`);
  await statuses(made.key, guarded, 2);
  assert.deepEqual((await close()).map((key) => key.quota_remaining), [0]);
  assert.equal((await admin("PUT", `keys/${made.key_hash}`, { ...session, quota_max: 100 })).status, 200);
  assert.deepEqual(await close(), []);
});

test("figures reach the Meter on their own and survive a restart", async () => {
  const open = await served();
  await statuses(undefined, open, 10);
  // A request would trigger the report, so only the Meter's own file is read.
  const deadline = Date.now() + WITHIN_MS;
  while (stored(open) !== 10) {
    assert.ok(Date.now() < deadline, "never reported");
    await new Promise((resume) => setTimeout(resume, POLL_MS));
  }
  await gateway.restart();
  assert.deepEqual(await counts(open), { ...NONE, requests: 10 });
});

test("sums and keys are deleted when they expire", async () => {
  const guarded = await served({ use_keyless: false });
  const made = await issue({ quota_max: 1, quota_renewal_rate: 3600, access_rights: rights(guarded) });
  await call(made.key, guarded);
  assert.equal((await figures({ api_id: guarded.api_id })).close.length, 1);
  await gateway.kill();
  const { api_id: id } = guarded;
  meter((database) => {
    database.prepare("UPDATE bucket SET at = at - 4000 WHERE grain = 10 AND api_id = ?").run(id);
    database.prepare("UPDATE bucket SET at = at - 8 * 24 * 3600 WHERE grain = 300 AND api_id = ?").run(id);
    database.prepare("UPDATE close SET renews = 1 WHERE api_id = ?").run(id);
  });
  await gateway.restart();
  assert.deepEqual((await figures({ window: "7d" })).apis.filter(({ api_id }) => api_id === id), []);
  const rows = (table) => meter((database) => database.prepare(`SELECT count(*) AS count FROM ${table} WHERE api_id = ?`).get(id).count);
  assert.deepEqual([rows("bucket"), rows("close")], [0, 0]);
});

/** Returns the number of requests to an API that the Meter has stored. */
const stored = ({ api_id }) =>
  meter((database) => database.prepare("SELECT sum(requests) AS sum FROM bucket WHERE grain = 10 AND api_id = ?").get(api_id)?.sum);

/** Reads the Meter's own file; undefined if it doesn't exist yet. */
function meter(look) {
  const folder = join(gateway.dataDir, "registry/gatewright-meter");
  const [file] = existsSync(folder) ? readdirSync(folder).filter((name) => /^[0-9a-f]+\.sqlite$/.test(name)) : [];
  if (file === undefined) return undefined;
  const database = new DatabaseSync(join(folder, file));
  try {
    return look(database);
  } finally {
    database.close();
  }
}
