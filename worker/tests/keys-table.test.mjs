// Every refusal of reference 3.2 that a key, its API or its organisation can cause: status, message and both forms of
// the body, end to end.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { send } from "./http.mjs";
import { listen } from "./upstream.mjs";

const DISALLOWED = "Access to this API has been disallowed";
const RESOURCE = "Access to this resource has been disallowed";
const ORG = "please contact your API administrator";
const HOUR = 3600;

const legacy = (org, id) => Buffer.from(JSON.stringify({ org, id, h: "murmur64" })).toString("base64");
/** Returns rights to one API, with more members. */
const only = (more) => ({ api_id }) => ({ [api_id]: { api_id, ...more } });

/*
 * A row: its description, the status and the message. `api` are members of the definition, `key` those of the session,
 * `rights` builds its access rights, `org` is the organisation's session; `token` is sent instead of the key's, null
 * for none; `spend` requests pass before the one that is refused; `method` and `rest` are of that one.
 */
const TABLE = [
  { of: "no token", token: null, status: 401, message: "Authorization field missing" },
  { of: "an empty token", token: "", status: 401, message: "Authorization field missing" },
  { of: "a token of nothing but its scheme", token: "Bearer ", status: 403, message: DISALLOWED },
  { of: "a token elsewhere than the definition says", api: { auth: { auth_header_name: "X-Key" } }, status: 401, message: "Authorization field missing" },
  { of: "an unknown token", token: "nonsense", status: 403, message: DISALLOWED },
  { of: "an unknown token of the default form", token: legacy("", "0123"), status: 403, message: DISALLOWED },
  { of: "a token that is too short", token: "ab", status: 403, message: DISALLOWED },
  { of: "a token of another organisation", token: legacy("elsewhere", "0123"), status: 403, message: DISALLOWED },
  { of: "a key that needs a certificate", key: { certificate: "org0123" }, status: 401, message: "Client certificate required" },
  { of: "an inactive key", key: { is_inactive: true }, status: 403, message: "Key is inactive, please renew" },
  { of: "an expired key", key: { expires: 1 }, status: 401, message: "Key has expired, please renew" },
  { of: "an inactive key that has expired", key: { is_inactive: true, expires: 1 }, status: 403, message: "Key is inactive, please renew" },
  { of: "a key of another API", rights: () => ({ elsewhere: { api_id: "elsewhere" } }), status: 403, message: DISALLOWED },
  { of: "a key of another version", rights: only({ versions: ["v2"] }), status: 403, message: DISALLOWED },
  { of: "a path that the key may not use", rights: only({ allowed_urls: [{ url: "^/orders", methods: ["GET"] }] }), rest: "users", status: 403, message: RESOURCE },
  { of: "a method that the key may not use", rights: only({ allowed_urls: [{ url: "^/orders", methods: ["GET"] }] }), rest: "orders", method: "POST", status: 403, message: RESOURCE },
  { of: "a restriction of GraphQL", api: { graphql: { enabled: true } }, rights: only({ disable_introspection: true }), status: 403, message: RESOURCE },
  { of: "the rate of a key", key: { rate: 2, per: HOUR }, spend: 2, status: 429, message: "Rate Limit Exceeded" },
  { of: "the rate of a key in an API", rights: only({ limit: { rate: 1, per: HOUR } }), spend: 1, status: 429, message: "Rate Limit Exceeded" },
  { of: "the rate of an endpoint", rights: only({ endpoints: [{ path: "/x", methods: [{ name: "GET", limit: { rate: 1, per: HOUR } }] }] }), spend: 1, status: 429, message: "Rate Limit Exceeded" },
  { of: "the rate of a key that waits", key: { rate: 1, per: HOUR, throttle_interval: 0.01, throttle_retry_limit: 2 }, spend: 1, status: 429, message: "Rate Limit Exceeded" },
  { of: "the rate of an API", api: { global_rate_limit: { rate: 2, per: HOUR } }, spend: 2, status: 429, message: "API Rate Limit Exceeded" },
  { of: "the quota of a key", key: { quota_max: 2, quota_renewal_rate: HOUR }, spend: 2, status: 403, message: "Quota exceeded" },
  { of: "the quota of a key in an API", rights: only({ limit: { quota_max: 1, quota_renewal_rate: HOUR } }), spend: 1, status: 403, message: "Quota exceeded" },
  { of: "an inactive organisation", org: { is_inactive: true }, status: 403, message: `this organisation access has been disabled, ${ORG}` },
  { of: "an inactive organisation without a token", org: { is_inactive: true }, token: null, status: 403, message: `this organisation access has been disabled, ${ORG}` },
  { of: "the quota of an organisation", org: { quota_max: 1, quota_renewal_rate: HOUR }, spend: 1, status: 403, message: `This organisation quota has been exceeded, ${ORG}` },
  { of: "the rate of an organisation", org: { rate: 1, per: HOUR }, spend: 1, status: 403, message: `This organisation rate limit has been exceeded, ${ORG}` },
];

