// Demonstrations of what the support table calls enforced in API definitions: one per member, each showing the
// difference that the member makes. See enforced.mjs.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { api } from "./definitions.mjs";
import { auth, authRoutes } from "./enforced-auth.mjs";
import { caching, cacheRoutes } from "./enforced-cache.mjs";
import { credentials } from "./enforced-credentials.mjs";
import { dashboard } from "./enforced-dashboard.mjs";
import { documents } from "./enforced-documents.mjs";
import { errors } from "./enforced-errors.mjs";
import { eventHandlers } from "./enforced-events.mjs";
import { guards } from "./enforced-guards.mjs";
import { headers } from "./enforced-headers.mjs";
import { mcp } from "./enforced-mcp.mjs";
import { oauth } from "./enforced-oauth.mjs";
import { paths } from "./enforced-paths.mjs";
import { rewrites } from "./enforced-rewrites.mjs";
import { serviceRoutes, services } from "./enforced-services.mjs";
import { stage } from "./enforced-stage.mjs";
import { upstreams } from "./enforced-upstreams.mjs";
import { UPTIME_ENV, uptime, uptimeRoutes } from "./enforced-uptime.mjs";
import { versions } from "./enforced-versions.mjs";
import { demonstrate, merged } from "./enforced.mjs";
import { start } from "./harness.mjs";
import { eventReaders, fresh, logs } from "./heard.mjs";
import { send } from "./http.mjs";
import { keyring, rights } from "./keyring.mjs";
import { receiver } from "./receiver.mjs";
import { listen, values } from "./upstream.mjs";

const ORG = "example-org";
const RATE = { rate: 1, per: 3600 };
const QUOTA = { quota_max: 1, quota_renewal_rate: 3600 };

let gateway;
let upstream;
let target;
const keys = keyring(() => gateway);
const rules = stage(() => gateway, () => upstream, keys);
const { loaded } = rules;
const readers = eventReaders(() => gateway, () => target);
before(async () => {
  const env = { DASHBOARD_ORG_ID: ORG, EGRESS_ALLOW_PRIVATE: "true", ...UPTIME_ENV };
  [gateway, upstream, target] = await Promise.all([start({ env }), listen({ ...rules.routes, ...authRoutes, ...cacheRoutes, ...serviceRoutes, ...uptimeRoutes }), receiver()]);
});
after(() => Promise.all([gateway.stop(), upstream.close(), target.close()]));

const post = (body, query) => gateway.admin("POST", "/gateway/apis", { body, query });
const at = (path, options) => send(gateway.ports.gateway, { path, ...options });

/** Returns the address requested at the upstream through such an API, or the status if it isn't called. */
async function requested(members, proxy, { path = "x", ...options } = {}) {
  const { proxy: { listen_path: base } } = await loaded(members, proxy);
  const answer = await at(base + path, options);
  return answer.status === 200 ? answer.json.url : answer.status;
}

/** Returns the ids of the APIs that a query finds. */
async function listed(query) {
  const answer = await gateway.admin("GET", "/gateway/apis", { query: { view: "summary", ...query } });
  return answer.json.apis.map(({ api_id }) => api_id);
}

/** Stores and loads an API that requires keys, and issues one: `{ definition, key, key_hash, session }`. */
async function guarded(members, limits) {
  const definition = await loaded({ use_keyless: false, ...members });
  const session = { access_rights: rights(definition), ...limits };
  return { definition, session, ...(await keys.issue(session)) };
}

/** Returns the statuses of two requests with such a key. */
async function twice(members, limits) {
  const { definition, key } = await guarded(members, limits);
  return keys.statuses(key, definition, 2);
}

/** Returns the status of a request whose key is where `withKey` puts it, with this `auth_token` setting. */
async function found(authToken, withKey) {
  const { definition, key } = await guarded({ auth_configs: { authToken } });
  return (await keys.call(undefined, definition, withKey(key))).status;
}
const inHeader = (name) => (key) => ({ headers: { [name]: key } });
const inQuery = (name) => (key) => ({ rest: `x?${new URLSearchParams({ [name]: key })}` });
const inCookie = (name) => (key) => ({ headers: { Cookie: `a=b; ${name}=${key}` } });

