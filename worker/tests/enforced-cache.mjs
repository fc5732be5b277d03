// Demonstrations of what the support table calls enforced: caching. Run by enforced-apis.mjs.

import assert from "node:assert/strict";
import { extended } from "./enforced-stage.mjs";

const OPTIONS = { enable_cache: true, cache_all_safe_requests: true };
const NAMED = { "X-Ttl": "0", "X-Gateway-Cache-Action-Set-Ttl": "60" };

/** The demonstrations: each shows a member's effect by whether a second request is answered from the cache. */
export function caching({ loaded, call }) {
  const isCached = ({ headers }) => headers["x-gateway-cached-response"] === "1";
  /** Whether the second of two requests to an API with these settings is answered from the cache. */
  async function keeps(cache_options, { members, path = "x", first = {}, then = first, wait = 0 } = {}) {
    const definition = await loaded({ cache_options: { ...OPTIONS, ...cache_options }, ...members });
    await call(definition, path, first);
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    return isCached(await call(definition, path, then));
  }
  const listed = (lists) => extended(lists);
  const safe = { cache_all_safe_requests: false };
  /** The same with one row of advance_cache_config, for a matching path. */
  const row = (members, more = {}) =>
    keeps(safe, { members: listed({ advance_cache_config: [{ path: "/x", method: "GET", ...members }] }), ...more });
  const post = (body) => ({ method: "POST", body });
  const tenant = (name) => ({ headers: { "X-Tenant": name } });
  const both = async (one, other) => assert.deepEqual([await one, await other], [true, false]);

  return [
    {
      ApiDefinition: { cache_options: () => both(keeps({}), keeps({ enable_cache: false })) },
      ExtendedPathsSet: {
        cache: () => both(keeps(safe, { members: listed({ cache: ["/x"] }) }), keeps(safe, { members: listed({ cache: ["/y"] }) })),
        advance_cache_config: () => both(row({}), row({ path: "/y" })),
      },
      CacheOptions: {
        enable_cache: () => both(keeps({ enable_cache: true }), keeps({ enable_cache: false })),
        cache_timeout: () => both(keeps({ cache_timeout: 60 }), keeps({ cache_timeout: 0 })),
        cache_all_safe_requests: () => both(keeps({}), keeps(safe)),
        cache_response_codes: () => both(keeps({ cache_response_codes: [200] }), keeps({ cache_response_codes: [404] })),
        cache_by_headers: () =>
          both(keeps({}, { first: tenant("a"), then: tenant("b") }), keeps({ cache_by_headers: ["x-tenant"] }, { first: tenant("a"), then: tenant("b") })),
        enable_upstream_cache_control: () =>
          both(keeps({}, { path: "not-kept" }), keeps({ enable_upstream_cache_control: true }, { path: "not-kept" })),
        cache_control_ttl_header: () =>
          both(
            keeps({ enable_upstream_cache_control: true, cache_control_ttl_header: "" }, { path: "says-ttl" }),
            keeps({ enable_upstream_cache_control: true, cache_control_ttl_header: "X-Ttl" }, { path: "says-ttl" }),
          ),
      },
      CacheMeta: {
        path: () => both(row({}), row({ path: "/y" })),
        method: () => both(row({ method: "POST" }, { first: post("a") }), row({ method: "PUT" }, { first: post("a") })),
        disabled: () => both(row({ disabled: false }), row({ disabled: true })),
        timeout: () => both(row({ timeout: 60 }, { wait: 1100 }), row({ timeout: 1 }, { wait: 1100 })),
        cache_key_regex: () =>
          both(
            row({ method: "POST", cache_key_regex: "id=." }, { first: post("id=1&t=a"), then: post("id=1&t=b") }),
            row({ method: "POST" }, { first: post("id=1&t=a"), then: post("id=1&t=b") }),
          ),
        cache_response_codes: () => both(row({ cache_response_codes: [200] }), row({ cache_response_codes: [404] })),
      },
    },
  ];
}

/** Routes that the upstream needs. */
export const cacheRoutes = {
  "/up/not-kept": (request, response) => response.writeHead(200, { "Cache-Control": "no-cache" }).end(),
  "/up/says-ttl": (request, response) => response.writeHead(200, NAMED).end(),
};