const FORMS = [
  [undefined, "application/json"],
  ["application/json", "application/json"],
  ["application/xml", "application/xml"],
  ["Text/XML; charset=utf-8", "text/xml"],
];

const body = (media, message) =>
  media.endsWith("/xml")
    ? `<?xml version = "1.0" encoding = "UTF-8"?>\n<error>${message}</error>\n`
    : `{\n    "error": "${message}"\n}`;

let gateway;
let upstream;
const tokens = new Map();
before(async () => {
  [gateway, upstream] = await Promise.all([start({ env: { ALLOW_UNENFORCED: "graphql.enabled,application_protocol" } }), listen()]);
  TABLE.forEach((row, number) => {
    const org_id = row.org === undefined ? "" : `org-${process.pid}-${number}`;
    row.definition = api({ use_keyless: false, org_id, ...row.api }, { target_url: upstream.url });
  });
  await publish(gateway, ...TABLE.map(({ definition }) => definition));
  for (const row of TABLE) await prepare(row);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

async function prepare({ of, definition, key, rights = only({}), org, spend = 0 }) {
  const session = { org_id: definition.org_id, access_rights: rights(definition), ...key };
  const made = await gateway.admin("POST", "/gateway/keys", { body: session });
  assert.equal(made.status, 200, `${of}: ${made.text}`);
  tokens.set(definition, made.json.key);
  if (org !== undefined) {
    const stored = await gateway.admin("POST", `/gateway/org/keys/${definition.org_id}`, { body: org });
    assert.equal(stored.status, 200, stored.text);
  }
  for (let sent = 0; sent < spend; sent += 1) {
    const passed = await request(definition, made.json.key);
    assert.equal(passed.status, 200, `${of}: ${passed.text}`);
  }
}

function request(definition, token, { method = "GET", rest = "x", type } = {}) {
  const headers = { ...(token === null ? {} : { Authorization: token }), ...(type && { "Content-Type": type }) };
  return send(gateway.ports.gateway, { method, path: definition.proxy.listen_path + rest, headers });
}

for (const row of TABLE) {
  test(`${row.of} is refused with ${row.status}: ${row.message}`, async () => {
    const forwarded = upstream.seen.length;
    const token = row.token === undefined ? tokens.get(row.definition) : row.token;
    for (const [type, media] of FORMS) {
      const answer = await request(row.definition, token, { method: row.method, rest: row.rest, type });
      assert.deepEqual([answer.status, answer.headers["content-type"], answer.text], [row.status, media, body(media, row.message)]);
      assert.equal(answer.headers["x-generator"], "Gatewright");
      // Only refusals because of a limit say when to come back.
      if (row.spend === undefined) assert.equal(answer.headers["retry-after"], undefined);
      else assert.match(answer.headers["retry-after"], /^\d+$/);
      assert.equal(answer.text.includes(String(token || "no token")), false);
    }
    assert.equal(upstream.seen.length, forwarded);
  });
}
