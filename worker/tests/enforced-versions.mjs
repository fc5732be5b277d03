// Demonstrations of what the support table calls enforced: versions. Run by enforced-apis.mjs.

import assert from "node:assert/strict";
import { extended, version } from "./enforced-stage.mjs";
import { rights } from "./keyring.mjs";

const [PAST, FUTURE] = ["2001-01-02 15:04", "2999-01-02 15:04"];

/** Options of a request for a version. */
const withVersion = (name, key = "X-Version") => ({ headers: { [key]: name } });

/** Versions that are APIs of their own: the other one, v2, is at another path of the upstream. */
function children({ loaded, call, target }) {
  /** Returns the address requested at the upstream, or the status if it isn't called. */
  async function requested(chooser, path, options) {
    const child = await loaded({ internal: true }, { target_url: target("/child") });
    const usual = { enabled: true, name: "v1", default: "self", location: "header", key: "X-Version", versions: { v2: child.api_id } };
    const base = await loaded({ definition: { ...usual, ...chooser } });
    const answer = await call(base, path, options);
    return answer.status === 200 ? answer.json.url : answer.status;
  }
  const byQuery = { location: "url-param", key: "v" };
  const byUrl = { location: "url", key: "" };
  const both = async (one, other, path, options) => [await requested(one, path, options), await requested(other, path, options)];
  const VersionDefinition = {
    async enabled() {
      assert.deepEqual(await both({ enabled: true }, { enabled: false }, "x", withVersion("v2")), ["/child/x", "/up/x"]);
    },
    async name() {
      assert.deepEqual(await both({ name: "v1" }, { name: "other" }, "x", withVersion("v1")), ["/up/x", 404]);
    },
    async default() {
      assert.deepEqual(await both({ default: "v2" }, { default: "self" }, "x"), ["/child/x", "/up/x"]);
    },
    async location() {
      assert.deepEqual(await both({ ...byQuery, location: "header" }, byQuery, "x?v=v2"), ["/up/x?v=v2", "/child/x?v=v2"]);
    },
    async key() {
      assert.deepEqual(await both({ key: "X-Version" }, { key: "X-Other" }, "x", withVersion("v2")), ["/child/x", "/up/x"]);
    },
    async fallback_to_default() {
      const [on, off] = [true, false].map((fallback_to_default) => ({ fallback_to_default }));
      assert.deepEqual(await both(on, off, "x", withVersion("unknown")), ["/up/x", 404]);
    },
    async strip_path() {
      const [on, off] = [true, false].map((strip_path) => ({ ...byUrl, strip_path }));
      assert.deepEqual(await both(on, off, "v2/x"), ["/child/x", "/child/v2/x"]);
    },
    async strip_versioning_data() {
      const [on, off] = [true, false].map((strip_versioning_data) => ({ ...byQuery, strip_versioning_data }));
      assert.deepEqual(await both(on, off, "x?a=b&v=v2"), ["/child/x?a=b", "/child/x?a=b&v=v2"]);
    },
    async url_versioning_pattern() {
      const stripped = { ...byUrl, strip_versioning_data: true, fallback_to_default: true };
      const pattern = { ...stripped, url_versioning_pattern: "^v[0-9]+$" };
      assert.deepEqual(await both(pattern, stripped, "pets/x"), ["/up/pets/x", "/up/x"]);
    },
  };
  const ApiDefinition = {
    async definition() {
      assert.equal(await requested({}, "x", withVersion("v2")), "/child/x");
      assert.equal((await call(await loaded({}), "x", withVersion("v2"))).json.url, "/up/x");
    },
  };
  return { VersionDefinition, ApiDefinition };
}

