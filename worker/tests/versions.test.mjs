// Versions of a base API: creating one rewrites the base, deleting it rewrites it back
// (specification, *Versioning*; reference 1.3).

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";

let gateway;
before(async () => (gateway = await start()));
after(() => gateway.stop());

const post = (body, query, headers) => gateway.admin("POST", "/gateway/apis", { body, query, headers });
const get = (id) => gateway.admin("GET", `/gateway/apis/${id}?complete=false`);
const versions = (id, query) => gateway.admin("GET", `/gateway/apis/${id}/versions`, { query });

/** Creates a base with one version, `v2`. */
async function family(more = {}) {
  const [base, child] = [api(), api({ internal: true })];
  await post(base);
  const query = { base_api_id: base.api_id, base_api_version_name: "v1", new_version_name: "v2", ...more };
  const answer = await post(child, query);
  assert.equal(answer.status, 200, answer.text);
  return { base, child, answer };
}

test("storing a version updates its base, with the reference's defaults", async () => {
  const { base, child, answer } = await family();
  assert.deepEqual(answer.json, { key: child.api_id, status: "ok", action: "added" });
  assert.equal((await get(child.api_id)).text, JSON.stringify(child));
  const { definition, ...rest } = (await get(base.api_id)).json;
  assert.deepEqual(rest, base);
  assert.deepEqual(definition, {
    enabled: true,
    name: "v1",
    key: "x-api-version",
    location: "header",
    default: "self",
    versions: { v2: child.api_id },
  });
});

test("the base keeps every byte that doesn't concern the version", async () => {
  const definition = api();
  const id = definition.api_id;
  const text = JSON.stringify({ ...definition, n: 0 }, null, 4).replace('"n": 0', '"n": 1.0,\n\n    "big": 9007199254740993,\n    "definition": { "key" : "v", "location":"url", "x": 1e3 }');
  assert.equal((await post(text)).status, 200);
  const answer = await post(api({ internal: true }), { base_api_id: id, base_api_version_name: "v1", new_version_name: "v2" });
  assert.equal(answer.status, 200, answer.text);
  const stored = (await get(id)).text;
  const [head] = text.split('"definition"');
  assert.ok(stored.startsWith(`${head}"definition": { "key" : "v", "location":"url", "x": 1e3`), stored);
  const { key, location, x, default: fallback } = JSON.parse(stored).definition;
  assert.deepEqual([key, location, x, fallback], ["v", "url", 1000, "self"], "existing settings stay");
});

test("the base gets its own revision and needs a reload", async () => {
  const [base, child] = [api(), api({ internal: true })];
  await publish(gateway, base);
  await post(child, { base_api_id: base.api_id, base_api_version_name: "v1", new_version_name: "v2" });
  const answer = await get(base.api_id);
  assert.equal(answer.headers.etag, '"2"');
  assert.equal(answer.headers["x-gateway-reload-pending"], "true");
  const { revisions } = (await gateway.admin("GET", `/gateway/apis/${base.api_id}/revisions`)).json;
  assert.deepEqual(revisions.map(({ action }) => action), ["modified", "added"]);
});

test("responses about a version name its base, those about other APIs don't", async () => {
  const { base, child } = await family();
  assert.equal((await get(child.api_id)).headers["x-gateway-base-api-id"], base.api_id);
  assert.equal((await get(base.api_id)).headers["x-gateway-base-api-id"], undefined);
  const cached = await gateway.admin("GET", `/gateway/apis/${child.api_id}`, { headers: { "If-None-Match": '"1"' } });
  assert.equal(cached.status, 304);
  assert.equal(cached.headers["x-gateway-base-api-id"], base.api_id);
});

