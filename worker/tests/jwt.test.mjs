// JSON Web Tokens, signed by Node's own cryptography and by the authors of RFC 7515, and verified at the edge.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { base64, keys, soon, token } from "./jose.mjs";
import { send } from "./http.mjs";
import { listen } from "./upstream.mjs";

const SECRET = "a secret that is shared, long enough for each hash";
const POLICY = "open";

let gateway;
let upstream;
/** The key set at each address, and how often it was requested. */
const sets = new Map();
const asked = (name) => upstream.seen.filter(({ url }) => url === `/keys/${name}`).length;

before(async () => {
  const set = (name) => [`/keys/${name}`, (request, response) => response.writeHead(200).end(JSON.stringify(sets.get(name)))];
  const routes = Object.fromEntries(["all", "rotated", "kept"].map(set));
  [gateway, upstream] = await Promise.all([start(), listen(routes)]);
  const jwk = (kid, { jwk: key }) => ({ ...key, kid });
  sets.set("all", { keys: Object.entries(keys).map(([kid, key]) => jwk(kid, key)) });
  sets.set("rotated", { keys: [jwk("first", keys.rsa)] });
  sets.set("kept", { keys: [jwk("first", keys.rsa)] });
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

/** Loads APIs that require JSON Web Tokens, and a policy that opens all of them. */
async function loaded(...members) {
  const definitions = members.map((member) =>
    api({ use_keyless: false, enable_jwt: true, jwt_default_policies: [POLICY], ...member }, { target_url: upstream.url }),
  );
  const access_rights = Object.fromEntries(definitions.map(({ api_id }) => [api_id, { api_id }]));
  const body = { id: POLICY, access_rights, rate: -1, quota_max: -1 };
  const known = await gateway.admin("GET", `/gateway/policies/${POLICY}`);
  if (known.status === 200) Object.assign(body.access_rights, known.json.access_rights);
  const stored = await gateway.admin(known.status === 200 ? "PUT" : "POST", `/gateway/policies${known.status === 200 ? `/${POLICY}` : ""}`, { body });
  assert.equal(stored.status, 200, stored.text);
  await publish(gateway, ...definitions);
  return definitions;
}

const call = ({ proxy }, sent, path = "x") => send(gateway.ports.gateway, { path: proxy.listen_path + path, headers: sent === undefined ? {} : { Authorization: `Bearer ${sent}` } });
const status = async (definition, sent) => (await call(definition, sent)).status;
const claims = (more) => ({ sub: "anna", exp: soon(), ...more });

/** Changes the last character but one of a text, which makes it another signature. */
const tampered = (text) => `${text.slice(0, -2)}${text.at(-2) === "A" ? "B" : "A"}${text.at(-1)}`;

const ALGORITHMS = [
  ...["HS256", "HS384", "HS512"].map((alg) => [alg, "hmac", SECRET, SECRET]),
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"].map((alg) => [alg, "rsa", keys.rsa.key, keys.rsa.pem]),
  ["ES256", "ecdsa", keys.p256.key, keys.p256.pem],
  ["ES384", "ecdsa", keys.p384.key, keys.p384.pem],
  ["ES512", "ecdsa", keys.p521.key, keys.p521.pem],
];

test("every algorithm is verified with a PEM key, and a tampered signature is refused", async () => {
  const definitions = await loaded(...ALGORITHMS.map(([, jwt_signing_method, , source]) => ({ jwt_signing_method, jwt_source: base64(source) })));
  for (const [at, [alg, , key]] of ALGORITHMS.entries()) {
    const sent = token(claims(), key, { alg });
    assert.equal(await status(definitions[at], sent), 200, alg);
    const refused = await call(definitions[at], tampered(sent));
    assert.deepEqual([refused.status, refused.json.error], [403, "Key not authorized"], alg);
    const changed = sent.split(".");
    changed[1] = Buffer.from(JSON.stringify(claims({ sub: "berta" }))).toString("base64url");
    assert.equal(await status(definitions[at], changed.join(".")), 403, alg);
  }
});

test("a key may be bare DER, or chosen from a set by its id", async () => {
  const named = { rsa: ["RS256", "rsa"], p256: ["ES256", "ecdsa"], p384: ["ES384", "ecdsa"], p521: ["ES512", "ecdsa"] };
  const ways = Object.entries(named).flatMap(([kid, [alg, jwt_signing_method]]) => [
    [{ jwt_signing_method, jwt_source: base64(keys[kid].der) }, kid, alg],
    [{ jwt_signing_method, jwt_source: `${upstream.url}/keys/all` }, kid, alg],
  ]);
  const definitions = await loaded(...ways.map(([members]) => members));
  for (const [at, [, kid, alg]] of ways.entries()) {
    assert.equal(await status(definitions[at], token(claims(), keys[kid].key, { alg, kid })), 200, `${kid} ${at}`);
    const wrong = kid === "rsa" ? keys.other : keys.rsa;
    const other = kid === "rsa" ? token(claims(), wrong.key, { alg, kid }) : token(claims(), keys.rsa.key, { alg: "RS256", kid });
    assert.equal(await status(definitions[at], other), 403, `${kid} ${at}`);
  }
});

// RFC 7515 appendices A.1 to A.3: HS256, RS256, ES256.
const RFC = {
  claims: "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ",
  hs: ["eyJ0eXAiOiJKV1QiLA0KICJhbGciOiJIUzI1NiJ9", "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "AyM1SysPpbyDfgZld3umj1qzKObwVMkoqQ-EstJQLr_T-1qS0gZH75aKtMN3Yj0iPS4hcgUuTwjAzZr1Z9CAow"],
  es: ["eyJhbGciOiJFUzI1NiJ9", "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q", { kty: "EC", crv: "P-256", x: "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU", y: "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0" }],
};

test("the examples of RFC 7515 verify as specified", async () => {
  const { createPublicKey } = await import("node:crypto");
  const old = { jwt_identity_base_field: "iss", jwt_expires_at_validation_skew: 4_000_000_000 };
  const es = createPublicKey({ key: RFC.es[2], format: "jwk" }).export({ type: "spki", format: "der" });
  const [hmac, ecdsa] = await loaded(
    { ...old, jwt_source: base64(Buffer.from(RFC.hs[2], "base64url")) },
    { ...old, jwt_signing_method: "ecdsa", jwt_source: base64(es) },
  );
  for (const [definition, [header, signature]] of [[hmac, RFC.hs], [ecdsa, RFC.es]]) {
    assert.equal(await status(definition, `${header}.${RFC.claims}.${signature}`), 200);
    assert.equal(await status(definition, `${header}.${RFC.claims}.${tampered(signature)}`), 403);
  }
});

test("a token can't choose how it is verified", async () => {
  const [rsa, hmac] = await loaded({ jwt_signing_method: "rsa", jwt_source: base64(keys.rsa.pem) }, { jwt_source: base64(keys.rsa.pem) });
  const unexpected = [403, "Key not authorized: Unexpected signing method"];
  const before = asked("all");
  const refused = async (definition, sent) => {
    const { status: code, json } = await call(definition, sent);
    return [code, json.error];
  };
  // The public key as the secret of another algorithm: even a mistake in the definition doesn't make it one.
  assert.deepEqual(await refused(rsa, token(claims(), keys.rsa.pem, { alg: "HS256" })), unexpected);
  assert.deepEqual(await refused(hmac, token(claims(), keys.rsa.pem, { alg: "HS256" })), [403, "Key not authorized"]);
  assert.deepEqual(await refused(rsa, token(claims(), "", { alg: "none" })), unexpected);
  const brought = { alg: "RS256", jwk: keys.other.jwk, jku: `${upstream.url}/keys/all`, kid: "other" };
  assert.deepEqual(await refused(rsa, token(claims(), keys.other.key, brought)), [403, "Key not authorized"]);
  const huge = token(claims({ filler: "x".repeat(40_000) }), keys.rsa.key, { alg: "RS256" });
  const { status: code } = await call(rsa, huge);
  assert.ok([403, 431].includes(code), `${code}`);
  assert.equal(asked("all"), before, "the URL in the token is not fetched");
});

test("a key set is fetched once, and not again for made-up key ids", async () => {
  const [definition] = await loaded({ jwt_signing_method: "rsa", jwt_source: `${upstream.url}/keys/kept` });
  for (let number = 0; number < 5; number += 1) {
    assert.equal(await status(definition, token(claims({ number }), keys.rsa.key, { alg: "RS256", kid: "first" })), 200);
  }
  assert.equal(asked("kept"), 1);
  // Made-up key ids don't make the gateway fetch the set.
  for (let number = 0; number < 5; number += 1) {
    assert.equal(await status(definition, token(claims(), keys.rsa.key, { alg: "RS256", kid: `made-up-${number}` })), 403);
  }
  assert.equal(asked("kept"), 1);
});

test("an API's key sets can be flushed, and are then fetched again", async () => {
  const [definition] = await loaded({ jwt_signing_method: "rsa", jwt_source: `${upstream.url}/keys/rotated` });
  const first = token(claims(), keys.rsa.key, { alg: "RS256", kid: "first" });
  assert.deepEqual([await status(definition, first), asked("rotated")], [200, 1]);
  const { n, e, kty } = keys.other.jwk;
  sets.set("rotated", { keys: [{ kid: "second", kty, n, e }] });
  const second = token(claims(), keys.other.key, { alg: "RS256", kid: "second" });
  for (const [number, path] of ["jwks", `jwks/${definition.api_id}`].entries()) {
    const forgotten = await gateway.admin("DELETE", `/gateway/cache/${path}`);
    assert.deepEqual([forgotten.status, forgotten.json], [200, { status: "ok", message: "cache invalidated" }]);
    // A token that was verified before is verified again, because its key is gone.
    assert.deepEqual([await status(definition, first), await status(definition, second)], [403, 200]);
    assert.equal(asked("rotated"), 2 + number);
  }
});

test("a provider's mapping defines what its tokens' scopes grant, from the next request on", async () => {
  const [one, two] = await loaded({ jwt_default_policies: [] }, { jwt_default_policies: [] });
  const dashboard = async (method, path, body) => {
    const { status: code, text } = await gateway.dashboard(method, `/api/clientidps${path}`, { body });
    assert.ok(code < 300, `${code} ${text}`);
  };
  const only = async ({ api_id }) => {
    const id = `only-${api_id}`;
    const made = await gateway.admin("POST", "/gateway/policies", { body: { id, access_rights: { [api_id]: { api_id } }, rate: -1, quota_max: -1 } });
    assert.equal(made.status, 200, made.text);
    return id;
  };
  const [first, second] = [await only(one), await only(two)];
  await publish(gateway);
  const mapped = (read) => ({ scope_to_policy: { read } });
  await dashboard("POST", "", {
    name: "Provider", client_idp_id: "provider", issuer: "https://idp.example", jwks_uri: `${upstream.url}/keys/all`, scope_claim_name: "",
    api_mappings: { [one.api_id]: mapped(first), [two.api_id]: mapped(first) },
  });
  const sent = token({ iss: "https://idp.example", sub: "anna", exp: soon(), scope: "openid read" }, keys.p256.key, { alg: "ES256", kid: "p256" });
  const statuses = async () => [await status(one, sent), await status(two, sent)];
  assert.deepEqual(await statuses(), [200, 403]);
  await dashboard("PATCH", "/provider/mappings", { [one.api_id]: mapped(second), [two.api_id]: mapped(second) });
  assert.deepEqual(await statuses(), [403, 200]);
  await dashboard("PATCH", "/provider/mappings", { [two.api_id]: { scope_to_policy: { read: null, openid: second } } });
  assert.deepEqual(await statuses(), [403, 200]);
  // Without its mapping, the provider is unrelated to the API, and its tokens have no key.
  await dashboard("PATCH", "/provider/mappings", { [two.api_id]: null });
  assert.deepEqual(await statuses(), [403, 403]);
});

test("no token appears in responses or logs", async () => {
  const [definition] = await loaded({ jwt_source: base64(SECRET) });
  const canary = "canary-of-a-claim";
  const good = token(claims({ sub: canary, secret: canary }), SECRET);
  for (const sent of [good, tampered(good), `${good}.x`, token(claims({ exp: 1, sub: canary }), SECRET)]) {
    const { text, headers } = await call(definition, sent, "503");
    const signature = sent.split(".")[2];
    for (const place of [gateway.log(), JSON.stringify(headers), sent === good ? "" : text]) {
      assert.ok(!place.includes(signature) && !place.includes(canary), sent);
    }
  }
});
