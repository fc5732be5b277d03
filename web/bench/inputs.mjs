// The documents used for measuring: generated from counters, so that every run has the same.

const METHODS = ["GET", "POST", "PUT", "DELETE"];

/** Rules for single paths, as for a gateway in front of a REST service. */
function rules(count) {
  const path = (n) => `/v1/tenants/{tenant}/resource-${n}/{id}`;
  const method = (n) => METHODS[n % METHODS.length];
  const list = (rule) => Array.from({ length: count }, (_, n) => rule(n));
  return {
    ignored: list((n) => ({ disabled: false, path: path(n), method: "GET", ignore_case: n % 2 === 0 })),
    transform_headers: list((n) => ({
      disabled: false,
      path: path(n),
      method: method(n),
      delete_headers: ["X-Internal-Trace"],
      add_headers: { "X-Resource": `resource-${n}`, "X-Team": "Bücher & Noten" },
      act_on: false,
    })),
    url_rewrites: list((n) => ({
      disabled: false,
      path: path(n),
      method: method(n),
      match_pattern: `^/v1/tenants/([^/]+)/resource-${n}/(\\d+)$`,
      rewrite_to: `https://service-${n % 7}.internal.example/t/$1/${n}?id=$2`,
      triggers: [],
    })),
    hard_timeouts: list((n) => ({ disabled: false, path: path(n), method: method(n), timeout: 5 + (n % 20) })),
  };
}

/** Returns an API definition with this many rules of each kind. */
function definition(count) {
  return {
    name: "Tenants and their resources",
    api_id: "tenants",
    org_id: "example-org",
    active: true,
    use_keyless: true,
    auth_configs: { authToken: { auth_header_name: "Authorization" } },
    tags: ["internal", "eu"],
    CORS: { enable: false, allowed_origins: ["https://console.example"], max_age: 60 },
    cache_options: { enable_cache: false, cache_timeout: 60, cache_all_safe_requests: false },
    proxy: { listen_path: "/tenants/", target_url: "https://tenants.internal.example/", strip_listen_path: true },
    enable_batch_request_support: true,
    version_data: {
      not_versioned: true,
      versions: { Default: { name: "Default", use_extended_paths: true, extended_paths: rules(count) } },
    },
  };
}

/** Returns the longest definition with such rules that has at most `bytes` bytes, formatted with `space`. */
function definitionOf(bytes, space) {
  const text = (count) => JSON.stringify(definition(count), null, space);
  let [low, high] = [0, 1];
  while (text(high).length <= bytes) high *= 2;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (text(middle).length <= bytes) low = middle;
    else high = middle;
  }
  return text(low);
}

/** Ten kinds of mistakes, in rules of nine lines. */
const MISTAKES = [
  (rule) => ({ ...rule, disabled: "false" }),
  ({ method, ...rule }) => ({ ...rule, metod: method }),
  (rule) => ({ ...rule, timeout: "5" }),
  (rule) => ({ ...rule, timeout: 1.5 }),
  (rule) => ({ ...rule, path: 7 }),
  ({ path, ...rule }) => ({ ...rule, pth: path }),
  (rule) => ({ ...rule, method: ["GET"] }),
  (rule) => ({ ...rule, disabled: 0 }),
  ({ timeout, ...rule }) => ({ ...rule, time_out: timeout }),
  (rule) => ({ ...rule, method: 0 }),
];

/** Returns a definition of 10,000 lines with a mistake in each of 1,000 rules. */
function problems() {
  const document = definition(0);
  const rule = (n) => ({ disabled: true, path: `/v1/resource-${n}`, method: "GET", timeout: 5 });
  const rules = Array.from({ length: 1000 }, (_, n) => MISTAKES[n % MISTAKES.length](rule(n)));
  const lines = () => JSON.stringify(document, null, 2).split("\n").length;
  document.version_data.versions.Default.extended_paths = { hard_timeouts: rules };
  for (let n = 0; lines() < 10_000; n++) rules.push(rule(1000 + n));
  return JSON.stringify(document, null, 2);
}

/** Returns a client identity provider with scopes for 1,000 APIs. */
function provider() {
  const mapping = (n) => ({
    scope_to_policy: { read: `policy-${n}-read`, write: `policy-${n}-write`, admin: "policy-admin" },
  });
  const mappings = Array.from({ length: 1000 }, (_, n) => [`api-${String(n).padStart(4, "0")}`, mapping(n)]);
  return {
    name: "Example login",
    client_idp_id: "example-login",
    issuer: "https://login.example/",
    jwks_uri: "https://login.example/.well-known/jwks.json",
    scope_claim_name: "scope",
    api_mappings: Object.fromEntries(mappings),
  };
}

/** Returns a merge patch that changes 80 mappings, removes 10 and adds 10. */
function patch() {
  const changes = {};
  for (let n = 0; n < 90; n++) {
    const id = `api-${String(n * 11).padStart(4, "0")}`;
    changes[id] = n % 9 === 8 ? null : { scope_to_policy: { write: `policy-${n}-changed`, admin: null } };
  }
  for (let n = 0; n < 10; n++) changes[`api-new-${n}`] = { scope_to_policy: { read: "policy-new" } };
  return { api_mappings: changes };
}

/** Returns all inputs as texts, by file name. `apply` merges a patch into a document. */
export function inputs(apply) {
  const before = provider();
  return {
    small: definitionOf(20_000, 2),
    large: definitionOf(1_000_000, 2),
    problems: problems(),
    provider: JSON.stringify(before, null, 2),
    patch: JSON.stringify(patch(), null, 2),
    changed: JSON.stringify(apply(structuredClone(before), patch()), null, 2),
  };
}
