// Demonstrations of what the support table calls enforced: who may call, how much and from where. Run by
// enforced-apis.mjs.

import assert from "node:assert/strict";
import { version } from "./enforced-stage.mjs";

const CLIENT = "203.0.113.9";
const ORIGIN = "https://shop.example";

/** Lists of addresses. */
function addresses({ loaded, call }) {
  const status = async (members) => (await call(await loaded(members), "x", { headers: { "X-Real-IP": CLIENT } })).status;
  const both = async (one, other) => [await status(one), await status(other)];
  const [strangers, client] = [["198.51.100.0/24"], ["203.0.113.0/24"]];
  const off = { ip_access_control_disabled: true };
  // A list's own switch matters only where both lists are switched off together.
  const ofSwitch = (name, list) => async () => {
    const [on, out] = [true, false].map((is) => ({ ...off, ...list, [name]: is }));
    assert.deepEqual(await both(on, out), [403, 200]);
  };
  return {
    async allowed_ips() {
      assert.deepEqual(await both({ allowed_ips: strangers }, { allowed_ips: client }), [403, 200]);
    },
    async blacklisted_ips() {
      assert.deepEqual(await both({ blacklisted_ips: client }, { blacklisted_ips: strangers }), [403, 200]);
    },
    enable_ip_whitelisting: ofSwitch("enable_ip_whitelisting", { allowed_ips: strangers }),
    enable_ip_blacklisting: ofSwitch("enable_ip_blacklisting", { blacklisted_ips: client }),
    async ip_access_control_disabled() {
      assert.deepEqual(await both({ allowed_ips: strangers }, { allowed_ips: strangers, ...off }), [403, 200]);
    },
  };
}

/** Limits on size and time for all paths of a version. */
function limits({ loaded, call, bare, patient, impatient }) {
  const sent = async (members) => (await call(await loaded(version(members)), "x", { method: "POST", body: "four" })).status;
  const timeout = { global_enforce_timeout: "100ms" };
  const given = async () => assert.equal(await impatient(await loaded(version(timeout)), "held"), 504);
  return {
    async global_size_limit() {
      assert.deepEqual([await sent({ global_size_limit: 3 }), await sent({ global_size_limit: 4 })], [400, 200]);
    },
    async global_size_limit_disabled() {
      const limit = { global_size_limit: 3 };
      assert.deepEqual([await sent(limit), await sent({ ...limit, global_size_limit_disabled: true })], [400, 200]);
    },
    async global_enforce_timeout() {
      await given();
      assert.equal(await patient(await bare(), "held"), 200);
    },
    async global_enforce_timeout_disabled() {
      await given();
      assert.equal(await patient(await loaded(version({ ...timeout, global_enforce_timeout_disabled: true })), "held"), 200);
    },
  };
}

/** The key that an API requires which asks for nothing else. */
function token({ loaded, call }) {
  return {
    async use_standard_auth() {
      const status = async (members) => (await call(await loaded(members))).status;
      assert.equal(await status({ use_keyless: false, use_standard_auth: true }), 401);
      assert.equal(await status({ use_keyless: true, use_standard_auth: false }), 200);
    },
  };
}

/** Which pages of other origins may call. */
function cors({ loaded, call }) {
  const made = (members) => loaded({ CORS: { enable: true, allowed_origins: [ORIGIN], ...members } });
  /** Returns a header of the response to a request, or to a preflight. */
  const responseHeader = async (definition, name, headers, method = "GET") => {
    const answer = await call(definition, "x", { method, headers: { Origin: ORIGIN, ...headers } });
    return answer.headers[`access-control-${name}`];
  };
  const got = async (members, name) => responseHeader(await made(members), name);
  const preflight = async (members, name, headers) => {
    const method = { "Access-Control-Request-Method": "GET", ...headers };
    return responseHeader(await made(members), name, method, "OPTIONS");
  };
  const GRANTED = "allow-origin";
  return {
    ApiDefinition: {
      async CORS() {
        assert.deepEqual([await got({}, GRANTED), await responseHeader(await loaded({}), GRANTED)], [ORIGIN, undefined]);
      },
    },
    CORSConfig: {
      async enable() {
        assert.deepEqual([await got({}, GRANTED), await got({ enable: false }, GRANTED)], [ORIGIN, undefined]);
      },
      async allowed_origins() {
        assert.deepEqual([await got({}, GRANTED), await got({ allowed_origins: ["https://other.example"] }, GRANTED)], [ORIGIN, undefined]);
      },
      async allowed_methods() {
        const put = { "Access-Control-Request-Method": "PUT" };
        const of = (allowed_methods) => preflight({ allowed_methods }, "allow-methods", put);
        assert.deepEqual([await of(["PUT"]), await of(["GET"])], ["PUT", undefined]);
      },
      async allowed_headers() {
        const own = { "Access-Control-Request-Headers": "x-own" };
        const of = (allowed_headers) => preflight({ allowed_headers }, "allow-headers", own);
        assert.deepEqual([await of(["X-Own"]), await of(["X-Other"])], ["x-own", undefined]);
      },
      async exposed_headers() {
        const exposed_headers = ["X-One", "X-Two"];
        assert.deepEqual([await got({ exposed_headers }, "expose-headers"), await got({}, "expose-headers")], ["X-One, X-Two", undefined]);
      },
      async allow_credentials() {
        const of = (allow_credentials) => got({ allow_credentials }, "allow-credentials");
        assert.deepEqual([await of(true), await of(false)], ["true", undefined]);
      },
      async max_age() {
        const of = (max_age) => preflight({ max_age }, "max-age");
        assert.deepEqual([await of(24), await of(0)], ["24", undefined]);
      },
      async options_passthrough() {
        const asks = async (options_passthrough) => {
          const answer = await call(await made({ options_passthrough }), "x", { method: "OPTIONS", headers: { Origin: ORIGIN } });
          return answer.text && answer.json.method;
        };
        assert.deepEqual([await asks(true), await asks(false)], ["OPTIONS", ""]);
      },
    },
  };
}

/** The demonstrations on a stage, in groups that may share types. */
export const guards = (stage) => [
  { ApiDefinition: addresses(stage) },
  { ApiDefinition: token(stage) },
  { VersionInfo: limits(stage) },
  cors(stage),
];
