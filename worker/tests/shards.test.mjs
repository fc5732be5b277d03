// Many owners in one object: limits as exact as ever, across a SIGKILL, and across a change of the number of objects.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { keyring, rights } from "./keyring.mjs";
import { ledgers, until } from "./ledgers.mjs";
import { listen } from "./upstream.mjs";

const OWNERS = 40;
const HOUR = 3600;

let upstream;
before(async () => (upstream = await listen()));
after(() => upstream.close());

/** Returns the files of all Ledger objects that were ever created. */
const objects = (dataDir) => readdirSync(join(dataDir, "registry", "gatewright-ledger")).filter((name) => /^[0-9a-f]+\.sqlite$/.test(name));

/** Starts a gateway, and returns functions that call it. */
async function gateway(options) {
  const running = await start(options);
  const { issue, call, admin } = keyring(() => running);
  return { running, issue, call, admin };
}

async function guarded(running) {
  const definition = api({ use_keyless: false }, { target_url: upstream.url });
  await publish(running, definition);
  return definition;
}

/** Sends requests one after another with each key; returns how many were admitted with each. */
async function spend(call, definition, keys, requests) {
  const admitted = keys.map(() => 0);
  for (let request = 0; request < requests; request += 1) {
    const answers = await Promise.all(keys.map(({ key }) => call(key, definition)));
    answers.forEach(({ status, text }, at) => {
      assert.ok([200, 403].includes(status), `${status} ${text}`);
      admitted[at] += Number(status === 200);
    });
  }
  return admitted;
}

test("many owners share a few objects and are counted separately, across a SIGKILL", async () => {
  const { running, issue, call, admin } = await gateway({ env: { LEDGER_SHARDS: "4" } });
  try {
    const definition = await guarded(running);
    const limits = (at) => ({ quota_max: 3 + (at % 4), quota_renewal_rate: HOUR });
    const keys = await Promise.all(Array.from({ length: OWNERS }, (_, at) => issue({ access_rights: rights(definition), ...limits(at) })));
    const first = await spend(call, definition, keys, 2);
    assert.deepEqual(first, keys.map(() => 2));
    assert.equal(objects(running.dataDir).length, 4);
    assert.equal(ledgers(running.dataDir).length, OWNERS);
    await running.kill();
    await running.restart();
    const rest = await spend(call, definition, keys, 5);
    // For so small a quota, nothing is stored in advance.
    rest.forEach((more, at) => assert.equal(2 + more, limits(at).quota_max, `key ${at}`));
    assert.equal(objects(running.dataDir).length, 4);
    // Changing or deleting one doesn't affect the others.
    const [changed, removed, other] = keys;
    assert.equal((await admin("PUT", `keys/${changed.key_hash}`, { access_rights: rights(definition), ...limits(0) })).status, 200);
    assert.equal((await admin("DELETE", `keys/${removed.key_hash}`)).status, 200);
    assert.deepEqual(await spend(call, definition, [changed, removed, other], 9), [3, 0, 0]);
    await until(() => ledgers(running.dataDir).length === OWNERS - 1);
  } finally {
    await running.stop();
  }
});

test("counters carry over to a different number of objects", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "shards-"));
  const settings = [
    { LEDGER_SHARDS: undefined },
    { LEDGER_SHARDS: "4", LEDGER_SHARDS_BEFORE: "0" },
    { LEDGER_SHARDS: "3", LEDGER_SHARDS_BEFORE: "4,0" },
    { LEDGER_SHARDS: "0", LEDGER_SHARDS_BEFORE: "3,4" },
  ];
  const QUOTA = 8;
  let definition;
  let keys;
  const secret = { GATEWAY_SECRET: "secret-of-a-gateway-that-moves", DASHBOARD_TOKEN: "token-of-a-gateway-that-moves" };
  try {
    for (const [round, env] of settings.entries()) {
      const { running, issue, call } = await gateway({ dataDir, env: { ...secret, ...env } });
      try {
        definition ??= await guarded(running);
        const limits = { quota_max: QUOTA, quota_renewal_rate: HOUR };
        keys ??= await Promise.all(Array.from({ length: 12 }, () => issue({ access_rights: rights(definition), ...limits })));
        // In the last round, each key has as many left as it has not used.
        const admitted = await spend(call, definition, keys, round === 3 ? QUOTA : 2);
        assert.deepEqual(admitted, keys.map(() => 2), `with ${JSON.stringify(env)}`);
        // The first owner to arrive in each round leaves the others' state alone, whatever crashes.
        if (round === 1) {
          await running.kill();
          await running.restart();
        }
        const made = await issue({ access_rights: rights(definition), ...limits });
        assert.deepEqual(await spend(call, definition, [made], QUOTA + 1), [QUOTA]);
      } finally {
        await running.stop();
      }
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});

test("with an invalid number of objects nothing is counted, and no key created", async () => {
  const { running, admin, call } = await gateway({ env: { LEDGER_SHARDS: "many" } });
  try {
    const limited = api({ global_rate_limit: { rate: 5, per: HOUR } });
    await publish(running, limited);
    const { status } = await call(undefined, limited);
    assert.ok(status >= 500, String(status));
    await running.logged(/LEDGER_SHARDS is "many": write a whole number from 0 to 1000000/);
    assert.equal((await admin("POST", "keys", { access_rights: rights(limited) })).status, 503);
  } finally {
    await running.stop();
  }
});
