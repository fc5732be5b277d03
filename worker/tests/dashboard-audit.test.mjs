// The audit trail: who did what, as a list, as a file and entry by entry; and that neither it nor a notification
// reveals a secret (attacks A12, A20).

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ALL, caller, issue, notifications, revoke } from "./dashboard.mjs";
import { api } from "./definitions.mjs";
import { start } from "./harness.mjs";

const JWKS = "https://idp.example/jwks";
let gateway;
let call;
before(async () => {
  gateway = await start();
  call = caller(gateway);
});
after(() => gateway.stop());

const entries = async (query, as = call) => (await as("GET", "/api/audit", { query })).json.entries;

/** Parses the rows of a CSV file (RFC 4180). */
function rows(text) {
  const all = [[]];
  let at = 0;
  while (at < text.length) {
    let cell = "";
    if (text[at] === '"') {
      const quoted = /"((?:[^"]|"")*)"/y;
      quoted.lastIndex = at;
      const [match, inside] = quoted.exec(text);
      cell = inside.replaceAll('""', '"');
      at += match.length;
    } else {
      const end = text.slice(at).search(/[,\r]/);
      cell = text.slice(at, at + end);
      at += end;
    }
    all.at(-1).push(cell);
    if (text[at] === ",") at += 1;
    else {
      assert.equal(text.slice(at, at + 2), "\r\n");
      at += 2;
      if (at < text.length) all.push([]);
    }
  }
  return all;
}

test("every administrative write to both APIs is in the trail, with its author", async () => {
  const definition = api();
  const { token, id: credential } = await issue(gateway, { name: "pipeline", permissions: ALL });
  const as = caller(gateway, token);
  const steps = [
    ["api", "added", "gateway", () => gateway.admin("POST", "/gateway/apis", { body: definition })],
    ["api", "modified", "gateway", () => gateway.admin("PUT", `/gateway/apis/${definition.api_id}`, { body: { ...definition, name: "new" } })],
    ["reload", undefined, "gateway", () => gateway.admin("GET", "/gateway/reload", { query: { block: "true" } })],
    ["api", "deleted", "gateway", () => gateway.admin("DELETE", `/gateway/apis/${definition.api_id}`)],
    ["ruleset", "added", "pipeline", () => as("POST", "/api/rulesets", { body: { name: "r", ruleset_id: "r" } })],
    ["ruleset", "modified", "dashboard", () => call("PUT", "/api/rulesets/r", { body: { name: "r" } })],
    ["ruleset", "deleted", "pipeline", () => as("DELETE", "/api/rulesets/r")],
    ["ruleset", "restored", "dashboard", () => call("POST", "/api/rulesets/r/restore")],
    ["client_idp", "added", "pipeline", () => as("POST", "/api/clientidps", { body: { name: "n", client_idp_id: "trail", jwks_uri: JWKS } })],
    ["client_idp", "modified", "pipeline", () => as("PATCH", "/api/clientidps/trail/mappings", { body: { a: {} } })],
    ["webhook", "added", "pipeline", () => as("POST", "/api/hooks", { body: { webhook_id: "trail", method: "POST", target_path: "https://hooks.example/" } })],
    ["credential", "deleted", "gateway", () => revoke(gateway, credential)],
  ];
  for (const [subject, action, actor, run] of steps) {
    const [{ seq: last } = { seq: 0 }] = await entries({ limit: 1 });
    const answer = await run();
    assert.ok(answer.status < 300, answer.text);
    const [entry] = await entries({ limit: 1 });
    assert.ok(entry.seq > last, `${subject} ${action}`);
    assert.deepEqual([entry.subject, entry.actor, entry.org_id], [subject, actor, "default"]);
    if (action) assert.equal(entry.action, action);
    assert.ok(Math.abs(Date.now() - Date.parse(entry.at)) < 60_000);
  }
  const count = (await entries({})).length;
  // Refusals, dry runs and requests that change nothing are not writes.
  await call("POST", "/api/rulesets", { body: {} });
  await call("POST", "/api/rulesets", { body: { name: "dry" }, query: { dry_run: "true" } });
  await call("GET", "/api/rulesets/r");
  await revoke(gateway, credential);
  assert.equal((await entries({})).length, count);
});

