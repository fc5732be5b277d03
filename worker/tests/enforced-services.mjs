// Demonstrations of what the support table calls enforced: service discovery and tokens for upstreams. Run by
// enforced-apis.mjs.

import assert from "node:assert/strict";
import { version } from "./enforced-stage.mjs";
import { fresh } from "./heard.mjs";
import { values } from "./upstream.mjs";

const asked = new Map();

/** Issues a token that describes how it was requested. */
async function issue(request, response, url) {
  let form = "";
  for await (const chunk of request) form += chunk;
  const { authorization = "" } = request.headers;
  const description = JSON.stringify({ path: url.pathname, authorization, form: [...new URLSearchParams(form)] });
  response.writeHead(200, { "Content-Type": "application/json" });
  response.end(JSON.stringify({ access_token: Buffer.from(description).toString("base64url"), token_type: "bearer", expires_in: 3600, tenant: "t" }));
}

/** Routes that the upstream needs. */
export const serviceRoutes = {
  "/registry": (request, response, url) => response.writeHead(200, { "Content-Type": "application/json" }).end(decodeURIComponent(url.search.slice(1))),
  // A different address each time.
  "/counting": (request, response, url) => {
    const count = (asked.get(url.search) ?? 0) + 1;
    asked.set(url.search, count);
    response.writeHead(200).end(JSON.stringify({ h: `http://${request.headers.host}/up/${count}` }));
  },
  "/token": issue,
  "/other-token": issue,
};

/** Service discovery. */
function discovery({ loaded, call, target }) {
  const registry = (answer) => target(`/registry?${encodeURIComponent(JSON.stringify(answer))}`);
  const settings = (members) => ({
    use_discovery_service: true,
    query_endpoint: registry({ h: target("/up/a"), g: target("/up/g"), n: JSON.stringify({ h: target("/up/n") }), p: new URL(target("/")).port, bare: "http://127.0.0.1" }),
    data_path: "h",
    ...members,
  });
  const list = () => ({ query_endpoint: registry([{ h: target("/up/a") }, { h: target("/up/b") }]) });
  /** Returns the addresses that this many requests go to. */
  async function urls(members, times = 1, proxy = { enable_load_balancing: true, target_list: [target("/up/listed")] }) {
    const definition = await loaded({}, { service_discovery: settings(members), ...proxy });
    const found = [];
    for (let time = 0; time < times; time += 1) found.push((await call(definition)).json.url);
    return found;
  }
  const counting = () => ({ query_endpoint: target(`/counting?${fresh("list")}`) });
  return {
    ProxyConfig: {
      async service_discovery() {
        assert.deepEqual([await urls({}), (await call(await loaded({}))).json.url], [["/up/a/x"], "/up/x"]);
      },
    },
    ServiceDiscoveryConfiguration: {
      async use_discovery_service() {
        assert.deepEqual([await urls({}, 1, {}), await urls({ use_discovery_service: false }, 1, {})], [["/up/a/x"], ["/up/x"]]);
      },
      async query_endpoint() {
        assert.deepEqual(await urls({ query_endpoint: registry({ h: target("/up/other") }) }), ["/up/other/x"]);
      },
      async data_path() {
        assert.deepEqual([await urls({}), await urls({ data_path: "g" })], [["/up/a/x"], ["/up/g/x"]]);
      },
      async use_nested_query() {
        const nested = (use_nested_query) => urls({ use_nested_query, parent_data_path: "n" });
        assert.deepEqual([await nested(true), await nested(false)], [["/up/n/x"], ["/up/a/x"]]);
      },
      async parent_data_path() {
        const of = (parent_data_path) => {
          const query_endpoint = registry({ one: JSON.stringify({ h: target("/up/one") }), two: JSON.stringify({ h: target("/up/two") }) });
          return urls({ query_endpoint, use_nested_query: true, parent_data_path });
        };
        assert.deepEqual([await of("one"), await of("two")], [["/up/one/x"], ["/up/two/x"]]);
      },
      async port_data_path() {
        assert.deepEqual(await urls({ data_path: "bare", port_data_path: "p" }), ["/x"]);
      },
      async target_path() {
        assert.deepEqual(await urls({ target_path: "/v9" }), ["/up/a/v9/x"]);
      },
      async use_target_list() {
        const of = (use_target_list) => urls({ ...list(), endpoint_returns_list: true, use_target_list }, 3);
        assert.deepEqual(await of(true), ["/up/a/x", "/up/b/x", "/up/a/x"]);
        assert.deepEqual(await of(false), ["/up/a/x", "/up/a/x", "/up/a/x"]);
      },
      async endpoint_returns_list() {
        const of = (endpoint_returns_list) => urls({ ...list(), endpoint_returns_list, use_target_list: true }, 2);
        assert.deepEqual([await of(true), await of(false)], [["/up/a/x", "/up/b/x"], ["/up/a/x", "/up/a/x"]]);
      },
      async cache_disabled() {
        assert.deepEqual(await urls({ ...counting(), cache_disabled: false }, 3), ["/up/1/x", "/up/1/x", "/up/1/x"]);
        assert.deepEqual(await urls({ ...counting(), cache_disabled: true }, 3), ["/up/1/x", "/up/2/x", "/up/3/x"]);
      },
      async cache_timeout() {
        const of = (cache_timeout) => loaded({}, { service_discovery: settings({ ...counting(), cache_timeout }) });
        const [short, long] = [await of(1), await of(3600)];
        const url = async (definition) => (await call(definition)).json.url;
        assert.deepEqual([await url(short), await url(long)], ["/up/1/x", "/up/1/x"]);
        while ((await url(short)) === "/up/1/x");
        assert.equal(await url(long), "/up/1/x");
      },
    },
  };
}

