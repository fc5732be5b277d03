// The contents of the pages: APIs in every state, documents of every kind, and some requests.

import { definition, laidOut } from "../console.mjs";

const SERVICES = ["Orders", "Payments", "Inventory", "Customer profile", "Search", "Shipping quotes", "Invoices", "Feature flags", "Geo lookup", "Image resize", "Notifications", "Identity"];

const versionWithRules = {
  name: "Default",
  use_extended_paths: true,
  extended_paths: {
    ignored: Array.from({ length: 120 }, (_, n) => ({ path: `/public/${n}`, method: "GET" })),
    mock_response: [{ path: "/a" }, { path: "/teapot", method: "GET", code: 418, body: "short\nand stout", headers: { "x-kind": "pot" }, mine: [1.0] }],
  },
};

const base64 = (text) => Buffer.from(text).toString("base64");
const TEMPLATE = `{
  "customer": "{{ .name | title }}",
  "path": "{{ ._gateway_context.path }}",
  "tags": [{{ range $n, $tag := .tags }}{{ if $n }}, {{ end }}{{ $tag | upper | quote }}{{ end }}]
}`;
const keptAndRewritten = {
  name: "Default",
  use_extended_paths: true,
  extended_paths: {
    cache: ["/list", "/prices/{id}"],
    advance_cache_config: [{ method: "POST", path: "/search", timeout: 90, cache_key_regex: "id=\\d+", cache_response_codes: [200] }],
    transform: [{ path: "/orders", method: "POST", template_data: { template_mode: "blob", template_source: base64(TEMPLATE), input_type: "json", enable_session: true } }],
    transform_jq_response: [{ path: "/orders/{id}", method: "GET", filter: "{body: (.body | del(.secret)), rewrite_headers: {\"x-tags\": (.body.tags | length)}}" }],
  },
};

/** Stores everything and returns the ids used in addresses: of a provider, a ruleset, a webhook and a key. */
export async function stored(stage) {
  const service = (name, n) =>
    definition(
      name,
      { tags: [["public", "eu"], ["internal"], ["public", "beta", "mobile"], []][n % 4], active: n !== 4, internal: n === 7, domain: n % 5 === 3 ? "api.example.com" : "" },
      { target_url: n === 0 ? stageUpstream : `http://${name.toLowerCase().replaceAll(" ", "-")}.svc.internal:8080/v${(n % 4) + 1}` },
    );
  const stageUpstream = stage.upstream.url;
  for (const [n, name] of SERVICES.entries()) await stage.store(laidOut(service(name, n)));
  await stage.store(laidOut(definition("Tickets", { use_keyless: false }, { target_url: stageUpstream })));
  const kept = { enable_context_vars: true, cache_options: { enable_cache: true, cache_timeout: 600, enable_upstream_cache_control: true, cache_by_headers: ["Accept-Language"] } };
  await stage.store(laidOut({ ...definition("Price feed", kept, { target_url: stageUpstream }), version_data: { not_versioned: true, versions: { Default: keptAndRewritten } } }));
  await stage.store(laidOut(definition("Single sign-on", { use_keyless: false, enable_coprocess_auth: true })));
  await stage.reload();
  await stage.admin("PUT", "/gateway/apis/inventory", { body: laidOut({ ...service("Inventory", 2), tags: ["changed"] }) });
  await stage.store(laidOut(definition("Price list")));
  await stage.store(laidOut({ ...definition("Rules"), version_data: { versions: { Default: versionWithRules } } }));
  await stage.admin("DELETE", "/gateway/apis/search");
  const idp = await providers(stage);
  const ruleset = await rulesets(stage);
  const hook = await hooks(stage);
  await credentials(stage);
  const key = await keys(stage);
  await documents(stage);
  await traffic(stage);
  return { idp, ruleset, hook, key };
}

/** Stores a few providers and returns the internal id of the first one. */
async function providers(stage) {
  const scopes = (names) => ({ scope_to_policy: Object.fromEntries(names.map((name, n) => [name, `policy-${n + 1}`])) });
  const mappings = { orders: scopes(["orders:read", "orders:write"]), payments: scopes(["payments:charge", "payments:refund", "payments:read"]), inventory: scopes(["stock"]) };
  const make = async (name, api_mappings) => {
    const host = name.toLowerCase().replaceAll(" ", "-");
    const body = { name, issuer: `https://${host}.example.com/`, jwks_uri: `https://${host}.example.com/.well-known/jwks.json`, api_mappings };
    return (await stage.dashboard("POST", "/api/clientidps", { body: laidOut(body) })).json.Meta;
  };
  await make("Partner login", { orders: scopes(["orders:read"]) });
  await make("Back office", {});
  return make("Customer accounts", mappings);
}

