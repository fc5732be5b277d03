// How many calls of Durable Objects a request costs once the isolate knows its key, and that no upstream's response
// comes from the platform's cache: counted, not claimed (calls.js).

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { ROOT, start } from "./harness.mjs";
import { send } from "./http.mjs";
import { listen } from "./upstream.mjs";

const kept = (_, response) => response.writeHead(200, { "Cache-Control": "public, max-age=3600", ETag: '"1"' }).end("kept");

let gateway;
let upstream;
before(async () => {
  const config = join(ROOT, "worker/tests/calls.capnp");
  [gateway, upstream] = await Promise.all([start({ config }), listen({ "/kept": kept })]);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

const LIMITS = { rate: 1000, per: 1, quota_max: 100_000, quota_renewal_rate: 3600 };

/** Publishes an API, with a key for it unless keys are switched off: this one, or a generated one. */
async function served(members = {}, session, key) {
  const definition = api({ use_keyless: session === undefined, ...members }, { target_url: upstream.url });
  await publish(gateway, definition);
  if (session === undefined) return { definition };
  const body = { org_id: members.org_id, access_rights: { [definition.api_id]: {} }, ...session };
  const path = key === undefined ? "/gateway/keys" : `/gateway/keys/${key}`;
  const made = await gateway.admin("POST", path, { body });
  assert.equal(made.status, 200, made.text);
  return { definition, token: made.json.key, hash: made.json.key_hash };
}

/**
 * Sends requests one after another, each of which must have this status. Returns for each the names of the objects it
 * called, separated by spaces.
 */
async function callsOf({ definition, token }, status, count = 20) {
  const headers = token === undefined ? {} : { Authorization: token };
  const calls = [];
  for (let sent = 0; sent < count; sent += 1) {
    const answer = await send(gateway.ports.gateway, { path: `${definition.proxy.listen_path}x`, headers });
    assert.equal(answer.status, status, answer.text);
    calls.push(answer.headers["x-calls"]);
  }
  return calls;
}

/** The distinct results without the first two, during which the key is looked up and its object starts. */
const steady = async (known, status) => [...new Set((await callsOf(known, status)).slice(2))].sort();

test("without a key and without limits no object is called", async () => {
  assert.deepEqual(await steady(await served(), 200), [""]);
  const closed = await served({}, {});
  assert.deepEqual(await steady({ definition: closed.definition }, 401), [""]);
  assert.deepEqual(await steady({ definition: closed.definition, token: "ab" }, 403), [""]);
});

// An object that is called stores what it may admit in the next second. Until that is on disk it is called again; from
// then on, the isolate it lives in counts on it without a call.
test("a key costs at most one call, whatever its limits and the outcome, and soon none", async () => {
  for (const [members, session, status] of [
    [{}, {}, 200],
    [{}, LIMITS, 200],
    [{ strip_auth_data: true }, LIMITS, 200],
    [{ auth: { auth_header_name: "Authorization", use_param: true } }, LIMITS, 200],
    [{}, { ...LIMITS, throttle_interval: 1, throttle_retry_limit: 1 }, 200],
    [{}, { is_inactive: true }, 403],
  ]) {
    const known = await served(members, session);
    const calls = await callsOf(known, status, 60);
    const what = JSON.stringify([members, session, calls]);
    assert.ok(calls.slice(2).every((call) => call === "" || call === `key:${known.hash}`), what);
    assert.ok(calls.filter((call) => call === "").length > 30, what);
  }
});

// Its Ledger has it when the write is answered. A generated key may come up to a second later, if many are generated.
test("a key is found without the Registry, also after a restart", async () => {
  const known = await served({}, {}, `found-${process.pid}`);
  const [first] = await callsOf(known, 200, 1);
  assert.deepEqual([...new Set(first.split(" "))], [`key:${known.hash}`]);
  await gateway.restart();
  const [again] = await callsOf(known, 200, 1);
  assert.deepEqual([...new Set(again.split(" "))], [`key:${known.hash}`]);
  // A write is not hidden by what was stored before it.
  const path = `/gateway/keys/${known.hash}?hashed=1`;
  assert.equal((await gateway.admin("DELETE", path)).status, 200);
  await callsOf(known, 403, 1);
  await gateway.restart();
  await callsOf(known, 403, 1);
});

test("an exhausted quota is refused without a call", async () => {
  for (const [session, status] of [
    [{ quota_max: 1, quota_renewal_rate: 3600 }, 403],
    [{ rate: 1, per: 3600 }, 429],
  ]) {
    const known = await served({}, session);
    await callsOf(known, 200, 1);
    const calls = await callsOf(known, status);
    assert.ok(calls.filter((call) => call === "").length > 10, calls.join());
  }
});

test("all limits of a request are checked at once, with one call per object", async () => {
  const meta_data = { rate_limit_pattern: "$gateway_context.headers_Authorization" };
  const org_id = `org-${process.pid}`;
  const members = { org_id, global_rate_limit: { rate: 1000, per: 1 } };
  const open = await served(members);
  const guarded = await served(members, { ...LIMITS, meta_data });
  assert.equal((await gateway.admin("POST", `/gateway/org/keys/${org_id}`, { body: LIMITS })).status, 200);
  for (const [known, objects] of [
    [open, [`org:${org_id}`, `api:${open.definition.api_id}`]],
    [guarded, [`org:${org_id}`, `key:${guarded.hash}`, /^pattern:[0-9a-f]{64}:[0-9a-f]{2}$/, `api:${guarded.definition.api_id}`]],
  ]) {
    const calls = await callsOf(known, 200, 60);
    for (const call of calls.slice(2)) {
      const names = call.split(" ").filter(Boolean);
      assert.equal(new Set(names).size, names.length, call);
      for (const name of names) assert.ok(objects.some((object) => name === object || (object instanceof RegExp && object.test(name))), call);
    }
    assert.ok(calls.filter((call) => call === "").length > 30, calls.join());
  }
});

// Fault H7. By default the platform would cache a GET according to the upstream's headers, and serve one client's
// response to another; how to prevent that:
// https://developers.cloudflare.com/workers/runtime-apis/request/#the-cf-property-requestinitcfproperties
test("every upstream call bypasses the platform's cache", async () => {
  const uncached = JSON.stringify({ cacheTtlByStatus: { "100-599": -1 } });
  const { definition: plain } = await served();
  const { definition: timed } = await served({ enable_batch_request_support: true, global_rate_limit: { rate: 1000, per: 1 } });
  const { definition, token } = await served({}, LIMITS);
  const get = (path, headers) => send(gateway.ports.gateway, { path, headers });
  const ask = { api_id: timed.api_id, request: { method: "GET", path: "/kept", headers: {} } };
  const requests = { suppress_parallel_execution: true, requests: [{ method: "GET", relative_url: "kept" }, { method: "GET", relative_url: "kept" }] };
  for (const [name, calls, run] of [
    ["plain", 1, () => get(`${plain.proxy.listen_path}kept`)],
    ["in a run", 1, () => get(`${timed.proxy.listen_path}kept`)],
    ["with a key", 1, () => get(`${definition.proxy.listen_path}kept`, { Authorization: token })],
    ["in a batch", 2, () => send(gateway.ports.gateway, { method: "POST", path: `${timed.proxy.listen_path}gateway/batch/`, body: requests })],
    ["debugged", 1, () => gateway.admin("POST", "/gateway/debug", { body: ask })],
  ]) {
    for (const round of [1, 2]) {
      const before = upstream.seen.length;
      const answer = await run();
      assert.equal(answer.status, 200, `${name}: ${answer.text}`);
      assert.match(answer.text, /kept/, name);
      assert.equal(upstream.seen.length, before + calls, `${name}, ${round}`);
      assert.equal(answer.headers["x-cf"], Array(calls).fill(uncached).join(" "), name);
    }
  }
});