/** Returns the responses to two requests to an open API with a rate of its own. */
async function together(global_rate_limit) {
  const definition = await loaded({ global_rate_limit });
  return keys.calls(undefined, definition, 2);
}
const statuses = (answers) => answers.map(({ status }) => status);

const ApiDefinition = {
  async name() {
    const { name: _, ...nameless } = api();
    assert.equal((await post(nameless)).status, 400);
    const { api_id } = await loaded({ name: "Findable by this name" });
    assert.deepEqual(await listed({ q: "findable by this" }), [api_id]);
  },
  async api_id() {
    const { api_id } = await loaded({});
    assert.equal((await gateway.admin("GET", `/gateway/apis/${api_id}`)).status, 200);
    assert.equal((await at(`/${api_id}/x`)).status, 200, "it is served under its id");
    const { key } = (await post(api({ api_id: "" }))).json;
    assert.match(key, /^[0-9a-f-]{32,}$/);
  },
  async org_id() {
    await loaded({ org_id: ORG, name: "Mine #mine" });
    await loaded({ org_id: "another-org", name: "Theirs #theirs" });
    const headers = { Authorization: `Bearer ${gateway.dashboardToken}` };
    const answer = await send(gateway.ports.console, { path: "/api/apis/categories", headers });
    assert.ok(answer.text.includes("mine") && !answer.text.includes("theirs"), answer.text);
  },
  async active() {
    assert.equal(await requested({ active: true }), "/up/x");
    assert.equal(await requested({ active: false }), 404);
  },
  async internal() {
    assert.equal(await requested({ internal: false }), "/up/x");
    assert.equal(await requested({ internal: true }), 404);
  },
  async tags() {
    const { api_id } = await loaded({ tags: ["only here"] });
    await loaded({ tags: ["elsewhere"] });
    assert.deepEqual(await listed({ tag: "only here" }), [api_id]);
  },
  async domain() {
    const domain = "demonstration.example.com";
    assert.equal(await requested({ domain }, {}, { headers: { Host: domain } }), "/up/x");
    assert.equal(await requested({ domain }, {}, { headers: { Host: "another.example.com" } }), 404);
  },
  async domain_disabled() {
    const members = { domain: "demonstration.example.com", domain_disabled: true };
    assert.equal(await requested(members, {}, { headers: { Host: "another.example.com" } }), "/up/x");
  },
  async proxy() {
    const { proxy: _, ...nowhere } = api();
    assert.equal((await post(nowhere)).status, 400);
    assert.equal(await requested({}), "/up/x");
  },
  async enable_batch_request_support() {
    const call = { method: "POST", body: { requests: [] } };
    // Without it, the path belongs to the upstream like any other.
    assert.equal(await requested({ enable_batch_request_support: false }, {}, { path: "gateway/batch/", ...call }), "/up/gateway/batch/");
    const { proxy } = await loaded({ enable_batch_request_support: true });
    assert.deepEqual((await at(`${proxy.listen_path}gateway/batch/`, call)).json, []);
  },
  async use_keyless() {
    assert.equal(await requested({ use_keyless: true }), "/up/x");
    assert.equal(await requested({ use_keyless: false }), 401);
  },
  async auth() {
    const { definition, key } = await guarded({ auth: { auth_header_name: "X-Key" } });
    assert.equal((await keys.call(undefined, definition, inHeader("X-Key")(key))).status, 200);
    assert.equal((await keys.call(key, definition)).status, 401);
  },
  async auth_configs() {
    const older = { auth_header_name: "X-Older" };
    const { definition, key } = await guarded({ auth: older, auth_configs: { authToken: { auth_header_name: "X-Key" } } });
    assert.equal((await keys.call(undefined, definition, inHeader("X-Key")(key))).status, 200);
    assert.equal((await keys.call(undefined, definition, inHeader("X-Older")(key))).status, 401);
  },
  async strip_auth_data() {
    const sent = async (strip_auth_data) => {
      const { definition, key } = await guarded({ strip_auth_data });
      return [values((await keys.call(key, definition)).json, "authorization"), key];
    };
    const [kept, key] = await sent(false);
    assert.deepEqual(kept, [key]);
    assert.deepEqual((await sent(true))[0], []);
  },
  async dont_set_quota_on_create() {
    const renewed = async (dont_set_quota_on_create) => {
      const { definition, session, key, key_hash } = await guarded({ dont_set_quota_on_create }, QUOTA);
      const before = await keys.statuses(key, definition, 2);
      assert.equal((await keys.admin("PUT", `keys/${key_hash}`, session)).status, 200);
      return [...before, ...(await keys.statuses(key, definition, 1))];
    };
    assert.deepEqual(await renewed(false), [200, 403, 200]);
    assert.deepEqual(await renewed(true), [200, 403, 403]);
  },
  async session_lifetime() {
    const long = await guarded({ session_lifetime: 3600 });
    await keys.outlived(await guarded({ session_lifetime: 1 }), long);
  },
  async session_lifetime_respects_key_expiration() {
    const ends = { expires: Math.floor(Date.now() / 1000) + 3600 };
    const respects = (on) => guarded({ session_lifetime: 1, session_lifetime_respects_key_expiration: on }, ends);
    const long = await respects(true);
    await keys.outlived(await respects(false), long);
  },
  async disable_quota() {
    assert.deepEqual(await twice({ disable_quota: false }, QUOTA), [200, 403]);
    assert.deepEqual(await twice({ disable_quota: true }, QUOTA), [200, 200]);
  },
  async disable_rate_limit() {
    assert.deepEqual(await twice({ disable_rate_limit: false }, RATE), [200, 429]);
    assert.deepEqual(await twice({ disable_rate_limit: true }, RATE), [200, 200]);
  },
  async event_handlers() {
    const prefix = fresh("handled");
    const definition = await loaded({ use_keyless: false, event_handlers: { events: { AuthFailure: [logs(prefix)] } } });
    await keys.call("nobody-knows-this-token", definition);
    assert.equal((await readers.logged(prefix, 1))[0].Meta.ApiId, definition.api_id);
  },
  async global_rate_limit() {
    assert.deepEqual(statuses(await together(RATE)), [200, 429]);
    assert.deepEqual(statuses(await together(null)), [200, 200]);
  },
};