/** Versions within one API. */
function own({ loaded, call, target, keys }) {
  const chooser = { enabled: false, location: "header", key: "X-Version" };
  const made = (version_data, members) => loaded({ definition: chooser, version_data, ...members });
  const ask = async (definition, options) => {
    const answer = await call(definition, "x", options);
    return answer.status === 200 ? answer.json.url : answer.status;
  };
  const two = () => ({ one: { name: "one" }, two: { name: "two", override_target: target("/two") } });
  const VersionData = {
    async not_versioned() {
      const requested = async (not_versioned) => ask(await made({ not_versioned, default_version: "", versions: { Default: { name: "Default" } } }, { definition: chooser }));
      assert.deepEqual([await requested(true), await requested(false)], ["/up/x", 403]);
    },
    async default_version() {
      const requested = async (default_version) => ask(await made({ not_versioned: false, default_version, versions: two() }));
      assert.deepEqual([await requested("two"), await requested("one"), await requested("")], ["/two/x", "/up/x", 403]);
    },
    async versions() {
      const definition = await made({ not_versioned: false, default_version: "", versions: two() });
      assert.deepEqual([await ask(definition, withVersion("two")), await ask(definition, withVersion("three"))], ["/two/x", 403]);
    },
  };
  const one = async (members) => made({ not_versioned: false, default_version: "one", versions: { one: { name: "one", ...members } } });
  const VersionInfo = {
    async name() {
      const requested = async (name) => {
        const definition = await made({ not_versioned: false, default_version: "one", versions: { one: { name } } }, { use_keyless: false });
        const { key } = await keys.issue({ access_rights: rights(definition, { versions: ["named"] }) });
        return (await keys.call(key, definition)).status;
      };
      assert.deepEqual([await requested("named"), await requested("another")], [200, 403]);
    },
    async expires() {
      assert.deepEqual([await ask(await one({ expires: FUTURE })), await ask(await one({ expires: PAST }))], ["/up/x", 403]);
    },
    async override_target() {
      assert.deepEqual([await ask(await one(two().two)), await ask(await one({}))], ["/two/x", "/up/x"]);
    },
  };
  const ApiDefinition = {
    async version_data() {
      const closed = await loaded(version({ use_extended_paths: false, paths: { black_list: ["/x"] } }));
      assert.deepEqual([await ask(closed), await ask(await loaded({}))], [403, "/up/x"]);
    },
    async expiration() {
      const requested = async (expiration) => call(await loaded({ expiration }), "x");
      const [future, past] = [await requested(FUTURE), await requested(PAST)];
      assert.deepEqual([future.status, past.status], [200, 403]);
      assert.equal(future.headers["x-gateway-api-expires"], "Wed, 02 Jan 2999 15:04:00 UTC");
    },
  };
  return { VersionData, VersionInfo, ApiDefinition };
}

/** Which path rules apply. */
function rules({ loaded, call }) {
  const closed = async (members, path = "x") => (await call(await loaded(version(members)), path)).status === 403;
  const paths = { black_list: ["/x"] };
  const extended_paths = { black_list: [{ path: "/x" }] };
  return {
    async paths() {
      assert.deepEqual([await closed({ paths }), await closed({ paths: {} })], [true, false]);
    },
    async use_extended_paths() {
      const [on, off] = [true, false].map((use_extended_paths) => ({ use_extended_paths, extended_paths }));
      assert.deepEqual([await closed(on), await closed(off)], [true, false]);
    },
    async extended_paths() {
      const on = { use_extended_paths: true };
      assert.deepEqual([await closed({ ...on, extended_paths }), await closed({ ...on, extended_paths: {} })], [true, false]);
    },
    async ignore_endpoint_case() {
      const [on, off] = [true, false].map((ignore_endpoint_case) => extended(extended_paths, { ignore_endpoint_case }));
      const statuses = [await call(await loaded(on), "X"), await call(await loaded(off), "X")].map(({ status }) => status);
      assert.deepEqual(statuses, [403, 200]);
    },
  };
}

/** The demonstrations on a stage, in groups that may share types. */
export const versions = (stage) => [children(stage), own(stage), { VersionInfo: rules(stage) }];
