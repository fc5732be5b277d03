// Reloads that publish part of what is pending, and reloads that publish an earlier set.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { startWithFaults } from "./faults.mjs";
import { send } from "./http.mjs";
import { listen } from "./upstream.mjs";

let gateway;
let upstream;
before(async () => {
  [gateway, upstream] = await Promise.all([startWithFaults(), listen()]);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

const served = (members) => api(members, { target_url: upstream.url });
const store = (definition) => gateway.admin("POST", "/gateway/apis", { body: definition });
const select = (body, query = { block: "true" }) => gateway.admin("POST", "/gateway/reload", { query, body });
const codes = async (...definitions) => (await Promise.all(definitions.map(({ proxy }) => send(gateway.ports.gateway, { path: `${proxy.listen_path}x` })))).map(({ status }) => status);
const status = async () => (await gateway.admin("GET", "/gateway/reload/status")).json;
const moved = (definition) => ({ ...definition, proxy: { ...definition.proxy, listen_path: `${definition.proxy.listen_path}moved/` } });

test("the selected changes are published, and the rest stays pending", async () => {
  const [changed, wanted, waiting] = [served(), served(), served()];
  await publish(gateway, changed);
  await store(moved(changed));
  await store(wanted);
  await store(waiting);
  const answer = await select({ apis: [wanted.api_id] });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.json.pending, 2);
  assert.deepEqual(await codes(changed, moved(changed), wanted, waiting), [200, 200, 200, 404]);
  await gateway.restart();
  assert.deepEqual(await codes(changed, wanted, waiting), [200, 200, 404]);
  assert.deepEqual((await status()).pending.map(({ api_id }) => api_id).sort(), [changed.api_id, waiting.api_id].sort());
  await publish(gateway);
  assert.deepEqual(await codes(waiting), [200]);
});

test("an earlier generation can be published again, and stored documents are unchanged", async () => {
  const [changed, gone] = [served(), served()];
  await publish(gateway, changed, gone);
  const { generation } = await status();
  const fresh = served();
  await store(moved(changed));
  await gateway.admin("DELETE", `/gateway/apis/${gone.api_id}`);
  await publish(gateway, fresh);
  assert.deepEqual(await codes(gone, fresh), [404, 200]);
  const { json: plan } = await gateway.admin("GET", `/gateway/reload/generations/${generation}`);
  assert.equal(plan.pending_total, 3);
  const answer = await select({ generation });
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.json.pending, 3);
  assert.deepEqual(await codes(changed, gone, fresh), [200, 200, 404]);
  const stored = await gateway.admin("GET", `/gateway/apis/${changed.api_id}`);
  assert.equal(stored.json.proxy.listen_path, moved(changed).proxy.listen_path);
  const { json: list } = await gateway.admin("GET", "/gateway/reload/generations");
  assert.deepEqual([list.generations[0].again, list.generations[0].served], [generation, true]);
  await publish(gateway);
  assert.deepEqual(await codes(gone, fresh), [404, 200]);
});

test("an unpublishable selection is refused, also without waiting and without a credential", async () => {
  const before = await status();
  for (const [body, code, pointer] of [[{ apis: ["nobody"] }, 400, "/apis/0"], [{ generation: 99_999 }, 404, "/generation"], [{ api: [] }, 400, "/api"]]) {
    const answer = await select(body, {});
    assert.equal(answer.status, code, answer.text);
    assert.equal(answer.json.issues[0].pointer, pointer, answer.text);
  }
  for (const [method, path] of [["POST", "/gateway/reload"], ["GET", "/gateway/reload/generations"], ["GET", "/gateway/reload/generations/1"]]) {
    const body = method === "POST" ? { apis: ["nobody"] } : undefined;
    assert.equal((await gateway.admin(method, path, { headers: { "X-Gateway-Authorization": "wrong" }, body })).status, 403, path);
  }
  assert.deepEqual(await status(), before);
});

test("a failed selection is retried unchanged, and publishes nothing else", async () => {
  const [wanted, waiting] = [served(), served()];
  await store(wanted);
  await store(waiting);
  await gateway.faults({ method: "PUT", key: "generation", action: "fail" });
  assert.equal((await select({ apis: [wanted.api_id] })).status, 503);
  assert.deepEqual(await codes(wanted, waiting), [404, 404]);
  await gateway.faults();
  // The gateway's own alarm retries it.
  while ((await status()).state === "failed");
  assert.deepEqual((await status()).pending.map(({ api_id }) => api_id), [waiting.api_id]);
  await publish(gateway);
  assert.deepEqual(await codes(wanted, waiting), [200, 200]);
});

test("concurrent selections and full reloads all complete, and nothing is lost", async () => {
  const definitions = Array.from({ length: 12 }, () => served());
  for (const definition of definitions) await store(definition);
  const answers = await Promise.all(
    definitions.map(({ api_id: id }, at) => (at % 3 === 2 ? gateway.admin("GET", "/gateway/reload", { query: { block: "true" } }) : select({ apis: [id] }))),
  );
  assert.deepEqual(answers.map(({ status }) => status), definitions.map(() => 200));
  assert.deepEqual(await codes(...definitions), definitions.map(() => 200));
  const { json } = await gateway.admin("GET", "/gateway/reload/generations");
  assert.ok(json.generations.length <= 20);
});
