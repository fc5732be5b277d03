// Clients and tokens of the OAuth 2.0 server, for tests.

import { send } from "./http.mjs";

export const BACK = "http://client.example/callback";
export const basic = (id, secret) => `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}`;
const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

/** Returns the members of an API with the server; `meta` overrides `oauth_meta`. */
export const withServer = (meta = {}) => ({
  use_keyless: false,
  use_oauth2: true,
  oauth_meta: {
    allowed_access_types: ["authorization_code", "refresh_token", "client_credentials"],
    allowed_authorize_types: ["code", "token"],
    auth_login_redirect: "http://login.example/approve",
    ...meta,
  },
});

/** Returns what tests do with an API's server; `gateway` is a function that returns the running one. */
export function server(gateway, { api_id: id, proxy: { listen_path: base } }) {
  const at = (path, options) => send(gateway().ports.gateway, { path: base + path, ...options });
  const form = (path, body, headers = {}) => at(path, { method: "POST", body: String(new URLSearchParams(body)), headers: { ...FORM, ...headers } });
  return {
    id,
    base,
    at,
    form,
    /** Creates a client: `{ client_id, secret, … }`. */
    async client(members) {
      const body = { api_id: id, redirect_uri: BACK, ...members };
      const made = await gateway().admin("POST", "/gateway/oauth/clients/create", { body });
      if (made.status !== 200) throw new Error(made.text);
      return made.json;
    },
    token: ({ client_id, secret }, body) => form("oauth/token/", body, { Authorization: basic(client_id, secret) }),
    approve: (body) => form("gateway/oauth/authorize-client/", body, { "X-Gateway-Authorization": gateway().secret }),
    call: (token, options) => at("x", { ...options, headers: { Authorization: `Bearer ${token}`, ...options?.headers } }),
  };
}
