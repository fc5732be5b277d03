// Upstreams that break a response off: what is passed on breaks off too, and where the gateway reads the body before it
// answers, the response is its own error.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { extended } from "./enforced-stage.mjs";
import { start } from "./harness.mjs";
import { send } from "./http.mjs";
import { listen } from "./upstream.mjs";

/** Responds with the first bytes of a longer body. */
const partial = (status, headers) => (request, response) => {
  response.writeHead(status, { "Content-Type": "application/json", ...headers });
  response.write('{"half":', () => request.socket.destroy());
};

let gateway;
let upstream;
before(async () => {
  const routes = {
    "/sized": partial(200, { "Content-Length": 100 }),
    "/chunked": partial(200, {}),
    "/failing": partial(502, { "Content-Length": 100 }),
  };
  [gateway, upstream] = await Promise.all([start({ env: { FIGURES_REPORT_SECONDS: "1" } }), listen(routes)]);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

/** Publishes an API and returns a function that sends it a request. */
async function served(members = {}) {
  const definition = api(members, { target_url: upstream.url });
  await publish(gateway, definition);
  const request = (path) => send(gateway.ports.gateway, { path: definition.proxy.listen_path + path });
  return Object.assign(request, { id: definition.api_id });
}

const cached = { cache_options: { enable_cache: true, cache_all_safe_requests: true } };
const jq = extended({ transform_jq_response: [{ path: "/", method: "GET", filter: "." }] });
const override = { match: { body_field: "code", body_value: "DB" }, response: { status_code: 418 } };

test("what is only passed on breaks off where the upstream's response did", async () => {
  for (const [members, path] of [[{}, "sized"], [{}, "chunked"], [cached, "chunked"]]) {
    const request = await served(members);
    for (const _ of [1, 2]) await assert.rejects(request(path), { code: "ECONNRESET" });
  }
});

test("a response that breaks off while the gateway reads it is an error of the upstream, logged and counted once", async () => {
  const readers = {
    sized: [cached, jq],
    chunked: [jq],
    failing: [{ error_overrides: { 502: [override] } }],
  };
  for (const [path, all] of Object.entries(readers)) {
    for (const members of all) {
      const request = await served(members);
      for (const _ of [1, 2]) {
        const { status, json } = await request(path);
        assert.deepEqual([status, json], [500, { error: "There was a problem proxying the request" }], `${path}: ${JSON.stringify(members)}`);
      }
      const { json } = await gateway.admin("GET", "/gateway/health/failures", { query: { api_id: request.id } });
      assert.deepEqual(json.kinds.map(({ status, reason, count }) => [status, reason, count]), [[500, "Upstream: it took no connection, or ended it", 2]]);
      await gateway.logged(new RegExp(`upstream of ${request.id} .*Network connection lost`));
    }
  }
});
