// How many Durable Objects a request asks once it is known here, and that no upstream's answer comes out of
// the platform's cache: counted, not claimed (calls.js).

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

const LIMITS = { rate: 1000, per: 1, quota_max: 1000, quota_renewal_rate: 3600 };

/** An API, and a key for it unless there are to be none. */
async function served(members = {}, session) {
  const definition = api({ use_keyless: session === undefined, ...members }, { target_url: upstream.url });
  await publish(gateway, definition);
  if (session === undefined) return { definition };
  const body = { org_id: members.org_id, access_rights: { [definition.api_id]: {} }, ...session };
  const made = await gateway.admin("POST", "/gateway/keys", { body });
  assert.equal(made.status, 200, made.text);
  return { definition, token: made.json.key, hash: made.json.key_hash };
}

/** Status and calls of the third of three requests. */
async function steady({ definition, token }, status) {
  const headers = token === undefined ? {} : { Authorization: token };
  let answer;
  for (let sent = 0; sent < 3; sent += 1) {
    answer = await send(gateway.ports.gateway, { path: `${definition.proxy.listen_path}x`, headers });
  }
  assert.equal(answer.status, status, answer.text);
  return answer.headers["x-calls"];
}

test("without a key and without limits nobody is asked", async () => {
  assert.equal(await steady(await served(), 200), "");
  const closed = await served({}, {});
  assert.equal(await steady({ definition: closed.definition }, 401), "");
  assert.equal(await steady({ definition: closed.definition, token: "ab" }, 403), "");
});

test("a key costs one call, whatever its limits and whatever becomes of it", async () => {
  for (const [members, session, status] of [
    [{}, {}, 200],
    [{}, LIMITS, 200],
    [{ strip_auth_data: true }, LIMITS, 200],
    [{ auth: { auth_header_name: "Authorization", use_param: true } }, LIMITS, 200],
    [{}, { ...LIMITS, throttle_interval: 1, throttle_retry_limit: 1 }, 200],
    [{}, { quota_max: 1, quota_renewal_rate: 3600 }, 403],
    [{}, { rate: 1, per: 3600 }, 429],
    [{}, { is_inactive: true }, 403],
  ]) {
    const known = await served(members, session);
    assert.equal(await steady(known, status), `key:${known.hash}`, JSON.stringify([members, session]));
  }
});

test("a key that counts under a text of the request costs one call more, if it counts at all", async () => {
  const meta_data = { rate_limit_pattern: "$gateway_context.headers_Authorization" };
  const known = await served({}, { ...LIMITS, meta_data });
  assert.match(await steady(known, 200), new RegExp(`^key:${known.hash} pattern:[0-9a-f]{64}$`));
  const free = await served({}, { meta_data });
  assert.equal(await steady(free, 200), `key:${free.hash}`);
});

test("the rate of an API is one call, and so is the session of an organisation", async () => {
  const limited = await served({ global_rate_limit: { rate: 1000, per: 1 } });
  assert.equal(await steady(limited, 200), `api:${limited.definition.api_id}`);
  const org_id = `org-${process.pid}`;
  const open = await served({ org_id });
  const guarded = await served({ org_id }, LIMITS);
  assert.equal((await gateway.admin("POST", `/gateway/org/keys/${org_id}`, { body: LIMITS })).status, 200);
  assert.equal(await steady(open, 200), `org:${org_id}`);
  assert.equal(await steady(guarded, 200), `org:${org_id} key:${guarded.hash}`);
});

// Fault H7. The platform would cache a GET by the upstream's headers, one client's answer for another's; how it
// is told not to: https://developers.cloudflare.com/workers/runtime-apis/request/#the-cf-property-requestinitcfproperties
test("no upstream is called without a word against the platform's cache", async () => {
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
