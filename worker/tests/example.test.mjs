// The example of `cargo xtask serve --example`: everything in it has its effect, and a gateway with other APIs is left
// alone.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { api } from "./definitions.mjs";
import { ROOT, start } from "./harness.mjs";
import { send } from "./http.mjs";

let gateway;
const running = new Set();
before(async () => {
  gateway = await start({ env: { FIGURES_REPORT_SECONDS: "1" } });
});
after(async () => {
  running.forEach((child) => child.kill("SIGKILL"));
  await gateway.stop();
});

/** Runs the example until it reports that it is ready, or exits. */
async function example(to = gateway) {
  const env = { ...process.env, GATEWAY_SECRET: to.secret, DASHBOARD_TOKEN: to.token };
  const child = spawn(process.execPath, [join(ROOT, "worker/example/run.mjs"), to.gateway, to.console], { env, stdio: ["ignore", "pipe", "pipe"] });
  running.add(child);
  let output = "";
  child.stderr.on("data", (chunk) => (output += chunk));
  for await (const chunk of child.stdout) {
    output += chunk;
    if (output.includes("example  stored")) return { child, output };
  }
  return { child, output };
}

const get = (path, headers) => send(gateway.ports.gateway, { path, headers });
const SHOP = { Authorization: "example-shop" };

test("the example is served as printed, and can be stored again", async () => {
  for (const [turn, loaded] of [["first", 5], ["second", 6]]) {
    const { child, output } = await example();
    assert.match(output, /^example  stored/m, `${turn}: ${output}`);
    const status = (await gateway.admin("GET", "/gateway/reload/status")).json;
    assert.deepEqual([status.loaded_total, status.skipped], [loaded, []]);
    const orders = await get("/example/orders/all", SHOP);
    assert.deepEqual([orders.status, orders.json.length, orders.headers["x-served-by"]], [200, 2, "Gatewright"]);
    assert.equal((await get("/example/orders/all", { ...SHOP, "X-Api-Version": "v2" })).json.total, 2);
    assert.equal((await get("/example/orders/orders")).status, 401);
    assert.deepEqual((await get("/example/catalogue/articles/tea")).json, { name: "tea", price: 4.5 });
    assert.equal((await gateway.admin("GET", "/gateway/reload", { query: { strict: "true" } })).status, 200);
    child.kill("SIGKILL");
    await once(child, "exit");
    // Whoever looks around adds APIs of their own.
    if (turn === "first") assert.equal((await gateway.admin("POST", "/gateway/apis", { body: api() })).status, 200);
  }
  const providers = (await gateway.dashboard("GET", "/api/clientidps")).text;
  assert.equal(providers.match(/example-login/g).length > 0, true, providers);
});

test("a gateway with other data is left unchanged", async () => {
  const other = await start();
  try {
    assert.equal((await other.admin("POST", "/gateway/apis", { body: api() })).status, 200);
    const { child, output } = await example(other);
    assert.match(output, /data folder of its own/);
    assert.equal(child.exitCode ?? (await once(child, "exit"))[0], 1);
    assert.equal((await other.admin("GET", "/gateway/apis")).json.length, 1);
  } finally {
    await other.stop();
  }
});
