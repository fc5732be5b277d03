// Every authentication method × every route of an API × every wrong credential: none opens it, nothing reaches the
// upstream, and no credential or secret appears in anything that the run has written or returned (attacks A9, A10,
// A12). The methods come from the schema that the worker serves, so none can be forgotten.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { authRoutes } from "./enforced-auth.mjs";
import { start } from "./harness.mjs";
import { logs } from "./heard.mjs";
import { send } from "./http.mjs";
import { methods } from "./methods.mjs";
import { listen } from "./upstream.mjs";

/** Methods that this runtime doesn't serve: definitions with them are stored but not loaded. */
const NOT_SERVED = ["coprocess"];
/** The header with the client's address: one that sends too many wrong passwords has to wait. */
const ADDRESS = "X-Client";
/** Responses of the administration that must not contain secrets: lists, and what is recorded about all this. */
const LISTS = ["keys", "keys?view=summary", "reload/status", "health", "certs"];
const TRAILS = ["/api/audit?limit=500", "/api/notifications"];

let gateway;
let upstream;
let rows;
before(async () => {
  upstream = await listen(authRoutes);
  gateway = await start({ env: { CLIENT_IP_HEADER: ADDRESS, BASIC_AUTH_HASH_KEY_FUNCTION: "sha256", UNKNOWN_KEYS_PER_SECOND: "0" } });
  const options = {
    enable_batch_request_support: true,
    enable_context_vars: true,
    cache_options: { enable_cache: true, cache_timeout: 60, cache_all_safe_requests: true },
    version_data: {
      not_versioned: true,
      versions: { Default: { name: "Default", use_extended_paths: true, extended_paths: { url_rewrites: [{ path: "rewritten", method: "GET", match_pattern: "rewritten", rewrite_to: "/elsewhere" }] } } },
    },
    event_handlers: { events: { AuthFailure: [logs("refused")] } },
  };
  const made = await methods({ gateway: () => gateway, target: (path = "/") => new URL(path, upstream.url).href, before: options });
  // An API that passes everything on to each of them.
  const loops = made.map(({ definition: { api_id } }) => api({}, { target_url: `gateway://${api_id}/` }));
  await publish(gateway, ...made.map(({ definition }) => definition), ...loops);
  rows = [];
  for (const [at, row] of made.entries()) rows.push({ ...row, loop: loops[at], ...(await row.ready()) });
  await gateway.admin("GET", "/gateway/reload", { query: { block: "true" } });
});
after(() => Promise.all([gateway?.stop(), upstream?.close()]));

let clients = 0;
/** Headers with a different client's address each time. */
const address = () => ({ [ADDRESS]: `10.${(clients += 1) >> 16}.${(clients >> 8) & 255}.${clients & 255}` });

/** The routes to an API, each a function that sends these headers and returns `{ status, text }`. */
function routes({ definition, loop }) {
  const at = (path, options = {}) => (headers, query = "") =>
    send(gateway.ports.gateway, { ...options, path: path + query, headers: { ...address(), ...headers, ...options.headers } });
  const base = definition.proxy.listen_path;
  const json = { "Content-Type": "application/json" };
  const item = (relative_url) => async (headers, query = "") => {
    const requests = [{ method: "GET", headers, body: "", relative_url: relative_url + query }];
    const { status, text } = await at(`${base}gateway/batch/`, { method: "POST", body: { requests }, headers: json })({});
    const [unit] = status === 200 ? JSON.parse(text) : [];
    return unit ? { status: unit.code, text: unit.body } : { status, text };
  };
  return {
    "a path": at(`${base}x`),
    "another method": at(`${base}x`, { method: "POST", body: "{}", headers: json }),
    "HEAD": at(`${base}x`, { method: "HEAD" }),
    "a method of its own": at(`${base}x`, { method: "PROPFIND" }),
    "what the cache has": at(`${base}kept`),
    "a rewritten path": at(`${base}rewritten`),
    "the listen path": at(base),
    "the id of the API": at(`/${definition.api_id}/x`),
    "another spelling": at(`${base}%78`),
    "a path with a parameter": at(`${base}x;v=1`),
    "a loop": at(`${loop.proxy.listen_path}x`),
    "its rates": at(`${base}gateway/rate-limits/`),
    "a batch": item("x"),
  };
}

