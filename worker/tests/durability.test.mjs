// Nothing that was acknowledged is ever lost, and nothing is ever stored by half.

import assert from "node:assert/strict";
import { Agent } from "node:http";
import { test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { send } from "./http.mjs";
import { listen } from "./upstream.mjs";

const WRITES = 2000;
const CONNECTIONS = 12;
const ROUNDS = 2;

/** Returns the text of a document that shows whether it is complete: every byte follows from its number. */
function text(id, n) {
  return JSON.stringify({ api_id: id, name: `write ${n}`, use_keyless: true, config_data: { n, filler: `${n}.`.repeat(200 + (n % 7) * 300) }, proxy: { listen_path: `/${id}/`, target_url: "http://127.0.0.1:9/" } });
}

for (let round = 1; round <= ROUNDS; round += 1) {
  // Later each time, so that it isn't always the same moment.
  const after = Math.floor((WRITES * round) / (ROUNDS + 1));
  test(`a process killed after ${after} of ${WRITES} writes has every acknowledged one`, async () => {
    const gateway = await start();
    try {
      const { sent, acknowledged } = await writeUntilKilled(gateway, after);
      assert.ok(acknowledged.length >= after && acknowledged.length < WRITES, `${acknowledged.length} acknowledged`);
      await gateway.restart();
      await compare(gateway, sent, acknowledged);
    } finally {
      await gateway.stop();
    }
  });
}

/** Sends writes over several connections, and kills the process after this many responses. */
async function writeUntilKilled(gateway, after) {
  const sent = [];
  const acknowledged = [];
  let killed;
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const work = async () => {
    while (!killed && sent.length < WRITES) {
      const n = sent.length;
      // Two thirds are new documents, the others replace and delete them.
      const kind = n % 3 === 2 ? (n % 2 ? "DELETE" : "PUT") : "POST";
      const id = kind === "POST" ? `d${n}` : `d${n - (n % 3 === 2 ? 2 : 0)}`;
      const write = { n, kind, id, body: kind === "DELETE" ? undefined : text(id, n) };
      sent.push(write);
      const path = kind === "POST" ? "/gateway/apis" : `/gateway/apis/${id}`;
      const answer = await gateway.admin(kind, path, { body: write.body, agent }).catch(() => undefined);
      if (answer === undefined) return;
      // A PUT or DELETE can overtake the POST that it is about.
      if (answer.status === 404 && kind !== "POST") continue;
      assert.equal(answer.status, 200, answer.text);
      write.revision = kind === "DELETE" ? undefined : Number(answer.headers.etag.slice(1, -1));
      acknowledged.push(write);
      if (acknowledged.length === after) killed = gateway.kill("SIGKILL");
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, work));
  await killed;
  agent.destroy();
  return { sent, acknowledged };
}

/** Asserts that every document is as one of its own writes left it, and that no acknowledged write is missing. */
async function compare(gateway, sent, acknowledged) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
  const ids = [...new Set(sent.map(({ id }) => id))];
  const check = async (id) => {
    const writes = sent.filter((write) => write.id === id);
    const answer = await gateway.admin("GET", `/gateway/apis/${id}/revisions`, { agent });
    if (answer.status === 404) {
      assert.ok(!acknowledged.some((write) => write.id === id), `${id} was acknowledged and is gone`);
      return;
    }
    const { revisions } = answer.json;
    assert.deepEqual(revisions.map(({ revision }) => revision), revisions.map((_, at) => revisions.length - at), `${id}: no revision number is missing`);
    for (const { revision, action } of revisions) {
      const stored = await gateway.admin("GET", `/gateway/apis/${id}/revisions/${revision}`, { agent });
      if (action === "deleted") assert.equal(stored.status, 404);
      else assert.ok(writes.some(({ body }) => body === stored.text), `${id}: revision ${revision} was never sent`);
    }
    for (const write of acknowledged.filter((write) => write.id === id)) {
      if (write.kind === "DELETE") assert.ok(revisions.some(({ action }) => action === "deleted"), `${id}: the deletion is lost`);
      else assert.equal((await gateway.admin("GET", `/gateway/apis/${id}/revisions/${write.revision}`, { agent })).text, write.body, `${id}: revision ${write.revision}`);
    }
    const current = await gateway.admin("GET", `/gateway/apis/${id}`, { agent });
    const [newest] = revisions;
    assert.equal(current.status, newest.action === "deleted" ? 404 : 200, id);
    if (current.status === 200) assert.equal(current.headers.etag, `"${newest.revision}"`);
  };
  const next = ids[Symbol.iterator]();
  await Promise.all(Array.from({ length: CONNECTIONS }, async () => {
    for (const id of next) await check(id);
  }));
  agent.destroy();
  const list = (await gateway.admin("GET", "/gateway/apis")).json;
  assert.ok(list.every(({ api_id }) => ids.includes(api_id)));
}

test("after a crash the loaded APIs are served, and later writes are pending", async () => {
  const [gateway, upstream] = await Promise.all([start(), listen()]);
  try {
    const [loaded, written] = [api({}, { target_url: upstream.url }), api({}, { target_url: upstream.url })];
    await publish(gateway, loaded);
    await gateway.admin("POST", "/gateway/apis", { body: written });
    const before = (await gateway.admin("GET", "/gateway/reload/status")).json;
    await gateway.kill("SIGKILL");
    await gateway.restart();
    const call = (definition) => send(gateway.ports.gateway, { path: `${definition.proxy.listen_path}x` });
    assert.equal((await call(loaded)).status, 200);
    assert.equal((await call(written)).status, 404);
    assert.deepEqual((await gateway.admin("GET", "/gateway/reload/status")).json, before);
    await publish(gateway);
    assert.equal((await call(written)).status, 200);
  } finally {
    await Promise.all([gateway.stop(), upstream.close()]);
  }
});

test("of 64 writers with the same ETag exactly one succeeds, in every round", async () => {
  const gateway = await start();
  try {
    const definition = api();
    const id = definition.api_id;
    await gateway.admin("POST", "/gateway/apis", { body: definition });
    for (let revision = 1; revision <= 8; revision += 1) {
      const write = (n) => gateway.admin(n % 2 ? "PUT" : "POST", n % 2 ? `/gateway/apis/${id}` : "/gateway/apis", { body: { ...definition, name: `round ${revision} writer ${n}` }, headers: { "If-Match": `"${revision}"` } });
      const answers = await Promise.all(Array.from({ length: 64 }, (_, n) => write(n)));
      const winners = answers.flatMap(({ status }, n) => (status === 200 ? [n] : []));
      assert.equal(winners.length, 1, `round ${revision}`);
      assert.equal(answers[winners[0]].headers.etag, `"${revision + 1}"`);
      for (const [n, answer] of answers.entries()) {
        if (n !== winners[0]) assert.deepEqual([answer.status, answer.headers.etag], [412, `"${revision + 1}"`]);
      }
      assert.equal((await gateway.admin("GET", `/gateway/apis/${id}`)).json.name, `round ${revision} writer ${winners[0]}`);
    }
    const { revisions } = (await gateway.admin("GET", `/gateway/apis/${id}/revisions`)).json;
    assert.equal(revisions.length, 9);
  } finally {
    await gateway.stop();
  }
});

test("of 64 writers creating the same id exactly one succeeds", async () => {
  const gateway = await start();
  try {
    const definition = api();
    const answers = await Promise.all(Array.from({ length: 64 }, () => gateway.admin("POST", "/gateway/apis", { body: definition, headers: { "If-None-Match": "*" } })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(63).fill(412)]);
  } finally {
    await gateway.stop();
  }
});
