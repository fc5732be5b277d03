// Demonstrations of what the support table calls enforced: rules for all requests and responses of an API. Run by
// enforced-apis.mjs.

import assert from "node:assert/strict";
import { version } from "./enforced-stage.mjs";
import { values } from "./upstream.mjs";

const THEIRS = { headers: { "X-Own": "theirs" } };

/** Request headers. */
function requests({ loaded, call }) {
  /** Returns what the upstream receives of a header that the client has sent as well. */
  const sent = async (members, name = "x-own") => values((await call(await loaded(version(members)), "x", THEIRS)).json, name);
  const add = { global_headers: { "X-Own": "ours" } };
  const remove = { global_headers_remove: ["x-own"] };
  return {
    async global_headers() {
      assert.deepEqual([await sent(add), await sent({})], [["ours"], ["theirs"]]);
    },
    async global_headers_remove() {
      assert.deepEqual([await sent(remove), await sent({})], [[], ["theirs"]]);
    },
    async global_headers_disabled() {
      const both = { global_headers: { "X-More": "1" }, ...remove };
      assert.deepEqual([await sent(both), await sent(both, "x-more")], [[], ["1"]]);
      const off = { ...both, global_headers_disabled: true };
      assert.deepEqual([await sent(off), await sent(off, "x-more")], [["theirs"], []]);
    },
  };
}

/** Response headers; the upstream's include `X-Up`. */
function answers({ loaded, call }) {
  const got = async (members) => (await call(await loaded(version(members)), "named")).headers;
  const both = { global_response_headers: { "X-Own": "1" }, global_response_headers_remove: ["X-Up"] };
  return {
    async global_response_headers() {
      const [some, none] = [await got({ global_response_headers: { "X-Own": "1" } }), await got({})];
      assert.deepEqual([some["x-own"], none["x-own"]], ["1", undefined]);
    },
    async global_response_headers_remove() {
      const [some, none] = [await got({ global_response_headers_remove: ["X-Up"] }), await got({})];
      assert.deepEqual([some["x-up"], none["x-up"]], [undefined, "1"]);
    },
    async global_response_headers_disabled() {
      const [on, off] = [await got(both), await got({ ...both, global_response_headers_disabled: true })];
      assert.deepEqual([on["x-own"], on["x-up"], off["x-own"], off["x-up"]], ["1", undefined, undefined, "1"]);
    },
  };
}

/** Processors that responses pass through. */
function processors({ loaded, call, target }) {
  const got = async (...response_processors) => {
    const definition = await loaded({ response_processors });
    const { headers } = await call(definition, "named");
    // The API's listen path is different each time.
    return { ...headers, location: headers.location.replace(definition.proxy.listen_path, "/listen/") };
  };
  const injector = (options, name = "header_injector") => ({ name, options });
  const adds = { add_headers: { "X-Own": "1" } };
  const location = async (rev_proxy_header_cleanup) => (await got({ name: "header_transform", options: { rev_proxy_header_cleanup } })).location;
  const target_host = "https://outside.example";
  /** The header with the rule, and without. */
  const known = () => [`${target_host}/listen/a`, target("/up/a")];
  return {
    ApiDefinition: {
      async response_processors() {
        assert.deepEqual([(await got(injector(adds)))["x-own"], (await got())["x-own"]], ["1", undefined]);
      },
    },
    ResponseProcessor: {
      async name() {
        const none = await got(injector(adds, "header_transform"));
        assert.deepEqual([(await got(injector(adds)))["x-own"], none["x-own"]], ["1", undefined]);
      },
      async options() {
        assert.deepEqual([(await got(injector(adds)))["x-own"], (await got(injector({})))["x-own"]], ["1", undefined]);
      },
    },
    "ResponseProcessor.options (header_injector)": {
      async add_headers() {
        assert.deepEqual([(await got(injector(adds)))["x-own"], (await got(injector({ add_headers: {} })))["x-own"]], ["1", undefined]);
      },
      async remove_headers() {
        const removes = { remove_headers: ["X-Up"] };
        assert.deepEqual([(await got(injector(removes)))["x-up"], (await got(injector(adds)))["x-up"]], [undefined, "1"]);
      },
    },
    "ResponseProcessor.options (header_transform)": {
      async rev_proxy_header_cleanup() {
        assert.deepEqual([await location({ headers: ["Location"], target_host }), await location({})], known());
      },
    },
    "rev_proxy_header_cleanup (header_transform)": {
      async headers() {
        assert.deepEqual([await location({ headers: ["Location"], target_host }), await location({ headers: ["Link"], target_host })], known());
      },
      async target_host() {
        assert.deepEqual([await location({ headers: ["Location"], target_host }), await location({ headers: ["Location"], target_host: "" })], known());
      },
    },
  };
}

/** Variables of the request in rules. */
function variables({ loaded, call }) {
  const filled = async (enable_context_vars) => {
    const rules = version({ global_headers: { "X-Filled": "$gateway_context.headers_X_Own" } });
    return values((await call(await loaded({ enable_context_vars, ...rules }), "x", THEIRS)).json, "x-filled");
  };
  return {
    async enable_context_vars() {
      assert.deepEqual([await filled(true), await filled(false)], [["theirs"], [""]]);
    },
  };
}

/** The demonstrations on a stage, in groups that may share types. */
export const headers = (stage) => [
  { VersionInfo: requests(stage) },
  { VersionInfo: answers(stage) },
  { ApiDefinition: variables(stage) },
  processors(stage),
];
