// GET /gateway/apis/{id}/chain through workerd: the administration gets the links as the data plane has compiled them,
// and an API without a chain comes with the reason (beyond the specification).

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";

let gateway;
before(async () => (gateway = await start()));
after(() => gateway.stop());

const chain = (id) => gateway.admin("GET", `/gateway/apis/${id}/chain`);

/** Returns the message of a 404. */
async function missing(id) {
  const answer = await chain(id);
  assert.equal(answer.status, 404, answer.text);
  return answer.json.message;
}

test("the links of a loaded API are listed in order, with the members behind them", async () => {
  const definition = api({
    use_keyless: undefined,
    use_standard_auth: true,
    CORS: { enable: true, allowed_origins: ["https://a.example"] },
    version_data: {
      not_versioned: true,
      versions: { Default: { name: "Default", global_response_headers: { "x-a": "1" } } },
    },
  });
  await publish(gateway, definition);
  const answer = await chain(definition.api_id);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.json.api_id, definition.api_id);
  const { links } = answer.json;
  assert.deepEqual(links[0], { name: "cors", title: "CORS", phase: "both", pointers: ["/CORS"], detail: "1 origin" });
  assert.deepEqual(links.at(-1), {
    name: "response_headers",
    title: "Response headers",
    phase: "response",
    pointers: ["/version_data/versions/Default/global_response_headers"],
    detail: "1 header",
  });
  const always = links.filter(({ pointers }) => pointers.length === 0).map(({ name }) => name);
  assert.ok(always.includes("key_state"), always.join());
  assert.deepEqual([...new Set(links.map(({ phase }) => phase))].sort(), ["both", "request", "response"]);
});

test("the chains of several versions are listed one after the other", async () => {
  const definition = api({
    definition: { location: "header", key: "x-version" },
    version_data: {
      versions: {
        one: { name: "one", global_headers: { "x-a": "1" } },
        two: { name: "two", expires: "2001-01-01 00:00" },
      },
    },
  });
  await publish(gateway, definition);
  const { links } = (await chain(definition.api_id)).json;
  assert.deepEqual(
    links.map(({ version, name }) => [version, name]),
    [
      ["one", "transform_headers"],
      ["two", "expiry"],
    ],
  );
});

test("an API that is not loaded shows the reason", async () => {
  assert.equal(await missing("nobody"), "API not found.");
  const [later, off, plugin] = [api(), api({ active: false }), api({ use_go_plugin_auth: true })];
  assert.equal((await gateway.admin("POST", "/gateway/apis", { body: later })).status, 200);
  assert.equal(await missing(later.api_id), "The API is not served: it waits for a reload");
  await publish(gateway, off, plugin);
  assert.equal(await missing(off.api_id), "The API is not served: it is inactive");
  const skipped = await missing(plugin.api_id);
  assert.match(skipped, /^The API is not served: the last reload skipped it: .*ALLOW_UNENFORCED/);
  assert.equal((await chain(later.api_id)).status, 200);
  assert.equal((await gateway.admin("GET", "/gateway/apis/a%2Fb/chain")).status, 400);
});
