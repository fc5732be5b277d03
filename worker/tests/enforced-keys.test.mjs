// Demonstrations of what the support table calls enforced: sessions and their access rights. See enforced.mjs.

import assert from "node:assert/strict";
import { createSign } from "node:crypto";
import { after, before } from "node:test";
import { pem } from "./certificates.mjs";
import { api, publish } from "./definitions.mjs";
import { credentialsOfKeys } from "./enforced-credentials.mjs";
import { rightsAtMcp } from "./enforced-mcp.mjs";
import { demonstrate, limits } from "./enforced.mjs";
import { start } from "./harness.mjs";
import { eventReaders, fresh, logs } from "./heard.mjs";
import { soon, token } from "./jose.mjs";
import { keyring, rights } from "./keyring.mjs";
import { server, withServer } from "./oauth.mjs";
import { listen } from "./upstream.mjs";

const HOUR = 3600;
const RATE = { rate: 1, per: HOUR };
const QUOTA = { quota_max: 1, quota_renewal_rate: HOUR };
/** The policy that the keys here can have. */
const POLICY = "rated";

let gateway;
let upstream;
let one;
let two;
/** An MCP proxy. */
let tools;
const { lines, logged } = eventReaders(() => gateway);
const { admin, call, issue, outlived, stored, calls, statuses } = keyring(() => gateway);
before(async () => {
  [gateway, upstream] = await Promise.all([start(), listen()]);
  [one, two] = [1, 2].map(() => api({ use_keyless: false }, { target_url: upstream.url }));
  tools = api({ use_keyless: false, application_protocol: "mcp", json_rpc_version: "2.0" }, { target_url: upstream.url });
  const policy = await admin("POST", "policies", { id: POLICY, ...RATE, access_rights: rights(one) });
  assert.equal(policy.status, 200, policy.text);
  await publish(gateway, one, two, tools);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

const now = () => Math.floor(Date.now() / 1000);

/** Issues a key with access to the first API, unless its session says otherwise. */
const key = (session) => issue({ access_rights: rights(one), ...session });

/** Returns the statuses of requests with such a key. */
const used = async (session, times = 1, definition = one) => statuses((await key(session)).key, definition, times);


/** The same, with more members in the right to the API. */
const allowed = (access, times) => used({ access_rights: rights(one, access) }, times);

/** Returns the hashes of the keys that a query finds. */
async function listed(query) {
  const { json } = await admin("GET", "keys", undefined, { view: "summary", ...query });
  return json.keys.map(({ key_hash }) => key_hash);
}

/**
 * Returns a key's quota after one request for which other values had been sent; `limitOf` picks the limit from the
 * session.
 */
async function counted(session, limitOf) {
  const made = await key(session);
  await calls(made.key, one, 1);
  return limitOf(await stored(made));
}

/** Returns the shares of its quota that a key with this session reaches within two requests, as reported to its API. */
async function triggered(session) {
  const [prefix, end] = [fresh("trigger"), fresh("end")];
  const events = { TriggerExceeded: [logs(prefix)], AuthFailure: [logs(end)] };
  const definition = api({ use_keyless: false, event_handlers: { events } }, { target_url: upstream.url });
  await publish(gateway, definition);
  await used({ access_rights: rights(definition), ...session }, 2, definition);
  await calls("nobody-knows-this-token", definition, 1);
  await logged(end, 1);
  return lines(prefix).map(({ Meta }) => Meta.TriggerLimit);
}

/** Returns the status for a JSON Web Token that names a key with this session, signed with a secret. */
async function signed(session, secret) {
  const definition = api({ use_keyless: false, enable_jwt: true }, { target_url: upstream.url });
  await publish(gateway, definition);
  const made = await issue({ access_rights: rights(definition), ...session });
  const [status] = await statuses(token({ exp: soon() }, secret, { kid: made.key }), definition, 1);
  return status;
}

const SessionState = {
  async jwt_data() {
    assert.deepEqual([await signed({ jwt_data: { secret: "own" } }, "own"), await signed({}, "own")], [200, 403]);
  },
  async org_id() {
    const own = api({ use_keyless: false, org_id: "an-org" }, { target_url: upstream.url });
    await publish(gateway, own);
    const access_rights = rights(own);
    assert.deepEqual(await used({ org_id: "an-org", access_rights }, 1, own), [200]);
    assert.deepEqual(await used({ org_id: "another-org", access_rights }, 1, own), [403]);
  },
  async alias() {
    const { key_hash } = await key({ alias: "Findable by this name" });
    assert.deepEqual(await listed({ q: "findable by this" }), [key_hash]);
  },
  async meta_data() {
    const meta_data = { rate_limit_pattern: "$gateway_meta.team", team: "blue" };
    const both = async (session) => [await used(session), await used(session)].flat();
    assert.deepEqual(await both({ ...QUOTA, meta_data }), [200, 403], "counted together");
    assert.deepEqual(await both({ ...QUOTA, meta_data: { team: "blue" } }), [200, 200]);
  },
  async tags() {
    const { key_hash } = await key({ tags: ["only here"] });
    assert.deepEqual(await listed({ tag: "only here" }), [key_hash]);
  },
  async access_rights() {
    const access_rights = rights(one);
    assert.deepEqual(await used({ access_rights }), [200]);
    assert.deepEqual(await used({ access_rights }, 1, two), [403]);
  },
  async apply_policies() {
    assert.deepEqual(await used({ apply_policies: [POLICY] }, 2), [200, 429]);
    assert.deepEqual(await used({ apply_policies: [] }, 2), [200, 200]);
  },
  async apply_policy_id() {
    assert.deepEqual(await used({ apply_policy_id: POLICY }, 2), [200, 429]);
    assert.deepEqual(await used({ apply_policy_id: "" }, 2), [200, 200]);
  },
  async is_inactive() {
    assert.deepEqual(await used({ is_inactive: true }), [403]);
    assert.deepEqual(await used({ is_inactive: false }), [200]);
  },
  async oauth_client_id() {
    // A client's token is deleted with its record; any other key stays, expired.
    const soon = () => ({ expires: now() + 2 });
    const [token, other] = [await key({ ...soon(), oauth_client_id: "client" }), await key(soon())];
    await outlived(token, other);
  },
  async oauth_apis() {
    const own = api(withServer(), { target_url: upstream.url });
    await publish(gateway, own);
    const token = (apis) => issue({ access_rights: rights(own), oauth_client_id: "client", oauth_apis: apis });
    const opens = async (apis) => (await server(() => gateway, own).call((await token(apis)).key)).status;
    assert.equal(await opens([own.api_id]), 200);
    assert.equal(await opens([]), 403);
  },
  ...limits(async (limit, times) => calls((await key(limit)).key, one, times)),
  async quota_renews() {
    const renews = await counted({ ...QUOTA, quota_renews: 5 }, ({ quota_renews }) => quota_renews);
    assert.ok(Math.abs(renews - now() - HOUR) < 60, `${renews}`);
  },
  async quota_remaining() {
    const session = { ...QUOTA, quota_max: 9, quota_remaining: 5 };
    assert.equal(await counted(session, ({ quota_remaining }) => quota_remaining), 8);
  },
  async monitor() {
    const monitor = { trigger_limits: [50] };
    assert.deepEqual(await triggered({ ...QUOTA, quota_max: 2, monitor }), [50]);
    assert.deepEqual(await triggered({ ...QUOTA, quota_max: 2, monitor: {} }), []);
  },
  async expires() {
    assert.deepEqual(await used({ expires: 1 }), [401]);
    assert.deepEqual(await used({ expires: 0 }), [200]);
  },
  async session_lifetime() {
    const long = await key({ session_lifetime: HOUR });
    await outlived(await key({ session_lifetime: 1 }), long);
  },
  async post_expiry_action() {
    const expires = now() + 2;
    const long = await key({ expires, post_expiry_action: "" });
    await outlived(await key({ expires, post_expiry_action: "delete" }), long);
  },
  async post_expiry_grace_period() {
    const ends = { expires: now() + 2, post_expiry_action: "retain" };
    const long = await key({ ...ends, post_expiry_grace_period: HOUR });
    await outlived(await key({ ...ends, post_expiry_grace_period: 1 }), long);
  },
  async date_created() {
    const date_created = "2020-01-02T03:04:05Z";
    assert.equal((await stored(await key({ date_created }))).date_created, date_created);
    assert.ok(Math.abs(Date.parse((await stored(await key({}))).date_created) - Date.now()) < 60_000);
  },
  async last_updated() {
    const session = await stored(await key({ last_updated: "5" }));
    assert.ok(Math.abs(Number(session.last_updated) - now()) < 60, session.last_updated);
  },
  async certificate() {
    assert.deepEqual(await used({ certificate: "a".repeat(64) }), [401]);
    assert.deepEqual(await used({ certificate: "" }), [200]);
  },
  async mtls_static_certificate_bindings() {
    const { json } = await admin("POST", "certs", pem("rsa.crt"));
    assert.deepEqual(await used({ mtls_static_certificate_bindings: [json.id] }), [401]);
    assert.deepEqual(await used({ mtls_static_certificate_bindings: [] }), [200]);
  },
};

const atMcp = rightsAtMcp(async (access, sent, times) => {
  const { key: token } = await issue({ access_rights: rights(tools, access) });
  return statuses(token, tools, times, sent);
});

const AccessDefinition = {
  ...atMcp.AccessDefinition,
  async versions() {
    assert.deepEqual(await allowed({ versions: ["Default"] }), [200]);
    assert.deepEqual(await allowed({ versions: ["v2"] }), [403]);
    assert.deepEqual(await allowed({ versions: [] }), [200]);
  },
  async allowed_urls() {
    assert.deepEqual(await allowed({ allowed_urls: [{ url: "/elsewhere", methods: ["GET"] }] }), [403]);
    assert.deepEqual(await allowed({ allowed_urls: [] }), [200]);
  },
  async endpoints() {
    const endpoints = [{ path: "/x", methods: [{ name: "GET", limit: RATE }] }];
    assert.deepEqual(await allowed({ endpoints }, 2), [200, 429]);
    assert.deepEqual(await allowed({ endpoints: [] }, 2), [200, 200]);
  },
  async limit() {
    assert.deepEqual(await allowed({ limit: RATE }, 2), [200, 429]);
    assert.deepEqual(await allowed({ limit: null }, 2), [200, 200]);
  },
  async allowance_scope() {
    const scoped = (allowance_scope) => ({ ...rights(one), ...rights(two, { allowance_scope }) });
    const both = async (allowance_scope) => {
      const { key: token } = await key({ ...QUOTA, access_rights: scoped(allowance_scope) });
      return [await statuses(token, one, 1), await statuses(token, two, 1)].flat();
    };
    assert.deepEqual(await both(""), [200, 403], "counted together");
    assert.deepEqual(await both("apart"), [200, 200]);
  },
};

const AccessSpec = {
  async url() {
    const spec = (url) => ({ allowed_urls: [{ url, methods: ["GET"] }] });
    assert.deepEqual(await allowed(spec("/x")), [200]);
    assert.deepEqual(await allowed(spec("/y")), [403]);
  },
  async methods() {
    const spec = (methods) => ({ allowed_urls: [{ url: "/x", methods }] });
    assert.deepEqual(await allowed(spec(["GET"])), [200]);
    assert.deepEqual(await allowed(spec(["POST"])), [403]);
  },
};

/** A key whose right to the API has a limit. */
const limited = (limit) => ({ access_rights: rights(one, { limit }) });
const limitOf = ({ access_rights }) => access_rights[one.api_id].limit;

const APILimit = {
  ...limits(async (limit, times) => calls((await key(limited(limit))).key, one, times)),
  async quota_renews() {
    const { quota_renews: renews } = await counted(limited({ ...QUOTA, quota_renews: 5 }), limitOf);
    assert.ok(Math.abs(renews - now() - HOUR) < 60, `${renews}`);
  },
  async quota_remaining() {
    const { quota_remaining } = await counted(limited({ ...QUOTA, quota_max: 9, quota_remaining: 5 }), limitOf);
    assert.equal(quota_remaining, 8);
  },
};

/** A right with a rate for one path. */
const endpoint = (members, method) => ({ endpoints: [{ path: "/x", methods: [{ name: "GET", limit: RATE, ...method }], ...members }] });

const Endpoint = {
  async path() {
    assert.deepEqual(await allowed(endpoint({ path: "/x" }), 2), [200, 429]);
    assert.deepEqual(await allowed(endpoint({ path: "/y" }), 2), [200, 200]);
  },
  async methods() {
    assert.deepEqual(await allowed(endpoint({}), 2), [200, 429]);
    assert.deepEqual(await allowed(endpoint({ methods: [] }), 2), [200, 200]);
  },
};

const EndpointMethod = {
  async name() {
    assert.deepEqual(await allowed(endpoint({}, { name: "GET" }), 2), [200, 429]);
    assert.deepEqual(await allowed(endpoint({}, { name: "POST" }), 2), [200, 200]);
  },
  async limit() {
    assert.deepEqual(await allowed(endpoint({}, { limit: RATE }), 2), [200, 429]);
    assert.deepEqual(await allowed(endpoint({}, { limit: null }), 2), [200, 200]);
  },
};

const { rate, per, smoothing } = limits(async (limit, times) => calls((await key({ access_rights: rights(one, endpoint({}, { limit })) })).key, one, times));

/** Returns the statuses of four requests with a key whose rate of five is smoothed. */
async function smoothed(members) {
  const smoothing = { enabled: true, threshold: 1, trigger: 0, step: 1, delay: HOUR, ...members };
  return calls((await key({ rate: 5, per: HOUR, smoothing })).key, one, 4);
}
const passed = async (members) => (await smoothed(members)).filter(({ status }) => status === 200).length;

/** Returns the events of a key with such a rate, as reported to its API. */
async function steps(smoothing, pause) {
  const [prefix, end] = [fresh("smoothing"), fresh("end")];
  const hears = [logs(prefix)];
  const events = { RateLimitSmoothingUp: hears, RateLimitSmoothingDown: hears, AuthFailure: [logs(end)] };
  const definition = api({ use_keyless: false, event_handlers: { events } }, { target_url: upstream.url });
  await publish(gateway, definition);
  const { key: token } = await key({ access_rights: rights(definition), rate: 9, per: 1, smoothing });
  await calls(token, definition, 4);
  await new Promise((resolve) => setTimeout(resolve, pause));
  await calls(token, definition, 1);
  await calls("nobody-knows-this-token", definition, 1);
  await logged(end, 1);
  return lines(prefix).map(({ Type }) => Type);
}

const RateLimitSmoothing = {
  async enabled() {
    assert.deepEqual([await passed({ enabled: true }), await passed({ enabled: false })], [2, 4]);
  },
  async threshold() {
    assert.deepEqual([await passed({ threshold: 1 }), await passed({ threshold: 2 })], [2, 3]);
  },
  async trigger() {
    const policy = async (trigger) => (await smoothed({ threshold: 2, trigger }))[1].headers["ratelimit-policy"];
    assert.deepEqual([await policy(0), await policy(1)], [2, 3].map((most) => `"rate";q=${most};w=${HOUR}`));
  },
  async step() {
    assert.deepEqual([await passed({ step: 1 }), await passed({ step: 2 })], [2, 3]);
  },
  async delay() {
    assert.deepEqual([await passed({ delay: HOUR }), await passed({ delay: 0 })], [2, 4]);
    // Up with the third request, and down with the first one after the window of a second is over.
    const all = await steps({ enabled: true, threshold: 2, trigger: 0, step: 2, delay: 0 }, 1100);
    assert.deepEqual(all, ["RateLimitSmoothingUp", "RateLimitSmoothingDown"]);
  },
};

const JWTData = {
  async secret() {
    const jwt_data = { secret: "own" };
    assert.deepEqual([await signed({ jwt_data }, "own"), await signed({ jwt_data }, "other")], [200, 403]);
  },
};

const Monitor = {
  async trigger_limits() {
    const monitor = { trigger_limits: [100, 50, 51] };
    assert.deepEqual(await triggered({ ...QUOTA, quota_max: 2, monitor }), [50, 100, 51]);
  },
};

let named = 0;
const shown = credentialsOfKeys(
  async (session, members) => {
    const definition = api({ use_keyless: false, ...members }, { target_url: upstream.url });
    await publish(gateway, definition);
    const name = `shown-${(named += 1)}`;
    const made = await admin("POST", `keys/${name}`, { access_rights: rights(definition), ...session });
    assert.equal(made.status, 200, made.text);
    return { definition, name };
  },
  call,
  async () => {
    const stored = await admin("POST", "certs?org_id=shown", pem("rsa.crt"));
    const sign = (text) => createSign("RSA-SHA256").update(text).sign(pem("rsa.key"), "base64");
    return { id: stored.json.id, sign };
  },
);
Object.assign(SessionState, shown.SessionState);

demonstrate("keys", { ...atMcp, SessionState, BasicAuthData: shown.BasicAuthData, JWTData, Monitor, AccessDefinition, AccessSpec, APILimit, Endpoint, EndpointMethod, RateLimit: { rate, per, smoothing }, RateLimitSmoothing }, () => gateway);
