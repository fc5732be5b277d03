// What is past its retention is deleted by the Registry's alarm; with an invalid setting, nothing is deleted.

import assert from "node:assert/strict";
import { test } from "node:test";
import { start } from "./harness.mjs";

const DEADLINE_MS = 10_000;

const definition = (name) => ({
  body: { api_id: "a", name, use_keyless: true, proxy: { listen_path: "/a/", target_url: "http://127.0.0.1:9/" } },
});

async function revisions(gateway) {
  const { json } = await gateway.admin("GET", "/gateway/apis/a/revisions");
  return json.revisions.map(({ revision }) => revision);
}

/** Calls `ask` until it returns the expected value, and fails with the last one. */
async function waitFor(ask, expected) {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const found = await ask();
    if (JSON.stringify(found) === JSON.stringify(expected)) return;
    assert.ok(Date.now() < deadline, `${JSON.stringify(found)} is not ${JSON.stringify(expected)}`);
    await new Promise((resume) => setTimeout(resume, 20));
  }
}

test("old revisions are deleted as configured, and kept while a setting is invalid", async () => {
  let gateway = await start();
  const { dataDir } = gateway;
  const settings = { GATEWAY_SECRET: gateway.secret, DASHBOARD_TOKEN: gateway.token };
  // The next gateway takes over the folder.
  const again = async (env) => {
    await gateway.kill();
    gateway = await start({ dataDir, env: { ...settings, ...env } });
  };
  try {
    assert.equal((await gateway.admin("POST", "/gateway/apis", definition("1"))).status, 200);
    for (const name of ["2", "3", "4", "5"]) {
      assert.equal((await gateway.admin("PUT", "/gateway/apis/a", definition(name))).status, 200);
    }
    await again({ REVISIONS_KEPT: "2", REVISIONS_KEPT_DAYS: "soon" });
    assert.deepEqual(await revisions(gateway), [5, 4, 3, 2, 1]);
    await gateway.logged(/REVISIONS_KEPT_DAYS is "soon": write a whole number of days up to 36500, or forever; until it is right nothing of the past is removed/);
    await again({ REVISIONS_KEPT: "2", REVISIONS_KEPT_DAYS: "0" });
    await waitFor(() => revisions(gateway), [5, 4]);
    assert.equal((await gateway.admin("GET", "/gateway/apis/a")).json.name, "5");
    await waitFor(() => gateway.log().match(/retention: \d+ rows of the past removed/)?.[0], "retention: 3 rows of the past removed");
  } finally {
    await gateway.kill();
  }
});
