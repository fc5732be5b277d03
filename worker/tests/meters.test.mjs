// Figures of APIs that are distributed over several Meters: each API's lines reach one of them, and readers get the
// sums of all, even after their number was raised.

import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { meters, parts } from "../src/meters.js";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { keyring } from "./keyring.mjs";
import { listen } from "./upstream.mjs";

test("the names of Meters are stable, and an invalid number of them is refused", () => {
  assert.deepEqual(meters({}), ["meter"]);
  assert.deepEqual(meters({ METER_SHARDS: "3" }), ["meter", "meter:1", "meter:2"]);
  for (const wrong of ["", "0", "1.5", "many", "1001"]) {
    assert.throws(() => meters({ METER_SHARDS: wrong }), { message: `METER_SHARDS is "${wrong}": write a whole number from 1 to 1000` });
  }
});

test("an API's report lines stay together, whatever its id and the number of Meters", () => {
  const lines = (id) => [`d 2 5 6 ${id}`, `d 3 5 6 7 ${id}`, `k 10 1 0 hash ${id}`];
  const ids = ["a", "an id with spaces", "7 8", "b", "c"];
  const report = `${ids.flatMap(lines).join("\n")}\n`;
  assert.deepEqual(parts(report, 1), [report]);
  const shared = parts(report, 3);
  assert.equal(shared.length, 3);
  for (const id of ids) {
    const own = lines(id).map((line) => `${line}\n`).join("");
    assert.equal(shared.filter((part) => part.includes(own)).length, 1, id);
  }
  assert.equal(shared.join("").length, report.length);
});

test("figures combine all Meters, even after their number has grown", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "meters-"));
  const secrets = { GATEWAY_SECRET: "secret-of-a-gateway-that-moves", DASHBOARD_TOKEN: "token-of-a-gateway-that-moves" };
  const upstream = await listen({});
  const definitions = Array.from({ length: 8 }, () => api({}, { target_url: upstream.url }));
  try {
    for (const [round, count] of ["1", "3", "5"].entries()) {
      const gateway = await start({ dataDir, env: { ...secrets, METER_SHARDS: count, FIGURES_REPORT_SECONDS: "1" } });
      const { statuses, admin } = keyring(() => gateway);
      const figures = async (query) => (await admin("GET", "health/figures", undefined, { window: "15m", ...query })).json;
      try {
        if (round === 0) for (const definition of definitions) await publish(gateway, definition);
        for (const [at, definition] of definitions.entries()) await statuses(undefined, definition, at + 1);
        const { apis, totals } = await figures();
        const expected = definitions.map(({ api_id }, at) => [api_id, (at + 1) * (round + 1)]).reverse();
        assert.deepEqual(apis.map(({ api_id, sums }) => [api_id, sums.requests]), expected, `with ${count}`);
        assert.equal(totals.requests, 36 * (round + 1));
        const [{ api_id }] = definitions;
        assert.equal((await figures({ api_id })).totals.requests, round + 1);
      } finally {
        await gateway.stop();
      }
      const files = readdirSync(join(dataDir, "registry/gatewright-meter")).filter((name) => /^[0-9a-f]+\.sqlite$/.test(name));
      assert.equal(files.length, Number(count), "each Meter was used");
    }
  } finally {
    await upstream.close();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
