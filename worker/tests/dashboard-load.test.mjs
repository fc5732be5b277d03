// Merge patches under load, with crashes in between: every acknowledged patch has its effect and its notification,
// exactly once.
//
// GATEWRIGHT_LOAD_PATCHES is the number of patches of the first test.

import assert from "node:assert/strict";
import { Agent } from "node:http";
import { createRequire } from "node:module";
import { test } from "node:test";
import { caller, notifications } from "./dashboard.mjs";
import { start } from "./harness.mjs";

const patched = createRequire(import.meta.url)("json-merge-patch").apply;

const PATCHES = Number(process.env.GATEWRIGHT_LOAD_PATCHES ?? 10_000);
const CLIENTS = 64;
const CRASHES = 3;
const PROVIDER = { name: "n", client_idp_id: "idp", jwks_uri: "https://idp.example/jwks", kept: [1] };

/**
 * Returns a client's patch number `n`. Each adds a key that stays, one that the client's next patch removes, and,
 * occasionally, a complete mapping.
 */
function patchOf(client, n) {
  const scopes = { [`s${n}`]: `p${n}`, [`t${n}`]: "t", ...(n > 0 && { [`t${n - 1}`]: null }) };
  return { [`api-${client}`]: { scope_to_policy: scopes }, ...(n % 50 === 0 && { [`own-${client}-${n}`]: { note: n } }) };
}

/**
 * Has 64 clients send patches one after another until `enough` returns true; a request without a response ends its
 * client. Returns what was acknowledged: `{ client, n, body, revision }`.
 */
async function load(gateway, enough) {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const call = caller(gateway);
  const acknowledged = [];
  let sent = 0;
  const work = async (client) => {
    for (let n = 0; !enough(sent, acknowledged.length); n += 1) {
      sent += 1;
      const body = patchOf(client, n);
      const answer = await call("PATCH", "/api/clientidps/idp/mappings", { body, agent }).catch(() => undefined);
      if (answer === undefined) return;
      assert.equal(answer.status, 200, answer.text);
      acknowledged.push({ client, n, body, revision: Number(answer.headers.etag.slice(1, -1)) });
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, client) => work(client)));
  agent.destroy();
  return { acknowledged, sent };
}

/** The numbers from 1 to `last`. */
const upTo = (last) => Array.from({ length: last }, (_, at) => at + 1);

/** Returns what is stored: the document, its revision, and its notifications, checked for gaps. */
async function stored(gateway) {
  const call = caller(gateway);
  const answer = await call("GET", "/api/clientidps/idp");
  assert.equal(answer.status, 200, answer.text);
  const revision = Number(answer.headers.etag.slice(1, -1));
  const all = await notifications(call);
  assert.deepEqual(all.map(({ seq }) => seq), upTo(all.length), "no revision number is missing");
  assert.deepEqual(all.map(({ data }) => data.revision), upTo(revision), "each revision has one notification");
  assert.ok(all.every(({ type }) => type === "NoticeClientIdPChanged"));
  assert.equal(new Set(all.map(({ id }) => id)).size, all.length);
  return { document: answer.json, revision };
}

test(`${PATCHES} patches of ${CLIENTS} clients all take effect, each with one notification`, async (t) => {
  const gateway = await start({ env: { NOTIFICATIONS_KEPT: String(2 * PATCHES) } });
  try {
    assert.equal((await caller(gateway)("POST", "/api/clientidps", { body: PROVIDER })).status, 201);
    const began = Date.now();
    const { acknowledged } = await load(gateway, (sent) => sent >= PATCHES);
    const seconds = (Date.now() - began) / 1000;
    t.diagnostic(`${Math.round(PATCHES / seconds)} patches a second, ${seconds.toFixed(1)} s`);
    assert.equal(acknowledged.length, PATCHES);
    acknowledged.sort((a, b) => a.revision - b.revision);
    assert.deepEqual(acknowledged.map(({ revision }) => revision), upTo(PATCHES).map((n) => n + 1));
    const { document, revision } = await stored(gateway);
    assert.equal(revision, PATCHES + 1);
    for (const { client, n } of acknowledged) assert.equal(document.api_mappings[`api-${client}`].scope_to_policy[`s${n}`], `p${n}`);
    const replayed = acknowledged.reduce((mappings, { body }) => patched(mappings, body), {});
    assert.deepEqual(document.api_mappings, replayed);
    assert.deepEqual(document.kept, [1]);
    const { total } = await caller(gateway)("GET", "/api/audit", { query: { limit: 1 } }).then(({ json }) => ({ total: json.entries[0].seq }));
    assert.equal(total, PATCHES + 1);
    // Old revisions are reconstructed from patches; the one in the middle is the replay up to it.
    const middle = Math.floor(PATCHES / 2);
    const old = await caller(gateway)("GET", `/api/clientidps/idp/revisions/${middle + 1}`);
    const half = acknowledged.slice(0, middle).reduce((mappings, { body }) => patched(mappings, body), {});
    assert.deepEqual(old.json.api_mappings, half);
  } finally {
    await gateway.stop();
  }
});

for (let crash = 1; crash <= CRASHES; crash += 1) {
  // Later each time, so that it isn't always the same moment.
  const after = 200 * crash + 37;
  test(`after a crash ${after} patches in, every acknowledged one is there exactly once`, async () => {
    const gateway = await start();
    try {
      await caller(gateway)("POST", "/api/clientidps", { body: PROVIDER });
      let killed;
      const { acknowledged, sent } = await load(gateway, (_, done) => {
        if (done >= after) killed ??= gateway.kill("SIGKILL");
        return killed !== undefined;
      });
      await killed;
      assert.ok(acknowledged.length >= after && acknowledged.length <= sent);
      await gateway.restart();
      const { document, revision } = await stored(gateway);
      // None lacks its revision, none is there twice, and what was in flight is there completely or not at all.
      const scopes = Object.entries(document.api_mappings).flatMap(([api, mapping]) => Object.keys(mapping.scope_to_policy ?? {}).map((scope) => `${api} ${scope}`));
      const kept = scopes.filter((scope) => / s\d+$/.test(scope));
      assert.equal(kept.length, revision - 1);
      assert.ok(revision - 1 >= acknowledged.length && revision - 1 <= sent, `${revision} of ${sent}`);
      for (const { client, n } of acknowledged) assert.ok(kept.includes(`api-${client} s${n}`), `${client} ${n}`);
      assert.equal(new Set(acknowledged.map(({ revision: number }) => number)).size, acknowledged.length);
      // Revisions continue after the newest one.
      const next = await caller(gateway)("PATCH", "/api/clientidps/idp/mappings", { body: { more: {} } });
      assert.equal(next.headers.etag, `"${revision + 1}"`);
      await stored(gateway);
    } finally {
      await gateway.stop();
    }
  });
}
