// Demonstrations of what the support table calls enforced: rewritten addresses. Run by enforced-apis.mjs.

import assert from "node:assert/strict";
import { extended } from "./enforced-stage.mjs";
import { rights } from "./keyring.mjs";

const HOLDS = { match_rx: "^yes$" };
const NEGATED = { match_rx: "^yes$", reverse: true };
const BOTH = { header_matches: { "X-One": HOLDS, "X-Two": HOLDS } };

/** Rules whose paths name what they demonstrate; a trigger's destination is /there. */
const row = (path, members) => ({ path: `/${path}`, method: "GET", match_pattern: ".*", rewrite_to: "/here", ...members });
const trigger = (path, options, members) => row(path, { triggers: [{ on: "all", options, rewrite_to: "/there", ...members }] });

const ROWS = [
  row("groups", { match_pattern: "groups/(\\w+)$", rewrite_to: "/group/$1" }),
  row("plain"),
  trigger("all", BOTH),
  trigger("any", BOTH, { on: "any" }),
  trigger("elsewhere", { header_matches: { "X-One": HOLDS } }, { rewrite_to: "/elsewhere" }),
  trigger("header", { header_matches: { "X-One": HOLDS } }),
  trigger("reverse", { header_matches: { "X-One": NEGATED } }),
  trigger("query", { query_val_matches: { a: HOLDS } }),
  trigger("part", { path_part_matches: { any: HOLDS } }),
  trigger("context", { request_context_matches: { headers_X_One: HOLDS } }),
  { ...trigger("payload", { payload_matches: { match_rx: "secret" } }), method: "POST" },
];

export function rewrites({ once, loaded, call, keys }) {
  const api = once({ enable_context_vars: true, ...extended({ url_rewrites: ROWS }) });
  /** Returns the address requested at the upstream. */
  const to = async (path, headers, options) => (await call(await api(), path, { headers, ...options })).json.url.slice("/up/".length);
  /** Returns it with a matching header and without. */
  const withAndWithout = async (path) => [await to(path, { "X-One": "yes" }), await to(path, { "X-One": "no" })];

  const StringRegexMap = {
    match_rx: async () => assert.deepEqual(await withAndWithout("header"), ["there", "here"]),
    reverse: async () => assert.deepEqual(await withAndWithout("reverse"), ["here", "there"]),
  };
  const URLRewriteMeta = {
    async match_pattern() {
      assert.deepEqual([await to("groups/one"), await to("groups/one/two")], ["group/one", "groups/one/two"]);
    },
    async rewrite_to() {
      assert.deepEqual([await to("groups/one"), await to("plain")], ["group/one", "here"]);
    },
    async triggers() {
      assert.deepEqual([...(await withAndWithout("header")), await to("plain", { "X-One": "yes" })], ["there", "here", "here"]);
    },
  };
  const RoutingTrigger = {
    async on() {
      const one = { "X-One": "yes", "X-Two": "no" };
      assert.deepEqual([await to("all", one), await to("any", one)], ["here", "there"]);
    },
    async options() {
      const both = { "X-One": "yes", "X-Two": "yes" };
      assert.deepEqual([await to("all", both), await to("query", both)], ["there", "here"]);
    },
    async rewrite_to() {
      const one = { "X-One": "yes" };
      assert.deepEqual([await to("elsewhere", one), await to("header", one)], ["elsewhere", "there"]);
    },
  };
  const RoutingTriggerOptions = {
    header_matches: async () => assert.deepEqual(await withAndWithout("header"), ["there", "here"]),
    request_context_matches: async () => assert.deepEqual(await withAndWithout("context"), ["there", "here"]),
    async query_val_matches() {
      assert.deepEqual([await to("query?a=yes"), await to("query?a=no")], ["there", "here"]);
    },
    async path_part_matches() {
      assert.deepEqual([await to("part/yes"), await to("part/no")], ["there", "here"]);
    },
    async payload_matches() {
      const post = (body) => to("payload", {}, { method: "POST", body });
      assert.deepEqual([await post("a secret word"), await post("a word")], ["there", "here"]);
    },
    async session_meta_matches() {
      const rule = trigger("meta", { session_meta_matches: { tier: HOLDS } });
      const definition = await loaded({ use_keyless: false, ...extended({ url_rewrites: [rule] }) });
      const asked = async (tier) => {
        const { key } = await keys.issue({ access_rights: rights(definition), meta_data: { tier } });
        return (await keys.call(key, definition, { rest: "meta" })).json.url;
      };
      assert.deepEqual([await asked("yes"), await asked("no")], ["/up/there", "/up/here"]);
    },
  };
  return [{ StringRegexMap, URLRewriteMeta, RoutingTrigger, RoutingTriggerOptions }];
}
