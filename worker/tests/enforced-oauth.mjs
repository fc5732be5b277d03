// Demonstrations of what the support table calls enforced: the OAuth 2.0 server. Run by enforced-apis.mjs.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { rights } from "./keyring.mjs";
import { server, withServer } from "./oauth.mjs";

/** The server of an API, and a client of it with a policy. `gateway` returns the running one. */
export function oauth({ loaded, call }, gateway, target) {
  async function made(members, meta) {
    const definition = await loaded({ ...withServer(meta), ...members });
    const at = server(gateway, definition);
    const policy = `policy-${definition.api_id}`;
    const body = { id: policy, rate: 1000, per: 60, quota_max: -1, access_rights: rights(definition) };
    const stored = await gateway().admin("POST", "/gateway/policies", { body });
    assert.equal(stored.status, 200, stored.text);
    assert.equal((await gateway().admin("GET", "/gateway/reload", { query: { block: true } })).status, 200);
    return { definition, at, client: await at.client({ policy_id: policy }) };
  }
  const granted = async (meta, body) => {
    const { at, client } = await made({}, meta);
    return (await at.token(client, body)).json.error ?? "granted";
  };
  const approved = async (meta) => {
    const { at, client } = await made({}, meta);
    return (await at.approve({ response_type: "code", client_id: client.client_id })).status;
  };
  /** Returns the call that the address in such `notifications` receives when a token is issued. */
  async function notified(members) {
    const name = randomUUID();
    const { at, client } = await made({ notifications: { oauth_on_keychange_url: `${target().target}?${name}`, ...members } });
    const { json } = await at.token(client, { grant_type: "client_credentials" });
    assert.ok(json.access_token);
    const ours = ({ url }) => url.endsWith(name);
    return (await target().until((calls) => calls.some(ours))).find(ours);
  }
  return {
    NotificationsManager: {
      async oauth_on_keychange_url() {
        const { body } = await notified({});
        assert.equal(JSON.parse(body).notification_type, "new");
      },
      async shared_secret() {
        const { headers } = await notified({ shared_secret: "between-us" });
        assert.equal(headers["x-gateway-shared-secret"], "between-us");
      },
    },
    ApiDefinition: {
      async notifications() {
        const { body } = await notified({});
        assert.match(JSON.parse(body).new_oauth_token, /^[0-9a-f]{64}$/);
      },
      async use_oauth2() {
        const { definition, at, client } = await made();
        assert.equal((await call(definition)).status, 400);
        const { json } = await at.token(client, { grant_type: "client_credentials" });
        assert.equal((await at.call(json.access_token)).status, 200);
        const without = await loaded({ use_keyless: false, use_oauth2: false });
        assert.equal((await call(without)).status, 401);
        assert.equal((await call(without, "oauth/token/", { method: "POST" })).status, 401);
      },
      async oauth_meta() {
        assert.equal(await granted({}, { grant_type: "client_credentials" }), "granted");
        const none = await loaded({ ...withServer(), oauth_meta: undefined });
        const answer = await server(gateway, none).form("oauth/token/", { grant_type: "client_credentials" });
        assert.equal(answer.json.error, "unsupported_grant_type");
      },
    },
    oauth_meta: {
      async allowed_access_types() {
        const own = { grant_type: "client_credentials" };
        assert.equal(await granted({ allowed_access_types: ["client_credentials"] }, own), "granted");
        assert.equal(await granted({ allowed_access_types: ["authorization_code"] }, own), "unsupported_grant_type");
      },
      async allowed_authorize_types() {
        assert.equal(await approved({ allowed_authorize_types: ["code"] }), 200);
        assert.equal(await approved({ allowed_authorize_types: ["token"] }), 403);
      },
      async auth_login_redirect() {
        for (const login of ["http://one.example/", "http://two.example/"]) {
          const { at, client } = await made({}, { auth_login_redirect: login });
          const asked = await at.at(`oauth/authorize?response_type=code&client_id=${client.client_id}`);
          assert.equal(asked.headers.location?.startsWith(login), true);
        }
      },
    },
  };
}
