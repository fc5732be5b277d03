// Everything that is administered moves from one gateway to another: exported, imported, and served alike.
//
// Environment: BACKUP_KEYS and BACKUP_APIS are the numbers of keys and APIs, 10,000 and 1,000 by default.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import http from "node:http";
import { after, before, describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import { issue as issueCredential } from "./dashboard.mjs";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { send } from "./http.mjs";
import { keyring, rights } from "./keyring.mjs";
import { ask, now } from "./load.mjs";
import { listen } from "./upstream.mjs";

const KEYS = Number(process.env.BACKUP_KEYS ?? 10_000);
const APIS = Number(process.env.BACKUP_APIS ?? 1_000);
const PASSPHRASE = "sixteen letters and more";
const sealed = { "X-Gateway-Passphrase": PASSPHRASE };

const exported = async (gateway, query, headers = sealed) => {
  const answer = await gateway.admin("GET", "/gateway/export", { query, headers });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.headers["content-type"], "application/x-ndjson");
  return answer.text;
};
const imported = (gateway, body, { query, headers } = {}) =>
  gateway.admin("POST", "/gateway/import", { body, query, headers: { ...sealed, ...headers } });

/** Asserts that both gateways answer a request alike, status and entity tag included. */
async function same(gateways, path, how = {}) {
  const [one, other] = await Promise.all(gateways.map((gateway) => gateway.admin("GET", path, how)));
  assert.deepEqual([other.status, other.headers.etag, other.text], [one.status, one.headers.etag, one.text], path);
  assert.equal(one.status, 200, `${path}: ${one.text}`);
  return one.json;
}

