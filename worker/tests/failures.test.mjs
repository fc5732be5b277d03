// From a red bar to its cause: failed requests by reason, with one sample per kind and minute, and without any
// credentials.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { keyring, rights } from "./keyring.mjs";
import { listen } from "./upstream.mjs";

const SECRET = "s3cret-that-nobody-may-keep";

let gateway;
let upstream;
before(async () => {
  [gateway, upstream] = await Promise.all([start({ env: { FIGURES_REPORT_SECONDS: "1" } }), listen({ "/502": (request, response) => response.writeHead(502).end() })]);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

const { issue, call, statuses, admin } = keyring(() => gateway);

async function served(members = {}, proxy = {}) {
  const definition = api(members, { target_url: upstream.url, ...proxy });
  await publish(gateway, definition);
  return definition;
}

async function failures(query) {
  const answer = await admin("GET", "health/failures", undefined, query);
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

const counts = ({ kinds }) => kinds.map(({ status, reason, count }) => [status, reason, count]);

test("refusals are reported with the refusing link and the key, but no credential", async () => {
  const guarded = await served({ use_keyless: false, name: "Guarded" });
  const { key, key_hash: hash } = await issue({ alias: "acme", rate: 2, per: 3600, access_rights: rights(guarded) });
  const headers = { "x-api-secret": SECRET, cookie: `id=${SECRET}`, accept: "text/plain" };
  assert.deepEqual(await statuses(key, guarded, 5, { headers, rest: `x?token=${SECRET}&page=2` }), [200, 200, 429, 429, 429]);
  assert.deepEqual(await statuses("nonsense", guarded, 2), [403, 403]);
  assert.equal((await call(undefined, guarded)).status, 401);
  const found = await failures({ api_id: guarded.api_id });
  assert.deepEqual(counts(found), [
    [429, "Rate Limit Exceeded", 3],
    [403, "Access to this API has been disallowed", 2],
    [401, "Authorization field missing", 1],
  ]);
  assert.deepEqual([found.api_names, found.key_aliases], [{ [guarded.api_id]: "Guarded" }, { [hash]: "acme" }]);
  const { sample } = found.minutes.find(({ status }) => status === 429);
  assert.deepEqual([sample.method, sample.query, sample.key_hash, sample.upstream], ["GET", ["token", "page"], hash, undefined]);
  assert.match(sample.path, /\/x$/);
  assert.ok(["counters", "key_limits"].includes(sample.link), sample.link);
  const sent = new Map(sample.headers);
  assert.equal(sent.get("accept"), "text/plain");
  for (const name of ["authorization", "cookie", "x-api-secret"]) assert.equal(sent.get(name), null, name);
  assert.equal(found.minutes.find(({ status }) => status === 401).sample.key_hash, undefined);
  assert.doesNotMatch(JSON.stringify(found), new RegExp(SECRET));
});

test("upstream failures are reported with the host, the duration and the platform's error", async () => {
  const broken = await served();
  assert.deepEqual(await statuses(undefined, broken, 2, { rest: "503" }), [503, 503]);
  assert.equal((await call(undefined, broken, { rest: "reset" })).status, 500);
  const found = await failures({ api_id: broken.api_id });
  assert.deepEqual(counts(found), [
    [503, "Upstream: it answered 503", 2],
    [500, "Upstream: it took no connection, or ended it", 1],
  ]);
  const { host } = new URL(upstream.url);
  for (const { sample } of found.minutes) assert.deepEqual([sample.link, sample.upstream.host], ["upstream", host]);
  const [answered, reset] = [503, 500].map((status) => found.minutes.find((minute) => minute.status === status).sample.upstream);
  assert.equal(answered.error, undefined);
  assert.match(reset.error, /connection/i);
});

test("a chain run step by step reports the same, including its time limit", async () => {
  const late = await served({ auth: { use_param: true } }, {});
  const timed = await served({
    version_data: { not_versioned: true, versions: { Default: { name: "Default", use_extended_paths: true, extended_paths: { hard_timeouts: [{ path: "/", method: "GET", timeout: 7 }] } } } },
  });
  assert.equal((await call(undefined, timed, { rest: "502" })).status, 502);
  const { minutes } = await failures({ api_id: timed.api_id });
  assert.deepEqual([minutes[0].reason, minutes[0].version, minutes[0].sample.upstream.timeout_ms], ["Upstream: it answered 502", "", 7000]);
  assert.equal((await call(undefined, late)).status, 200);
  assert.deepEqual((await failures({ api_id: late.api_id })).kinds, []);
});

test("the requested version is named if there are several", async () => {
  const versions = { v1: { name: "v1" }, v2: { name: "v2" } };
  const several = await served({ definition: { location: "header", key: "x-version" }, version_data: { not_versioned: false, versions } });
  for (const version of ["v1", "v2", "v2"]) await call(undefined, several, { rest: "503", headers: { "x-version": version } });
  await call(undefined, several, { headers: { "x-version": "v3" } });
  const { kinds } = await failures({ api_id: several.api_id });
  const byVersion = kinds.map(({ version, status, count }) => [version, status, count]);
  assert.deepEqual(byVersion.sort(), [["", 403, 1], ["v1", 503, 1], ["v2", 503, 2]]);
  const { minutes } = await failures({ api_id: several.api_id, status: "4xx" });
  assert.equal(minutes[0].sample.link, "version");
});

test("query parameters filter the failures", async () => {
  const one = await served();
  await statuses(undefined, one, 3, { rest: "503" });
  await statuses(undefined, one, 1, { rest: "502" });
  const count = async (query) => (await failures({ api_id: one.api_id, ...query })).kinds.reduce((sum, kind) => sum + kind.count, 0);
  assert.equal(await count({}), 4);
  assert.equal(await count({ status: "502" }), 1);
  assert.equal(await count({ status: "5xx" }), 4);
  assert.equal(await count({ status: "4xx" }), 0);
  assert.equal(await count({ reason: "Upstream: it answered 503" }), 3);
  assert.equal(await count({ path: "/502" }), 1);
  assert.equal(await count({ key: "nobody" }), 0);
  const hour = Math.floor(Date.now() / 1000) + 3600;
  assert.equal(await count({ since: hour, until: hour + 3600 }), 0);
});

test("batch items are reported as separate requests", async () => {
  const batched = await served({ enable_batch_request_support: true });
  const item = (relative_url) => ({ method: "GET", headers: { authorization: SECRET }, body: "", relative_url });
  const body = { requests: [item("a"), item("503"), item("503")] };
  await call(undefined, batched, { rest: "gateway/batch/", method: "POST", body });
  const { minutes } = await failures({ api_id: batched.api_id });
  assert.deepEqual(minutes.map(({ status, count }) => [status, count]), [[503, 2]]);
  assert.match(minutes[0].sample.path, /\/503$/);
});

test("reading failures requires a credential, and no secret is stored", async () => {
  const answer = await fetch(`${gateway.gateway}/gateway/health/failures`);
  assert.equal(answer.status, 403);
  const folder = join(gateway.dataDir, "registry/gatewright-meter");
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), "latin1"));
  assert.ok(files.some((text) => text.includes("Upstream: it answered 503")), "the Meter has stored them");
  assert.ok(files.every((text) => !text.includes(SECRET)));
});