test("each parameter filters the trail", async () => {
  const { token } = await issue(gateway, { name: "filter", permissions: ALL });
  const as = caller(gateway, token);
  await as("POST", "/api/clientidps", { body: { name: "n", client_idp_id: "filtered", jwks_uri: JWKS } });
  for (const n of [1, 2, 3]) await as("PATCH", "/api/clientidps/filtered/mappings", { body: { [`a${n}`]: {} } });
  const all = await entries({ actor: "filter" });
  assert.deepEqual(all.map(({ after: revision }) => revision), [4, 3, 2, 1]);
  const { id, at } = all[0];
  for (const [query, expected] of [
    [{ id }, [4, 3, 2, 1]],
    [{ id, action: "added" }, [1]],
    [{ id, subject: "ruleset,client_idp" }, [4, 3, 2, 1]],
    [{ id, subject: "ruleset" }, []],
    [{ id, before: all[1].seq }, [2, 1]],
    [{ id, limit: 2 }, [4, 3]],
    [{ id, from: "2020-01-01" }, [4, 3, 2, 1]],
    [{ id, to: "2020-01-01" }, []],
    [{ id, from: "2020-01-01T00:00:00+02:00", to: "2199-01-01T00:00:00Z" }, [4, 3, 2, 1]],
    [{ id, to: at, from: at }, []],
    [{ actor: "nobody" }, []],
  ]) {
    assert.deepEqual((await entries(query)).map(({ after: revision }) => revision), expected, JSON.stringify(query));
  }
  const { next } = (await call("GET", "/api/audit", { query: { id, limit: 2 } })).json;
  assert.deepEqual((await entries({ id, before: next })).map(({ after: revision }) => revision), [2, 1]);
  for (const query of [{ from: "yesterday" }, { to: "2026-13-01" }, { subject: "apis" }, { action: "none" }, { limit: "x" }, { before: "x" }, { format: "xml" }]) {
    const answer = await call("GET", "/api/audit", { query });
    assert.equal(answer.status, 400, JSON.stringify(query));
    assert.equal(answer.json.Status, "Error");
  }
});

describe("as a file", () => {
  const names = ["plain", "=1+1", "+1", "-1", "@SUM(1)", "\tx", 'a "b", c', "two\r\nlines", "é😀", "=HYPERLINK(\"http://evil.example\",\"x\")"];
  before(async () => {
    for (const name of names) assert.equal((await call("POST", "/api/rulesets", { body: { name } })).status, 201);
  });

  test("CSV exports contain nothing a spreadsheet would execute", async () => {
    const answer = await call("GET", "/api/audit", { query: { subject: "ruleset", action: "added", format: "csv", limit: 1 } });
    assert.equal(answer.status, 200);
    assert.equal(answer.headers["content-type"], "text/csv; charset=utf-8; header=present");
    assert.equal(answer.headers["content-disposition"], 'attachment; filename="audit.csv"');
    assert.equal(answer.headers["x-content-type-options"], "nosniff");
    const [header, ...lines] = rows(answer.text);
    assert.deepEqual(header, ["seq", "at", "org_id", "actor", "action", "subject", "id", "name", "before", "after", "ip_address", "user_agent", "request_id"]);
    const found = await entries({ subject: "ruleset", action: "added", limit: 1000 });
    assert.equal(lines.length, found.length);
    for (const [at, entry] of found.entries()) {
      const unsafe = /^[=+\-@\t\r\n]/.test(entry.name);
      const cells = [entry.seq, entry.at, entry.org_id, entry.actor, entry.action, entry.subject, entry.id, unsafe ? `'${entry.name}` : entry.name, entry.before ?? "", entry.after ?? "", entry.ip_address, entry.user_agent ?? "", entry.request_id];
      assert.deepEqual(lines[at], cells.map(String));
      for (const cell of lines[at]) assert.doesNotMatch(cell, /^[=+\-@\t\r\n]/);
    }
    assert.ok(names.every((name) => found.some((entry) => entry.name === name)));
  });

  test("JSON exports have the form of the list", async () => {
    const answer = await call("GET", "/api/audit", { query: { format: "json", subject: "ruleset" } });
    assert.equal(answer.headers["content-disposition"], 'attachment; filename="audit.json"');
    assert.deepEqual(answer.json, { entries: await entries({ subject: "ruleset", limit: 1000 }), next: null });
  });

  test("exports are limited to the caller's organisation and permissions", async () => {
    const { token } = await issue(gateway, { name: "foreign", org_id: "acme", permissions: ALL });
    const foreign = (await caller(gateway, token)("GET", "/api/audit", { query: { format: "json" } })).json.entries;
    assert.ok(foreign.every(({ org_id: org }) => org === "acme"));
    const { token: narrow } = await issue(gateway, { name: "narrow", permissions: { hooks: "read" } });
    const seen = rows((await caller(gateway, narrow)("GET", "/api/audit", { query: { format: "csv" } })).text).slice(1);
    assert.ok(seen.every(([, , , , , subject]) => subject === "webhook"), JSON.stringify(seen));
  });
});