/** Issues credentials in every state. */
async function credentials(stage) {
  const issue = async (body) => (await stage.admin("POST", "/gateway/dashboard/credentials", { body })).json.key;
  await issue({ name: "Deploy robot", permissions: { rulesets: "write", clientidps: "write", apis: "read" }, expires_at: "2099-12-31T00:00:00Z" });
  await issue({ name: "Partner portal", org_id: "partner", permissions: { clientidps: "read" } });
  const old = await issue({ name: "Old laptop", permissions: { rulesets: "write", clientidps: "write", hooks: "write", apis: "write" } });
  await stage.admin("DELETE", `/gateway/dashboard/credentials/${old}`);
}

/** Stores a few rulesets and returns the internal id of the first one. */
async function rulesets(stage) {
  const rule = { given: "$.info", severity: "warn", then: { field: "contact", function: "truthy" } };
  const make = async (name, members) => {
    const body = { name, definition: laidOut({ rules: { "info-contact": rule } }), ...members };
    return (await stage.dashboard("POST", "/api/rulesets", { body: laidOut(body) })).json.Meta;
  };
  await make("Naming of tools", { resource_type: "mcp-api" });
  return make("House style", { active: true, action: "warn", description: "What every API document is to have" });
}

/** Stores OpenAPI APIs and MCP proxies. */
async function documents(stage) {
  const document = (id, name, paths, middleware = {}) => ({
    openapi: "3.0.3",
    info: { title: name, version: "1.0.0" },
    paths,
    "x-gateway-api-gateway": {
      info: { id, name, state: { active: true } },
      upstream: { url: `https://${id}.svc.internal:8080/` },
      server: { listenPath: { value: `/${id}/`, strip: true } },
      middleware,
    },
  });
  const operation = (operationId, summary) => ({ operationId, summary, responses: { 200: { description: "ok" } } });
  const id = { parameters: [{ name: "id", in: "path", required: true, schema: { type: "string" } }] };
  const paths = {
    "/tickets": { get: operation("listTickets", "All open tickets"), post: operation("openTicket", "Opens a ticket") },
    "/tickets/{id}": { ...id, get: operation("readTicket", "One ticket"), delete: operation("closeTicket", "Closes a ticket") },
    "/tickets/{id}/comments/with/a/path/that/is/long/enough/to/wrap": { ...id, post: operation("comment", "Comments on a ticket") },
  };
  const operations = {
    openTicket: { validateRequest: { enabled: true, errorResponseCode: 422 }, rateLimit: { enabled: true, rate: 10, per: "1m" } },
    closeTicket: { block: { enabled: true } },
    listTickets: { cache: { enabled: true, timeout: 60 }, trackEndpoint: { enabled: true } },
  };
  await stage.admin("POST", "/gateway/apis/oas", { body: document("tickets", "Tickets", paths, { operations }) });
  const next = { ...paths, "/tickets": { get: { ...paths["/tickets"].get, summary: "All tickets, closed ones too" } }, "/queues": { get: operation("listQueues", "Who waits for what") } };
  const versioned = { base_api_id: "tickets", base_api_version_name: "2025-11", new_version_name: "2026-07" };
  await stage.admin("POST", "/gateway/apis/oas", { query: versioned, body: document("tickets-next", "Tickets, next version", next, { operations: { listTickets: operations.listTickets } }) });
  await stage.admin("POST", "/gateway/apis/oas", { body: document("parcels", "Parcels", {}) });
  const tools = { mcpTools: { get_weather: { allow: { enabled: true } }, get_forecast: { allow: { enabled: true }, rateLimit: { enabled: true, rate: 60, per: "1m" } } }, mcpResources: { "file:///reports/*": { block: { enabled: true } } } };
  await stage.admin("POST", "/gateway/mcps", { body: document("weather", "Weather tools", {}, tools) });
  const proxy = document("desk", "Tools of the ticket desk", {}, { mcpTools: { listTickets: { rateLimit: { enabled: true, rate: 60, per: "1m" } }, openTicket: { block: { enabled: true } }, comment: {}, moveTicket: { block: { enabled: true } } } });
  const extension = proxy["x-gateway-api-gateway"];
  extension.upstream.url = "gateway://tickets/mcp";
  extension.server.authentication = { enabled: true, securitySchemes: { token: { enabled: true } } };
  const security = { security: [{ token: [] }], components: { securitySchemes: { token: { type: "apiKey", in: "header", name: "Authorization" } } } };
  await stage.admin("POST", "/gateway/mcps", { body: { ...proxy, ...security } });
  const rights = (tools) => ({ access_rights: { desk: { api_id: "desk", api_name: "Tools of the ticket desk", versions: ["Default"], mcp_access_rights: { tools } } } });
  await stage.admin("POST", "/gateway/policies", { body: { id: "desk-readers", name: "Readers of the ticket desk", active: true, ...rights({ allowed: ["list.*", "read.*"] }) } });
  await stage.admin("POST", "/gateway/policies", { body: { id: "desk-agents", name: "Agents", active: true, ...rights({ blocked: ["comment"] }) } });
}

