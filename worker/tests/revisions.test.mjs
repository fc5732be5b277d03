// Every write preserves the previous state, and every earlier state can be restored.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";

let gateway;
before(async () => (gateway = await start()));
after(() => gateway.stop());

const post = (body, options) => gateway.admin("POST", "/gateway/apis", { body, ...options });
const put = (id, body, options) => gateway.admin("PUT", `/gateway/apis/${id}`, { body, ...options });
const get = (id) => gateway.admin("GET", `/gateway/apis/${id}?complete=false`);
const remove = (id) => gateway.admin("DELETE", `/gateway/apis/${id}`);
const list = (id, query) => gateway.admin("GET", `/gateway/apis/${id}/revisions`, { query });
const read = (id, revision) => gateway.admin("GET", `/gateway/apis/${id}/revisions/${revision}`);
const restore = (id, revision, options) => gateway.admin("POST", `/gateway/apis/${id}/revisions/${revision}/restore`, options);

test("revisions list action, time and size, newest first", async () => {
  const definition = api({ name: "ä" });
  const id = definition.api_id;
  const longer = { ...definition, tags: ["x"] };
  const began = Date.now();
  await post(definition);
  await put(id, longer);
  await post(definition);
  await remove(id);
  await restore(id, 2);

  const answer = await list(id);
  assert.equal(answer.status, 200);
  assert.equal(answer.json.api_id, id);
  const size = (value) => Buffer.byteLength(JSON.stringify(value));
  assert.deepEqual(
    answer.json.revisions.map(({ at, by, ...revision }) => revision),
    [
      { revision: 5, action: "restored", bytes: size(longer), current: true },
      { revision: 4, action: "deleted", bytes: 0, current: false },
      { revision: 3, action: "added", bytes: size(definition), current: false },
      { revision: 2, action: "modified", bytes: size(longer), current: false },
      { revision: 1, action: "added", bytes: size(definition), current: false },
    ],
  );
  for (const { at, by } of answer.json.revisions) {
    assert.equal(by, "gateway");
    assert.match(at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(Date.parse(at) >= began - 1000 && Date.parse(at) <= Date.now() + 1000, at);
  }
});

test("a revision is returned as stored", async () => {
  const first = JSON.stringify(api({ n: 1 }), null, 3).replace('"n": 1', '"n": 1.00');
  const { key: id } = (await post(first)).json;
  await put(id, JSON.parse(first));
  const answer = await read(id, 1);
  assert.equal(answer.status, 200);
  assert.equal(answer.text, first);
  assert.equal(answer.headers.etag, '"1"');
  assert.equal((await read(id, 2)).text, JSON.stringify(JSON.parse(first)));
});

test("a revision that does not exist, or is a deletion, is a 404", async () => {
  const definition = api();
  const id = definition.api_id;
  await post(definition);
  await remove(id);
  for (const revision of ["0", "2", "3", "999999999"]) {
    assert.equal((await read(id, revision)).status, 404, revision);
    assert.equal((await restore(id, revision)).status, 404, revision);
  }
  for (const revision of ["x", "-1", "1.0", "%31", "18446744073709551616"]) {
    const answer = await read(id, revision);
    assert.equal(answer.status, 400, `${revision}: ${answer.text}`);
  }
  assert.equal((await read(api().api_id, 1)).json.message, "API not found.");
  assert.equal((await restore(api().api_id, 1)).json.message, "API not found.");
});

test("a restored revision becomes the newest, byte for byte", async () => {
  const text = JSON.stringify(api({ n: 2 }), null, 2).replace('"n": 2', '"n": 2e0');
  const { key: id } = (await post(text)).json;
  await put(id, { ...JSON.parse(text), name: "other" });
  const answer = await restore(id, 1);
  assert.equal(answer.status, 200);
  assert.equal(answer.text, `{"key":"${id}","status":"ok","action":"restored"}\n`);
  assert.equal(answer.headers.etag, '"3"');
  assert.equal((await get(id)).text, text);
  assert.equal((await get(id)).headers.etag, '"3"');
});

test("a deleted API keeps its revisions and can be restored and served again", async () => {
  const definition = api({ use_keyless: false });
  const id = definition.api_id;
  await publish(gateway, definition);
  await remove(id);
  await publish(gateway);
  assert.equal((await get(id)).status, 404);
  assert.equal((await list(id)).json.revisions.length, 2);
  assert.equal((await read(id, 1)).text, JSON.stringify(definition));

  assert.equal((await restore(id, 1)).status, 200);
  assert.equal((await get(id)).text, JSON.stringify(definition));
  await publish(gateway);
  const { loaded } = (await gateway.admin("GET", "/gateway/reload/status")).json;
  assert.ok(loaded.some(({ api_id, revision }) => api_id === id && revision === 3));
});

test("a restore is refused if another API has taken the route since", async () => {
  const definition = api();
  await post(definition);
  await remove(definition.api_id);
  const other = api({}, { listen_path: definition.proxy.listen_path });
  await post(other);
  const answer = await restore(definition.api_id, 1);
  assert.equal(answer.status, 409);
  assert.ok(answer.json.message.includes(other.api_id) && answer.json.message.includes(other.name), answer.text);
  assert.equal((await get(definition.api_id)).status, 404);
});

test("a restore can be conditional or a dry run", async () => {
  const definition = api();
  const id = definition.api_id;
  await post(definition);
  await put(id, { ...definition, name: "second" });
  const stale = await restore(id, 1, { headers: { "If-Match": '"1"' } });
  assert.equal(stale.status, 412);
  assert.equal(stale.headers.etag, '"2"');
  assert.equal((await restore(id, 1, { query: { dry_run: "true" } })).json.dry_run, true);
  assert.equal((await get(id)).json.name, "second");
  assert.equal((await restore(id, 1, { headers: { "If-Match": '"2"' } })).status, 200);
});

test("revisions are paginated", async () => {
  const definition = api();
  const id = definition.api_id;
  for (let n = 1; n <= 25; n += 1) await post({ ...definition, name: `n${n}` });
  const numbers = async (query) => (await list(id, query)).json.revisions.map(({ revision }) => revision);
  const all = Array.from({ length: 25 }, (_, n) => 25 - n);
  assert.deepEqual(await numbers(), all);
  const paged = [];
  for (let before; ; before = paged.at(-1)) {
    const page = await numbers({ limit: 7, ...(before && { before }) });
    assert.ok(page.length <= 7);
    if (page.length === 0) break;
    paged.push(...page);
  }
  assert.deepEqual(paged, all);
  assert.deepEqual(await numbers({ before: 3 }), [2, 1]);
  assert.deepEqual(await numbers({ before: 1 }), []);
  for (const query of [{ before: "x" }, { limit: "-1" }, { limit: "1.5" }]) {
    assert.equal((await list(id, query)).status, 400, JSON.stringify(query));
  }
});
