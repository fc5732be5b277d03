// A small set-up that shows what a gateway is for: two versions of an API with transforms and limits, a cached one that
// is open to all, an OpenAPI document with a mock and validation, an MCP proxy with a rule for a tool, policies, keys,
// and a client identity provider whose scopes map to them. Storing it again resets it.

const on = { enabled: true };
const TAGS = ["example"];

/** The keys by their custom ids, which are also their tokens, because their sessions have no organisation. */
export const KEYS = { shop: "example-shop", trial: "example-trial" };

const versioned = (id, upstream, members) => ({
  api_id: id,
  tags: TAGS,
  use_keyless: false,
  auth: { auth_header_name: "Authorization" },
  ...members,
  proxy: { target_url: `${upstream}/`, strip_listen_path: true, ...members.proxy },
});

function definitions(upstream) {
  const orders = versioned("example-orders", upstream, {
    name: "Orders",
    proxy: { listen_path: "/example/orders/" },
    global_rate_limit: { rate: 100, per: 1 },
    definition: { enabled: true, name: "v1", default: "self", location: "header", key: "X-Api-Version", versions: { v2: "example-orders-v2" } },
    version_data: {
      not_versioned: true,
      versions: {
        Default: {
          name: "Default",
          use_extended_paths: true,
          global_headers: { "X-Shop": "example" },
          global_response_headers: { "X-Served-By": "Gatewright" },
          extended_paths: {
            url_rewrites: [{ path: "/all", method: "GET", match_pattern: "/all", rewrite_to: "/orders" }],
            black_list: [{ path: "/orders/purge", method_actions: { POST: { action: "no_action", code: 200, data: "", headers: {} } } }],
            hard_timeouts: [{ path: "/orders", method: "GET", timeout: 5 }],
          },
        },
      },
    },
  });
  const second = versioned("example-orders-v2", upstream, {
    name: "Orders, version 2",
    internal: true,
    proxy: { listen_path: "/example/orders-v2/" },
    version_data: {
      not_versioned: true,
      versions: {
        Default: {
          name: "Default",
          use_extended_paths: true,
          extended_paths: { url_rewrites: [{ path: "/all", method: "GET", match_pattern: "/all", rewrite_to: "/orders?version=2" }] },
        },
      },
    },
  });
  const weather = versioned("example-weather", upstream, {
    name: "Weather",
    use_keyless: true,
    proxy: { listen_path: "/example/weather/", target_url: `${upstream}/weather/` },
    cache_options: { enable_cache: true, cache_timeout: 10, cache_all_safe_requests: true, cache_response_codes: [200] },
    CORS: { enable: true, allowed_origins: ["https://shop.example"], allowed_methods: ["GET"] },
  });
  return [second, orders, weather];
}

function catalogue(upstream) {
  const article = { type: "object", required: ["name"], properties: { name: { type: "string", minLength: 1 }, price: { type: "number", minimum: 0 } } };
  const responses = { 200: { description: "An article", content: { "application/json": { schema: article, example: { name: "tea", price: 4.5 } } } } };
  return {
    openapi: "3.0.3",
    info: { title: "Catalogue", version: "1.0.0", description: "Mocked by its examples until somebody has built it." },
    servers: [{ url: `${upstream}/` }],
    paths: {
      "/articles/{name}": {
        parameters: [{ name: "name", in: "path", required: true, schema: { type: "string" } }],
        get: { operationId: "article", summary: "One article", responses },
      },
      "/articles": {
        post: { operationId: "add", summary: "A new article", requestBody: { required: true, content: { "application/json": { schema: article } } }, responses },
      },
    },
    "x-gateway-api-gateway": {
      info: { id: "example-catalogue", name: "Catalogue", state: { active: true } },
      upstream: { url: `${upstream}/` },
      server: { listenPath: { value: "/example/catalogue/", strip: true } },
      middleware: {
        operations: {
          article: { mockResponse: { ...on, fromOASExamples: on } },
          add: { validateRequest: { ...on, errorResponseCode: 422 }, mockResponse: { ...on, fromOASExamples: on } },
        },
      },
    },
  };
}

const tools = (upstream) => ({
  openapi: "3.0.3",
  info: { title: "Warehouse", version: "1.0.0" },
  paths: {},
  "x-gateway-api-gateway": {
    info: { id: "example-warehouse", name: "Warehouse", state: { active: true } },
    upstream: { url: `${upstream}/mcp` },
    server: { listenPath: { value: "/example/warehouse/", strip: true } },
    middleware: { mcpTools: { discard: { block: on } } },
  },
});

const rights = (...ids) => Object.fromEntries(ids.map((id) => [id, { api_id: id, versions: ["Default"] }]));
const ORDERS = ["example-orders", "example-orders-v2"];
const POLICIES = [
  { id: "example-gold", name: "Gold", rate: 50, per: 1, quota_max: 10_000, quota_renewal_rate: 86_400, access_rights: rights(...ORDERS), active: true, tags: TAGS },
  { id: "example-trial", name: "Trial", rate: 2, per: 10, quota_max: 20, quota_renewal_rate: 3_600, access_rights: rights("example-orders"), active: true, tags: TAGS },
];
const SESSIONS = {
  [KEYS.shop]: { alias: "The shop", apply_policies: ["example-gold"], tags: TAGS },
  [KEYS.trial]: { alias: "Somebody who tries", apply_policies: ["example-trial"], tags: TAGS },
};
const PROVIDER = {
  name: "Login of the shop",
  client_idp_id: "example-login",
  jwks_uri: "https://login.shop.example/keys",
  api_mappings: { "example-orders": { scope_to_policy: { "orders:read": "example-trial", "orders:all": "example-gold" } } },
};

/** Stores everything and reloads. `call` is `(administration, method, path, body) => { status, text }`. */
export async function store(call, upstream) {
  const put = async (method, path, body) => {
    const answer = await call("gateway", method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
  };
  for (const definition of definitions(upstream)) await put("POST", "/gateway/apis?strict=true", definition);
  await put("POST", "/gateway/apis/oas?strict=true", catalogue(upstream));
  await put("POST", "/gateway/mcps?strict=true", tools(upstream));
  for (const policy of POLICIES) await put("POST", "/gateway/policies", policy);
  await put("GET", "/gateway/reload?block=true");
  for (const [id, session] of Object.entries(SESSIONS)) await put("POST", `/gateway/keys/${id}`, session);
  const made = await call("dashboard", "POST", "/api/clientidps", PROVIDER);
  // It exists already if the example is restarted.
  if (made.status >= 300 && made.status !== 409) throw new Error(`client identity provider: ${made.status} ${made.text}`);
}

/** Whether a gateway has APIs, but not those of the example. */
export async function isForeign(call) {
  const { status, text } = await call("gateway", "GET", "/gateway/apis");
  if (status !== 200) throw new Error(`GET /gateway/apis: ${status} ${text}`);
  const apis = JSON.parse(text);
  return apis.length > 0 && !apis.some(({ api_id: id }) => id.startsWith("example-"));
}