const ProxyConfig = {
  async listen_path() {
    await loaded({}, { listen_path: "/demonstration/" });
    assert.equal((await at("/demonstration/x")).json.url, "/up/x");
    assert.equal((await at("/demonstrations/x")).status, 404);
  },
  async target_url() {
    assert.equal(await requested({}, { target_url: `${upstream.url}/one` }), "/one/x");
    assert.equal(await requested({}, { target_url: `${upstream.url}/two` }), "/two/x");
  },
  async strip_listen_path() {
    assert.equal(await requested({}, { listen_path: "/stripped/", strip_listen_path: true }), "/up/x");
    assert.equal(await requested({}, { listen_path: "/kept/", strip_listen_path: false }), "/up/kept/x");
  },
  async disable_strip_slash() {
    const target_url = `${upstream.url}/up/`;
    assert.equal(await requested({}, { target_url, disable_strip_slash: false }, { path: "" }), "/up");
    assert.equal(await requested({}, { target_url, disable_strip_slash: true }, { path: "" }), "/up/");
  },
};

const VersionDefinition = {
  async versions() {
    const version = await loaded({ internal: true });
    const base = await loaded({ definition: { enabled: false, versions: { v2: version.api_id } } });
    const { apis } = (await gateway.admin("GET", `/gateway/apis/${base.api_id}/versions`)).json;
    assert.deepEqual(apis.map(({ id, versionName }) => [id, versionName])[1], [version.api_id, "v2"]);
    const read = () => gateway.admin("GET", `/gateway/apis/${version.api_id}`);
    assert.equal((await read()).headers["x-gateway-base-api-id"], base.api_id);
  },
};