/** A right credential where it is not looked for: its headers under other names, and its values in the query. */
const misplaced = ({ Authorization: text, ...others } = {}) =>
  text === undefined
    ? {}
    : {
        "in another header": [{ "X-Authorization": text, "Proxy-Authorization": text, ...others }],
        "in a cookie": [{ Cookie: `Authorization=${encodeURIComponent(text)}`, ...others }],
        "in the query": [others, `?Authorization=${encodeURIComponent(text)}&access_token=${encodeURIComponent(text.replace(/^\w+ /, ""))}`],
      };

const refusedWith = [];

test("every authentication method is covered", async () => {
  const schema = (await gateway.admin("GET", "/openapi/schemas/api_definition.json")).json;
  const { auth_configs } = Object.values(schema.$defs).find(({ title }) => title === "ApiDefinition").properties;
  const known = auth_configs["x-gatewright-names"];
  assert.ok(known.length > 6, JSON.stringify(auth_configs));
  const tried = new Set(rows.map(({ method }) => method));
  assert.deepEqual(known.filter((name) => !tried.has(name)), NOT_SERVED);
  const { json } = await gateway.admin("GET", "/gateway/reload/status");
  assert.deepEqual(json.skipped ?? [], [], JSON.stringify(json));
});

test("a valid credential is accepted on every route", async () => {
  for (const row of rows.filter(({ right }) => right)) {
    for (const [name, call] of Object.entries(routes(row))) {
      const { status, text } = await call(row.right);
      assert.equal(status, 200, `${row.method}, ${name}: ${text}`);
    }
  }
});

test("an invalid credential is refused on every route and never reaches the upstream", async () => {
  const rights = rows.flatMap(({ method, right }, at) => (right ? [[`what ${method} takes`, [right], at]] : []));
  for (const [at, row] of rows.entries()) {
    const foreign = rights.filter(([, , of]) => of !== at).map(([what, how]) => [what, how]);
    const own = Object.entries(row.wrong).map(([what, headers]) => [what, [headers]]);
    const wrong = [["nothing", [{}]], ["an empty header", [{ Authorization: "" }]], ["a word", [{ Authorization: "x" }]], ...own, ...Object.entries(misplaced(row.right)), ...foreign];
    for (const [name, call] of Object.entries(routes(row))) {
      for (const [what, how] of wrong) {
        const before = upstream.seen.length;
        const { status, text } = await call(...how);
        const where = `${row.method}, ${name}, with ${what}: ${status} ${text}`;
        assert.ok([400, 401, 403].includes(status), where);
        const seen = upstream.seen.slice(before).filter(({ url }) => !Object.keys(authRoutes).some((path) => url.startsWith(path)));
        assert.deepEqual(seen, [], where);
        refusedWith.push([where, text]);
      }
    }
  }
});

test("no credential appears in storage, logs or responses", async () => {
  // The right ones still work, so everything that writes has seen them.
  for (const row of rows.filter(({ right }) => right)) assert.equal((await routes(row)["a path"](row.right)).status, 200, row.method);
  const answers = [];
  for (const path of LISTS) answers.push([path, (await gateway.admin("GET", `/gateway/${path}`)).text]);
  for (const path of TRAILS) answers.push([path, (await gateway.dashboard("GET", path)).text]);
  await gateway.kill("SIGTERM");
  const log = gateway.log();
  assert.ok(log.includes("refused {"), "the log has their events");
  const files = readdirSync(gateway.dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  assert.ok(files.length > 3);
  const stored = files.map(({ parentPath, name }) => [name, readFileSync(join(parentPath, name), "latin1")]);
  const encodings = (text) => [text, encodeURIComponent(text), Buffer.from(text).toString("base64").replace(/=+$/, "")];
  const has = (texts, secret) => texts.filter(([, text]) => encodings(secret).some((form) => text.includes(form))).map(([where]) => where);
  const outputs = [["the log", log], ...answers, ...refusedWith];
  for (const { method, sent, shared } of rows) {
    for (const text of sent) {
      assert.ok(text.length > 12, `${method}: ${text}`);
      assert.deepEqual(has([...outputs, ...stored], text), [], `${method}: ${text}`);
    }
    for (const text of shared) {
      assert.deepEqual(has(outputs, text), [], `${method}: ${text}`);
    }
  }
  // A search that never finds anything would prove nothing.
  assert.ok(rows.some(({ shared }) => shared.some((text) => has(stored, text).length > 0)));
});
