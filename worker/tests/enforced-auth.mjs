// Demonstrations of what the support table calls enforced: JSON Web Tokens, OpenID Connect and OAuth of other
// providers. Run by enforced-apis.mjs.

import assert from "node:assert/strict";
import { base64, keys, soon, token } from "./jose.mjs";

const SECRET = "a secret that is shared";
const ISSUED = new Map();

const answer = (response, body, status = 200) => response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
const set = (...named) => ({ keys: named.map(([kid, { jwk }]) => ({ ...jwk, kid, use: "sig" })) });

/** How often each address was requested, by what follows its question mark. */
const asked = new Map();
const count = (url) => asked.set(url.search, (asked.get(url.search) ?? 0) + 1);

/** Routes that the upstream needs. */
export const authRoutes = {
  "/keys": (request, response, url) => (count(url), answer(response, set(["rsa", keys.rsa], ["p256", keys.p256]))),
  "/no-keys": (request, response) => answer(response, { keys: [] }),
  "/op/.well-known/openid-configuration": (request, response) => {
    const issuer = `http://${request.headers.host}/op`;
    answer(response, { issuer, jwks_uri: `http://${request.headers.host}/keys` });
  },
  "/introspect": async (request, response, url) => {
    count(url);
    let form = "";
    for await (const chunk of request) form += chunk;
    const { client_id, client_secret, token: sent } = Object.fromEntries(new URLSearchParams(form));
    answer(response, { active: client_id === "me" && client_secret === "s", ...ISSUED.get(sent) });
  },
};

