// Demonstrations of what the support table calls enforced: user names with passwords, HTTP signatures, client
// certificates and signatures of tokens. Run by enforced-apis.mjs.

import assert from "node:assert/strict";
import { join } from "node:path";
import { pem } from "./certificates.mjs";
import { basic, signature, tokenSignature } from "./credentials.mjs";
import { api, publish } from "./definitions.mjs";
import { ROOT, start } from "./harness.mjs";
import { send } from "./http.mjs";
import { rights } from "./keyring.mjs";

const SECRET = "s3cr3t";
const PASSWORD = "first";
let made = 0;

/**
 * Client certificates as reported by a platform that terminates TLS: one, a different one, an expired one, and none.
 */
const FINGERPRINT = "0a".repeat(32);
const SHOWN = { certPresented: "1", certFingerprintSHA256: FINGERPRINT, certNotAfter: "Dec 22 19:39:00 2033 GMT" };
const STRANGE = { ...SHOWN, certFingerprintSHA256: "0b".repeat(32) };
const ENDED = { ...SHOWN, certNotAfter: "Dec 22 19:39:00 2023 GMT" };
const NONE = { certPresented: "0" };

/** Runs something against a gateway behind such a platform. */
async function atEdge(act) {
  const edge = await start({ config: join(ROOT, "worker/tests/tls.capnp") });
  try {
    await act(edge);
  } finally {
    await edge.stop();
  }
}

/**
 * Returns status and error of a request with this client certificate; `undefined` stands for a platform that reports
 * nothing.
 */
async function edgeCall(edge, definition, tlsClientAuth, token) {
  const headers = { "Cf-Blob": JSON.stringify({ clientIp: "192.0.2.1:1", tlsClientAuth }), ...(token && { Authorization: token }) };
  const { status, json } = await send(edge.ports.gateway, { path: `${definition.proxy.listen_path}x`, headers });
  return [status, json.error];
}

