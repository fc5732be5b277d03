// The README's tour, run as typed: its commands are executed in order against a gateway, and print what the text says.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { start } from "./harness.mjs";
import { listen } from "./upstream.mjs";

const README = readFileSync(new URL("../../README.md", import.meta.url), "utf8");
const FORECAST = JSON.stringify({ latitude: 48, longitude: 11 });

/** Returns the blocks of commands in a section of the README. */
function commands(heading) {
  const [, part] = README.split(`## ${heading}\n`);
  const [text] = part.split("\n## ");
  return [...text.matchAll(/```sh\n([^]*?)```/g)].map(([, block]) => block);
}

test("the commands of the README's tour return what it says", async () => {
  const forecast = (request, response) => response.setHeader("content-type", "application/json").end(FORECAST);
  const [gateway, upstream] = await Promise.all([start(), listen({ "/v1/forecast": forecast })]);
  const folder = mkdtempSync(join(tmpdir(), "tour-"));
  try {
    writeFileSync(join(folder, ".dev.vars"), `GATEWAY_SECRET=${gateway.secret}\nDASHBOARD_TOKEN=${gateway.token}\n`);
    const blocks = commands("A minute's tour");
    assert.equal(blocks.length, 4);
    const here = (block) => block.replaceAll("http://127.0.0.1:8787", gateway.gateway).replaceAll("https://api.open-meteo.com", upstream.url);
    // Between two blocks, a reader looks at the output.
    const script = blocks.map((block) => `${here(block)}\necho; echo "=== end"\n`).join("");
    const { stdout } = await promisify(execFile)("bash", ["-eu", "-c", script], { cwd: folder });
    const [stored, refused, served, many] = stdout.split("=== end\n");
    assert.match(stored, /"key":"weather","status":"ok","action":"added"/);
    assert.deepEqual([...refused.matchAll(/HTTP\/1.1 (\d+)/g)].map(([, status]) => status), ["401", "403"]);
    assert.match(served, /^HTTP\/1.1 200/);
    assert.match(served, /^x-ratelimit-remaining: 999\r$/im);
    assert.ok(served.includes(FORECAST));
    assert.equal(many.match(/"code": ?200/g)?.length, 2);
    assert.match(many, /"trace":/);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await Promise.all([gateway.stop(), upstream.close()]);
  }
});
