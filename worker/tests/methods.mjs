// Every authentication method of an API, for tests that try them all. A row is a member of `auth_configs`, or a client
// certificate.

import { randomBytes } from "node:crypto";
import { basic, signature, tokenSignature } from "./credentials.mjs";
import { api } from "./definitions.mjs";
import { base64, keys, soon, token } from "./jose.mjs";
import { rights } from "./keyring.mjs";
import { server, withServer } from "./oauth.mjs";

const HOUR = 3600;
const secret = (what) => `canary-${what}-${randomBytes(12).toString("hex")}`;
const authorization = (text) => ({ Authorization: text });
const bearer = (text) => authorization(`Bearer ${text}`);

/**
 * The rows, over a gateway and an upstream with the routes of enforced-auth.mjs. Each has `definition`, which is still
 * to be loaded, and `ready()`, which returns, once it is:
 * - `right`: headers that open it;
 * - `wrong`: headers that don't, by what is wrong with them;
 * - `sent`: texts that only the client knows, and that are stored nowhere;
 * - `shared`: secrets that definitions and keys have to contain, and that are never shown.
 */
export function methods({ gateway, target, before = {} }) {
  const admin = async (method, path, body) => {
    const answer = await gateway().admin(method, `/gateway/${path}`, { body });
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${answer.text}`);
    return answer.json;
  };
  const protectedBy = (members) => api({ use_keyless: false, ...before, ...members }, { target_url: target() });
  const session = (definition, members) => ({ access_rights: rights(definition), ...members });
  const past = () => Math.floor(Date.now() / 1000) - HOUR;
  let policies = 0;
  const policy = async (definition, members) => {
    const id = `opens-${process.pid}-${(policies += 1)}`;
    await admin("POST", "policies", { id, name: id, rate: -1, quota_max: -1, ...session(definition, members) });
    return id;
  };

  /** Keys that open nothing, each as the changes to the session of a right one. */
  const closed = (definition) => ({
    "a key of another API": { access_rights: rights({ api_id: "elsewhere" }) },
    "a key that is switched off": { is_inactive: true },
    "a key that has ended": { expires: past() },
    "a key of another organisation": { org_id: "elsewhere" },
    "a key that is bound to a certificate": { certificate: "a".repeat(64) },
  });

  async function byToken() {
    const definition = protectedBy({ use_standard_auth: true });
    const ready = async () => {
      const issue = async (members) => (await admin("POST", "keys", session(definition, members))).key;
      const right = await issue();
      const deleted = await issue();
      await admin("DELETE", `keys/${encodeURIComponent(deleted)}`);
      const wrong = { "a key that is gone": authorization(deleted) };
      const sent = [right, deleted];
      for (const [what, members] of Object.entries(closed(definition))) {
        const key = await issue(members);
        wrong[what] = authorization(key);
        sent.push(key);
      }
      for (const [what, text] of Object.entries({ "a part of it": right.slice(0, -3), "more than it": `${right}A`, "another case": right.toLowerCase() })) wrong[what] = authorization(text);
      return { right: authorization(right), wrong, sent, shared: [] };
    };
    return { method: "authToken", definition, ready };
  }

  async function bySignedToken() {
    const shared = secret("signs-tokens");
    const config = { validate_signature: true, signature: { algorithm: "MasherySHA256", header: "X-Sig", secret: shared, allowed_clock_skew: 600 } };
    const definition = protectedBy({ use_standard_auth: true, auth_configs: { authToken: config } });
    const ready = async () => {
      const { key } = await admin("POST", "keys", session(definition));
      const signed = (how, by = shared) => ({ ...authorization(key), "X-Sig": tokenSignature(key, by, { hash: "sha256", ...how }) });
      const wrong = { "no signature": authorization(key), "a signature of long ago": signed({ apart: -2 * HOUR }), "a signature with another secret": signed({}, "other"), "a signature by another hash": signed({ hash: "md5" }) };
      return { right: signed(), wrong, sent: [key], shared: [shared] };
    };
    return { method: "authToken", definition, ready };
  }

  async function byPassword() {
    const definition = protectedBy({ use_basic_auth: true });
    const ready = async () => {
      const password = secret("password");
      const name = secret("user");
      await admin("POST", `keys/${name}`, session(definition, { basic_auth_data: { password } }));
      const wrong = {
        "another password": basic(name, `${password}x`),
        "a part of the password": basic(name, password.slice(0, -1)),
        "no password": basic(name, ""),
        "another user": basic(`${name}x`, password),
        "no colon": `Basic ${base64(name)}`,
        "no Base64": `Basic ${name}:${password}`,
        "the name as a token": name,
      };
      for (const [what, members] of Object.entries(closed(definition))) {
        const other = secret("other-user");
        await admin("POST", `keys/${other}`, session(definition, { basic_auth_data: { password }, ...members }));
        wrong[what] = basic(other, password);
      }
      const headers = Object.entries(wrong).map(([what, text]) => [what, authorization(text)]);
      return { right: authorization(basic(name, password)), wrong: Object.fromEntries(headers), sent: [password, base64(`${name}:${password}`)], shared: [] };
    };
    return { method: "basic", definition, ready };
  }

  async function bySignature() {
    const definition = protectedBy({ enable_signature_checking: true, hmac_allowed_clock_skew: HOUR * 1000 });
    const ready = async () => {
      const shared = secret("signs-requests");
      const signer = { hmac_enabled: true, hmac_string: shared };
      const { key } = await admin("POST", "keys", session(definition, signer));
      const signed = (how) => signature(key, { secret: shared, ...how });
      const { date: _, ...undated } = signed();
      const wrong = {
        "another secret": signed({ secret: "other" }),
        "another date": { ...signed(), date: new Date(Date.now() - 1000).toUTCString() },
        "a date of long ago": signed({ date: new Date(past() * 1000 - 1000).toUTCString() }),
        "no date": undated,
        "another text": signed({ text: "date" }),
        "an algorithm that there is not": { ...signed(), Authorization: signed().Authorization.replace("hmac-sha256", "none") },
        "another key": signature(`${key}x`, { secret: shared }),
        "the key as a token": authorization(key),
        "the secret as a token": authorization(shared),
      };
      for (const [what, members] of Object.entries({ ...closed(definition), "a key that may not sign": { hmac_enabled: false } })) {
        const other = await admin("POST", "keys", session(definition, { ...signer, ...members }));
        wrong[what] = signature(other.key, { secret: shared });
      }
      return { right: signed(), wrong, sent: [key], shared: [shared] };
    };
    return { method: "hmac", definition, ready };
  }

  /** Claims that open nothing, each as changes to those of a right token. */
  const claimed = { "no end in the future": { exp: past() }, "not yet": { nbf: soon(HOUR) }, "nobody": { sub: undefined }, "an empty identity": { sub: "" } };

  async function byJwt() {
    const shared = secret("signs-jwts");
    const definition = protectedBy({ enable_jwt: true, jwt_signing_method: "hmac", jwt_source: base64(shared), jwt_policy_field_name: "pol" });
    const ready = async () => {
      const pol = await policy(definition);
      const off = await policy(definition, { is_inactive: true });
      const elsewhere = await policy({ api_id: "elsewhere" });
      const claims = { sub: "anna", exp: soon(), pol };
      const right = token(claims, shared);
      const [head, body, sign] = right.split(".");
      const other = token({ ...claims, sub: "berta" }, shared).split(".");
      const wrong = {
        "another secret": token(claims, "other"),
        "no signature": `${head}.${body}.`,
        "an empty secret": token(claims, ""),
        "no algorithm": token(claims, shared, { alg: "none" }),
        "another family": token(claims, keys.rsa.key, { alg: "RS256" }),
        "the claims of another token": `${head}.${other[1]}.${sign}`,
        "a part of it": right.slice(0, -4),
        "what has to be understood": token(claims, shared, { crit: ["b64"], b64: false }),
        "no policy": token({ ...claims, pol: undefined }, shared),
        "a policy that there is not": token({ ...claims, pol: "none" }, shared),
        "a policy that is switched off": token({ ...claims, pol: off }, shared),
        "a policy for another API": token({ ...claims, pol: elsewhere }, shared),
      };
      for (const [what, more] of Object.entries(claimed)) wrong[what] = token({ ...claims, ...more }, shared);
      const headers = Object.entries(wrong).map(([what, text]) => [what, bearer(text)]);
      return { right: bearer(right), wrong: Object.fromEntries(headers), sent: [right, sign], shared: [shared, base64(shared)] };
    };
    return { method: "jwt", definition, ready };
  }

  async function byOpenId() {
    const client = "client";
    const issuer = target("/op");
    const definition = protectedBy({ use_openid: true });
    const id = await policy(definition);
    definition.openid_options = { providers: [{ issuer, client_ids: { [base64(client)]: id } }] };
    const ready = async () => {
      const claims = { iss: issuer, aud: client, sub: "anna", exp: soon() };
      const signed = (more, { key } = keys.rsa, header = {}) => token({ ...claims, ...more }, key, { alg: "RS256", kid: "rsa", ...header });
      const right = signed();
      const wrong = {
        "another key": signed({}, keys.other),
        "a key that there is not": signed({}, keys.rsa, { kid: "none" }),
        "no algorithm": signed({}, keys.rsa, { alg: "none" }),
        "the public key as a secret": signed({}, { key: keys.rsa.pem }, { alg: "HS256" }),
        "another issuer": signed({ iss: target("/other") }),
        "another client": signed({ aud: "other" }),
        "no end": signed({ exp: undefined }),
      };
      for (const [what, more] of Object.entries(claimed)) wrong[what] = signed(more);
      const headers = Object.entries(wrong).map(([what, text]) => [what, bearer(text)]);
      return { right: bearer(right), wrong: Object.fromEntries(headers), sent: [right, right.split(".")[2]], shared: [] };
    };
    return { method: "oidc", definition, ready };
  }

  async function byOtherProvider() {
    const shared = secret("signs-access-tokens");
    const provider = { jwt: { enabled: true, signing_method: "hmac", source: base64(shared) } };
    const definition = protectedBy({ external_oauth: { enabled: true, providers: [provider] } });
    const ready = async () => {
      const claims = { sub: "anna", exp: soon() };
      const right = token(claims, shared);
      const wrong = { "another secret": token(claims, "other"), "no algorithm": token(claims, shared, { alg: "none" }), "another family": token(claims, keys.rsa.key, { alg: "RS256" }), "a part of it": right.slice(0, -4) };
      for (const [what, more] of Object.entries(claimed)) wrong[what] = token({ ...claims, ...more }, shared);
      const headers = Object.entries(wrong).map(([what, text]) => [what, bearer(text)]);
      return { right: bearer(right), wrong: Object.fromEntries(headers), sent: [right, right.split(".")[2]], shared: [shared, base64(shared)] };
    };
    return { method: "externalOAuth", definition, ready };
  }

  async function byOauth() {
    const definition = protectedBy(withServer());
    const ready = async () => {
      const oauth = server(gateway, definition);
      const members = { policy_id: await policy(definition), secret: secret("client") };
      await admin("GET", "reload?block=true");
      const client = await oauth.client(members);
      const issue = async (of = client) => (await oauth.token(of, { grant_type: "client_credentials" })).json.access_token;
      const [right, revoked] = [await issue(), await issue()];
      await oauth.form("oauth/revoke", { token: revoked });
      const gone = await oauth.client({ ...members, secret: secret("client-that-goes") });
      const orphan = await issue(gone);
      await admin("DELETE", `oauth/clients/${oauth.id}/${gone.client_id}`);
      const { json: { code } } = await oauth.approve({ response_type: "code", client_id: client.client_id });
      const { json: refreshed } = await oauth.token(client, { grant_type: "authorization_code", code });
      const { key } = await admin("POST", "keys", session(definition));
      const wrong = {
        "a token that was revoked": bearer(revoked),
        "a token of a client that is gone": bearer(orphan),
        "a refresh token": bearer(refreshed.refresh_token),
        "a code": bearer(code),
        "the client's secret": bearer(client.secret),
        "client and secret": authorization(basic(client.client_id, client.secret)),
        "a key": bearer(key),
        "no scheme": authorization(right),
        "another scheme": authorization(`Basic ${right}`),
        "a part of it": bearer(right.slice(0, -3)),
      };
      return { right: bearer(right), wrong, sent: [right, revoked, orphan, code, refreshed.access_token, refreshed.refresh_token, key, client.secret, gone.secret], shared: [] };
    };
    return { method: "oauth", definition, ready };
  }

  async function byCertificate() {
    const definition = protectedBy({ use_keyless: true, use_mutual_tls_auth: true, client_certificates: ["a".repeat(64)] });
    // This runtime reports no client certificates, so nothing opens it.
    return { method: "certificate", definition, ready: async () => ({ right: undefined, wrong: { "a header that names one": { "Cf-Client-Cert-Sha256": "a".repeat(64) } }, sent: [], shared: [] }) };
  }

  return Promise.all([byToken(), bySignedToken(), byPassword(), bySignature(), byJwt(), byOpenId(), byOtherProvider(), byOauth(), byCertificate()]);
}