describe("from one gateway to another", () => {
  let from;
  let to;
  let upstream;
  before(async () => {
    [from, to, upstream] = await Promise.all([start(), start(), listen()]);
  });
  after(() => Promise.all([from.stop(), to.stop(), upstream.close()]));

  test("definitions, policies, keys and their usage are equal on both", async () => {
    const guarded = api({ use_keyless: false }, { target_url: upstream.url });
    const other = api({ use_keyless: false }, { target_url: upstream.url });
    await publish(from, guarded, other);
    const { admin, issue, calls } = keyring(() => from);
    await admin("POST", "policies", { id: "gold", quota_max: 6, quota_renewal_rate: 3600, access_rights: rights(guarded) });
    await admin("POST", "org/keys/acme", { rate: 50, per: 1 });
    await admin("POST", "reload", undefined, { block: "true" });
    const own = await issue({ org_id: "", quota_max: 5, quota_renewal_rate: 3600, access_rights: rights([guarded, other]) });
    const governed = await issue({ apply_policies: ["gold"] });
    const custom = await admin("POST", "keys/custom-id", { access_rights: rights(other), hmac_string: "canary-hmac" });
    const hook = { name: "h", webhook_id: "h", method: "POST", target_path: "https://h.example/", header_map: { Authorization: "canary-header" } };
    assert.equal((await from.dashboard("POST", "/api/hooks", { body: hook })).status, 200);
    const credential = await issueCredential(from, { name: "ci", permissions: { apis: "read", hooks: "read" } });
    for (const { status } of await calls(own.key, guarded, 3)) assert.equal(status, 200);
    for (const { status } of await calls(governed.key, guarded, 4)) assert.equal(status, 200);

    const file = await exported(from);
    for (const canary of ["canary", "whsec_", own.key, credential.token, PASSPHRASE]) assert.ok(!file.includes(canary), canary);
    const dry = await imported(to, file, { query: { dry_run: "true" } });
    assert.deepEqual([dry.status, dry.json.dry_run, dry.json.counts.api], [200, true, 2], dry.text);
    assert.deepEqual((await to.admin("GET", "/gateway/apis")).json, []);
    const done = await imported(to, file);
    assert.equal(done.status, 200, done.text);
    assert.deepEqual(done.json.counts, { api: 2, record: 2, session: 4, counters: 2, credential: 1 });
    assert.equal(done.json.secrets_left_out, 0);

    const both = [from, to];
    const keys = [own.key_hash, governed.key_hash, custom.json.key_hash];
    const paths = ["apis", `apis/${guarded.api_id}`, "policies/gold", "org/keys", "org/keys/acme", "dashboard/credentials"];
    for (const path of [...paths, ...keys.map((hash) => `keys/${hash}`), ...keys.map((hash) => `keys/${hash}?applied=false`)]) {
      await same(both, `/gateway/${path}`);
    }
    await same(both, "/gateway/keys?view=summary&sort=alias");
    // Nothing is served before the reload.
    const { call } = keyring(() => to);
    assert.equal((await call(own.key, guarded)).status, 404);
    assert.equal((await to.admin("GET", "/gateway/reload", { query: { block: "true" } })).status, 200);
    const { calls: elsewhere } = keyring(() => to);
    const statuses = async (calls, token, definition, times) => (await calls(token, definition, times)).map(({ status }) => status);
    assert.deepEqual(await statuses(elsewhere, own.key, guarded, 3), [200, 200, 403]);
    assert.deepEqual(await statuses(elsewhere, governed.key, guarded, 3), [200, 200, 403]);
    assert.deepEqual(await statuses(elsewhere, "custom-id", other, 1), [200]);
    assert.deepEqual(await statuses(elsewhere, "custom-id", guarded, 1), [403]);
    // The old gateway continues its own counts, so it answers the same.
    assert.deepEqual(await statuses(calls, own.key, guarded, 3), [200, 200, 403]);
    // Credentials of the dashboard are still valid, and a second import has nothing to do.
    const bearer = { Authorization: `Bearer ${credential.token}` };
    const hooks = await Promise.all(both.map((gateway) => gateway.dashboard("GET", "/api/hooks", { headers: bearer })));
    assert.equal(hooks[0].status, 200);
    assert.equal(hooks[1].text, hooks[0].text);
    const again = await imported(to, file);
    assert.equal(again.status, 409);
    assert.match(again.json.message, /APIs: 2/);
  });

  test("a truncated file leaves nothing served, can be sent again, and may be compressed", async () => {
    const file = await exported(from, { revisions: "true" });
    const fresh = await start();
    try {
      for (const [body, message] of [
        [file.slice(0, -20), /cut off/],
        [file.slice(0, file.indexOf("\n") + 1), /cut off/],
        [file.replace("gold", "bold"), /sha256/],
        ["not an export\n", /Line 1/],
        ["", /cut off/],
      ]) {
        const answer = await imported(fresh, body);
        assert.equal(answer.status, 400, answer.text);
        assert.match(answer.json.message, message);
      }
      const reload = await fresh.admin("GET", "/gateway/reload", { query: { block: "true" } });
      assert.equal(reload.status, 503, reload.text);
      const wrong = await imported(fresh, file, { headers: { "X-Gateway-Passphrase": "another one, long enough" } });
      assert.equal(wrong.status, 400);
      assert.match(wrong.json.message, /passphrase is another one/);
      const broken = await imported(fresh, gzipSync(file).subarray(0, 200), { headers: { "Content-Encoding": "gzip" } });
      assert.equal(broken.status, 400, broken.text);
      await fresh.restart();
      const done = await imported(fresh, gzipSync(file), { headers: { "Content-Encoding": "gzip" } });
      assert.equal(done.status, 200, done.text);
      assert.equal((await fresh.admin("GET", "/gateway/reload", { query: { block: "true" } })).status, 200);
      await same([from, fresh], "/gateway/policies");
    } finally {
      await fresh.stop();
    }
  });

  test("export and import require the secret, and a client that disconnects does no harm", async () => {
    for (const [method, path] of [
      ["GET", "/gateway/export"],
      ["POST", "/gateway/import"],
      ["DELETE", "/gateway/import"],
    ]) {
      for (const headers of [{}, { "X-Gateway-Authorization": "wrong wrong wrong" }, sealed]) {
        const answer = await send(from.ports.gateway, { method, path, headers, body: method === "POST" ? "{}\n" : undefined });
        assert.equal(answer.status, 403, `${method} ${path}`);
      }
    }
    const headers = { "X-Gateway-Authorization": from.secret };
    await new Promise((resolve) => {
      const request = http.get({ host: "127.0.0.1", port: from.ports.gateway, path: "/gateway/export", headers, agent: false }, (response) => {
        response.once("data", () => request.destroy());
        response.once("close", resolve);
        response.on("error", () => {});
      });
      request.on("error", resolve);
    });
    assert.equal((await exported(from)).trimEnd().split("\n").length > 5, true);
  });
});

