// A program such as a user would write with a client generated from the gateway's OpenAPI document. TypeScript checks
// it, then clients.test.mjs runs it against a gateway.

import assert from "node:assert/strict";
import createClient from "openapi-fetch";
import type { paths as Dashboard } from "./dashboard.gen.d.ts";
import type { components, paths as Gateway } from "./gateway.gen.d.ts";

type Definition = components["schemas"]["ApiDefinition"];
type Session = components["schemas"]["SessionState"];

const { GATEWAY: baseUrl = "", CONSOLE: consoleUrl = "", SECRET = "", TOKEN = "", UPSTREAM = "" } = process.env;
const gateway = createClient<Gateway>({ baseUrl, headers: { "X-Gateway-Authorization": SECRET } });
const dashboard = createClient<Dashboard>({ baseUrl: consoleUrl, headers: { Authorization: `Bearer ${TOKEN}` } });

// Members with a default may be omitted, and one that accepts any members can be filled.
const definition: Definition = {
  api_id: "generated",
  name: "From a generated client",
  use_keyless: false,
  proxy: { listen_path: "/generated/", target_url: UPSTREAM, strip_listen_path: true },
};
const created = await gateway.POST("/gateway/apis", { body: definition });
assert.equal(created.data?.action, "added");

const reloaded = await gateway.GET("/gateway/reload", { params: { query: { block: true } } });
assert.equal(reloaded.response.status, 200);
const status = await gateway.GET("/gateway/reload/status");
const loaded: string[] = status.data?.loaded.map((api) => api.api_id) ?? [];
const reasons: string[] = status.data?.skipped.map(({ api_id, reason }) => `${api_id}: ${reason}`) ?? [];
assert.deepEqual([loaded, reasons], [["generated"], []]);

const session: Session = { alias: "somebody", meta_data: { team: "blue" }, access_rights: { generated: { api_id: "generated" } } };
const made = await gateway.POST("/gateway/keys", { body: session });
const key = made.data?.key ?? "";
assert.ok(key);
const read = await gateway.GET("/gateway/keys/{keyID}", { params: { path: { keyID: made.data?.key_hash ?? "" } } });
assert.equal(read.data?.meta_data?.team, "blue");
for (const [authorization, expected] of [[key, 200], ["wrong", 403]] as const) {
  assert.equal((await fetch(`${baseUrl}/generated/`, { headers: { authorization } })).status, expected);
}

const missing = await gateway.GET("/gateway/apis/{apiID}", { params: { path: { apiID: "nowhere" } } });
assert.equal(missing.error?.message, "API not found.");

const hooks = await dashboard.GET("/api/hooks");
assert.equal(hooks.response.status, 200);
console.log("done");
