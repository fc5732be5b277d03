// Writes of keys that a SIGKILL cuts off: whatever they stored is effective, and every Ledger gets it in the end (M1).

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { openHandovers } from "./handovers.mjs";
import { ROOT, start } from "./harness.mjs";
import { keyring, rights } from "./keyring.mjs";
import { until } from "./ledgers.mjs";
import { listen } from "./upstream.mjs";

const KEYS = 60;
const ROUNDS = 12;

let gateway;
let upstream;
let dataDir;
let definition;
before(async () => {
  // In memory, writes are over too soon to be cut off.
  const target = join(ROOT, "target");
  mkdirSync(target, { recursive: true });
  dataDir = mkdtempSync(join(target, "handovers-kill-"));
  [gateway, upstream] = await Promise.all([start({ dataDir }), listen()]);
  definition = api({ use_keyless: false }, { target_url: upstream.url });
  await publish(gateway, definition);
});
after(async () => {
  await Promise.all([gateway.stop(), upstream.close()]);
  rmSync(dataDir, { recursive: true, force: true });
});

const { issue, call, admin } = keyring(() => gateway);

test("a key works although a crash follows its creation", async () => {
  const session = { access_rights: rights(definition), quota_max: 2, quota_renewal_rate: 3600 };
  const issueAll = () => Promise.all(Array.from({ length: KEYS }, () => issue(session)));
  // After the first ones, the others are handed over later.
  await issueAll();
  const keys = await issueAll();
  await gateway.kill();
  assert.ok(openHandovers(gateway.dataDir) > KEYS / 2);
  await gateway.restart();
  for (const expected of [200, 200, 403]) {
    const answers = await Promise.all(keys.map(({ key }) => call(key, definition)));
    assert.deepEqual(answers.map(({ status }) => status), keys.map(() => expected));
  }
  await until(() => openHandovers(gateway.dataDir) === 0);
  // The alarm has handed them over with their counters.
  for (const { key } of keys) assert.equal((await call(key, definition)).status, 403);
});

test("after a crash during writes each key acts as stored, and its Ledger gets what was written", async (context) => {
  const keys = await Promise.all(Array.from({ length: KEYS }, () => issue({ access_rights: rights(definition) })));
  let open = 0;
  let writes = 0;
  for (let round = 0; round < ROUNDS && open === 0; round += 1) {
    for (const { key } of keys) assert.ok([200, 403].includes((await call(key, definition)).status));
    // What each key's last acknowledged write has stored, and what the one that was cut off may have stored.
    const possible = new Map();
    let isOver = false;
    const write = async ({ key_hash }) => {
      for (let is_inactive = true; !isOver; is_inactive = !is_inactive) {
        possible.set(key_hash, [...(possible.get(key_hash) ?? []).slice(-1), is_inactive]);
        try {
          const { status } = await admin("PUT", `keys/${key_hash}`, { access_rights: rights(definition), is_inactive });
          if (status === 200) possible.set(key_hash, [is_inactive]);
          writes += Number(status === 200);
        } catch {
          // It was cut off.
        }
      }
    };
    const writing = keys.map(write);
    const enough = writes + KEYS;
    await until(() => writes > enough);
    isOver = true;
    await gateway.kill();
    await Promise.all(writing);
    open = openHandovers(gateway.dataDir);
    await gateway.restart();
    for (const { key, key_hash } of keys) {
      const stored = (await admin("GET", `keys/${key_hash}`)).json.is_inactive === true;
      assert.ok(possible.get(key_hash).includes(stored), "what was acknowledged is stored");
      for (let again = 0; again < 2; again += 1) assert.equal((await call(key, definition)).status, stored ? 403 : 200);
    }
  }
  context.diagnostic(`${writes} writes were answered, ${open} handovers were open after a crash`);
  assert.ok(open > 0);
  await until(() => openHandovers(gateway.dataDir) === 0);
  for (const { key, key_hash } of keys) {
    assert.equal((await admin("PUT", `keys/${key_hash}`, { access_rights: rights(definition) })).status, 200);
    assert.equal((await call(key, definition)).status, 200);
  }
});
