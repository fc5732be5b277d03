// Clients generated from the OpenAPI documents that a gateway serves: they are made without a call to anywhere
// else, they compile strictly, and a program written with them works.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import openapiTS, { astToString } from "openapi-typescript";
import { start } from "./harness.mjs";
import { send } from "./http.mjs";
import { listen } from "./upstream.mjs";

const HERE = dirname(fileURLToPath(import.meta.url));
const DOCUMENTS = ["gateway", "dashboard"];

let gateway;
let upstream;
// Inside the project, where the packages are found.
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
  const options = ["--strict", "--noEmit", "--allowImportingTsExtensions", "--module", "nodenext", "--target", "es2023", "--types", "", "--lib", "es2023,dom"];
  const globals = join(folder, "globals.d.ts");
  writeFileSync(globals, 'declare module "node:assert/strict";\ndeclare const process: { env: Record<string, string | undefined> };\n');
  const ran = (args, env) => execFileSync(process.execPath, args, { encoding: "utf8", env: { ...process.env, ...env } });
  try {
    ran([tsc, ...options, globals, join(folder, "gateway.ts")]);
  } catch (error) {
    assert.fail(error.stdout);
  }
  const env = { GATEWAY: gateway.gateway, CONSOLE: gateway.console, SECRET: gateway.secret, TOKEN: gateway.token, UPSTREAM: upstream.url, NODE_NO_WARNINGS: "1" };
  assert.equal(ran(["--experimental-strip-types", join(folder, "gateway.ts")], env), "done\n");
});