/** Tokens for the upstream. */
function tokens({ loaded, call, target }) {
  const client = (members) => ({ client_id: "me", client_secret: "s", token_url: target("/token"), ...members });
  const password = (members) => ({ ...client({}), username: "u", password: "p", ...members });
  const of = (flow, settings, outer) => ({
    upstream_auth: { enabled: true, oauth: { enabled: true, allowed_authorize_types: [flow], [flow === "password" ? "password" : "client_credentials"]: settings, ...outer } },
  });
  const headers = async (members) => {
    const { json } = await call(await loaded(members));
    return (name) => values(json, name)[0];
  };
  /** Returns how the token that the upstream receives was requested. */
  async function how(members, name = "authorization") {
    const shown = (await headers(members))(name);
    return shown === undefined ? undefined : JSON.parse(Buffer.from(shown.slice("Bearer ".length), "base64url"));
  }
  const basic = (id, secret) => `Basic ${btoa(`${id}:${secret}`)}`;
  const grant = (...pairs) => [["grant_type", "client_credentials"], ...pairs];
  const expected = { path: "/token", authorization: basic("me", "s"), form: grant() };
  const named = { header: { enabled: true, name: "X-Token" } };
  const context = (members) => ({ enable_context_vars: true, ...version({ global_headers: { "X-Tenant": "[$gateway_context.tenant]" } }), ...members });

  /** The members that both flows share. */
  const shared = (flow, settings) => ({
    async client_id() {
      assert.equal((await how(of(flow, settings({ client_id: "other" })))).authorization, basic("other", "s"));
    },
    async client_secret() {
      assert.equal((await how(of(flow, settings({ client_secret: "other" })))).authorization, basic("me", "other"));
    },
    async method() {
      const { authorization, form } = await how(of(flow, settings({ method: "client_secret_post" })));
      assert.deepEqual([authorization, form.slice(-2)], ["", [["client_id", "me"], ["client_secret", "s"]]]);
      assert.equal((await how(of(flow, settings({ method: "client_secret_basic" })))).authorization, basic("me", "s"));
    },
    async token_url() {
      assert.equal((await how(of(flow, settings({ token_url: target("/other-token") })))).path, "/other-token");
    },
    async scopes() {
      assert.deepEqual((await how(of(flow, settings({ scopes: ["a", "b"] })))).form[1], ["scope", "a b"]);
    },
    async extra_metadata() {
      const tenant = async (extra_metadata) => (await headers(context(of(flow, settings({ extra_metadata })))))("x-tenant");
      assert.deepEqual([await tenant(["tenant"]), await tenant([])], ["[t]", "[]"]);
    },
    async header() {
      const [elsewhere, usual] = [await headers(of(flow, settings(named))), await headers(of(flow, settings({})))];
      assert.match(elsewhere("x-token"), /^Bearer /);
      assert.deepEqual([elsewhere("authorization"), usual("x-token")], [undefined, undefined]);
    },
  });
  return {
    UpstreamAuth: {
      async oauth() {
        assert.deepEqual([await how(of("clientCredentials", client({}))), await how({ upstream_auth: { enabled: true } })], [expected, undefined]);
      },
    },
    UpstreamOAuth: {
      async enabled() {
        const off = of("clientCredentials", client({}), { enabled: false });
        assert.deepEqual([await how(of("clientCredentials", client({}))), await how(off)], [expected, undefined]);
      },
      async allowed_authorize_types() {
        const both = { client_credentials: client({}), password: password({}) };
        const flow = async (name) => (await how(of(name, undefined, both))).form[0][1];
        assert.deepEqual([await flow("clientCredentials"), await flow("password")], ["client_credentials", "password"]);
      },
      async client_credentials() {
        assert.deepEqual(await how(of("clientCredentials", client({}))), expected);
      },
      async password() {
        const form = [["grant_type", "password"], ["username", "u"], ["password", "p"]];
        assert.deepEqual(await how(of("password", password({}))), { ...expected, form });
      },
    },
    ClientCredentials: shared("clientCredentials", client),
    PasswordAuthentication: {
      ...shared("password", password),
      async username() {
        assert.deepEqual((await how(of("password", password({ username: "other" })))).form[1], ["username", "other"]);
      },
      async password() {
        assert.deepEqual((await how(of("password", password({ password: "other" })))).form[2], ["password", "other"]);
      },
    },
  };
}

/** The demonstrations on a [stage](./enforced-stage.mjs). */
export const services = (stage) => [discovery(stage), tokens(stage)];
