// A KV that behaves as at the edge: one write per second and key, and stale reads. Administration keeps working, and
// none of it is lost.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { startWithFaults } from "./faults.mjs";
import { send } from "./http.mjs";
import { listen } from "./upstream.mjs";

const WITHIN_MS = 20_000;

let gateway;
let upstream;
before(async () => {
  [gateway, upstream] = await Promise.all([startWithFaults({ env: { RELOAD_CHECK_SECONDS: "0" } }), listen()]);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

const served = (members) => api(members, { target_url: upstream.url });
const call = async (definition) => (await send(gateway.ports.gateway, { path: `${definition.proxy.listen_path}x` })).status;
const org = (method, id, body) => gateway.admin(method, `/gateway/org/keys/${id}`, { body });
const listed = async () => JSON.parse((await gateway.kv("GET", "orgs")).text || '{"keys":[]}').keys;

/** Waits until KV lists exactly these organisations of this test. */
async function waitUntilListed(prefix, ids) {
  const deadline = Date.now() + WITHIN_MS;
  for (;;) {
    const found = (await listed()).filter((id) => id.startsWith(prefix));
    if (JSON.stringify(found) === JSON.stringify(ids)) return;
    if (Date.now() > deadline) assert.fail(`KV lists ${found}, not ${ids}`);
  }
}

test("many organisations are stored within a second, and KV is updated at its own pace", async () => {
  await gateway.faults({ method: "PUT", key: "orgs", action: "throttle" });
  const ids = Array.from({ length: 12 }, (_, n) => `many-${String(n).padStart(2, "0")}`);
  await gateway.seen();
  for (const id of ids) assert.equal((await org("POST", id, {})).status, 200);
  const gone = await Promise.all(ids.slice(6).map((id) => org("DELETE", id)));
  assert.ok(gone.every(({ status }) => status === 200));
  await waitUntilListed("many-", ids.slice(0, 6));
  const writes = (await gateway.seen()).filter((operation) => operation === "PUT orgs");
  assert.ok(writes.length < 12, `${writes.length} writes`);
});

test("an organisation is stored and takes effect here regardless of KV, which is updated later", async () => {
  const definition = served({ org_id: "late" });
  await publish(gateway, definition);
  await gateway.faults({ method: "PUT", key: "orgs", action: "fail" });
  assert.equal((await org("POST", "late", { is_inactive: true })).status, 200);
  assert.equal(await call(definition), 403);
  await gateway.faults();
  await waitUntilListed("late", ["late"]);
  assert.equal(await call(definition), 403);
});

test("after a crash KV is updated with what was stored before it", async () => {
  await gateway.faults({ method: "PUT", key: "orgs", action: "hold" });
  assert.equal((await org("POST", "crash", {})).status, 200);
  await gateway.kill("SIGKILL");
  await gateway.restart();
  await waitUntilListed("crash", ["crash"]);
});

test("several reloads within a second all complete", async () => {
  await gateway.faults({ method: "PUT", key: "", action: "throttle" }, ...["generation", "apis/", "orgs"].map((key) => ({ method: "PUT", key, action: "throttle" })));
  const definition = served();
  for (let n = 0; n < 3; n += 1) {
    const listen_path = `${definition.proxy.listen_path}${n}/`;
    const moved = { ...definition, proxy: { ...definition.proxy, listen_path } };
    const written = n === 0 ? await gateway.admin("POST", "/gateway/apis", { body: moved }) : await gateway.admin("PUT", `/gateway/apis/${definition.api_id}`, { body: moved });
    assert.equal(written.status, 200);
    const reloaded = await gateway.admin("GET", "/gateway/reload", { query: { block: "true" } });
    assert.equal(reloaded.status, 200, reloaded.text);
    assert.equal(await call(moved), 200);
  }
  await gateway.faults();
});

test("an isolate never falls back to stale data in KV, and carries on once KV has caught up", async () => {
  const old = served({ org_id: "stale" });
  await publish(gateway, old);
  await gateway.faults(...["generation", "orgs", "snapshot/"].map((key) => ({ method: "GET", key, action: "stale" })));
  // Each request makes the isolate read the old pointer and the old list again.
  for (let n = 0; n < 3; n += 1) assert.equal(await call(old), 200);
  const fresh = served();
  assert.equal((await org("POST", "stale", { is_inactive: true })).status, 200);
  await publish(gateway, fresh);
  for (let n = 0; n < 5; n += 1) assert.deepEqual([await call(fresh), await call(old)], [200, 403]);
  await gateway.faults();
  for (let n = 0; n < 3; n += 1) assert.deepEqual([await call(fresh), await call(old)], [200, 403]);
});
