// Clients generated from the OpenAPI documents that a gateway serves: generating them needs no other server, they
// compile in strict mode, and a program written with them works.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import openapiTS, { astToString } from "openapi-typescript";
import { start } from "./harness.mjs";
import { send } from "./http.mjs";
import { listen } from "./upstream.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const DOCUMENTS = ["gateway", "dashboard"];

let gateway;
let upstream;
// Inside the project, so that its packages are found.
let folder;
before(async () => {
  folder = mkdtempSync(join(HERE, "../../target/clients-"));
  [gateway, upstream] = await Promise.all([start(), listen({})]);
});
after(async () => {
  rmSync(folder, { recursive: true, force: true });
  await Promise.all([gateway.stop(), upstream.close()]);
});

test("a client of openapi-typescript compiles and works", async () => {
  for (const name of DOCUMENTS) {
    const { text } = await send(gateway.ports.gateway, { path: `/openapi/${name}.json` });
    writeFileSync(join(folder, `${name}.gen.d.ts`), astToString(await openapiTS(text)));
  }
  cpSync(join(HERE, "clients/gateway.ts"), join(folder, "gateway.ts"));
  const tsc = fileURLToPath(import.meta.resolve("typescript/bin/tsc"));
  const compilerOptions = { strict: true, noEmit: true, allowImportingTsExtensions: true, module: "nodenext", target: "es2023", types: [], lib: ["es2023", "dom"] };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions }));
  writeFileSync(join(folder, "globals.d.ts"), 'declare module "node:assert/strict";\ndeclare const process: { env: Record<string, string | undefined> };\n');
  // Asynchronously, because the upstream is in this process.
  const run = (args, env) => promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } });
  try {
    await run([tsc, "--project", folder]);
  } catch (error) {
    assert.fail(error.stdout);
  }
  const env = { GATEWAY: gateway.gateway, CONSOLE: gateway.console, SECRET: gateway.secret, TOKEN: gateway.token, UPSTREAM: upstream.url, NODE_NO_WARNINGS: "1" };
  const { stdout } = await run(["--experimental-strip-types", join(folder, "gateway.ts")], env);
  assert.equal(stdout, "done\n");
});
