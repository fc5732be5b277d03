// Tokens of a real identity provider, obtained by widely used clients: `openid-client` and `oauth4webapi` against
// `oidc-provider`.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import * as webapi from "oauth4webapi";
import * as openid from "openid-client";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { RESOURCE, signingKey, startIdentityProvider } from "./identity-provider.mjs";
import { listen } from "./upstream.mjs";

const SCOPES = ["read", "write", "audit"];

let gateway;
let upstream;
let idp;
before(async () => {
  [gateway, upstream, idp] = await Promise.all([start(), listen(), signingKey().then((key) => startIdentityProvider({ scopes: SCOPES, key }))]);
});
after(() => Promise.all([gateway.stop(), upstream.close(), idp.stop()]));

const insecure = { execute: [openid.allowInsecureRequests] };

/** Returns a token of the client `machine`, obtained with `openid-client`. */
async function token(scope, issuer = idp.issuer) {
  const config = await openid.discovery(new URL(issuer), "machine", "machine-secret", undefined, insecure);
  return (await openid.clientCredentialsGrant(config, { scope, resource: RESOURCE })).access_token;
}

let count = 0;
/** Stores a policy that opens some paths of an API. */
async function policy(apiId, url, members = {}) {
  const id = `opens-${(count += 1)}`;
  const allowed_urls = [{ url, methods: ["GET"] }];
  const body = { id, name: id, org_id: "default", active: true, rate: 100, per: 1, quota_max: -1, access_rights: { [apiId]: { api_id: apiId, api_name: apiId, versions: ["Default"], allowed_urls } }, ...members };
  const stored = await gateway.admin("POST", "/gateway/policies", { body });
  assert.equal(stored.status, 200, stored.text);
  return id;
}

const protectedBy = (members) => api({ use_keyless: false, org_id: "default", ...members }, { target_url: upstream.url });
const signed = (issuer, members) => protectedBy({ enable_jwt: true, jwt_signing_method: "rsa", jwt_source: Buffer.from(`${issuer}/jwks`).toString("base64"), ...members });
const get = (definition, path, bearer) => fetch(`${gateway.gateway}${definition.proxy.listen_path}${path}`, { headers: { authorization: `Bearer ${bearer}` } });

test("a token's scopes grant what the definition maps them to", async () => {
  const definition = signed(idp.issuer);
  const [reading, writing] = [await policy(definition.api_id, "/read"), await policy(definition.api_id, "/write")];
  definition.scopes = { jwt: { scope_claim_name: "scope", scope_to_policy: { read: reading, write: writing } } };
  await publish(gateway, definition);
  const one = await token("read");
  assert.equal((await get(definition, "read", one)).status, 200);
  assert.equal((await get(definition, "write", one)).status, 403);
  const both = await token("read write");
  assert.equal((await get(definition, "read", both)).status, 200);
  assert.equal((await get(definition, "write", both)).status, 200);
  const none = await get(definition, "read", await token("audit"));
  assert.equal(none.status, 403);
  assert.match(await none.text(), /no matching policy found in scope claim/);
  assert.equal((await get(definition, "read", `${one}x`)).status, 403);
});

test("a token obtained with another library works as well", async () => {
  const definition = signed(idp.issuer);
  definition.jwt_default_policies = [await policy(definition.api_id, "/any")];
  await publish(gateway, definition);
  const issuer = new URL(idp.issuer);
  const options = { [webapi.allowInsecureRequests]: true };
  const server = await webapi.processDiscoveryResponse(issuer, await webapi.discoveryRequest(issuer, options));
  const client = { client_id: "machine" };
  const parameters = new URLSearchParams({ scope: "read", resource: RESOURCE });
  const answer = await webapi.clientCredentialsGrantRequest(server, client, webapi.ClientSecretBasic("machine-secret"), parameters, options);
  const { access_token } = await webapi.processClientCredentialsResponse(server, client, answer);
  assert.equal((await get(definition, "any", access_token)).status, 200);
});

test("a provider in the console defines what its tokens grant, and changes apply at once", async () => {
  const definition = protectedBy({ enable_jwt: true });
  const [reading, writing] = [await policy(definition.api_id, "/read"), await policy(definition.api_id, "/write")];
  await publish(gateway, definition);
  const mapping = (scope_to_policy) => ({ [definition.api_id]: { scope_to_policy } });
  const body = { name: "Loopback", jwks_uri: `${idp.issuer}/jwks`, issuer: idp.issuer, api_mappings: mapping({ read: reading }) };
  const made = await gateway.dashboard("POST", "/api/clientidps", { body });
  assert.equal(made.status, 201, made.text);
  const bearer = await token("read");
  assert.equal((await get(definition, "read", bearer)).status, 200);
  assert.equal((await get(definition, "write", bearer)).status, 403);
  const patched = await gateway.dashboard("PATCH", `/api/clientidps/${made.json.Meta}/mappings`, { body: mapping({ read: writing }) });
  assert.equal(patched.status, 200, patched.text);
  assert.equal((await get(definition, "read", bearer)).status, 403);
  assert.equal((await get(definition, "write", bearer)).status, 200);
});

test("a key set is fetched once, and again after its cache is flushed", async () => {
  const rotated = await startIdentityProvider({ scopes: SCOPES, key: await signingKey("RS256", "first") });
  const definition = signed(rotated.issuer);
  definition.jwt_default_policies = [await policy(definition.api_id, "/any")];
  await publish(gateway, definition);
  const before = rotated.asked("/jwks");
  for (const scope of ["read", "write", "audit"]) {
    assert.equal((await get(definition, "any", await token(scope, rotated.issuer))).status, 200);
  }
  assert.equal(rotated.asked("/jwks"), before + 1);
  const dropped = await gateway.admin("DELETE", `/gateway/cache/jwks/${definition.api_id}`);
  assert.equal(dropped.status, 200, dropped.text);
  assert.equal((await get(definition, "any", await token("read", rotated.issuer))).status, 200);
  assert.equal(rotated.asked("/jwks"), before + 2);
  await rotated.stop();
});

test("an opaque token is introspected at its provider", async () => {
  const opaque = await startIdentityProvider({ scopes: SCOPES, key: await signingKey(), format: "opaque" });
  const introspection = { enabled: true, url: `${opaque.issuer}/token/introspection`, client_id: "gateway", client_secret: "gateway-secret", identity_base_field: "client_id", cache: { enabled: true, timeout: 60 } };
  const definition = protectedBy({ external_oauth: { enabled: true, providers: [{ introspection }] } });
  await publish(gateway, definition);
  const bearer = await token("read", opaque.issuer);
  assert.equal((await get(definition, "any", bearer)).status, 200);
  assert.equal((await get(definition, "any", bearer)).status, 200);
  assert.equal(opaque.asked("/token/introspection"), 1);
  const unknown = await get(definition, "any", "nobody-knows-this-token");
  assert.equal(unknown.status, 401);
  assert.match(await unknown.text(), /access token is not valid/);
  await opaque.stop();
});
