// Writes wait for a reload, and a reload reports what it did (reference 1.2 and 5.3).

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

const served = (members, proxy) => api(members, { target_url: upstream.url, ...proxy });
const post = (body) => gateway.admin("POST", "/gateway/apis", { body });
const call = (definition, rest = "x") => send(gateway.ports.gateway, { path: definition.proxy.listen_path + rest });
const status = async () => (await gateway.admin("GET", "/gateway/reload/status")).json;
const pendingHeader = async ({ api_id: id }) => (await gateway.admin("GET", `/gateway/apis/${id}`)).headers["x-gateway-reload-pending"];
const pendingOf = async ({ api_id: id }) => (await status()).pending.find((pending) => pending.api_id === id);

test("a new API can be read at once, is served after a reload, and marked until then", async () => {
  const definition = served();
  await post(definition);
  assert.equal(await pendingHeader(definition), "true");
  assert.equal((await call(definition)).status, 404);
  assert.deepEqual(await pendingOf(definition), {
    api_id: definition.api_id,
    name: definition.name,
    listen_path: definition.proxy.listen_path,
    change: "added",
    revision: 1,
    loaded_revision: null,
    outlook: "served",
    served_now: false,
  });

  const answer = await gateway.admin("GET", "/gateway/reload", { query: { block: "true" } });
  assert.equal(answer.status, 200);
  assert.match(answer.text, /^\{"status":"ok","message":"","loaded":\d+,"skipped":0,"pending":0\}\n$/);
  assert.equal((await call(definition)).status, 200);
  assert.equal(await pendingHeader(definition), undefined);
  assert.equal(await pendingOf(definition), undefined);
});

test("after a change the old document is served until a reload", async () => {
  const definition = served();
  await publish(gateway, definition);
  const moved = { ...definition, proxy: { ...definition.proxy, listen_path: `${definition.proxy.listen_path}moved/` } };
  await gateway.admin("PUT", `/gateway/apis/${definition.api_id}`, { body: moved });
  assert.equal(await pendingHeader(definition), "true");
  const { change, revision, loaded_revision: loaded } = await pendingOf(definition);
  assert.deepEqual([change, revision, loaded], ["modified", 2, 1]);
  assert.equal((await call(definition)).json.url, "/x");
  await publish(gateway);
  assert.equal((await call(definition)).status, 404);
  assert.equal((await call(moved)).json.url, "/x");
});

test("a deleted API is served until a reload, which also removes its file from KV", async () => {
  const definition = served();
  const file = `apis/${definition.api_id}.json`;
  await publish(gateway, definition);
  assert.equal((await gateway.kv("GET", file)).text, JSON.stringify(definition));
  await gateway.admin("DELETE", `/gateway/apis/${definition.api_id}`);
  assert.equal((await call(definition)).status, 200);
  assert.equal((await pendingOf(definition)).change, "deleted");
  await publish(gateway);
  assert.equal((await call(definition)).status, 404);
  assert.equal((await gateway.kv("GET", file)).status, 404);
  assert.equal(await pendingOf(definition), undefined);
});

test("the status reports generation, time, and what is loaded", async () => {
  const definition = served({ domain: "status.example.com" });
  const before = await status();
  const began = Date.now();
  await publish(gateway, definition);
  const after = await status();
  assert.equal(after.generation, before.generation + 1);
  assert.ok(Date.parse(after.reloaded_at) >= began - 1000, after.reloaded_at);
  assert.deepEqual([after.state, after.error, after.pending_total, after.pending], ["idle", null, 0, []]);
  assert.equal(after.loaded_total, before.loaded_total + 1);
  assert.equal(after.loaded.length, after.loaded_total);
  const { warnings, ...loaded } = after.loaded.find(({ api_id }) => api_id === definition.api_id);
  assert.deepEqual(loaded, { api_id: definition.api_id, name: definition.name, listen_path: definition.proxy.listen_path, domain: "status.example.com", revision: 1 });
  // A domain excludes every other host, which is reported.
  assert.deepEqual(warnings.map(({ pointer, severity }) => [pointer, severity]), [["/domain", "info"]]);
});

for (const method of ["GET", "POST"]) {
  for (const path of ["/gateway/reload", "/gateway/reload/", "/gateway/reload/group", "/gateway/reload/group/"]) {
    test(`${method} ${path} reloads`, async () => {
      const definition = served();
      await post(definition);
      const answer = await gateway.admin(method, path, { query: { block: "true" } });
      assert.equal(answer.status, 200);
      const { loaded, skipped, pending, ...message } = answer.json;
      assert.deepEqual([message, skipped, pending], [{ status: "ok", message: "" }, 0, 0]);
      assert.ok(loaded > 0, answer.text);
      assert.equal((await call(definition)).status, 200);
    });
  }
}

test("only block=true waits for the reload", async () => {
  for (const query of [undefined, { block: "1" }, { block: "TRUE" }]) {
    await gateway.faults({ method: "PUT", key: "generation", action: "hold" });
    const { generation } = await status();
    assert.equal((await gateway.admin("GET", "/gateway/reload", { query })).status, 200);
    // The reload can't be over: the write that would complete it is held back.
    assert.equal((await status()).generation, generation);
    let waits = true;
    const blocked = gateway.admin("GET", "/gateway/reload", { query: { block: "true" } }).then((answer) => {
      waits = false;
      return answer;
    });
    assert.equal((await status()).generation, generation);
    assert.equal(waits, true);
    await gateway.faults();
    assert.equal((await blocked).status, 200);
    assert.ok((await status()).generation > generation);
  }
});

