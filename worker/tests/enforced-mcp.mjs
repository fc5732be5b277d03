// Demonstrations of what the support table calls enforced: MCP proxies and the rights that keys have there. Run by
// enforced-apis.mjs and enforced-keys.test.mjs.

import assert from "node:assert/strict";

const HEADERS = { "Content-Type": "application/json" };

/** Returns a request to an MCP proxy. */
export const message = (method, params) => ({
  method: "POST",
  rest: "",
  headers: HEADERS,
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
});

const tool = (name) => message("tools/call", { name });
const RATE = { rate: 1, per: 3600 };

/**
 * Rights at an MCP proxy, each shown by the status of a message. `statuses` sends a message a number of times with a
 * new key that has this right.
 */
export function rightsAtMcp(statuses) {
  const once = async (access, sent) => (await statuses(access, sent, 1))[0];
  /** Asserts that a message passes with one right and is refused with the other. */
  const both = async (passes, refused, sent) => assert.deepEqual([await once(passes, sent), await once(refused, sent)], [200, 403]);
  const primitives = (rules) => ({ mcp_access_rights: rules });
  const twice = async (limited, free, sent) => assert.deepEqual([await statuses(limited, sent, 2), await statuses(free, sent, 2)], [[200, 429], [200, 200]]);
  const method = (members) => ({ json_rpc_methods: [{ name: "ping", limit: RATE, ...members }] });
  const primitive = (members) => ({ mcp_primitives: [{ type: "tool", name: "a", limit: RATE, ...members }] });
  const blocked = { blocked: ["a"] };
  return {
    AccessDefinition: {
      json_rpc_methods: () => twice(method(), { json_rpc_methods: [] }, message("ping")),
      json_rpc_methods_access_rights: () => both({}, { json_rpc_methods_access_rights: { blocked: ["ping"] } }, message("ping")),
      mcp_primitives: () => twice(primitive(), { mcp_primitives: [] }, tool("a")),
      mcp_access_rights: () => both({}, primitives({ tools: blocked }), tool("a")),
    },
    JSONRPCMethod: {
      name: () => twice(method(), method({ name: "tools/list" }), message("ping")),
      limit: () => twice(method(), method({ limit: { rate: -1, per: 1 } }), message("ping")),
    },
    MCPPrimitive: {
      type: () => twice(primitive(), primitive({ type: "prompt" }), tool("a")),
      name: () => twice(primitive(), primitive({ name: "b" }), tool("a")),
      limit: () => twice(primitive(), primitive({ limit: { rate: -1, per: 1 } }), tool("a")),
    },
    MCPAccessRights: {
      tools: () => both(primitives({ prompts: blocked }), primitives({ tools: blocked }), tool("a")),
      resources: () => both(primitives({ tools: blocked }), primitives({ resources: blocked }), message("resources/read", { uri: "a" })),
      prompts: () => both(primitives({ tools: blocked }), primitives({ prompts: blocked }), message("prompts/get", { name: "a" })),
    },
    AccessControlRules: {
      allowed: () => both(primitives({ tools: { allowed: ["a|b"] } }), primitives({ tools: { allowed: ["b"] } }), tool("a")),
      blocked: () => both(primitives({ tools: { blocked: ["ab"] } }), primitives({ tools: { blocked: ["a.*"] } }), tool("a")),
    },
  };
}

/** The demonstrations: how speaking MCP changes an API. */
export const mcp = ({ loaded, call }) => [
  {
    ApiDefinition: {
      async application_protocol() {
        const status = async (members) => (await call(await loaded(members), "", { method: "POST", headers: HEADERS, body: "{broken" })).status;
        assert.deepEqual([await status({ application_protocol: "mcp" }), await status({})], [400, 200]);
      },
    },
  },
];