test(`${KEYS} keys and ${APIS} APIs are transferred, and respond the same`, async (context) => {
  const [from, to, upstream] = await Promise.all([start(), start(), listen()]);
  const agent = new http.Agent({ keepAlive: true, maxSockets: 32 });
  const request = async (gateway, method, path, body) => {
    const headers = { "X-Gateway-Authorization": gateway.secret };
    const text = body === undefined ? undefined : JSON.stringify(body);
    const answer = await ask(gateway.ports.gateway, agent, { method, path: `/gateway/${path}`, headers, body: text });
    assert.equal(answer.status, 200, `${method} ${path}: ${answer.text}`);
    return answer;
  };
  const each = async (what, count, work) => {
    const begin = now();
    const results = [];
    let next = 0;
    const worker = async () => {
      while (next < count) {
        const mine = next;
        next += 1;
        results[mine] = await work(mine);
      }
    };
    await Promise.all(Array.from({ length: 32 }, worker));
    context.diagnostic(`${what}: ${Math.round(now() - begin)} ms`);
    return results;
  };
  try {
    const definitions = Array.from({ length: APIS }, () => api({ use_keyless: false }, { target_url: upstream.url }));
    await each("APIs made", APIS, (at) => request(from, "POST", "apis", definitions[at]));
    const of = (at) => definitions[at % APIS];
    // One key in two hundred has a quota.
    const limits = (at) => (at % 200 === 0 ? { quota_max: 4, quota_renewal_rate: 3600 } : {});
    const made = await each("keys made", KEYS, async (at) => {
      const session = { alias: `key ${at}`, tags: [`tag-${at % 7}`], access_rights: rights(of(at)), ...limits(at) };
      return JSON.parse((await request(from, "POST", "keys", session)).text);
    });
    await request(from, "GET", "reload?block=true");
    const call = (gateway, at) => {
      const { proxy } = of(at);
      return ask(gateway.ports.gateway, agent, { path: `${proxy.listen_path}x`, headers: { Authorization: made[at].key } });
    };
    const limited = made.map((_, at) => at).filter((at) => at % 200 === 0);
    await each("quotas used", limited.length, async (at) => assert.equal((await call(from, limited[at])).status, 200));

    let begin = now();
    const file = await exported(from);
    context.diagnostic(`exported: ${Math.round(now() - begin)} ms, ${Math.round(file.length / 1024)} KiB`);
    const body = file.slice(0, file.lastIndexOf('{"end"'));
    const { end } = JSON.parse(file.slice(body.length));
    assert.equal(end.sha256, createHash("sha256").update(body).digest("hex"));
    assert.deepEqual(end.counts, { api: APIS, session: KEYS, counters: limited.length });
    begin = now();
    const done = await imported(to, file);
    context.diagnostic(`imported: ${Math.round(now() - begin)} ms`);
    assert.equal(done.status, 200, done.text);
    assert.deepEqual(done.json.counts, end.counts);
    await request(to, "GET", "reload?block=true");

    const both = [from, to];
    await same(both, "/gateway/apis");
    assert.equal((await same(both, "/gateway/keys")).keys.length, KEYS);
    for (const page of [1, 7, 20]) await same(both, `/gateway/keys?view=summary&per_page=500&sort=alias&p=${page}`);
    await same(both, "/gateway/keys?view=summary&tag=tag-3");
    const sample = Array.from({ length: Math.min(KEYS, 100) }, (_, at) => Math.floor((at * KEYS) / Math.min(KEYS, 100)));
    await each("compared", sample.length, async (at) => {
      await same(both, `/gateway/keys/${made[sample[at]].key_hash}`);
      const [one, other] = await Promise.all(both.map((gateway) => call(gateway, sample[at])));
      const seen = ({ status, headers }) => [status, headers["x-ratelimit-limit"], headers["x-ratelimit-remaining"]];
      assert.deepEqual(seen(other), seen(one));
      assert.equal(one.status, 200);
    });
  } finally {
    agent.destroy();
    await Promise.all([from.stop(), to.stop(), upstream.close()]);
  }
});