test("a reload writes only files that have changed", async () => {
  const [kept, changed] = [served(), served()];
  await publish(gateway, kept, changed);
  await gateway.admin("PUT", `/gateway/apis/${changed.api_id}`, { body: changed });
  await gateway.seen();
  await publish(gateway);
  const files = (await gateway.seen()).filter((operation) => operation.startsWith("PUT apis/"));
  assert.deepEqual(files, [`PUT apis/${changed.api_id}.json`]);
});

test("many requests for a reload share a few", async () => {
  const { generation } = await status();
  const answers = await Promise.all(Array.from({ length: 40 }, () => gateway.admin("GET", "/gateway/reload", { query: { block: "true" } })));
  assert.ok(answers.every(({ status }) => status === 200));
  const reloads = (await status()).generation - generation;
  assert.ok(reloads >= 1 && reloads < 40, `${reloads} reloads`);
});

test("an API is served throughout a reload", async () => {
  const definition = served();
  await publish(gateway, definition);
  let reloading = true;
  const codes = new Set();
  const calls = Array.from({ length: 4 }, async () => {
    while (reloading) codes.add((await call(definition)).status);
  });
  for (let n = 0; n < 10; n += 1) await publish(gateway, served());
  reloading = false;
  await Promise.all(calls);
  assert.deepEqual([...codes], [200]);
});

test("inactive and internal APIs are loaded or not, but never served publicly", async () => {
  const definitions = [served({ active: false }), served({ internal: true })];
  await publish(gateway, ...definitions);
  for (const definition of definitions) {
    assert.equal(await pendingHeader(definition), undefined);
    for (const path of [`${definition.proxy.listen_path}x`, `/${definition.api_id}/x`]) {
      assert.equal((await send(gateway.ports.gateway, { path })).status, 404, path);
    }
  }
});

const BROKEN = [
  ["no JSON", "{"],
  ["no definition", '{"name":1}'],
  ["an empty file", ""],
  ["a list", "[]"],
];

test("a broken file in KV is skipped and reported while everything else is served", async () => {
  const definition = served();
  for (const [what, text] of BROKEN) {
    const file = `apis/broken-${what.replaceAll(" ", "-")}.json`;
    await gateway.kv("PUT", file, text);
    await publish(gateway, definition);
    assert.equal((await call(definition)).status, 200, what);
    const skipped = (await status()).skipped.find((skipped) => skipped.file === file);
    assert.ok(skipped?.reason, what);
    assert.ok(skipped.issues.length > 0, what);
    await gateway.kv("DELETE", file);
  }
  await publish(gateway);
  assert.deepEqual((await status()).skipped, []);
});

test("a file placed into KV is served", async () => {
  const definition = served();
  await gateway.kv("PUT", "apis/by-hand.json", JSON.stringify(definition));
  await publish(gateway);
  assert.equal((await call(definition)).status, 200);
  const loaded = (await status()).loaded.find(({ api_id }) => api_id === definition.api_id);
  assert.equal(loaded.revision, 0, "it has no revision");
  await gateway.kv("DELETE", "apis/by-hand.json");
  await publish(gateway);
  assert.equal((await call(definition)).status, 404);
});

test("a file with a duplicate route or id is reported as a loading error, never silently renamed", async () => {
  const owner = served();
  const files = {
    "apis/copy.json": { ...owner, name: "same id" },
    "apis/same-route.json": { ...served({ name: "same route" }), proxy: { ...owner.proxy, target_url: "http://127.0.0.1:9/" } },
    "apis/reserved.json": served({}, { listen_path: "/gateway/apis/" }),
  };
  for (const [file, definition] of Object.entries(files)) await gateway.kv("PUT", file, JSON.stringify(definition));
  await publish(gateway, owner);
  assert.equal((await call(owner)).status, 200);
  const { skipped, loaded } = await status();
  for (const [file, definition] of Object.entries(files)) {
    assert.ok(skipped.find((skipped) => skipped.file === file)?.reason, file);
    assert.ok(!loaded.some(({ listen_path, api_id }) => api_id === definition.api_id && listen_path !== owner.proxy.listen_path), file);
    await gateway.kv("DELETE", file);
  }
  assert.equal(loaded.filter(({ listen_path }) => listen_path === owner.proxy.listen_path).length, 1);
  await publish(gateway);
});

test("a stored API that needs an unsupported feature is skipped and says so", async () => {
  const definition = served({ custom_middleware: { pre: [{ name: "f", path: "f.js" }] } });
  await publish(gateway, definition);
  assert.equal((await call(definition)).status, 404);
  const skipped = (await status()).skipped.find(({ api_id }) => api_id === definition.api_id);
  assert.equal(skipped.issues[0].pointer, "/custom_middleware/pre");
  await gateway.admin("DELETE", `/gateway/apis/${definition.api_id}`);
  await publish(gateway);
});

test("loaded APIs are served after a restart without another reload", async () => {
  const definition = served();
  await publish(gateway, definition);
  await gateway.restart();
  assert.equal((await call(definition)).status, 200);
  assert.equal(await pendingHeader(definition), undefined);
});
