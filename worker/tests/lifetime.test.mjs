// How long keys are stored (reference 2.1, *Storage lifetime*): after its end a key behaves as if it had been deleted,
// and the alarm deletes it, whatever happened in between.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { caller, notifications } from "./dashboard.mjs";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { keyring, rights } from "./keyring.mjs";
import { ledgers, until } from "./ledgers.mjs";
import { listen } from "./upstream.mjs";

const HOUR = 3600;

let gateway;
let upstream;
let guarded;
before(async () => {
  [gateway, upstream] = await Promise.all([start(), listen()]);
  guarded = api({ use_keyless: false }, { target_url: upstream.url });
  await publish(gateway, guarded);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

const { admin, issue, call, waitUntilGone } = keyring(() => gateway);
const key = (members) => issue({ access_rights: rights(guarded), ...members });

/** Returns the audit entry about the deletion of a key, once it exists. */
const deletionOf = ({ key_hash: id }) =>
  until(async () => {
    const { entries } = (await caller(gateway)("GET", "/api/audit", { query: { subject: "key", id, action: "deleted" } })).json;
    return entries[0];
  });

/** Returns how many Ledgers have something stored. */
const counting = () => ledgers(gateway.dataDir).length;

test("a key in use is deleted when it expires, and that is recorded", async () => {
  const made = await key({ session_lifetime: 2, quota_max: 1_000_000, quota_renewal_rate: HOUR, rate: 1_000_000, per: 1 });
  const began = Date.now();
  const refused = await until(async () => {
    const answer = await call(made.key, guarded);
    return answer.status !== 200 && answer;
  });
  assert.deepEqual([refused.status, refused.json.error], [403, "Access to this API has been disallowed"]);
  assert.ok(Date.now() - began < 5_000, "promptly, not with a later clean-up");
  const entry = await deletionOf(made);
  assert.equal(entry.actor, "lifetime");
  const notices = (await notifications(caller(gateway))).filter(({ data }) => data.key_hash === made.key_hash);
  assert.deepEqual(notices.map(({ type }) => type), ["TokenCreated", "TokenDeleted"]);
  assert.ok(!JSON.stringify([entry, notices]).includes(made.key));
  const { keys } = (await admin("GET", "keys")).json;
  assert.ok(!keys.includes(made.key_hash));
});

test("many keys expiring together are all deleted", async () => {
  const many = await Promise.all(Array.from({ length: 250 }, () => key({ session_lifetime: 1, tags: ["crowd"] })));
  await Promise.all([deletionOf(many[0]), deletionOf(many.at(-1))]);
  const deleted = await until(async () => {
    const found = (await notifications(caller(gateway))).filter(({ type }) => type === "TokenDeleted");
    const hashes = new Set(found.map(({ data }) => data.key_hash));
    return many.every(({ key_hash }) => hashes.has(key_hash)) && found;
  });
  assert.equal(new Set(deleted.map(({ data }) => data.key_hash)).size, deleted.length, "exactly once each");
});

test("keys that expire while the gateway is down are deleted when it restarts", async () => {
  const made = await key({ session_lifetime: 1 });
  const kept = await key({});
  await gateway.kill();
  await gateway.restart();
  await deletionOf(made);
  assert.equal((await call(made.key, guarded)).status, 403);
  assert.equal((await call(kept.key, guarded)).status, 200);
});

test("a deleted key leaves no counters behind", async () => {
  const before = counting();
  const limits = { quota_max: 5, quota_renewal_rate: HOUR };
  const [deleted, ended] = [await key(limits), await key({ ...limits, session_lifetime: 2 })];
  for (const { key: token } of [deleted, ended]) assert.equal((await call(token, guarded)).status, 200);
  assert.equal(counting(), before + 2);
  assert.equal((await admin("DELETE", `keys/${deleted.key_hash}`)).status, 200);
  await waitUntilGone(ended);
  await deletionOf(ended);
  await until(() => counting() === before);
});