const AuthConfig = {
  async auth_header_name() {
    assert.equal(await found({ auth_header_name: "X-Key" }, inHeader("X-Key")), 200);
    assert.equal(await found({ auth_header_name: "" }, inHeader("X-Key")), 401);
  },
  async disable_header() {
    assert.equal(await found({ disable_header: false, use_param: true }, inHeader("Authorization")), 200);
    assert.equal(await found({ disable_header: true, use_param: true }, inHeader("Authorization")), 401);
  },
  async use_param() {
    assert.equal(await found({ use_param: true, param_name: "k" }, inQuery("k")), 200);
    assert.equal(await found({ use_param: false, param_name: "k" }, inQuery("k")), 401);
  },
  async param_name() {
    assert.equal(await found({ use_param: true, param_name: "k" }, inQuery("k")), 200);
    assert.equal(await found({ use_param: true, param_name: "" }, inQuery("k")), 401);
  },
  async use_cookie() {
    assert.equal(await found({ use_cookie: true, cookie_name: "c" }, inCookie("c")), 200);
    assert.equal(await found({ use_cookie: false, cookie_name: "c" }, inCookie("c")), 401);
  },
  async cookie_name() {
    assert.equal(await found({ use_cookie: true, cookie_name: "c" }, inCookie("c")), 200);
    assert.equal(await found({ use_cookie: true, cookie_name: "" }, inCookie("c")), 401);
  },
};

const GlobalRateLimit = {
  async disabled() {
    assert.deepEqual(statuses(await together({ ...RATE, disabled: false })), [200, 429]);
    assert.deepEqual(statuses(await together({ ...RATE, disabled: true })), [200, 200]);
  },
  async rate() {
    assert.deepEqual(statuses(await together({ ...RATE, rate: 1 })), [200, 429]);
    assert.deepEqual(statuses(await together({ ...RATE, rate: 2 })), [200, 200]);
  },
  async per() {
    const wait = async (per) => Number((await together({ ...RATE, per }))[1].headers["retry-after"]);
    assert.ok((await wait(3600)) > 600);
    assert.ok((await wait(60)) < 600);
  },
};

const handlers = eventHandlers({ loaded, keys, readers, gateway: () => gateway, target: () => target });
const here = { ApiDefinition, ProxyConfig, VersionDefinition, AuthConfig, GlobalRateLimit, ...handlers };
/** Stores policies and reloads; returns their ids. `key` issues a key with a session, and returns its token. */
const policies = Object.assign(
  async (list) => {
    const ids = list.map(() => fresh("policy"));
    for (const [at, body] of list.entries()) {
      const stored = await gateway.admin("POST", "/gateway/policies", { body: { id: ids[at], ...body } });
      assert.equal(stored.status, 200, stored.text);
    }
    assert.equal((await gateway.admin("GET", "/gateway/reload", { query: { block: true } })).status, 200);
    return ids;
  },
  { key: async (session) => (await keys.issue(session)).key },
);
const authentication = (rules) => [auth({ ...rules, policies }), credentials({ ...rules, gateway: () => gateway, upstream: () => upstream })];
const tested = (rules) => uptime(rules, () => gateway);
const authorised = (rules) => oauth(rules, () => gateway, () => target);
const compiled = (rules) => documents(rules, () => gateway);
const records = (rules) => dashboard(rules, () => gateway, { org: ORG, policies });
const groups = [here, paths, rewrites, headers, versions, guards, authorised, upstreams, services, tested, errors, caching, mcp, authentication, compiled, records].flatMap((group) => (group === here ? group : group(rules)));

/** Declares the tests of one half, 0 or 1. */
export const demonstrateApis = (half) => demonstrate("apis", merged(groups), () => gateway, half);
