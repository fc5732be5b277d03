// Two releases at once, as during a deployment: isolates of one call objects of the other, and whatever the later
// release sends has one more field. Keys, counts, revocation, reloads and figures keep working.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { ROOT, start } from "./harness.mjs";
import { send } from "./http.mjs";
import { rights } from "./keyring.mjs";
import { listen } from "./upstream.mjs";

const WITHIN_MS = 15_000;
const POLL_MS = 50;
const CONFIG = join(ROOT, "worker/tests/releases.capnp");
const SOCKETS = ["other", "probe"];
const ENV = { FIGURES_REPORT_SECONDS: "1", RELOAD_CHECK_SECONDS: "1" };

const launch = (constant, dataDir) => start({ config: CONFIG, constant, sockets: SOCKETS, env: ENV, dataDir });

let upstream;
before(async () => (upstream = await listen()));
after(() => upstream.close());

/** Waits until `look` returns something truthy. */
async function until(look) {
  const deadline = Date.now() + WITHIN_MS;
  for (;;) {
    const seen = await look();
    if (seen) return seen;
    assert.ok(Date.now() < deadline, "timed out");
    await new Promise((resume) => setTimeout(resume, POLL_MS));
  }
}

/** Returns what tests do with a running gateway. */
function clientsOf(gateway) {
  const ports = [gateway.ports.gateway, gateway.ports.other];
  const admin = (method, path, body, port = gateway.ports.other) => gateway.admin(method, `/gateway/${path}`, { body, port });
  const call = (key, definition, port) =>
    send(port, { path: `${definition.proxy.listen_path}x`, headers: key === undefined ? {} : { Authorization: key } });
  const statuses = async (key, definition, times) => {
    const seen = [];
    for (let at = 0; at < times; at += 1) seen.push((await call(key, definition, ports[at % 2])).status);
    return seen;
  };
  return { ports, admin, call, statuses };
}

/** Stores a session and returns its key. */
async function issue({ admin }, session) {
  const made = await admin("POST", "keys", session);
  assert.equal(made.status, 200, made.text);
  return made.json;
}

for (const constant of ["thisWithObjects", "nextWithObjects"]) {
  describe(constant, () => {
    let gateway;
    before(async () => (gateway = await launch(constant)));
    after(() => gateway.stop());

    /** Publishes an API that both serve. */
    async function served(members) {
      const definition = api(members, { target_url: upstream.url });
      await publish(gateway, definition);
      const { call, ports } = clientsOf(gateway);
      for (const port of ports) await until(async () => (await call(undefined, definition, port)).status !== 404);
      return definition;
    }

    test("a key's counts are shared by both releases, and both refuse it once it is revoked", async () => {
      const { admin, statuses, ports, call } = clientsOf(gateway);
      const definition = await served({ use_keyless: false });
      const quota = await issue({ admin }, { quota_max: 5, quota_renewal_rate: 3600, access_rights: rights(definition) });
      assert.deepEqual(await statuses(quota.key, definition, 7), [200, 200, 200, 200, 200, 403, 403]);
      const rate = await issue({ admin }, { rate: 4, per: 3600, access_rights: rights(definition) });
      assert.deepEqual(await statuses(rate.key, definition, 6), [200, 200, 200, 200, 429, 429]);

      const gone = await issue({ admin }, { access_rights: rights(definition) });
      assert.deepEqual(await statuses(gone.key, definition, 2), [200, 200]);
      const removed = await admin("DELETE", `keys/${gone.key_hash}`);
      assert.equal(removed.status, 200, removed.text);
      for (const port of ports) assert.equal((await call(gone.key, definition, port)).status, 403);
    });

    test("changes made through one release are served by the other after a reload", async () => {
      const { admin, statuses, ports, call } = clientsOf(gateway);
      const definition = await served({});
      for (const port of ports) {
        const changed = { ...definition, active: port === ports[0] };
        const written = await admin("PUT", `apis/${definition.api_id}`, changed, port);
        assert.equal(written.status, 200, written.text);
        assert.equal((await admin("GET", "reload?block=true", undefined, port)).status, 200);
        const wanted = port === ports[0] ? 200 : 404;
        for (const served of ports) await until(async () => (await call(undefined, definition, served)).status === wanted);
      }
      assert.deepEqual(await statuses(undefined, definition, 2), [404, 404]);
      const policy = { id: `p-${definition.api_id}`, name: "p", rate: 3, per: 60, access_rights: rights(definition) };
      assert.equal((await admin("POST", "policies", policy)).status, 200);
      assert.equal((await admin("GET", `policies/${policy.id}`, undefined, ports[0])).json.rate, 3);
      // Issues travel with their codes, in a refusal and in a response.
      const refused = await admin("POST", "apis", { ...definition, api_id: 5 });
      assert.equal(refused.status, 400, refused.text);
      assert.equal(refused.json.issues[0].code, "type", refused.text);
    });

    test("figures from either release cover the requests of both", async () => {
      const { admin, statuses, ports } = clientsOf(gateway);
      const definition = await served({});
      const before = async (port) => (await admin("GET", `health/figures?api_id=${definition.api_id}&window=15m`, undefined, port)).json.totals.requests;
      const [known] = [await before(ports[0])];
      assert.deepEqual(await statuses(undefined, definition, 8), Array(8).fill(200));
      // An isolate reports after sending a response.
      for (const port of ports) {
        await until(async () => {
          const { json } = await admin("GET", `health/figures?api_id=${definition.api_id}&window=15m`, undefined, port);
          await admin("GET", "health/figures", undefined, ports.find((other) => other !== port));
          return json.totals.requests >= known + 8;
        });
      }
      const { json } = await admin("GET", `health/figures?api_id=${definition.api_id}&window=15m`);
      assert.equal(json.apis[0]?.api_id, definition.api_id);
    });

    test("a message of a later release is refused with advice, and changes nothing", async () => {
      const { ports } = clientsOf(gateway);
      for (const [path, body] of [["/registry", "gw5|99;"], ["/registry", "gw6|6;"], ["/ledger?api:none", "gw6|16;1;0;0;0;1;0;0;1;"]]) {
        const { status, text } = await send(gateway.ports.probe, { method: "POST", path, body });
        assert.equal(status, 500);
        assert.match(text, /only another release can read.*deploy one of them everywhere/);
      }
      for (const port of ports) assert.equal((await send(port, { path: "/ready" })).status, 200);
    });
  });
}

test("each release continues with the data the other has stored", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "gatewright-"));
  let definition;
  let key;
  let left = 1000;
  try {
    for (const constant of ["thisWithObjects", "nextWithObjects", "thisWithObjects"]) {
      const gateway = await launch(constant, dataDir);
      try {
        const { admin, call, ports } = clientsOf(gateway);
        if (definition === undefined) {
          definition = api({ use_keyless: false }, { target_url: upstream.url });
          await publish(gateway, definition);
          key = await issue({ admin }, { quota_max: left, quota_renewal_rate: 3600, access_rights: rights(definition) });
        }
        assert.equal((await call(key.key, definition, ports[0])).status, 200);
        const { json } = await admin("GET", `keys/${key.key_hash}`, undefined, ports[0]);
        // Requests that were stored in advance count as used after an end, so it may be more than the single one.
        assert.ok(json.quota_remaining < left && json.quota_remaining > left - 100, `${constant}: ${left}, ${json.quota_remaining}`);
        left = json.quota_remaining;
      } finally {
        await gateway.stop();
      }
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
});
