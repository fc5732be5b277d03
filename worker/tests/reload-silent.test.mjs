// A KV that does not respond at all: the reload gives up, and the next one isn't blocked by it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { startWithFaults } from "./faults.mjs";
import { send } from "./http.mjs";
import { listen } from "./upstream.mjs";

let gateway;
let upstream;
before(async () => {
  [gateway, upstream] = await Promise.all([startWithFaults({ env: { RELOAD_CHECK_SECONDS: "0" } }), listen()]);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

const reload = () => gateway.admin("GET", "/gateway/reload", { query: { block: "true" } });
const call = (definition) => send(gateway.ports.gateway, { path: `${definition.proxy.listen_path}x` });

test("a reload times out if KV does not respond, and the next one publishes", async () => {
  const [old, fresh] = [api({}, { target_url: upstream.url }), api({}, { target_url: upstream.url })];
  await publish(gateway, old);
  await gateway.admin("POST", "/gateway/apis", { body: fresh });
  await gateway.faults({ method: "PUT", key: "generation", action: "hold", times: 1 });
  await gateway.seen();
  const silent = reload();
  await gateway.reached("PUT generation");
  assert.equal((await call(old)).status, 200, "the old set serves meanwhile");
  const failed = await silent;
  assert.equal(failed.status, 503);
  assert.match(failed.json.message, /no answer in time/);
  assert.equal((await reload()).status, 200);
  assert.equal((await call(fresh)).status, 200);
  assert.equal((await gateway.admin("GET", "/gateway/reload/status")).json.state, "idle");
});