/** The demonstrations on a [stage](./enforced-stage.mjs). */
export function credentials({ loaded, call, keys, gateway, upstream }) {
  /** Issues a key with a custom id, and loads an API that it opens. */
  async function opened(members, session) {
    const definition = await loaded({ use_keyless: false, ...members });
    const name = `named-${process.pid}-${(made += 1)}`;
    const stored = await keys.admin("POST", `keys/${name}`, { access_rights: rights(definition), ...session });
    assert.equal(stored.status, 200, stored.text);
    return { definition, name };
  }
  const status = async (definition, headers, options = {}) => (await call(definition, "x", { headers, ...options })).status;

  const user = { basic_auth_data: { password: PASSWORD } };
  /** Returns the statuses for a user with the right password, sent in the header and in the body. */
  async function logged(members) {
    const { definition, name } = await opened({ use_basic_auth: true, ...members }, user);
    const body = `user=${name}&pass=${PASSWORD}`;
    return [await status(definition, { Authorization: basic(name, PASSWORD) }), await status(definition, {}, { method: "POST", body })];
  }
  const form = { extract_from_body: true, body_user_regexp: "user=([^&]*)", body_password_regexp: "pass=([^&]*)" };
  /** Whether a password that was right once is not checked again. */
  async function remembers(basic_auth) {
    const { definition, name } = await opened({ use_basic_auth: true, basic_auth }, user);
    const request = { method: "GET", path: `${definition.proxy.listen_path}x`, headers: { Authorization: [basic(name, PASSWORD)] } };
    const again = async () => {
      const { json } = await gateway().admin("POST", "/gateway/debug", { body: { api_id: definition.api_id, request } });
      assert.equal(json.status ?? 200, 200);
      return JSON.stringify(json.trace).includes("Proved a moment ago");
    };
    await again();
    return again;
  }

  const signer = { hmac_enabled: true, hmac_string: SECRET };
  const signed = async (members, how, session = signer) => {
    const { definition, name } = await opened({ enable_signature_checking: true, ...members }, session);
    return status(definition, signature(name, { secret: SECRET, ...how }));
  };

  /** Returns status and text of a request whose token is signed in this manner, under this member of the definition. */
  async function checked(config, { place = (sent) => ({ headers: { "X-Sig": sent } }), how, secret = SECRET, session } = {}) {
    const members = { algorithm: "MasheryMD5", header: "X-Sig", secret: SECRET, allowed_clock_skew: 5, ...config };
    const auth_configs = { authToken: { validate_signature: true, signature: members } };
    const { definition, name } = await opened({ auth_configs }, session);
    const { headers, query = "" } = place(tokenSignature(name, secret, how));
    const { status, json } = await call(definition, `x${query}`, { headers: { Authorization: name, ...headers } });
    return [status, json.error];
  }
  const passes = [200, undefined];
  const fails = [401, "Request signature verification failed"];

  return {
    ApiDefinition: {
      async use_basic_auth() {
        assert.equal((await logged({}))[0], 200);
        // Otherwise it counts as a token, an unknown one.
        assert.equal((await logged({ use_basic_auth: false }))[0], 403);
      },
      async basic_auth() {
        assert.deepEqual([(await logged({ basic_auth: form }))[1], (await logged({}))[1]], [200, 401]);
      },
      async enable_signature_checking() {
        assert.equal(await signed({}), 200);
        assert.equal(await signed({ enable_signature_checking: false }), 403);
      },
      async hmac_allowed_algorithms() {
        assert.equal(await signed({ hmac_allowed_algorithms: ["hmac-sha256"] }), 200);
        assert.equal(await signed({ hmac_allowed_algorithms: ["hmac-sha512"] }), 400);
      },
      async hmac_allowed_clock_skew() {
        const old = { date: new Date(Date.now() - 60_000).toUTCString() };
        assert.equal(await signed({ hmac_allowed_clock_skew: 3_600_000 }, old), 200);
        assert.equal(await signed({ hmac_allowed_clock_skew: 5000 }, old), 400);
      },
      async use_mutual_tls_auth() {
        const answer = async (use_mutual_tls_auth) => call(await loaded({ use_mutual_tls_auth }));
        const refused = await answer(true);
        assert.deepEqual([refused.status, refused.json.error, (await answer(false)).status], [403, "TLS not enabled", 200]);
      },
      async client_certificates() {
        await atEdge(async (edge) => {
          const answered = async (client_certificates, tlsClientAuth = SHOWN) => {
            const definition = api({ use_mutual_tls_auth: true, client_certificates }, { target_url: upstream().url });
            await publish(edge, definition);
            return edgeCall(edge, definition, tlsClientAuth);
          };
          const named = [`acme${FINGERPRINT}`];
          assert.deepEqual(await answered(named), passes);
          assert.deepEqual(await answered([`acme${"0b".repeat(32)}`]), [403, `Certificate with SHA256 ${FINGERPRINT} not allowed`]);
          assert.deepEqual(await answered(named, NONE), [403, "Client TLS certificate is required"]);
          assert.deepEqual(await answered(named, ENDED), [403, "Certificate has expired"]);
        });
      },
    },
    basic_auth: {
      async disable_caching() {
        assert.equal(await (await remembers({ disable_caching: true }))(), false);
        assert.equal(await (await remembers({}))(), true);
      },
      async cache_ttl() {
        const [long, short] = [await remembers({ cache_ttl: 60 }), await remembers({ cache_ttl: 1 })];
        // The reload for the second has made the isolate forget what the first had proved.
        await long();
        // A check is remembered from when it is made, so this is repeated until one was forgotten.
        while (await short());
        assert.equal(await long(), true);
      },
      async extract_from_body() {
        assert.deepEqual([(await logged({ basic_auth: form }))[1], (await logged({ basic_auth: { ...form, extract_from_body: false } }))[1]], [200, 401]);
      },
      async body_user_regexp() {
        assert.deepEqual((await logged({ basic_auth: { ...form, body_user_regexp: "name=([^&]*)" } }))[1], 400);
      },
      async body_password_regexp() {
        assert.deepEqual((await logged({ basic_auth: { ...form, body_password_regexp: "word=([^&]*)" } }))[1], 400);
      },
    },
    AuthConfig: {
      async use_certificate() {
        await atEdge(async (edge) => {
          const made = (use_certificate) => api({ use_keyless: false, auth_configs: { authToken: { use_certificate } } }, { target_url: upstream().url });
          const [asks, other] = [made(true), made(false)];
          await publish(edge, asks, other);
          const body = { org_id: "default", certificate: `default${FINGERPRINT}`, access_rights: rights([asks, other]) };
          const { json } = await edge.admin("POST", "/gateway/keys/create", { body });
          const { json: free } = await edge.admin("POST", "/gateway/keys", { body: { ...body, certificate: "" } });
          const { json: certificate } = await edge.admin("POST", "/gateway/certs", { query: { org_id: "default" }, body: pem("rsa.crt") });
          const bindings = { mtls_static_certificate_bindings: [certificate.id] };
          const { json: bound } = await edge.admin("POST", "/gateway/keys", { body: { ...body, certificate: "", ...bindings } });
          const own = { ...SHOWN, certFingerprintSHA256: certificate.id.slice(-64).toUpperCase() };
          const disallowed = "Access to this API has been disallowed";
          for (const [definition, shown, token, expected] of [
            [asks, SHOWN, undefined, passes],
            [asks, SHOWN, json.key, passes],
            [asks, NONE, free.key, passes],
            [asks, NONE, undefined, [401, "Authorization field missing"]],
            [asks, STRANGE, undefined, [403, disallowed]],
            [asks, ENDED, undefined, [403, "Certificate has expired"]],
            [asks, undefined, undefined, [403, disallowed]],
            [asks, NONE, json.key, [401, "Client certificate required"]],
            [asks, STRANGE, json.key, [401, disallowed]],
            [asks, undefined, json.key, [403, disallowed]],
            [asks, undefined, free.key, passes],
            [other, SHOWN, undefined, [401, "Authorization field missing"]],
            [other, SHOWN, json.key, passes],
            [other, NONE, json.key, [401, "Client certificate required"]],
            [other, own, bound.key, passes],
            [asks, own, bound.key, passes],
            [other, SHOWN, bound.key, [401, disallowed]],
            [other, NONE, bound.key, [401, "Client certificate required"]],
            [other, undefined, bound.key, [401, "Client certificate required"]],
            [other, { ...own, certNotAfter: ENDED.certNotAfter }, bound.key, [403, "Certificate has expired"]],
          ]) {
            assert.deepEqual(await edgeCall(edge, definition, shown, token), expected, JSON.stringify([definition === asks, shown, token]));
          }
        });
      },
      async validate_signature() {
        const wrong = { secret: "other" };
        assert.deepEqual([await checked({}), await checked({}, wrong)], [passes, fails]);
        const { definition, name } = await opened({ auth_configs: { authToken: { validate_signature: false } } });
        assert.equal(await status(definition, { Authorization: name }), 200);
      },
      async signature() {
        assert.deepEqual(await checked({ header: "X-Other" }), fails);
      },
    },
    SignatureConfig: {
      async algorithm() {
        const sha = { how: { hash: "sha256" } };
        assert.deepEqual([await checked({ algorithm: "MasherySHA256" }, sha), await checked({}, sha)], [passes, fails]);
      },
      async header() {
        const place = (sent) => ({ headers: { "X-Other": sent } });
        assert.deepEqual([await checked({ header: "X-Other" }, { place }), await checked({}, { place })], [passes, fails]);
      },
      async use_param() {
        // A `param_name` alone is enough.
        const place = (sent) => ({ query: `?X-Other=${sent}` });
        const named = { header: "X-Other" };
        assert.deepEqual([await checked({ ...named, use_param: true }, { place }), await checked({ ...named, use_param: false }, { place })], [passes, fails]);
      },
      async param_name() {
        const place = (sent) => ({ query: `?sig=${sent}` });
        const named = { use_param: true };
        assert.deepEqual([await checked({ ...named, param_name: "sig" }, { place }), await checked({ ...named, param_name: "other" }, { place })], [passes, fails]);
      },
      async secret() {
        const own = { secret: "$gateway_meta.secret" };
        const session = { meta_data: { secret: "its own" } };
        assert.deepEqual([await checked(own, { secret: "its own", session }), await checked(own, { session })], [passes, fails]);
      },
      async allowed_clock_skew() {
        const how = { apart: -60 };
        assert.deepEqual([await checked({ allowed_clock_skew: 120 }, { how }), await checked({ allowed_clock_skew: 5 }, { how })], [passes, fails]);
      },
      async error_code() {
        assert.equal((await checked({ error_code: 418 }, { secret: "other" }))[0], 418);
      },
      async error_message() {
        assert.equal((await checked({ error_message: "not signed" }, { secret: "other" }))[1], "not signed");
      },
    },
  };
}

