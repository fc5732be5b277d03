// Demonstrations of what the support table calls enforced: client identity providers and rulesets. Run by
// enforced-apis.mjs.

import assert from "node:assert/strict";
import { caller } from "./dashboard.mjs";
import { keys, soon, token } from "./jose.mjs";

/** An id that the gateway doesn't assign. */
const NO_ID = "f".repeat(24);
const YEAR = new Date().getUTCFullYear();
let count = 0;

/**
 * The demonstrations on a [stage](./enforced-stage.mjs). `org` is the organisation of the dashboard's token, and
 * `policies` stores policies and returns their ids.
 */
export function dashboard({ loaded, call, target }, gateway, { org, policies }) {
  const ask = (...of) => caller(gateway())(...of);
  const fresh = (name) => `${name}-${process.pid}-${(count += 1)}`;

  /** Stores a document, and returns it as read back. */
  async function stored(path, id, members) {
    const posted = await ask("POST", path, { body: { name: fresh("Name"), ...members } });
    assert.ok(posted.status < 300, posted.text);
    return (await ask("GET", `${path}/${members[id] ?? posted.json.Meta}`)).json;
  }
  const jwks_uri = () => target("/keys");
  const provider = (members) => stored("/api/clientidps", "client_idp_id", { jwks_uri: jwks_uri(), ...members });
  const ruleset = (members) => stored("/api/rulesets", "ruleset_id", members);

  /** The members that every document of the dashboard has: its ids, its organisation and its times. */
  const shared = (path, make, stable) => ({
    async [stable]() {
      const id = fresh("id");
      const { _id } = await make({ [stable]: id });
      assert.equal((await ask("GET", `${path}/${id}`)).json._id, _id);
    },
    async _id() {
      const { _id, [stable]: id } = await make({ _id: NO_ID, [stable]: fresh("id") });
      assert.notEqual(_id, NO_ID);
      assert.equal((await ask("GET", `${path}/${_id}`)).json[stable], id);
    },
    async org_id() {
      assert.equal((await make({ org_id: "another" })).org_id, org, "that of its creator");
    },
    async date_created() {
      assert.ok((await make({ date_created: "2001-01-01T00:00:00Z" })).date_created.startsWith(`${YEAR}-`));
    },
    async last_updated() {
      assert.ok((await make({ last_updated: "2001-01-01T00:00:00Z" })).last_updated.startsWith(`${YEAR}-`));
    },
  });

  /**
   * Returns the status of a request with a token of `https://idp.example` and the scope `read`, to an API with a provider
   * that maps the scope to a policy. `members` returns members of the provider, given the ids of the API and the policy.
   */
  async function statusWith(members, claims, settings) {
    const definition = await loaded({ use_keyless: false, enable_jwt: true, ...settings });
    const { api_id } = definition;
    const [policy] = await policies([{ access_rights: { [api_id]: { api_id } }, rate: -1, quota_max: -1 }]);
    const api_mappings = { [api_id]: { scope_to_policy: { read: policy } } };
    const { _id } = await provider({ issuer: "https://idp.example", api_mappings, ...members(api_id, policy) });
    const sent = token({ iss: "https://idp.example", sub: "anna", exp: soon(), scope: "read", ...claims }, keys.rsa.key, { alg: "RS256", kid: "rsa" });
    const { status } = await call(definition, "x", { headers: { Authorization: `Bearer ${sent}` } });
    assert.equal((await ask("DELETE", `/api/clientidps/${_id}`)).status, 200);
    return status;
  }
  const both = async (one, other, claims) => [await statusWith(() => one, claims), await statusWith(() => other, claims)];

  return {
    ClientIdentityProvider: {
      ...shared("/api/clientidps", provider, "client_idp_id"),
      async issuer() {
        assert.deepEqual(await both({}, { issuer: "https://another.example" }), [200, 403]);
        assert.equal(await statusWith(() => ({ issuer: "" })), 200, "without an issuer, it accepts any");
      },
      async jwks_uri() {
        assert.deepEqual(await both({}, { jwks_uri: target("/no-keys") }), [200, 403]);
      },
      async scope_claim_name() {
        assert.deepEqual(await both({ scope_claim_name: "scp" }, {}, { scope: "", scp: "read" }), [200, 403]);
      },
      async api_mappings() {
        const another = (api, policy) => ({ api_mappings: { another: { scope_to_policy: { read: policy } } } });
        assert.deepEqual([await statusWith(() => ({})), await statusWith(another)], [200, 403]);
      },
    },
    ScopeMapping: {
      async scope_to_policy() {
        const mapped = (scope) => (api, policy) => ({ api_mappings: { [api]: { scope_to_policy: { [scope]: policy } } } });
        assert.deepEqual([await statusWith(mapped("read")), await statusWith(mapped("write"))], [200, 403]);
      },
    },
    Ruleset: {
      ...shared("/api/rulesets", ruleset, "ruleset_id"),
      async owner() {
        const { owner } = await ruleset({ owner: "somebody" });
        assert.ok(owner && owner !== "somebody", owner);
      },
      async categories() {
        await loaded({ name: "One #filed" });
        const { ruleset_id } = await ruleset({ categories: [" filed "] });
        const found = (category) => ask("GET", "/api/rulesets", { query: { categories: category } });
        const ids = async (category) => (await found(category)).json.rulesets.map((one) => one.ruleset_id);
        assert.deepEqual([await ids("filed"), await ids("another")], [[ruleset_id], []]);
      },
      async applied_rules() {
        const rule = { given: "$.info", then: { field: "contact", function: "truthy" } };
        const definition = JSON.stringify({ rules: { on: rule, off: { ...rule, severity: "off" } } });
        assert.deepEqual(Object.keys((await ruleset({ definition })).applied_rules), ["on"]);
      },
    },
  };
}