/** The demonstrations on a [stage](./enforced-stage.mjs). */
export function auth({ loaded, call, target, policies }) {
  const shared = { jwt_source: base64(SECRET), jwt_signing_method: "hmac" };

  /** Loads an API again with other members, at the same listen path. */
  const changed = (definition, members) => loaded({ ...definition, ...members }, definition.proxy);

  /** Loads an API that requires JSON Web Tokens, and returns what its upstream receives for a token. */
  async function guarded(members) {
    const definition = await loaded({ use_keyless: false, enable_jwt: true, ...members });
    const [open, limited, closed] = await policies([
      { access_rights: { [definition.api_id]: { api_id: definition.api_id } }, rate: -1, quota_max: -1 },
      { access_rights: { [definition.api_id]: { api_id: definition.api_id } }, rate: 1, per: 3600 },
      { access_rights: { nothing: { api_id: "nothing" } } },
    ]);
    const status = async (sent) => (await call(definition, "x", { headers: { Authorization: sent } })).status;
    return { definition, open, limited, closed, status };
  }
  const claims = (pol, more) => ({ sub: "anna", exp: soon(), pol, ...more });
  const named = { jwt_policy_field_name: "pol" };

  /** Returns the status for a token with these claims, under these members of the definition. */
  async function hs(members, more, header, secret = SECRET) {
    const { status, open } = await guarded({ ...shared, ...named, ...members });
    return status(token(claims(open, more), secret, header));
  }
  const signed = async (members, header, { key }) => {
    const { status, open } = await guarded({ ...named, ...members });
    return status(token(claims(open), key, header));
  };
  const skewed = (name, claim, seconds) => async () => {
    assert.equal(await hs({ [name]: 0 }, { [claim]: soon(seconds) }), 401);
    assert.equal(await hs({ [name]: 600 }, { [claim]: soon(seconds) }), 200);
  };

  /** Returns the status for a token whose scopes are mapped by what `members` returns for a policy's id. */
  async function scoped(members, more) {
    const { definition, open, status } = await guarded(shared);
    await changed(definition, members(open));
    return status(token({ sub: "anna", exp: soon(), ...more }, SECRET));
  }

  const oidc = (members, provider) => ({
    use_openid: true,
    openid_options: { providers: [{ issuer: target("/op"), client_ids: {}, ...provider }], ...members },
  });

  /** Returns the statuses for a provider's tokens, one for each set of changed claims. */
  async function opened(settings, changes = [{}], policy = "open") {
    const { definition, ...ids } = await guarded({ ...shared, enable_jwt: false, use_keyless: true });
    const again = await changed(definition, { ...settings(ids[policy]), use_keyless: false });
    const statuses = [];
    for (const change of changes) {
      const own = { iss: target("/op"), aud: "client", sub: "anna", exp: soon(), ...change };
      const sent = token(own, keys.rsa.key, { alg: "RS256", kid: "rsa" });
      statuses.push((await call(again, "x", { headers: { Authorization: `Bearer ${sent}` } })).status);
    }
    return statuses;
  }
  const client = base64("client");

  const external = async (provider, sent, members) => {
    const definition = await loaded({ use_keyless: false, external_oauth: { enabled: true, providers: [provider], ...members } });
    return (await call(definition, "x", { headers: { Authorization: `Bearer ${sent}` } })).status;
  };
  const jwt = (members) => ({ jwt: { enabled: true, signing_method: "hmac", source: base64(SECRET), ...members } });
  const introspection = (members) => ({
    introspection: { enabled: true, url: target("/introspect"), client_id: "me", client_secret: "s", ...members },
  });
  const known = (name, about) => {
    ISSUED.set(name, { sub: "anna", ...about });
    return name;
  };

  return {
    ApiDefinition: {
      async enable_jwt() {
        assert.equal(await hs({}), 200);
        assert.equal(await hs({ enable_jwt: false }), 403);
      },
      async jwt_signing_method() {
        assert.equal(await signed({ jwt_signing_method: "rsa", jwt_source: base64(keys.rsa.pem) }, { alg: "RS256" }, keys.rsa), 200);
        assert.equal(await signed({ jwt_signing_method: "ecdsa", jwt_source: base64(keys.rsa.pem) }, { alg: "RS256" }, keys.rsa), 403);
      },
      async jwt_source() {
        assert.equal(await hs({ jwt_source: base64(SECRET) }), 200);
        assert.equal(await hs({ jwt_source: base64("another secret") }), 403);
      },
      async jwt_jwks_uris() {
        const at = (path) => ({ jwt_signing_method: "rsa", jwt_jwks_uris: [{ url: target(path) }] });
        assert.equal(await signed(at("/keys"), { alg: "RS256", kid: "rsa" }, keys.rsa), 200);
        assert.equal(await signed(at("/no-keys"), { alg: "RS256", kid: "rsa" }, keys.rsa), 403);
      },
      async jwt_identity_base_field() {
        assert.equal(await hs({ jwt_identity_base_field: "user" }, { sub: undefined, user: "anna" }), 200);
        assert.equal(await hs({ jwt_identity_base_field: "other" }, { sub: undefined, user: "anna" }), 403);
      },
      async jwt_client_base_field() {
        const { definition, open, status } = await guarded({ ...shared, jwt_client_base_field: "client" });
        const key = await policies.key({ apply_policies: [open] });
        assert.equal(await status(token({ sub: "anna", exp: soon(), client: key }, SECRET)), 200);
        await changed(definition, { jwt_client_base_field: "other" });
        assert.equal(await status(token({ sub: "anna", exp: soon(), client: key }, SECRET)), 403);
      },
      async jwt_policy_field_name() {
        assert.equal(await hs({ jwt_policy_field_name: "pol" }), 200);
        assert.equal(await hs({ jwt_policy_field_name: "other" }), 403);
      },
      async jwt_default_policies() {
        const { definition, open, closed, status } = await guarded(shared);
        const by = async (...ids) => {
          await changed(definition, { jwt_default_policies: ids });
          return status(token({ sub: "anna", exp: soon() }, SECRET));
        };
        assert.deepEqual([await by(open), await by(closed), await by()], [200, 403, 403]);
      },
      async jwt_scope_claim_name() {
        const by = (name) => scoped((open) => ({ jwt_scope_claim_name: name, jwt_scope_to_policy_mapping: { read: open } }), { scp: "read" });
        assert.deepEqual([await by("scp"), await by("")], [200, 403]);
      },
      async jwt_scope_to_policy_mapping() {
        const by = (scope) => scoped((open) => ({ jwt_scope_to_policy_mapping: { [scope]: open } }), { scope: "read write" });
        assert.deepEqual([await by("write"), await by("admin")], [200, 403]);
      },
      async scopes() {
        const by = (scope) => scoped((open) => ({ scopes: { jwt: { scope_to_policy: { [scope]: open } } } }), { scope: "read" });
        assert.deepEqual([await by("read"), await by("write")], [200, 403]);
      },
      async jwt_skip_kid() {
        const { definition, open } = await guarded({ ...shared, jwt_source: "" });
        const key = await policies.key({ apply_policies: [open], jwt_data: { secret: SECRET } });
        const status = async (jwt_skip_kid, header, sub) => {
          const again = await changed(definition, { jwt_skip_kid });
          return (await call(again, "x", { headers: { Authorization: token({ sub, exp: soon() }, SECRET, header) } })).status;
        };
        assert.deepEqual([await status(false, { kid: key }, "nobody"), await status(true, { kid: key }, "nobody")], [200, 403]);
        assert.deepEqual([await status(false, { kid: "nobody" }, key), await status(true, { kid: "nobody" }, key)], [403, 200]);
      },
      jwt_expires_at_validation_skew: skewed("jwt_expires_at_validation_skew", "exp", -60),
      jwt_issued_at_validation_skew: skewed("jwt_issued_at_validation_skew", "iat", 60),
      jwt_not_before_validation_skew: skewed("jwt_not_before_validation_skew", "nbf", 60),
      async use_openid() {
        const by = (use_openid) => opened((open) => ({ ...oidc({}, { client_ids: { [client]: open } }), use_openid }));
        assert.deepEqual([await by(true), await by(false)], [[200], [403]]);
      },
      async openid_options() {
        assert.deepEqual(await opened((open) => oidc({}, { client_ids: { [client]: open } })), [200]);
        assert.deepEqual(await opened(() => ({ use_openid: true, openid_options: { providers: [] } })), [401]);
      },
      async external_oauth() {
        const sent = token({ sub: "anna", exp: soon() }, SECRET);
        assert.equal(await external(jwt(), sent), 200);
        assert.equal(await external(jwt(), sent, { enabled: false }), 403);
      },
      async base_identity_provided_by() {
        const { definition, limited } = await guarded(shared);
        const by = async (base_identity_provided_by) => {
          const both = { use_standard_auth: true, auth_configs: { authToken: { auth_header_name: "X-Key" } } };
          const again = await changed(definition, { ...both, jwt_default_policies: [limited], base_identity_provided_by });
          const key = await policies.key({ access_rights: { [again.api_id]: { api_id: again.api_id } } });
          const sent = { headers: { Authorization: token({ sub: base_identity_provided_by, exp: soon() }, SECRET), "X-Key": key } };
          return [(await call(again, "x", sent)).status, (await call(again, "x", sent)).status];
        };
        assert.deepEqual([await by("jwt_claim"), await by("auth_token")], [[200, 429], [200, 200]]);
      },
    },
    JWK: {
      async url() {
        const at = (path) => ({ jwt_signing_method: "ecdsa", jwt_jwks_uris: [{ url: target("/no-keys") }, { url: target(path) }] });
        assert.equal(await signed(at("/keys"), { alg: "ES256", kid: "p256" }, keys.p256), 200);
        assert.equal(await signed(at("/no-keys"), { alg: "ES256", kid: "p256" }, keys.p256), 403);
      },
      async cache_timeout() {
        const kept = (cache_timeout) => guarded({ ...named, jwt_signing_method: "rsa", jwt_jwks_uris: [{ url: target(`/keys?${cache_timeout}`), cache_timeout }] });
        const [long, short] = [await kept("10m"), await kept("1s")];
        let number = 0;
        const send = ({ status, open }) => status(token(claims(open, { number: (number += 1) }), keys.rsa.key, { alg: "RS256", kid: "rsa" }));
        const deadline = Date.now() + 20_000;
        while ((asked.get("?1s") ?? 0) < 2) {
          assert.deepEqual([await send(long), await send(short)], [200, 200]);
          assert.ok(Date.now() < deadline, "the source is fetched again");
        }
        assert.equal(asked.get("?10m"), 1);
      },
    },
    Scopes: {
      async jwt() {
        const by = (member) => scoped((open) => ({ scopes: { [member]: { scope_to_policy: { read: open } } } }), { scope: "read" });
        assert.deepEqual([await by("jwt"), await by("oidc")], [200, 403]);
      },
      async oidc() {
        const by = (member) => opened((open) => ({ ...oidc({}, { client_ids: { [client]: "" } }), scopes: { [member]: { scope_to_policy: { read: open } } } }), [{ scope: "read" }]);
        assert.deepEqual([await by("oidc"), await by("jwt")], [[200], [401]]);
      },
    },
    ScopeClaim: {
      async scope_claim_name() {
        const by = (scope_claim_name) => scoped((open) => ({ scopes: { jwt: { scope_claim_name, scope_to_policy: { read: open } } } }), { realm: { scopes: ["read"] } });
        assert.deepEqual([await by("realm.scopes"), await by("")], [200, 403]);
      },
      async scope_to_policy() {
        const by = (scope_to_policy) => scoped((open) => ({ scopes: { jwt: { scope_to_policy: scope_to_policy(open) } } }), { scope: "read" });
        assert.deepEqual([await by((open) => ({ read: open })), await by(() => ({ read: "nowhere" }))], [200, 403]);
      },
    },
    OpenIDOptions: {
      async providers() {
        assert.deepEqual(await opened((open) => oidc({}, { client_ids: { [client]: open } })), [200]);
        assert.deepEqual(await opened((open) => oidc({}, { issuer: target("/elsewhere"), client_ids: { [client]: open } })), [401]);
      },
      async segregate_by_client() {
        const clients = (policy) => ({ client_ids: { [client]: policy, [base64("second")]: policy } });
        const by = (segregate_by_client) => opened((limited) => oidc({ segregate_by_client }, clients(limited)), [{}, { aud: ["second"] }], "limited");
        assert.deepEqual([await by(false), await by(true)], [[200, 429], [200, 200]]);
      },
    },
    OIDProviderConfig: {
      async issuer() {
        const statuses = await opened((open) => oidc({}, { client_ids: { [client]: open } }), [{}, { iss: target("/other") }]);
        assert.deepEqual(statuses, [200, 401]);
      },
      async client_ids() {
        assert.deepEqual(await opened((open) => oidc({}, { client_ids: { [client]: open } }), [{}, { aud: "other" }]), [200, 401]);
      },
    },
    ExternalOAuth: {
      async enabled() {
        const sent = token({ sub: "anna", exp: soon() }, SECRET);
        assert.deepEqual([await external(jwt(), sent), await external(jwt(), sent, { enabled: false })], [200, 403]);
      },
      async providers() {
        const sent = token({ sub: "anna", exp: soon() }, SECRET);
        assert.deepEqual([await external(jwt(), sent), await external(jwt(), sent, { providers: [] })], [200, 404]);
      },
    },
    Provider: {
      async jwt() {
        const sent = token({ sub: "anna", exp: soon() }, SECRET);
        assert.deepEqual([await external(jwt(), sent), await external({}, sent)], [200, 500]);
      },
      async introspection() {
        assert.deepEqual([await external(introspection(), known("opaque")), await external({}, "opaque")], [200, 500]);
      },
    },
    JWTValidation: {
      async enabled() {
        const sent = token({ sub: "anna", exp: soon() }, SECRET);
        assert.deepEqual([await external(jwt(), sent), await external(jwt({ enabled: false }), sent)], [200, 500]);
      },
      async signing_method() {
        const sent = token({ sub: "anna", exp: soon() }, SECRET);
        assert.deepEqual([await external(jwt({ signing_method: "hmac" }), sent), await external(jwt({ signing_method: "rsa" }), sent)], [200, 401]);
      },
      async source() {
        const sent = token({ sub: "anna", exp: soon() }, SECRET);
        assert.deepEqual([await external(jwt(), sent), await external(jwt({ source: base64("other") }), sent)], [200, 401]);
      },
      async identity_base_field() {
        const sent = token({ user: "anna", exp: soon() }, SECRET);
        assert.deepEqual([await external(jwt({ identity_base_field: "user" }), sent), await external(jwt(), sent)], [200, 401]);
      },
      async expires_at_validation_skew() {
        const sent = token({ sub: "anna", exp: soon(-60) }, SECRET);
        assert.deepEqual([await external(jwt({ expires_at_validation_skew: 600 }), sent), await external(jwt(), sent)], [200, 401]);
      },
      async issued_at_validation_skew() {
        const sent = token({ sub: "anna", iat: soon(60) }, SECRET);
        assert.deepEqual([await external(jwt({ issued_at_validation_skew: 600 }), sent), await external(jwt(), sent)], [200, 401]);
      },
      async not_before_validation_skew() {
        const sent = token({ sub: "anna", nbf: soon(60) }, SECRET);
        assert.deepEqual([await external(jwt({ not_before_validation_skew: 600 }), sent), await external(jwt(), sent)], [200, 401]);
      },
    },
    Introspection: {
      async enabled() {
        assert.deepEqual([await external(introspection(), known("on")), await external(introspection({ enabled: false }), known("off"))], [200, 500]);
      },
      async url() {
        assert.deepEqual([await external(introspection(), known("here")), await external(introspection({ url: target("/no-keys") }), known("there"))], [200, 500]);
      },
      async client_id() {
        assert.deepEqual([await external(introspection(), known("me")), await external(introspection({ client_id: "you" }), known("you"))], [200, 401]);
      },
      async client_secret() {
        assert.deepEqual([await external(introspection(), known("s")), await external(introspection({ client_secret: "t" }), known("t"))], [200, 401]);
      },
      async identity_base_field() {
        const nameless = known("nameless", { sub: undefined, username: "anna" });
        assert.deepEqual([await external(introspection({ identity_base_field: "username" }), nameless), await external(introspection(), nameless)], [200, 401]);
      },
      async cache() {
        const times = async (name, cache) => {
          const definition = await loaded({ use_keyless: false, external_oauth: { enabled: true, providers: [introspection({ url: target(`/introspect?${name}`), cache })] } });
          for (let time = 0; time < 2; time += 1) assert.equal((await call(definition, "x", { headers: { Authorization: known(name) } })).status, 200);
          return asked.get(`?${name}`);
        };
        assert.deepEqual([await times("kept", { enabled: true, timeout: 60 }), await times("not-kept", null)], [1, 2]);
      },
    },
    IntrospectionCache: {
      async enabled() {
        const times = async (name, enabled) => {
          const definition = await loaded({ use_keyless: false, external_oauth: { enabled: true, providers: [introspection({ url: target(`/introspect?${name}`), cache: { enabled, timeout: 60 } })] } });
          for (let time = 0; time < 2; time += 1) await call(definition, "x", { headers: { Authorization: known(name) } });
          return asked.get(`?${name}`);
        };
        assert.deepEqual([await times("switched-on", true), await times("switched-off", false)], [1, 2]);
      },
      async timeout() {
        const kept = (timeout) => loaded({ use_keyless: false, external_oauth: { enabled: true, providers: [introspection({ url: target(`/introspect?t${timeout}`), cache: { enabled: true, timeout } })] } });
        const [long, short] = [await kept(600), await kept(1)];
        const send = async (definition) => (await call(definition, "x", { headers: { Authorization: known("timed") } })).status;
        const deadline = Date.now() + 20_000;
        while ((asked.get("?t1") ?? 0) < 2) {
          assert.deepEqual([await send(long), await send(short)], [200, 200]);
          assert.ok(Date.now() < deadline, "the source is fetched again");
        }
        assert.equal(asked.get("?t600"), 1);
      },
    },
  };
}