/**
 * The demonstrations of sessions' members, for enforced-keys.test.mjs: `made(session, members)` returns an API and a
 * key's custom id, and `certified` a certificate.
 */
export function credentialsOfKeys(made, call, certified) {
  const asks = { basic: { use_basic_auth: true }, signature: { enable_signature_checking: true } };
  const answered = async (definition, headers) => (await call(undefined, definition, { headers })).status;
  const login = async (basic_auth_data, password) => {
    const { definition, name } = await made({ basic_auth_data }, asks.basic);
    return answered(definition, { Authorization: basic(name, password) });
  };
  const signs = async (session, how) => {
    const { definition, name } = await made(session, asks.signature);
    return answered(definition, signature(name, { secret: SECRET, ...how }));
  };
  return {
    SessionState: {
      async basic_auth_data() {
        assert.deepEqual([await login({ password: PASSWORD }, PASSWORD), await login(undefined, PASSWORD)], [200, 401]);
      },
      async hmac_enabled() {
        assert.deepEqual([await signs({ hmac_enabled: true, hmac_string: SECRET }), await signs({ hmac_enabled: false, hmac_string: SECRET })], [200, 400]);
      },
      async hmac_string() {
        assert.deepEqual([await signs({ hmac_enabled: true, hmac_string: SECRET }), await signs({ hmac_enabled: true, hmac_string: "other" })], [200, 400]);
      },
      async enable_http_signature_validation() {
        const session = { hmac_string: SECRET };
        assert.deepEqual([await signs({ ...session, enable_http_signature_validation: true }), await signs(session)], [200, 400]);
      },
      async rsa_certificate_id() {
        const { id, sign } = await certified();
        const how = { algorithm: "rsa-sha256", sign };
        const session = { enable_http_signature_validation: true };
        assert.deepEqual([await signs({ ...session, rsa_certificate_id: id }, how), await signs(session, how), await signs({ ...session, rsa_certificate_id: "none00" }, how)], [200, 400, 500]);
      },
    },
    BasicAuthData: {
      async password() {
        assert.deepEqual([await login({ password: PASSWORD }, PASSWORD), await login({ password: PASSWORD }, "other")], [200, 401]);
      },
      async hash_type() {
        // murmur32 of `hello`.
        const password = "248bfa47";
        assert.deepEqual([await login({ password, hash_type: "murmur32" }, "hello"), await login({ password }, "hello"), await login({ password }, password)], [200, 401, 200]);
      },
    },
  };
}
