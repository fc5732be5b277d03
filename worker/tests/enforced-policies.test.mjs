// Demonstrations of what the support table calls enforced: policies. See enforced.mjs.

import assert from "node:assert/strict";
import { createSign } from "node:crypto";
import { after, before } from "node:test";
import { pem } from "./certificates.mjs";
import { signature } from "./credentials.mjs";
import { caller } from "./dashboard.mjs";
import { api, publish } from "./definitions.mjs";
import { demonstrate, limits } from "./enforced.mjs";
import { start } from "./harness.mjs";
import { keyring, rights } from "./keyring.mjs";
import { listen } from "./upstream.mjs";

const HOUR = 3600;
const SECRET = "s3cr3t";
const RATE = { rate: 1, per: HOUR };
const QUOTA = { quota_max: 1, quota_renewal_rate: HOUR };

let gateway;
let upstream;
let one;
let two;
const { admin, issue, outlived, stored, call, calls, statuses } = keyring(() => gateway);
before(async () => {
  [gateway, upstream] = await Promise.all([start(), listen()]);
  [one, two] = [1, 2].map(() => api({ use_keyless: false }, { target_url: upstream.url }));
  await publish(gateway, one, two);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

let count = 0;

/**
 * Stores a policy that gives access to the first API, unless its members say otherwise, and reloads; returns its id.
 */
async function policy(members) {
  count += 1;
  const body = { id: `p${count}`, access_rights: rights(one), ...members };
  const answer = await admin("POST", "policies", body);
  assert.equal(answer.status, 200, answer.text);
  await publish(gateway);
  return body.id;
}

/** Issues a key with only such a policy. */
const key = async (members, session) => issue({ apply_policies: [await policy(members)], ...session });

/** Returns the statuses of requests with such a key. */
const used = async (members, times = 1, definition = one) => statuses((await key(members)).key, definition, times);

/** Returns the refusal of such a key. */
async function refused(members, session) {
  const apply_policies = [await policy(members)];
  const { status, json } = await admin("POST", "keys", { apply_policies, ...session });
  return [status, json.details];
}

/** Returns the status of a request that a key with only such a policy signs. */
async function signs(members, session = { hmac_string: SECRET }, how = { secret: SECRET }) {
  const definition = api({ use_keyless: false, enable_signature_checking: true }, { target_url: upstream.url });
  await publish(gateway, definition);
  const { key: token } = await key({ access_rights: rights(definition), ...members }, session);
  return (await call(undefined, definition, { headers: signature(token, how) })).status;
}

const Policy = {
  async id() {
    await policy({ id: "an-id" });
    assert.equal((await admin("GET", "policies/an-id")).json.id, "an-id");
    assert.equal((await admin("GET", "policies/another-id")).status, 404);
  },
  async _id() {
    const _id = "54de205930c55e15bd000001";
    await policy({ id: "named", _id });
    assert.equal((await admin("GET", `policies/${_id}`)).json.id, "named");
    assert.equal((await admin("GET", "policies/54de205930c55e15bd000002")).status, 404);
  },
  async name() {
    await policy({ name: "What people call it" });
    const { entries } = (await caller(gateway)("GET", "/api/audit", { query: { subject: "policy", limit: 1 } })).json;
    assert.equal(entries[0].name, "What people call it");
  },
  async org_id() {
    const [status, why] = await refused({ org_id: "an-org" }, { org_id: "another-org" });
    assert.deepEqual([status, why], [500, `policy not found: "p${count}"`]);
    const elsewhere = await refused({ org_id: "an-org" }, { org_id: "an-org" });
    assert.deepEqual(elsewhere, [500, "attempting to apply policy from different organisation to key, skipping"]);
    assert.equal((await key({ org_id: "an-org", access_rights: rights({ api_id: "later" }) }, { org_id: "an-org" })).status, "ok");
  },
  async is_inactive() {
    assert.deepEqual(await used({ is_inactive: true }), [403]);
    assert.deepEqual(await used({ is_inactive: false }), [200]);
  },
  async tags() {
    assert.deepEqual((await stored(await key({ tags: ["b"] }, { tags: ["a"] }))).tags, ["a", "b"]);
    assert.deepEqual((await stored(await key({ tags: [] }, { tags: ["a"] }))).tags, ["a"]);
  },
  async meta_data() {
    assert.deepEqual((await stored(await key({ meta_data: { b: 2 } }, { meta_data: { a: 1 } }))).meta_data, { a: 1, b: 2 });
    assert.deepEqual((await stored(await key({ meta_data: {} }, { meta_data: { a: 1 } }))).meta_data, { a: 1 });
  },
  async access_rights() {
    assert.deepEqual(await used({ access_rights: rights(one) }, 1, one), [200]);
    assert.deepEqual(await used({ access_rights: rights(two) }, 1, one), [403]);
    assert.deepEqual(await refused({ access_rights: {} }), [500, "key has no valid policies to be applied"]);
  },
  async partitions() {
    assert.deepEqual(await used({ ...RATE, partitions: { acl: true } }, 2), [200, 200]);
    assert.deepEqual(await used({ ...RATE, partitions: {} }, 2), [200, 429], "without partitions all apply");
  },
  async hmac_enabled() {
    assert.deepEqual([await signs({ hmac_enabled: true }), await signs({ hmac_enabled: false })], [200, 400]);
  },
  async enable_http_signature_validation() {
    const stored = await admin("POST", "certs?org_id=signs", pem("rsa.crt"));
    const sign = (text) => createSign("RSA-SHA256").update(text).sign(pem("rsa.key"), "base64");
    const by = (members) => signs(members, { rsa_certificate_id: stored.json.id }, { algorithm: "rsa-sha256", sign });
    assert.deepEqual([await by({ enable_http_signature_validation: true }), await by({ hmac_enabled: true })], [200, 400]);
  },
  ...limits(async (limit, times) => calls((await key(limit)).key, one, times)),
  async last_updated() {
    const shown = async (last_updated) => (await stored(await key({ last_updated }))).last_updated;
    assert.equal(await shown("4102444800"), "4102444800");
    assert.notEqual(await shown("1000000000"), "1000000000", "the key was changed later");
  },
  async post_expiry_action() {
    const expires = Math.floor(Date.now() / 1000) + 2;
    const long = await key({ post_expiry_action: "" }, { expires });
    await outlived(await key({ post_expiry_action: "delete" }, { expires }), long);
  },
  async post_expiry_grace_period() {
    const expires = Math.floor(Date.now() / 1000) + 2;
    const retained = (post_expiry_grace_period) => key({ post_expiry_action: "retain", post_expiry_grace_period }, { expires });
    const long = await retained(HOUR);
    await outlived(await retained(1), long);
  },
  async key_expires_in() {
    const ends = async (key_expires_in) => (await stored(await key({ key_expires_in }))).expires;
    assert.ok(Math.abs((await ends(HOUR)) - Date.now() / 1000 - HOUR) < 60);
    assert.ok(!(await ends(0)));
  },
};

/**
 * Sends two requests under a policy with a rate and a quota of one each: what refuses the second shows which one
 * applies.
 */
const partition = (partitions) => used({ ...RATE, ...QUOTA, partitions }, 2);

const PolicyPartitions = {
  async quota() {
    assert.deepEqual(await partition({ quota: true, acl: true }), [200, 403]);
    assert.deepEqual(await partition({ quota: false, acl: true }), [200, 200]);
  },
  async rate_limit() {
    assert.deepEqual(await partition({ rate_limit: true, acl: true }), [200, 429]);
    assert.deepEqual(await partition({ rate_limit: false, acl: true }), [200, 200]);
  },
  async complexity() {
    const depth = async (complexity) => (await stored(await key({ max_query_depth: 7, partitions: { complexity, acl: true } }))).max_query_depth;
    assert.equal(await depth(true), 7);
    assert.ok(!(await depth(false)));
  },
  async acl() {
    assert.deepEqual(await partition({ acl: true }), [200, 200]);
    const none = [500, "key has no valid policies to be applied"];
    assert.deepEqual(await refused({ partitions: { acl: false, quota: true } }), none);
  },
  async per_api() {
    const access_rights = rights([one, two], { limit: { ...QUOTA, quota_max: 2 } });
    const both = async (per_api) => {
      const { key: token } = await key({ ...QUOTA, access_rights, partitions: { per_api } });
      return [await statuses(token, one, 3), await statuses(token, two, 1)].flat();
    };
    assert.deepEqual(await both(false), [200, 403, 403, 403], "the policy's quota, counted together");
    assert.deepEqual(await both(true), [200, 200, 403, 200], "the quota of each API");
  },
};

demonstrate("policies", { Policy, PolicyPartitions }, () => gateway);
