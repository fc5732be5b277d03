// Trouble with KV during a reload never takes down what is served: the old set stays until a later reload has published
// the new one (reference 5.3; attack A18).

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { startWithFaults } from "./faults.mjs";
import { send } from "./http.mjs";
import { listen } from "./upstream.mjs";

let gateway;
let upstream;
before(async () => {
  // A retry by the gateway's own clock would make the test's observations depend on timing.
  [gateway, upstream] = await Promise.all([startWithFaults({ env: { RELOAD_CHECK_SECONDS: "0" } }), listen()]);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

const served = (members) => api(members, { target_url: upstream.url });
const reload = () => gateway.admin("GET", "/gateway/reload", { query: { block: "true" } });
const call = (definition) => send(gateway.ports.gateway, { path: `${definition.proxy.listen_path}x` });
const status = async () => (await gateway.admin("GET", "/gateway/reload/status")).json;

/** Publishes a set, and makes a change of each kind that waits for the next reload. */
async function changes() {
  const [kept, changed, gone, fresh] = [served(), served(), served(), served()];
  await gateway.faults();
  await publish(gateway, kept, changed, gone);
  const moved = { ...changed, proxy: { ...changed.proxy, listen_path: `${changed.proxy.listen_path}moved/` } };
  await gateway.admin("PUT", `/gateway/apis/${changed.api_id}`, { body: moved });
  await gateway.admin("DELETE", `/gateway/apis/${gone.api_id}`);
  await gateway.admin("POST", "/gateway/apis", { body: fresh });
  const codes = async (...definitions) => (await Promise.all(definitions.map(call))).map(({ status }) => status);
  return {
    old: async (what) => assert.deepEqual(await codes(kept, changed, gone, moved, fresh), [200, 200, 200, 200, 404], `the old set: ${what}`),
    next: async (what) => assert.deepEqual(await codes(kept, changed, gone, moved, fresh), [200, 404, 404, 200, 200], `the new set: ${what}`),
    fresh,
  };
}

const FAULTS = [
  ["listing the files", { method: "GET", key: "", action: "fail" }],
  ["listing the files, garbled", { method: "GET", key: "", action: "garble" }],
  ["writing the first file", { method: "PUT", key: "apis/", action: "fail" }],
  ["writing the second file", { method: "PUT", key: "apis/", action: "fail", skip: 1 }],
  ["writing a file, unacknowledged", { method: "PUT", key: "apis/", action: "late" }],
  ["deleting a file", { method: "DELETE", key: "apis/", action: "fail" }],
  ["writing the set", { method: "PUT", key: "snapshot/", action: "fail" }],
  ["writing the generation", { method: "PUT", key: "generation", action: "fail" }],
];

for (const [what, rule] of FAULTS) {
  test(`when KV fails at ${what} the old set stays in service, and the next reload publishes`, async () => {
    const set = await changes();
    const before = await status();
    await gateway.faults(rule);
    const failed = await reload();
    assert.equal(failed.status, 503, failed.text);
    assert.equal(failed.json.status, "error");
    assert.ok(failed.json.message, failed.text);
    await set.old(what);

    const after = await status();
    assert.equal(after.state, "failed");
    assert.ok(after.error, "the status has the reason");
    assert.equal(after.generation, before.generation);
    assert.equal(after.reloaded_at, before.reloaded_at);
    assert.equal(after.pending_total, 3);

    await gateway.faults();
    assert.equal((await reload()).status, 200);
    await set.next(what);
    const healed = await status();
    assert.deepEqual([healed.state, healed.error, healed.pending_total], ["idle", null, 0]);
  });
}

test("if the write of a generation is not acknowledged, either set is served, and the next reload publishes", async () => {
  const set = await changes();
  await gateway.faults({ method: "PUT", key: "generation", action: "late" });
  assert.equal((await reload()).status, 503);
  assert.equal((await status()).state, "failed");
  await gateway.faults();
  assert.equal((await reload()).status, 200);
  await set.next("after the next reload");
});

test("a set spanning several KV values is published entirely or not at all", async () => {
  // More than five megabytes: more than one value is meant to hold.
  const large = (n, filler) => ({ ...served({ tags: [filler.repeat(900_000)] }), name: `large ${n}` });
  const first = Array.from({ length: 6 }, (_, n) => large(n, "a"));
  await gateway.faults();
  await gateway.seen();
  await publish(gateway, ...first);
  const parts = (await gateway.seen()).filter((operation) => operation.startsWith("PUT snapshot/"));
  assert.ok(parts.length >= 2, `${parts.length} values`);
  for (const definition of first) assert.equal((await call(definition)).status, 200);

  const second = first.map((definition) => ({ ...definition, proxy: { ...definition.proxy, listen_path: `${definition.proxy.listen_path}second/` } }));
  for (const body of second) assert.equal((await gateway.admin("POST", "/gateway/apis", { body })).status, 200);
  await gateway.faults({ method: "PUT", key: "snapshot/", action: "fail", skip: 1 });
  assert.equal((await reload()).status, 503);
  for (const definition of first) assert.equal((await call(definition)).status, 200);
  // What is missing in KV is requested from the Registry.
  await gateway.faults({ method: "GET", key: "snapshot/", action: "missing", skip: 1 });
  assert.equal((await reload()).status, 200);
  await gateway.faults();
  for (const [n, definition] of second.entries()) {
    assert.equal((await call(definition)).status, 200);
    assert.equal((await call(first[n])).status, 404);
    await gateway.admin("DELETE", `/gateway/apis/${definition.api_id}`);
  }
  await publish(gateway);
});

test("a reload of many APIs writes only the changes, and nothing without any", async () => {
  const filler = "f".repeat(10_000);
  const many = Array.from({ length: 300 }, (_, n) => served({ api_id: `many-${n}`, tags: [filler] }));
  await gateway.faults();
  await gateway.seen();
  await publish(gateway, ...many);
  const written = async () => (await gateway.seen()).filter((operation) => operation.startsWith("PUT snapshot/")).length;
  const total = await written();
  assert.ok(total >= 3, `${total} values`);

  const [kept, changed] = [many[7], many[150]];
  const moved = { ...changed, proxy: { ...changed.proxy, listen_path: `${changed.proxy.listen_path}moved/` } };
  assert.equal((await gateway.admin("PUT", `/gateway/apis/${changed.api_id}`, { body: moved })).status, 200);
  assert.equal((await reload()).status, 200);
  assert.equal(await written(), 1);
  const codes = await Promise.all([kept, changed, moved].map(call));
  assert.deepEqual(codes.map(({ status }) => status), [200, 404, 200]);

  assert.equal((await reload()).status, 200);
  assert.equal(await written(), 0);
  await Promise.all(many.map(({ api_id }) => gateway.admin("DELETE", `/gateway/apis/${api_id}`)));
  await publish(gateway);
});

test("published values that can't be read back are fetched from the Registry", async () => {
  for (const action of ["fail", "garble", "missing"]) {
    const set = await changes();
    await gateway.faults({ method: "GET", key: "snapshot/", action });
    assert.equal((await reload()).status, 200, action);
    await set.next(action);
    await gateway.faults();
  }
});

test("a generation that can't be read leaves the isolate with its current set", async () => {
  for (const action of ["fail", "garble"]) {
    const set = await changes();
    assert.equal((await reload()).status, 200);
    await gateway.faults({ method: "GET", key: "generation", action });
    await gateway.seen();
    // The check happens after the response, so the second call is served with the result of the first one's.
    await set.next(action);
    await set.next(action);
    assert.ok((await gateway.seen()).includes("GET generation"), "the generation was checked");
  }
});

test("requests are served and writes accepted while a reload hangs", async () => {
  const set = await changes();
  await gateway.faults({ method: "PUT", key: "snapshot/", action: "hold" });
  await gateway.seen();
  const hanging = reload();
  await gateway.reached("PUT snapshot/");
  await set.old("while it hangs");
  const late = served();
  assert.equal((await gateway.admin("POST", "/gateway/apis", { body: late })).status, 200);
  assert.equal((await status()).state, "reloading");
  await gateway.faults();
  assert.equal((await hanging).status, 200);
  await set.next("once it goes on");
  const pending = (await status()).pending.map(({ api_id }) => api_id);
  assert.deepEqual(pending, [late.api_id], "later changes are left for the next reload");
  assert.equal((await call(late)).status, 404);
  await publish(gateway);
  assert.equal((await call(late)).status, 200);
});

test("a reload killed half way leaves the old set, and the next one publishes", async () => {
  const set = await changes();
  await gateway.faults({ method: "PUT", key: "generation", action: "hold" });
  await gateway.seen();
  const cut = reload().catch((error) => error.code);
  // The reload has got as far as the write that completes it.
  await gateway.reached("PUT generation");
  await gateway.kill("SIGKILL");
  assert.equal(await cut, "ECONNRESET");
  await gateway.restart();
  await set.old("after the crash");
  assert.equal((await reload()).status, 200);
  await set.next("after the next reload");
});

test("a fresh process without KV gets its set and the disabled organisations from the Registry", async () => {
  const org = `org-${process.pid}`;
  for (const [what, rule] of [["the generation", { method: "GET", key: "generation" }], ["the set", { method: "GET", key: "snapshot/" }], ["anything", { method: "GET", key: "o" }]]) {
    for (const action of ["fail", "garble", "missing"]) {
      const [definition, shut] = [served(), served({ org_id: org })];
      await publish(gateway, definition, shut);
      assert.equal((await gateway.admin("POST", `/gateway/org/keys/${org}`, { body: { is_inactive: true } })).status, 200);
      // KV is written after the response.
      await gateway.faults();
      const deadline = Date.now() + 10_000;
      while (!(await gateway.kv("GET", "orgs")).text.includes(org)) assert.ok(Date.now() < deadline, "KV received nothing");
      await gateway.kill("SIGTERM");
      const started = await startWithFaults({
        dataDir: gateway.dataDir,
        env: { RELOAD_CHECK_SECONDS: "0", FAULT_RULES: JSON.stringify([{ ...rule, action }]) },
        // It isn't ready while KV fails, but serves nevertheless.
        until: () => true,
      });
      try {
        const port = started.ports.gateway;
        const status = async ({ proxy }) => (await send(port, { path: `${proxy.listen_path}x` })).status;
        assert.deepEqual([await status(definition), await status(shut)], [200, 403], `${what}: ${action}`);
        const hello = await send(port, { path: "/hello" });
        assert.equal(hello.status, 200, "liveness is always 200");
        if (what === "the generation" && action === "fail") {
          assert.equal(hello.json.status, "warn");
          assert.deepEqual([hello.json.details.kv.status, hello.json.details.registry.status], ["fail", "pass"]);
        }
        await started.faults();
        assert.deepEqual([await status(definition), await status(shut)], [200, 403], `${what}: ${action}`);
      } finally {
        await started.stop();
        await gateway.restart();
      }
    }
  }
});