test("missing or invalid parameters get the reference's errors, and nothing is stored", async () => {
  const { base, child } = await family();
  const fresh = api();
  await post(fresh);
  const unknown = api().api_id;
  const body = api({ internal: true });
  for (const [what, query, status, message] of [
    ["no name", { base_api_id: base.api_id }, 422, "The new version name is required"],
    ["an empty name", { base_api_id: base.api_id, new_version_name: "" }, 422, "The new version name is required"],
    ["an unknown base", { base_api_id: unknown, new_version_name: "v3" }, 400, `${unknown} is not a valid Base API version`],
    ["itself as base", { base_api_id: body.api_id, new_version_name: "v3" }, 400, `${body.api_id} is not a valid Base API version`],
    ["no name for the base's own version", { base_api_id: fresh.api_id, new_version_name: "v2" }, 400, `you need to provide a version name for the new Base API: ${fresh.api_id}`],
  ]) {
    const answer = await post(body, query);
    assert.equal(answer.status, status, `${what}: ${answer.text}`);
    assert.equal(answer.json.message, message, what);
    assert.equal((await get(body.api_id)).status, 404, what);
  }
  assert.equal((await get(fresh.api_id)).headers.etag, '"1"');
  assert.equal((await get(base.api_id)).headers.etag, '"2"');
  assert.deepEqual((await get(base.api_id)).json.definition.versions, { v2: child.api_id });
});

test("the base's own version name is needed only the first time", async () => {
  const { base, child } = await family();
  const third = api({ internal: true });
  assert.equal((await post(third, { base_api_id: base.api_id, new_version_name: "v3" })).status, 200);
  const { definition } = (await get(base.api_id)).json;
  assert.deepEqual(definition.versions, { v2: child.api_id, v3: third.api_id });
  assert.equal(definition.name, "v1");
});

test("a new version becomes the default if requested", async () => {
  const { base } = await family({ set_default: "true" });
  assert.equal((await get(base.api_id)).json.definition.default, "v2");
});

test("versions are listed with the base first and the rest by name", async () => {
  const { base, child } = await family();
  const named = {};
  for (const name of ["v10", "alpha"]) {
    named[name] = api({ internal: name === "v10", expiration: name === "alpha" ? "2030-01-02 15:04" : undefined });
    await post(named[name], { base_api_id: base.api_id, new_version_name: name, ...(name === "alpha" && { set_default: "true" }) });
  }
  const row = (api, versionName, isDefaultVersion = false) => ({
    id: api.api_id,
    name: api.name,
    versionName,
    internal: api.internal ?? false,
    expirationDate: api.expiration ?? "",
    isDefaultVersion,
  });
  const rows = [row(base, "v1"), row(named.alpha, "alpha", true), row(named.v10, "v10"), row(child, "v2")];
  assert.deepEqual((await versions(base.api_id)).json, { status: "success", apis: rows });

  const ids = async (query) => (await versions(base.api_id, query)).json.apis.map(({ versionName }) => versionName);
  assert.deepEqual(await ids({ searchText: "ALPH" }), ["alpha"]);
  assert.deepEqual((await versions(base.api_id, { searchText: "nothing has this name" })).json, { status: "success", apis: null });
  assert.deepEqual(await ids({ accessType: "internal" }), ["v10", "v2"]);
  assert.deepEqual(await ids({ accessType: "external" }), ["v1", "alpha"]);
});

test("an API without versions is its only version", async () => {
  const definition = api();
  await post(definition);
  const { apis } = (await versions(definition.api_id)).json;
  assert.equal(apis.length, 1);
  assert.equal(apis[0].id, definition.api_id);
  assert.equal(apis[0].isDefaultVersion, true);
});

test("deleting a version leaves its base, and resets the default to the base", async () => {
  const { base, child } = await family({ set_default: "true" });
  assert.equal((await gateway.admin("DELETE", `/gateway/apis/${child.api_id}`)).status, 200);
  const { definition } = (await get(base.api_id)).json;
  assert.deepEqual(definition.versions, {});
  assert.equal(definition.default, "v1");
  assert.equal((await versions(base.api_id)).json.apis.length, 1);
});

test("a dry run of a version leaves its base alone", async () => {
  const [base, child] = [api(), api({ internal: true })];
  await post(base);
  const query = { base_api_id: base.api_id, base_api_version_name: "v1", new_version_name: "v2", dry_run: "true" };
  assert.equal((await post(child, query)).json.dry_run, true);
  assert.equal((await get(child.api_id)).status, 404);
  assert.equal((await get(base.api_id)).text, JSON.stringify(base));
  assert.equal((await post(child, query, { "If-Match": '"1"' })).status, 412, "the condition applies to the version");
});
