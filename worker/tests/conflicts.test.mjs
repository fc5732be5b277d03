// Two public APIs can't share a domain and listen path, and none can hide the gateway's own paths: the second is
// refused when it is written, with a message that names the first.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";

let gateway;
before(async () => (gateway = await start()));
after(() => gateway.stop());

const post = (body, options) => gateway.admin("POST", "/gateway/apis", { body, ...options });
const put = (id, body) => gateway.admin("PUT", `/gateway/apis/${id}`, { body });
const get = (id) => gateway.admin("GET", `/gateway/apis/${id}?complete=false`);

function assertTaken(answer, owner) {
  assert.equal(answer.status, 409, answer.text);
  assert.equal(answer.json.status, "error");
  assert.ok(answer.json.message.includes(owner.api_id), answer.text);
  assert.ok(answer.json.message.includes(owner.name), answer.text);
}

let routes = 0;
/** Returns a listen path that no other test uses. */
const path = () => `/conflict-${(routes += 1)}`;

const SAME_ROUTE = [
  ["the same", "", (route) => [{}, { listen_path: route }]],
  ["another way to it", "/", (route) => [{}, { listen_path: `/x/..${route}//` }]],
  ["without a slash in front", "", (route) => [{}, { listen_path: route.slice(1) }]],
  ["an encoded letter", "", (route) => [{}, { listen_path: route.replace("c", "%63") }]],
  ["another name of a template", "/v{id}", (route) => [{}, { listen_path: `${route}/v{name}` }]],
  ["a domain that is switched off", "", (route) => [{ domain: "x.test", domain_disabled: true }, { listen_path: route }]],
];

test("a conflicting route is refused, however it is spelled", async () => {
  for (const [what, suffix, spell] of SAME_ROUTE) {
    const route = path();
    const owner = api({}, { listen_path: route + suffix });
    assert.equal((await post(owner)).status, 200, what);
    const second = api(...spell(route));
    assertTaken(await post(second), owner);
    assert.equal((await get(second.api_id)).status, 404, `${what}: nothing is stored`);
  }
});

test("domains are compared case-insensitively", async () => {
  const owner = api({ domain: "One.Example.com" }, { listen_path: path() });
  assert.equal((await post(owner)).status, 200);
  assertTaken(await post(api({ domain: "one.EXAMPLE.com" }, { listen_path: owner.proxy.listen_path })), owner);
});

test("routes that don't conflict are allowed", async () => {
  const route = path();
  await post(api({}, { listen_path: route }));
  for (const [what, ...parts] of [
    ["a slash at the end", {}, { listen_path: `${route}/` }],
    ["a longer path", {}, { listen_path: `${route}/more` }],
    ["a longer name", {}, { listen_path: `${route}more` }],
    ["another letter case", {}, { listen_path: route.toUpperCase() }],
    ["a domain", { domain: "one.example.com" }, { listen_path: route }],
    ["another domain", { domain: "two.example.com" }, { listen_path: route }],
    ["a template", {}, { listen_path: `${route}/{id}` }],
  ]) {
    const answer = await post(api(...parts));
    assert.equal(answer.status, 200, `${what}: ${answer.text}`);
  }
});

test("inactive and internal APIs cause no conflict", async () => {
  const route = path();
  const owner = api({}, { listen_path: route });
  const quiet = [api({ active: false }, { listen_path: route }), api({ internal: true }, { listen_path: route })];
  for (const definition of [...quiet, owner]) assert.equal((await post(definition)).status, 200);
  for (const definition of quiet) {
    const { active, internal, ...loud } = definition;
    assertTaken(await put(definition.api_id, loud), owner);
    assert.equal((await get(definition.api_id)).headers.etag, '"1"');
  }
});

test("a PUT can't move an API onto another one's route, but may keep its own", async () => {
  const [one, other] = [api(), api()];
  await post(one);
  await post(other);
  assertTaken(await put(other.api_id, { ...other, proxy: { ...other.proxy, listen_path: one.proxy.listen_path } }), one);
  assert.equal((await get(other.api_id)).text, JSON.stringify(other));
  assert.equal((await put(one.api_id, { ...one, name: "same route" })).status, 200);
});

test("a route is free again once its API is moved, switched off or deleted", async () => {
  for (const free of [
    (owner) => put(owner.api_id, { ...owner, proxy: { ...owner.proxy, listen_path: path() } }),
    (owner) => put(owner.api_id, { ...owner, active: false }),
    (owner) => put(owner.api_id, { ...owner, internal: true }),
    (owner) => gateway.admin("DELETE", `/gateway/apis/${owner.api_id}`),
  ]) {
    const owner = api();
    await post(owner);
    const next = api({}, { listen_path: owner.proxy.listen_path });
    assertTaken(await post(next), owner);
    assert.equal((await free(owner)).status, 200);
    assert.equal((await post(next)).status, 200);
  }
});

test("paths reserved for the gateway are refused", async () => {
  for (const reserved of ["/gateway", "/openapi", "/hello", "/ready"]) {
    for (const spelled of [reserved, `${reserved}/`, `${reserved}/x/`, reserved.slice(1), `/%${reserved.charCodeAt(1).toString(16)}${reserved.slice(2)}`]) {
      for (const domain of ["", "reserved.example.com"]) {
        const definition = api({ domain }, { listen_path: spelled });
        const answer = await post(definition);
        assert.equal(answer.status, 409, `${spelled}: ${answer.text}`);
        assert.ok(answer.json.message.includes(reserved), answer.text);
        assert.equal((await get(definition.api_id)).status, 404);
      }
    }
  }
});

test("paths that merely start like a reserved one are allowed", async () => {
  for (const free of ["/gateways/", "/hello-world", "/Ready", "/x/gateway/"]) {
    assert.equal((await post(api({}, { listen_path: free }))).status, 200, free);
  }
});

test("a version with a conflicting route leaves its base unchanged", async () => {
  const base = api();
  await post(base);
  const query = { base_api_id: base.api_id, base_api_version_name: "v1", new_version_name: "v2" };
  assertTaken(await post(api({}, { listen_path: base.proxy.listen_path }), { query }), base);
  assert.equal((await get(base.api_id)).text, JSON.stringify(base));
});

test("of many concurrent writers for one route exactly one succeeds", async () => {
  const route = path();
  const answers = await Promise.all(Array.from({ length: 16 }, () => post(api({}, { listen_path: route }))));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, ...Array(15).fill(409)]);
  await publish(gateway);
  const { loaded, skipped } = (await gateway.admin("GET", "/gateway/reload/status")).json;
  assert.equal(loaded.filter(({ listen_path }) => listen_path === route).length, 1);
  assert.deepEqual(skipped, []);
});
