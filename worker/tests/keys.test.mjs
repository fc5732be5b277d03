// Keys end to end: created, used, limited, changed, deleted (reference 1.6, 2.5, 3.2).

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { keyring, rights } from "./keyring.mjs";
import { listen, values } from "./upstream.mjs";

let gateway;
let upstream;
let guarded;
before(async () => {
  [gateway, upstream] = await Promise.all([start(), listen({ "/quota": (request, response) => response.writeHead(200, { "X-RateLimit-Limit": "99" }).end() })]);
  guarded = api({ use_keyless: false, strip_auth_data: true }, { target_url: upstream.url });
  await publish(gateway, guarded);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

const { admin, issue, call: send } = keyring(() => gateway);
const session = (members = {}) => ({ access_rights: rights(guarded), ...members });
const key = (members) => issue(session(members));
const call = (token, definition = guarded, options = {}) => send(token, definition, options);

async function refused(answer, status, message) {
  const { json, status: got, headers } = await answer;
  assert.deepEqual([got, json.error], [status, message]);
  assert.equal(headers["x-generator"], "Gatewright");
}

test("a key grants access to its API, and the upstream doesn't see it", async () => {
  const { key: token, key_hash: hash, status, action } = await key();
  assert.deepEqual([status, action], ["ok", "added"]);
  assert.match(hash, /^[0-9a-f]{64}$/);
  for (const sent of [token, `Bearer ${token}`, `bearer ${token}`]) {
    const answer = await call(sent);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(values(answer.json, "authorization"), []);
  }
});

test("without a key, with a wrong one, or with another API's key nothing is forwarded", async () => {
  const before = upstream.seen.length;
  await refused(call(undefined), 401, "Authorization field missing");
  for (const wrong of ["nonsense", "ab", Buffer.from('{"org":"","id":"none","h":"murmur64"}').toString("base64")]) {
    await refused(call(wrong), 403, "Access to this API has been disallowed");
  }
  const other = await admin("POST", "keys", { access_rights: { elsewhere: { api_id: "elsewhere" } } });
  await refused(call(other.json.key), 403, "Access to this API has been disallowed");
  assert.equal(upstream.seen.length, before);
});

test("a new key works on its first request, even if its token was refused a moment ago (H2)", async () => {
  const id = `tried-${crypto.randomUUID()}`;
  for (let round = 0; round < 2; round += 1) {
    for (let times = 0; times < 3; times += 1) await refused(call(id), 403, "Access to this API has been disallowed");
    assert.equal((await admin("POST", `keys/${id}`, session())).status, 200);
    assert.equal((await call(id)).status, 200);
    assert.equal((await admin("DELETE", `keys/${id}`)).status, 200);
  }
});

test("a flood of wrong tokens doesn't affect a known key (H2)", async () => {
  const { key: token } = await key();
  assert.equal((await call(token)).status, 200);
  const wrong = Array.from({ length: 100 }, (_, number) => call(`wrong-${number}-${crypto.randomUUID()}`));
  for (const { status } of await Promise.all(wrong)) assert.equal(status, 403);
  assert.equal((await call(token)).status, 200);
  // A new key works as soon as the address has waited: ten seconds at most.
  const { key: fresh } = await key();
  const end = Date.now() + 12_000;
  let status;
  do ({ status } = await call(fresh));
  while (status !== 200 && Date.now() < end);
  assert.equal(status, 200);
});

test("an inactive or expired key is refused, and works again as soon as it is corrected", async () => {
  const { key: token } = await key();
  const put = (members) => admin("PUT", `keys/${encodeURIComponent(token)}`, session(members));
  assert.equal((await call(token)).status, 200);
  assert.equal((await put({ is_inactive: true })).status, 200);
  await refused(call(token), 403, "Key is inactive, please renew");
  assert.equal((await put({ expires: 1 })).status, 200);
  await refused(call(token), 401, "Key has expired, please renew");
  assert.equal((await put({})).status, 200);
  assert.equal((await call(token)).status, 200);
});

test("a deleted key is refused at the next request", async () => {
  const { key: token, key_hash: hash } = await key();
  assert.equal((await call(token)).status, 200);
  const gone = await admin("DELETE", `keys/${hash}`, undefined, { hashed: "1" });
  assert.deepEqual([gone.status, gone.json.action], [200, "deleted"]);
  await refused(call(token), 403, "Access to this API has been disallowed");
  const again = await admin("DELETE", `keys/${hash}`, undefined, { hashed: "1" });
  assert.deepEqual([again.status, again.json.message], [404, "There is no such key found"]);
});

test("a quota is exact, reports what is left, and is reset when the key is updated", async () => {
  const { key: token } = await key({ quota_max: 3, quota_renewal_rate: 3600 });
  const path = `keys/${encodeURIComponent(token)}`;
  for (const left of [2, 1, 0]) {
    const { status, headers } = await call(token);
    assert.deepEqual([status, headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"]], [200, "3", String(left)]);
  }
  await refused(call(token), 403, "Quota exceeded");
  // Without a quota, as the key has it, never with the upstream's number.
  for (const quota_max of [0, -1]) {
    const { key: free } = await key({ quota_max });
    assert.equal((await call(free, guarded, { rest: "quota" })).headers["x-ratelimit-limit"], String(quota_max));
  }
  const read = await admin("GET", path);
  // The response omits a remaining quota of zero, but says when its window ends.
  assert.deepEqual([read.json.quota_remaining, typeof read.json.quota_renews], [undefined, "number"]);
  const body = session({ quota_max: 3, quota_renewal_rate: 3600 });
  assert.equal((await admin("PUT", path, body, { suppress_reset: "1" })).status, 200);
  await refused(call(token), 403, "Quota exceeded");
  assert.equal((await admin("PUT", path, body)).status, 200);
  assert.equal((await call(token)).status, 200);
});

test("a key gets a new token: the old one is invalid, and its counters carry over", async () => {
  const { key: old, key_hash: hash } = await key({ quota_max: 5, quota_renewal_rate: 3600, rate: 4, per: 3600 });
  for (let sent = 0; sent < 3; sent += 1) assert.equal((await call(old)).status, 200);
  // Requests in flight during the change count for one key or the other, but only for one.
  const during = Array.from({ length: 8 }, () => call(old));
  const rotated = await admin("POST", `keys/${hash}/rotate`, undefined, { hashed: "1" });
  assert.equal(rotated.status, 200, rotated.text);
  const { key: fresh, key_hash, action } = rotated.json;
  assert.equal(action, "added");
  await refused(call(old), 403, "Access to this API has been disallowed");
  const passed = (await Promise.all(during)).filter(({ status }) => status === 200).length;
  assert.ok(passed <= 1, `${passed} passed`);
  const left = 1 - passed;
  const answers = [await call(fresh), await call(fresh)].map(({ status }) => status);
  assert.deepEqual(answers, left === 1 ? [200, 429] : [429, 429]);
  const { json } = await admin("GET", `keys/${key_hash}`);
  assert.equal(json.quota_remaining, 1);
  const own = await admin("GET", `keys/${key_hash}`, undefined, { applied: "false" });
  assert.equal(own.json.quota_remaining, undefined);
  assert.equal((await admin("GET", `keys/${hash}`)).status, 404);
});

test("exceeding a rate gives 429 and Retry-After", async () => {
  const { key: token } = await key({ rate: 2, per: 60 });
  for (let sent = 0; sent < 2; sent += 1) assert.equal((await call(token)).status, 200);
  const answer = call(token);
  await refused(answer, 429, "Rate Limit Exceeded");
  const { headers } = await answer;
  assert.ok(Number(headers["retry-after"]) > 50 && Number(headers["retry-after"]) <= 61, headers["retry-after"]);
  assert.equal(headers["ratelimit-policy"], '"rate";q=2;w=60');
  assert.match(headers.ratelimit, /^"rate";r=0;t=\d+$/);
});

test("limits are reported without counting", async () => {
  const { key: token } = await key({ rate: 5, per: 60, quota_max: 10, quota_renewal_rate: 60 });
  for (let asked = 0; asked < 3; asked += 1) {
    const { json } = await call(token, guarded, { rest: "gateway/rate-limits/" });
    assert.equal(json.quota.quota_max, 10);
    assert.equal(json.quota.quota_remaining, 10);
    assert.deepEqual(json.rate_limit, { requests: 5, per_unit: 60 });
  }
});

test("a key may be restricted to paths and methods", async () => {
  const allowed_urls = [{ url: "/orders", methods: ["GET"] }];
  const { key: token } = await key({ access_rights: { [guarded.api_id]: { api_id: guarded.api_id, versions: [], allowed_urls } } });
  assert.equal((await call(token, guarded, { rest: "orders/1" })).status, 200);
  await refused(call(token, guarded, { rest: "orders/1", method: "POST" }), 403, "Access to this resource has been disallowed");
  await refused(call(token, guarded, { rest: "users" }), 403, "Access to this resource has been disallowed");
});

test("policies apply once they are loaded", async () => {
  const policy = { id: `gold-${process.pid}`, rate: 1, per: 3600, access_rights: rights(guarded) };
  assert.equal((await admin("POST", "policies", policy)).json.action, "added");
  const made = await admin("POST", "keys", { apply_policies: [policy.id] });
  assert.equal(made.status, 200, made.text);
  await publish(gateway);
  assert.equal((await call(made.json.key)).status, 200);
  await refused(call(made.json.key), 429, "Rate Limit Exceeded");
  const read = await admin("GET", `keys/${made.json.key_hash}`);
  assert.deepEqual([read.json.rate, read.json.per], [1, 3600]);
});

test("a disabled organisation is refused before anything else, and its limits apply to all its APIs", async () => {
  const org = `org-${process.pid}`;
  const of = api({ org_id: org, use_keyless: false }, { target_url: upstream.url });
  const open = api({ org_id: org }, { target_url: upstream.url });
  await publish(gateway, of, open);
  const made = await admin("POST", "keys", { org_id: org, access_rights: rights(of) });
  assert.equal((await call(made.json.key, of)).status, 200);
  assert.equal((await admin("POST", `org/keys/${org}`, { is_inactive: true })).status, 200);
  const text = "this organisation access has been disabled, please contact your API administrator";
  await refused(call(undefined, of), 403, text);
  await refused(call(undefined, open), 403, text);
  assert.equal((await admin("PUT", `org/keys/${org}`, { quota_max: 1, quota_renewal_rate: 3600 })).status, 200);
  assert.equal((await call(made.json.key, of)).status, 200);
  await refused(call(undefined, open), 403, "This organisation quota has been exceeded, please contact your API administrator");
  assert.equal((await admin("DELETE", `org/keys/${org}`)).status, 200);
  assert.equal((await call(made.json.key, of)).status, 200);
});

test("keys are listed, searched and read", async () => {
  const made = await key({ alias: `Ünique ${process.pid}`, tags: ["Blue"] });
  const all = await admin("GET", "keys");
  assert.ok(all.json.keys.includes(made.key_hash));
  const found = await admin("GET", "keys", undefined, { view: "summary", q: `ünique ${process.pid}`, tag: "Blue", api_id: guarded.api_id });
  assert.deepEqual([found.json.total, found.json.keys[0].key_hash, found.json.keys[0].state], [1, made.key_hash, "active"]);
  const none = await admin("GET", "keys", undefined, { view: "summary", state: "expired", q: `ünique ${process.pid}` });
  assert.equal(none.json.total, 0);
  const missing = await admin("GET", "keys/none");
  assert.deepEqual([missing.status, missing.json.message], [404, "Key not found"]);
});

test("an API's own rate limit is shared by all clients", async () => {
  const limited = api({ global_rate_limit: { rate: 3, per: 60 } }, { target_url: upstream.url });
  await publish(gateway, limited);
  const answers = await Promise.all(Array.from({ length: 10 }, () => call(undefined, limited)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 3);
  await refused(call(undefined, limited), 429, "API Rate Limit Exceeded");
});

test("batch items are counted individually", async () => {
  const batched = api({ use_keyless: false, enable_batch_request_support: true }, { target_url: upstream.url });
  await publish(gateway, batched);
  const { key: token } = await key({ access_rights: rights(batched), quota_max: 2, quota_renewal_rate: 60 });
  const requests = Array.from({ length: 3 }, () => ({ method: "GET", relative_url: "x", headers: { authorization: token } }));
  requests.push({ method: "GET", relative_url: "x", headers: {} });
  const body = JSON.stringify({ requests, suppress_parallel_execution: true });
  const answer = await call(undefined, batched, { rest: "gateway/batch/", method: "POST", body });
  assert.deepEqual(answer.json.map(({ code }) => code), [200, 200, 403, 401]);
});
