// `meta_data.rate_limit_pattern` end to end: limits are counted per text taken from the request (reference 3.4), also
// for items of a batch.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { keyring, rights } from "./keyring.mjs";
import { ledgers, until } from "./ledgers.mjs";
import { listen } from "./upstream.mjs";

const ADDRESS = "X-Client-Address";
const QUOTA = { quota_max: 2, quota_renewal_rate: 3600 };

let gateway;
let upstream;
let guarded;
before(async () => {
  [gateway, upstream] = await Promise.all([start({ env: { CLIENT_IP_HEADER: ADDRESS } }), listen()]);
  guarded = api({ use_keyless: false, enable_batch_request_support: true }, { target_url: upstream.url });
  await publish(gateway, guarded);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

const { issue, call } = keyring(() => gateway);
const key = (rate_limit_pattern, limits) => issue({ access_rights: rights(guarded), meta_data: { rate_limit_pattern, plan: "gold" }, ...limits });

const from = (address) => ({ headers: { [ADDRESS]: address } });

test("each client has its own quota, whichever key it uses", async () => {
  const pattern = "$gateway_meta.plan $gateway_context.remote_addr";
  const keys = [await key(pattern, QUOTA), await key(pattern, QUOTA)];
  for (const address of ["192.0.2.1", "192.0.2.2"]) {
    const statuses = [];
    for (const { key: token } of [...keys, ...keys]) statuses.push((await call(token, guarded, from(address))).status);
    assert.deepEqual(statuses, [200, 200, 403, 403]);
  }
});

test("a batch item counts for the batch's client and host", async () => {
  const { key: token } = await key("$gateway_context.remote_addr $gateway_context.headers_Host", QUOTA);
  const item = (headers) => ({ method: "GET", relative_url: "x", headers: { Authorization: token, ...headers } });
  const requests = [item({}), item({ [ADDRESS]: "192.0.2.9" }), item({ Host: "elsewhere.example" })];
  const body = { requests, suppress_parallel_execution: true };
  const batch = await call(undefined, guarded, { rest: "gateway/batch/", method: "POST", body, ...from("192.0.2.3") });
  assert.equal(batch.status, 200, batch.text);
  assert.deepEqual(batch.json.map(({ code }) => code), [200, 200, 403]);
  assert.equal((await call(token, guarded, from("192.0.2.3"))).status, 403);
  assert.equal((await call(token, guarded, from("192.0.2.4"))).status, 200);
});

test("the counters of a text are deleted once they expire", async () => {
  const before = ledgers(gateway.dataDir).length;
  const limits = { rate: 3, per: 2.5 };
  const { key: token } = await key("$gateway_context.request_data_n", limits);
  for (const n of [1, 2, 3]) assert.equal((await call(token, guarded, { rest: `x?n=${n}` })).status, 200);
  assert.equal(ledgers(gateway.dataDir).length, before + 4, "one per text, and one with the key's session");
  await until(() => ledgers(gateway.dataDir).length === before + 1);
  assert.equal((await call(token, guarded, { rest: "x?n=1" })).status, 200);
});