/**
 * Stores a webhook whose target doesn't respond, sends it a test and two notifications, and returns its internal id.
 */
async function hooks(stage) {
  const make = async (body) => (await stage.dashboard("POST", "/api/hooks", { body: laidOut({ method: "POST", ...body }) })).json.Meta;
  await make({ name: "Everything, to the log", target_path: "https://log.invalid/gatewright", subscriptions: ["*"] });
  await make({ method: "GET", target_path: "https://cache.invalid/purge", subscriptions: ["GroupReload", "ApiUpdated"], webhook_id: "purge" });
  const body = { name: "Audit log", target_path: "https://hooks.invalid/in", header_map: { "x-from": "gateway" }, event_timeout: 30, subscriptions: ["ApiAdded", "ApiRemoved"] };
  const id = await make(body);
  await stage.dashboard("POST", `/api/hooks/${id}/test`);
  await stage.store(laidOut(definition("Short lived")));
  await stage.admin("DELETE", "/gateway/apis/short-lived");
  return id;
}

/** Stores policies, keys in every state and an organisation; returns the hash of the first key. */
async function keys(stage) {
  const right = (...ids) => Object.fromEntries(ids.map((id) => [id, { api_id: id, versions: ["Default"] }]));
  await stage.store(laidOut(definition("Billing", { use_keyless: false, org_id: "acme" })));
  const policy = (id, name, members) => stage.admin("POST", "/gateway/policies", { body: { id, name, ...members } });
  await policy("gold", "Gold plan", { rate: 100, per: 60, quota_max: 50000, quota_renewal_rate: 86400, tags: ["paid"], access_rights: right("orders", "payments", "inventory") });
  await policy("trial", "Trial", { rate: 1, per: 1, quota_max: 100, quota_renewal_rate: 3600, is_inactive: true, access_rights: right("orders") });
  const make = async (body) => (await stage.admin("POST", "/gateway/keys", { body })).json.key_hash;
  await make({ alias: "Old laptop", is_inactive: true, access_rights: right("orders", "payments", "inventory") });
  await make({ alias: "Mobile app", apply_policies: ["trial"], tags: ["mobile", "beta", "eu"], expires: 4_070_908_800 });
  await make({ access_rights: right("billing"), org_id: "acme" });
  await stage.admin("POST", "/gateway/org/keys/acme", { body: { quota_max: 1_000_000, quota_renewal_rate: 2_592_000, is_inactive: true } });
  return make({ alias: "Partner portal", apply_policies: ["gold"], tags: ["partner"], expires: 4_070_908_800 });
}

/** Sends requests of every kind; one key has nearly used up its quota, and one has no quota left. */
async function traffic(stage) {
  const make = async (members) => {
    const body = { access_rights: { tickets: { api_id: "tickets" } }, quota_renewal_rate: 86_400, ...members };
    return (await stage.admin("POST", "/gateway/keys", { body })).json.key;
  };
  const box = await make({ alias: "Box office", quota_max: 12 });
  const kiosk = await make({ alias: "Kiosk", quota_max: 5 });
  const phone = await make({ alias: "Telephone", quota_max: 1000, rate: 6, per: 60 });
  const call = async (path, times, Authorization) => {
    for (let sent = 0; sent < times; sent += 1) await (await fetch(stage.gateway.gateway + path, Authorization && { headers: { Authorization } })).text();
  };
  await call("/orders/x", 48);
  await call("/price-feed/list", 31);
  await call("/price-feed/prices/7", 9);
  await call("/price-feed/other", 6);
  await call("/orders/503", 4);
  await call("/tickets/x", 10, box);
  await call("/tickets/x", 9, kiosk);
  await call("/tickets/x", 9, phone);
  await call("/tickets/x", 3);
}
