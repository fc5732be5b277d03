// The OAuth 2.0 server of APIs, end to end (reference 1.9; RFC 6749, 7009, 7636, 8414).

import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { send } from "./http.mjs";
import { rights } from "./keyring.mjs";
import { BACK, server, withServer } from "./oauth.mjs";
import { listen, values } from "./upstream.mjs";

let gateway;
let upstream;
let oauth;
let policy;
const admin = (method, path, body) => gateway.admin(method, `/gateway/${path}`, { body });

before(async () => {
  [gateway, upstream] = await Promise.all([start(), listen()]);
  const definition = api(withServer(), { target_url: upstream.url });
  policy = `readers-${definition.api_id}`;
  const made = await admin("POST", "policies", { id: policy, rate: 1000, per: 60, quota_max: -1, access_rights: rights(definition) });
  assert.equal(made.status, 200, made.text);
  await publish(gateway, definition);
  oauth = server(() => gateway, definition);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

const NOT_KEPT = {
  "cache-control": "no-cache, no-store, must-revalidate",
  pragma: "no-cache",
  expires: "0",
  "x-frame-options": "DENY",
  "x-xss-protection": "1; mode=block",
};

function shows(headers, expected) {
  for (const [name, value] of Object.entries(expected)) assert.equal(headers[name], value, name);
}

async function refused(answer, status, message) {
  const { json, text, status: got } = await answer;
  assert.deepEqual([got, json?.error], [status, message], text);
}

test("a client gets a token of its own, which is accepted by its API until revoked", async () => {
  const client = await oauth.client({ policy_id: policy, meta_data: { team: "blue" } });
  const { json, headers, status } = await oauth.token(client, { grant_type: "client_credentials", scope: "read write" });
  assert.equal(status, 200);
  shows(headers, NOT_KEPT);
  assert.deepEqual(Object.keys(json), ["access_token", "expires_in", "scope", "token_type"]);
  const answer = await oauth.call(json.access_token);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(values(answer.json, "authorization"), [`Bearer ${json.access_token}`]);
  assert.equal((await oauth.form("oauth/revoke", { token: json.access_token })).status, 200);
  await refused(oauth.call(json.access_token), 403, "Key not authorised");
});

test("tokens must be sent as bearer tokens", async () => {
  const client = await oauth.client({ policy_id: policy });
  const { json: { access_token: token } } = await oauth.token(client, { grant_type: "client_credentials" });
  const sent = (value) => oauth.at("x", { headers: value === undefined ? {} : { Authorization: value } });
  for (const value of [undefined, token, "Bearer"]) await refused(sent(value), 400, "Authorization field missing");
  await refused(sent(`Token ${token}`), 400, "Bearer token malformed");
  await refused(sent("Bearer unknown-token-0123456789"), 403, "Key not authorised");
  for (const value of [`bearer ${token}`, `Bearer ${token} more`]) assert.equal((await sent(value)).status, 200, value);
});

test("a key not issued by the OAuth server is refused", async () => {
  const made = await admin("POST", "keys", { apply_policies: [policy] });
  assert.equal(made.status, 200, made.text);
  await refused(oauth.call(made.json.key), 403, "Key not authorised. OAuth client access was revoked");
});

test("deleting a client revokes its tokens for good", async () => {
  const client = await oauth.client({ policy_id: policy });
  const { json } = await oauth.token(client, { grant_type: "client_credentials" });
  assert.equal((await oauth.call(json.access_token)).status, 200);
  const path = `oauth/clients/${oauth.id}/${client.client_id}`;
  assert.equal((await admin("DELETE", path)).status, 200);
  await refused(oauth.call(json.access_token), 403, "Key not authorised. OAuth client access was revoked");
  await oauth.client({ policy_id: policy, client_id: client.client_id });
  await refused(oauth.call(json.access_token), 403, "Key not authorised. OAuth client access was revoked");
});

test("authorization code with PKCE and refresh: codes and refresh tokens work only once", async () => {
  const client = await oauth.client({ policy_id: policy });
  const verifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  const asked = { response_type: "code", client_id: client.client_id, redirect_uri: BACK, state: "s&t", code_challenge: challenge, code_challenge_method: "S256" };
  const login = await oauth.at(`oauth/authorize/?${new URLSearchParams(asked)}`);
  assert.deepEqual([login.status, login.headers.location], [307, `http://login.example/approve?${new URLSearchParams(asked)}`]);
  assert.equal(login.headers["content-type"], undefined, "the response has no body");
  const { json: { code, redirect_to: back } } = await oauth.approve(asked);
  assert.equal(back, `${BACK}?code=${code}&state=s%26t`);
  const exchange = (more) => oauth.token(client, { grant_type: "authorization_code", code, redirect_uri: BACK, ...more });
  await refused(exchange({}), 403, "invalid_grant");
  // Of simultaneous requests, one gets a token.
  const answers = await Promise.all(Array.from({ length: 5 }, () => exchange({ code_verifier: verifier })));
  assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  const { json: again } = await oauth.approve(asked);
  const once = () => oauth.token(client, { grant_type: "authorization_code", code: again.code, redirect_uri: BACK, code_verifier: verifier });
  const { json: first } = await once();
  const refresh = (token) => oauth.token(client, { grant_type: "refresh_token", refresh_token: token });
  const refreshed = await Promise.all(Array.from({ length: 5 }, () => refresh(first.refresh_token)));
  const second = refreshed.filter(({ status }) => status === 200);
  assert.equal(second.length, 1);
  await refused(oauth.call(first.access_token), 403, "Key not authorised");
  assert.equal((await oauth.call(second[0].json.access_token)).status, 200);
  await refused(refresh(first.refresh_token), 403, "invalid_grant");
  // A second use of the code means that two parties have it, so the tokens issued for it are revoked.
  await refused(once(), 403, "invalid_grant");
  await refused(oauth.call(second[0].json.access_token), 403, "Key not authorised");
  await refused(refresh(second[0].json.refresh_token), 403, "invalid_grant");
});

test("a client's secret can be read again, but is stored and logged nowhere in plain text", async () => {
  const secret = `canary-${randomBytes(12).toString("hex")}`;
  const client = await oauth.client({ policy_id: policy, secret });
  const read = await admin("GET", `oauth/clients/${oauth.id}/${client.client_id}`);
  assert.equal(read.json.secret, secret);
  const { json: tokens } = await oauth.token(client, { grant_type: "client_credentials" });
  const asked = { response_type: "code", client_id: client.client_id };
  const { json: { code } } = await oauth.approve(asked);
  const { json: byCode } = await oauth.token(client, { grant_type: "authorization_code", code });
  assert.equal((await oauth.call(byCode.access_token)).status, 200);
  const canaries = [secret, tokens.access_token, code, byCode.access_token, byCode.refresh_token];
  const audit = await gateway.dashboard("GET", "/api/audit");
  assert.equal(audit.status, 200, audit.text);
  assert.match(audit.text, /oauth_client/);
  const notices = await gateway.dashboard("GET", "/api/notifications");
  const written = [gateway.log(), audit.text, notices.text];
  const files = readdirSync(gateway.dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { parentPath, name } of files) written.push(readFileSync(join(parentPath, name), "latin1"));
  for (const text of written) for (const canary of canaries) assert.ok(!text.includes(canary), canary);
});

test("addresses sending wrong secrets are throttled, whatever their headers say", async () => {
  const client = await oauth.client({ policy_id: policy });
  const authorization = `Basic ${Buffer.from(`${client.client_id}:wrong`).toString("base64")}`;
  // All at once, and again if they took as long as the address has to wait.
  let status;
  const enough = Date.now() + 30_000;
  do {
    const sent = Array.from({ length: 200 }, (_, n) => oauth.form("oauth/token/", { grant_type: "client_credentials" }, { Authorization: authorization, "X-Forwarded-For": `198.51.100.${n}` }));
    for (const wrong of await Promise.all(sent)) assert.equal(wrong.status, 403);
    ({ status } = await oauth.token(client, { grant_type: "client_credentials" }));
  } while (status === 200 && Date.now() < enough);
  assert.equal(status, 403);
  // It waits no longer than it would for as many unknown keys.
  const deadline = Date.now() + 15_000;
  while ((await oauth.token(client, { grant_type: "client_credentials" })).status !== 200) {
    assert.ok(Date.now() < deadline);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
});

test("clients can discover the endpoints", async () => {
  const { json, status } = await oauth.at(".well-known/oauth-authorization-server");
  assert.equal(status, 200);
  const base = oauth.base.replace(/\/$/, "");
  assert.equal(json.issuer, `${gateway.gateway}${base}`);
  assert.equal(json.token_endpoint, `${gateway.gateway}${base}/oauth/token`);
  assert.deepEqual(json.code_challenge_methods_supported, ["S256", "plain"]);
  // Also where RFC 8414 section 3.1 puts it for an issuer with a path.
  const root = await send(gateway.ports.gateway, { path: `/.well-known/oauth-authorization-server${base}` });
  assert.deepEqual([root.status, root.json], [200, json]);
  assert.equal((await send(gateway.ports.gateway, { path: "/.well-known/oauth-authorization-server/nobody" })).status, 404);
});

test("pages of the origins that CORS allows can get tokens", async () => {
  const page = { Origin: "https://page.example" };
  const CORS = { enable: true, allowed_origins: [page.Origin], allow_credentials: true };
  const definition = api({ ...withServer(), CORS }, { target_url: upstream.url });
  await publish(gateway, definition);
  const shown = server(() => gateway, definition);
  const granted = { "access-control-allow-origin": page.Origin, "access-control-allow-credentials": "true" };
  const refusal = await shown.form("oauth/token/", { grant_type: "client_credentials" }, page);
  assert.equal(refusal.status, 403);
  shows(refusal.headers, { ...granted, ...NOT_KEPT, vary: "Origin" });
  const preflight = { method: "OPTIONS", headers: { ...page, "Access-Control-Request-Method": "POST" } };
  const answer = await shown.at("oauth/token", preflight);
  assert.equal(answer.status, 204);
  shows(answer.headers, { ...granted, "access-control-allow-methods": "POST" });
  const other = await shown.form("oauth/revoke/", { token: "unknown" }, { Origin: "https://other.example" });
  assert.equal(other.headers["access-control-allow-origin"], undefined);
  assert.equal((await oauth.at("oauth/token", preflight)).status, 405);
});
