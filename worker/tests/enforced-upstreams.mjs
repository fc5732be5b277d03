// Demonstrations of what the support table calls enforced: where requests go, and upstreams that fail. Run by
// enforced-apis.mjs.

import assert from "node:assert/strict";
import { createHmac, createVerify } from "node:crypto";
import { pem } from "./certificates.mjs";
import { extended } from "./enforced-stage.mjs";
import { values } from "./upstream.mjs";

const LONG = 3600;
const ROW = { path: "/", method: "GET", samples: 1, threshold_percent: 0.5, return_to_service_after: LONG };

/** Circuit breakers. The upstream answers `broken` with 503, and so does the gateway while a breaker is open. */
function breakers({ loaded, call }) {
  const made = (...rows) => loaded(extended({ circuit_breakers: rows.map((row) => ({ ...ROW, ...row })) }));
  const isOpen = async (definition, path = "x", method = "GET") => {
    const { status, text } = await call(definition, path, { method });
    return status === 503 && text.includes("Service temporarily unavailable.");
  };
  /** Whether an API's breaker is open after these requests. */
  const after = async (row, paths) => {
    const definition = await made(row);
    for (const path of paths) assert.equal(await isOpen(definition, path), false);
    return { definition, opened: await isOpen(definition) };
  };
  const opened = async (...given) => (await after(...given)).opened;
  /** Whether the first closes while the second stays open. */
  const closes = async (first, second) => {
    const [one, other] = [await after(first, ["broken"]), await after(second, ["broken"])];
    assert.deepEqual([one.opened, other.opened], [true, true]);
    while (await isOpen(one.definition));
    assert.equal(await isOpen(other.definition), true);
  };
  const broken = ["broken"];
  return {
    ExtendedPathsSet: {
      async circuit_breakers() {
        const without = await loaded({});
        assert.equal(await isOpen(without, "broken"), false);
        assert.deepEqual([await isOpen(without), await opened({}, broken)], [false, true]);
      },
    },
    CircuitBreakerMeta: {
      async path() {
        const definition = await made({ path: "/broken" });
        await call(definition, "broken");
        assert.deepEqual([await isOpen(definition, "broken"), await isOpen(definition)], [true, false]);
      },
      async method() {
        const { definition, opened } = await after({}, broken);
        assert.deepEqual([opened, await isOpen(definition, "x", "POST")], [true, false]);
      },
      async disabled() {
        assert.deepEqual([await opened({}, broken), await opened({ disabled: true }, broken)], [true, false]);
      },
      async threshold_percent() {
        const mixed = ["x", "broken"];
        const row = { samples: 2 };
        assert.deepEqual([await opened(row, mixed), await opened({ ...row, threshold_percent: 0.6 }, mixed)], [true, false]);
      },
      async samples() {
        const row = { samples: 3 };
        assert.deepEqual([await opened(row, ["broken", "broken"]), await opened(row, ["broken", "broken", "broken"])], [false, true]);
      },
      async return_to_service_after() {
        await closes({ disable_half_open_state: true, return_to_service_after: 1 }, { disable_half_open_state: true });
      },
      async disable_half_open_state() {
        await closes({}, { disable_half_open_state: true });
      },
    },
  };
}

/** Load balancing. */
function balancing({ loaded, call, target }) {
  const asked = async (enable_load_balancing, times) => {
    const target_list = ["/up/a", "/up/b", "/up/b"].map(target);
    const definition = await loaded({}, { enable_load_balancing, target_list });
    const urls = [];
    for (let time = 0; time < times; time += 1) urls.push((await call(definition)).json.url);
    return urls;
  };
  return {
    ProxyConfig: {
      async target_list() {
        assert.deepEqual(await asked(true, 4), ["/up/a/x", "/up/b/x", "/up/b/x", "/up/a/x"]);
      },
      async enable_load_balancing() {
        assert.deepEqual(await asked(false, 2), ["/up/x", "/up/x"]);
        assert.deepEqual(await asked(true, 2), ["/up/a/x", "/up/b/x"]);
      },
    },
  };
}