test("no secret is in the trail, in a notification or in the log", async () => {
  const canary = (name) => `canary-${name}-${Date.now()}`;
  const secrets = ["header", "header2", "signature", "password", "oauth", "added", "handler"].map(canary);
  const [header, header2, signature, password, oauth, added, handler] = secrets;
  const key = Buffer.from(canary("jwt")).toString("base64");
  const hook = (value) => ({ webhook_id: "secret", name: "h", method: "POST", target_path: "https://hooks.example/", header_map: { Authorization: value } });
  await call("POST", "/api/hooks", { body: hook(header) });
  await call("PUT", "/api/hooks/secret", { body: hook(header2) });
  const definition = api({
    jwt_source: key,
    auth_configs: { authToken: { auth_header_name: "X", signature: { secret: signature } } },
    upstream_auth: { enabled: true, basic_auth: { enabled: true, username: "u", password } },
    external_oauth: { providers: [{ introspection: { client_secret: oauth } }] },
    version_data: { versions: { Default: { name: "Default", global_headers: { "X-Key": added } } } },
    event_handlers: { events: { HostDown: [{ handler_name: "eh_web_hook_handler", handler_meta: { header_map: { Authorization: handler } } }] } },
  });
  assert.equal((await gateway.admin("POST", "/gateway/apis", { body: definition })).status, 200);
  assert.equal((await gateway.admin("PUT", `/gateway/apis/${definition.api_id}`, { body: { ...definition, jwt_source: `${key.slice(0, -4)}AAAA` } })).status, 200);
  await gateway.admin("DELETE", `/gateway/apis/${definition.api_id}`);
  const texts = [gateway.log(), JSON.stringify(await notifications(call))];
  const changed = [];
  for (const { seq, subject, id } of await entries({ limit: 1000 })) {
    const { text, json } = await call("GET", `/api/audit/${seq}`);
    texts.push(text);
    const mine = subject === "webhook" || id === definition.api_id;
    if (mine) changed.push(...json.changes.filter(({ before, after }) => before === '"•••"' && after === '"•••"').map(({ pointer }) => pointer));
  }
  texts.push((await call("GET", "/api/audit", { query: { format: "csv" } })).text);
  for (const text of texts) {
    for (const secret of [...secrets, key, key.slice(0, -4), gateway.secret, gateway.dashboardToken]) assert.ok(!text.includes(secret), `${secret} in ${text.slice(0, 200)}`);
  }
  // It shows that a secret has changed.
  assert.deepEqual(changed.sort(), ["/header_map/Authorization", "/jwt_source"]);
  // Whoever may read the document itself still sees all of it.
  assert.equal((await call("GET", "/api/hooks/secret")).json.header_map.Authorization, header2);
});
