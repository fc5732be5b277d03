// A widely used client library, simple-oauth2, against the OAuth 2.0 server of an API: every grant, refresh and
// revocation, configured with nothing but the addresses.

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { AuthorizationCode, ClientCredentials, ResourceOwnerPassword } from "simple-oauth2";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { send } from "./http.mjs";
import { rights } from "./keyring.mjs";
import { BACK, server, withServer } from "./oauth.mjs";
import { listen } from "./upstream.mjs";

/** Basic authentication must encode these characters (RFC 6749 section 2.3.1), but some clients don't. */
const SECRET = `s+e c%ret:${randomBytes(8).toString("hex")}`;
const PASSWORD = "pass word&more";

let gateway;
let upstream;
let oauth;
let own;
before(async () => {
  [gateway, upstream] = await Promise.all([start(), listen()]);
  const allowed_access_types = ["authorization_code", "refresh_token", "client_credentials", "password"];
  const definition = api(withServer({ allowed_access_types }), { target_url: upstream.url });
  oauth = server(() => gateway, definition);
  const access_rights = rights(definition);
  const policy = { id: "opens", name: "opens", rate: -1, quota_max: -1, access_rights };
  assert.equal((await gateway.admin("POST", "/gateway/policies", { body: policy })).status, 200);
  await publish(gateway, definition);
  const user = await gateway.admin("POST", "/gateway/keys/anna", { body: { access_rights, basic_auth_data: { password: PASSWORD } } });
  assert.equal(user.status, 200, user.text);
  own = await oauth.client({ policy_id: "opens", secret: SECRET });
});
after(() => Promise.all([gateway?.stop(), upstream?.close()]));

const settings = (options) => ({
  client: { id: own.client_id, secret: own.secret },
  auth: { tokenHost: gateway.gateway, tokenPath: `${oauth.base}oauth/token/`, revokePath: `${oauth.base}oauth/revoke` },
  options,
});
const status = async ({ token }) => (await oauth.call(token.access_token)).status;

for (const [how, options] of Object.entries({
  "as it is": {},
  "without encoding": { credentialsEncodingMode: "loose" },
  "with JSON": { bodyFormat: "json" },
})) {
  test(`client credentials, ${how}`, async () => {
    const issued = await new ClientCredentials(settings(options)).getToken({ scope: "read write" });
    assert.equal(await status(issued), 200);
    assert.equal(issued.expired(), false);
    assert.equal(issued.token.scope, "read write");
  });
}

test("an authorization code, refreshed and revoked", async () => {
  const { auth, ...others } = settings({});
  const client = new AuthorizationCode({ ...others, auth: { ...auth, authorizePath: `${oauth.base}oauth/authorize/` } });
  const asked = new URL(client.authorizeURL({ redirect_uri: BACK, scope: "read", state: "s t" }));
  const login = await send(gateway.ports.gateway, { path: asked.pathname + asked.search });
  assert.equal(login.status, 307);
  assert.equal(new URL(login.headers.location).search, asked.search);
  // What the login page would do.
  const { json } = await oauth.approve(Object.fromEntries(asked.searchParams));
  const back = new URL(json.redirect_to);
  assert.equal(back.searchParams.get("state"), "s t");
  const code = back.searchParams.get("code");
  const first = await client.getToken({ code, redirect_uri: BACK });
  assert.equal(await status(first), 200);
  const second = await first.refresh();
  assert.deepEqual([await status(first), await status(second)], [403, 200]);
  // A token that was serialised and read back still works.
  const kept = client.createToken(JSON.parse(JSON.stringify(second)));
  const third = await kept.refresh();
  assert.equal(await status(third), 200);
  await third.revoke("access_token");
  assert.equal(await status(third), 403);
  await third.revoke("refresh_token");
  await assert.rejects(third.refresh(), /403/);
  await assert.rejects(client.getToken({ code, redirect_uri: BACK }), /403/);
});

test("a user's password", async () => {
  const client = new ResourceOwnerPassword(settings({}));
  const issued = await client.getToken({ username: "anna", password: PASSWORD });
  assert.equal(await status(issued), 200);
  await issued.revokeAll();
  assert.equal(await status(issued), 403);
  await assert.rejects(client.getToken({ username: "anna", password: "other" }), (error) => error.data.payload.error === "access_denied");
});

test("a wrong secret gets nothing", async () => {
  const { client, ...others } = settings({});
  const stranger = new ClientCredentials({ ...others, client: { ...client, secret: "other" } });
  await assert.rejects(stranger.getToken({}), (error) => error.data.payload.error === "unauthorized_client");
});