/** Credentials by which the upstream recognises the gateway. */
function credentials({ loaded, call, keys }) {
  const sent = async (members, name, headers = {}) => values((await call(await loaded(members), "x?q=1", { headers })).json, name)[0];
  const basic = (members, outer) => ({ upstream_auth: { enabled: true, basic_auth: { enabled: true, username: "u", password: "p", ...members }, ...outer } });
  const of = (user, password) => `Basic ${btoa(`${user}:${password}`)}`;
  const header = (members, name = "x-up") => sent(basic({ header: { enabled: true, name: "X-Up", ...members } }), name);
  const signing = { is_enabled: true, key_id: "gate", secret: "s3cr3t", algorithm: "hmac-sha256", header_list: ["X-A"] };
  const signed = async (members, name = "authorization") => sent({ request_signing: { ...signing, ...members } }, name, { "X-A": "1", "X-B": "2" });
  /** Returns the expected header. */
  const expected = ({ key_id, secret, algorithm, header_list }, text) => {
    const signature = encodeURIComponent(createHmac(algorithm.slice("hmac-".length), secret).update(text).digest("base64"));
    return `Signature keyId="${key_id}",algorithm="${algorithm}",headers="${header_list.join(" ")}",signature="${signature}"`;
  };
  const shows = (name, value, text = "x-a: 1") => async () => {
    assert.equal(await signed({}), expected(signing, "x-a: 1"));
    assert.equal(await signed({ [name]: value }), expected({ ...signing, [name]: value }, text));
  };
  return {
    ApiDefinition: {
      async upstream_auth() {
        assert.deepEqual([await sent(basic({}), "authorization"), await sent({}, "authorization")], [of("u", "p"), undefined]);
      },
      async request_signing() {
        assert.deepEqual([await signed({}), await sent({}, "authorization")], [expected(signing, "x-a: 1"), undefined]);
      },
    },
    UpstreamAuth: {
      async enabled() {
        assert.deepEqual([await sent(basic({}), "authorization"), await sent(basic({}, { enabled: false }), "authorization")], [of("u", "p"), undefined]);
      },
      async basic_auth() {
        assert.deepEqual([await sent(basic({}), "authorization"), await sent({ upstream_auth: { enabled: true } }, "authorization")], [of("u", "p"), undefined]);
      },
    },
    UpstreamBasicAuth: {
      async enabled() {
        const own = { Authorization: "mine" };
        const [on, off] = [basic({}), basic({ enabled: false })];
        assert.deepEqual([await sent(on, "authorization", own), await sent(off, "authorization", own)], [of("u", "p"), "mine"]);
      },
      async username() {
        assert.equal(await sent(basic({ username: "other" }), "authorization"), of("other", "p"));
      },
      async password() {
        assert.equal(await sent(basic({ password: "other" }), "authorization"), of("u", "other"));
      },
      async header() {
        assert.deepEqual([await header({}), await header({}, "authorization")], [of("u", "p"), undefined]);
      },
    },
    AuthSource: {
      async enabled() {
        assert.deepEqual([await header({ enabled: false }), await header({ enabled: false }, "authorization")], [undefined, of("u", "p")]);
      },
      async name() {
        assert.deepEqual([await header({ name: "X-Other" }), await header({ name: "X-Other" }, "x-other")], [undefined, of("u", "p")]);
      },
    },
    RequestSigningMeta: {
      async is_enabled() {
        assert.deepEqual([await signed({}), await signed({ is_enabled: false })], [expected(signing, "x-a: 1"), undefined]);
      },
      algorithm: shows("algorithm", "hmac-sha512"),
      header_list: shows("header_list", ["x-b", "X-A"], "x-b: 2\nx-a: 1"),
      async certificate_id() {
        const stored = await keys.admin("POST", "certs?org_id=signs", pem("rsa.crt", "rsa.key"));
        const named = { algorithm: "rsa-sha256", certificate_id: stored.json.id };
        const signature = /signature="(.+)"$/.exec(await signed(named))[1];
        const check = createVerify("RSA-SHA256").update("x-a: 1");
        assert.ok(check.verify(pem("rsa.crt"), signature, "base64"));
        const unknown = await call(await loaded({ request_signing: { ...signing, ...named, certificate_id: "signs00" } }));
        assert.deepEqual([unknown.status, unknown.json.error], [500, "Certificate not found"]);
      },
      key_id: shows("key_id", "other"),
      secret: shows("secret", "other"),
      async signature_header() {
        const named = { signature_header: "X-Signed" };
        assert.deepEqual([await signed(named), await signed(named, "x-signed")], [undefined, expected(signing, "x-a: 1")]);
      },
    },
  };
}

/** The demonstrations on a [stage](./enforced-stage.mjs). */
export const upstreams = (stage) => [breakers(stage), balancing(stage), credentials(stage)];
