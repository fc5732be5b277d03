// Every page, light and dark, wide and narrow: pictures under target/screenshots, no page wider than its
// screen, and no serious finding of axe.

import { after, before, describe, test } from "node:test";
import { definition, laidOut, open, type } from "./console.mjs";
import { look } from "./look.mjs";
import { HEALTH } from "./upstream-health.mjs";

const WIDTHS = [1280, 390];
const THEMES = ["light", "dark"];

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

let stage;
let idp;
let ruleset;
let hook;
let key;
before(async () => {
  const service = (name, n) =>
    definition(
      name,
      { tags: [["public", "eu"], ["internal"], ["public", "beta", "mobile"], []][n % 4], active: n !== 4, internal: n === 7, domain: n % 5 === 3 ? "api.example.com" : "" },
      { target_url: n === 0 ? stageUpstream : `http://${name.toLowerCase().replaceAll(" ", "-")}.svc.internal:8080/v${(n % 4) + 1}` },
    );
  stage = await open();
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
  idp = await providers();
  ruleset = await rulesets();
  hook = await hooks();
  await credentials();
  key = await keys();
  await documents();
  await traffic();
});
after(() => stage.close());

const formReady = (page) => page.locator(".form-top").waitFor();

/** Stores a few providers and answers the internal id of the first one. */
async function providers() {
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
async function credentials() {
  const issue = async (body) => (await stage.admin("POST", "/gateway/dashboard/credentials", { body })).json.key;
  await issue({ name: "Deploy robot", permissions: { rulesets: "write", clientidps: "write", apis: "read" }, expires_at: "2099-12-31T00:00:00Z" });
  await issue({ name: "Partner portal", org_id: "partner", permissions: { clientidps: "read" } });
  const old = await issue({ name: "Old laptop", permissions: { rulesets: "write", clientidps: "write", hooks: "write", apis: "write" } });
  await stage.admin("DELETE", `/gateway/dashboard/credentials/${old}`);
}

/** Stores a few rulesets and answers the internal id of the first one. */
async function rulesets() {
  const rule = { given: "$.info", severity: "warn", then: { field: "contact", function: "truthy" } };
  const make = async (name, members) => {
    const body = { name, definition: laidOut({ rules: { "info-contact": rule } }), ...members };
    return (await stage.dashboard("POST", "/api/rulesets", { body: laidOut(body) })).json.Meta;
  };
  await make("Naming of tools", { resource_type: "mcp-api" });
  return make("House style", { active: true, action: "warn", description: "What every API document is to have" });
}

/** Stores OpenAPI APIs and MCP proxies. */
async function documents() {
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
  await stage.admin("POST", "/gateway/apis/oas", { body: document("parcels", "Parcels", {}) });
  const tools = { mcpTools: { get_weather: { allow: { enabled: true } }, get_forecast: { allow: { enabled: true }, rateLimit: { enabled: true, rate: 60, per: "1m" } } }, mcpResources: { "file:///reports/*": { block: { enabled: true } } } };
  await stage.admin("POST", "/gateway/mcps", { body: document("weather", "Weather tools", {}, tools) });
}

/** Stores a webhook that nobody answers, sends it a test and two notifications, and answers its internal id. */
async function hooks() {
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

/** Stores policies, keys in every state and an organisation; answers the hash of the first key. */
async function keys() {
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

/** Sends requests of every kind; one key has nearly used up its quota, and one all of it. */
async function traffic() {
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

/** Makes some changes in the table of a provider. */
async function change(page) {
  await page.locator("json-editor .cm-line").first().waitFor();
  await page.getByRole("textbox", { name: "Policy of orders:read for orders" }).fill("gold");
  await page.getByRole("button", { name: "Delete payments:refund of payments" }).click();
  await page.getByRole("textbox", { name: "New scope for orders" }).fill("orders:admin");
  await page.getByRole("textbox", { name: "New policy for orders" }).fill("platinum");
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Policy of orders:admin for orders" }).waitFor();
}

/** Name → address, and what is done before the picture is taken. */
const DOCUMENT = `openapi: 3.0.3
info:
  title: Museum tickets
  description: Opening hours, events and tickets.
  version: 1.1.1
servers:
  - url: https://api.museum.example/v1
    description: live
  - url: https://staging.museum.example/v1
    description: staging
security:
  - MuseumKey: []
paths:
  /museum-hours:
    get:
      operationId: getMuseumHours
      responses:
        "200":
          description: Opening hours
          content:
            application/json:
              example: [{ date: 2026-11-20, timeOpen: "09:00" }]
  /tickets:
    post:
      operationId: buyTickets
      responses:
        "201": { description: Created }
components:
  securitySchemes:
    MuseumKey: { type: apiKey, in: header, name: X-Museum-Key }
  schemas:
    Ticket: { type: object }
webhooks: {}
`;

/** Pastes a document into the import. */
async function openapi(page, text) {
  await page.locator(".import-document json-editor").waitFor();
  await page.locator(".import-document json-editor .cm-content").click();
  await page.keyboard.insertText(text);
}

const PAGES = {
  connect: { path: "/connect", secret: null, token: null },
  overview: { path: "/overview?window=15m", ready: (page) => page.getByRole("row", { name: /Box office/ }).waitFor() },
  "overview-api": {
    path: "/overview?window=15m&api=tickets",
    ready: async (page) => {
      await page.getByRole("slider", { name: /^Refusals/ }).press("ArrowLeft");
      await page.getByRole("button", { name: "Show as a table" }).click();
    },
  },
  "overview-lists": {
    path: "/overview",
    ready: async (page) => {
      await page.getByRole("row", { name: /Box office/ }).waitFor();
      await page.getByRole("heading", { name: "APIs" }).evaluate((element) => element.scrollIntoView());
    },
  },
  "overview-none": { path: "/overview?api=nobody", ready: (page) => page.getByRole("heading", { name: "No requests in this window" }).waitFor() },
  apis: { path: "/apis", ready: (page) => page.locator("tbody tr").first().waitFor() },
  "apis-none": { path: "/apis?q=nothing-like-it", ready: (page) => page.getByText("No API matches").waitFor() },
  "apis-menu": {
    path: "/apis",
    ready: async (page) => {
      await page.getByRole("button", { name: "Actions for Geo lookup" }).click();
      await page.getByRole("menuitem", { name: "Edit" }).waitFor();
    },
  },
  "apis-delete": {
    path: "/apis",
    ready: async (page) => {
      await page.getByRole("button", { name: "Actions for Geo lookup" }).click();
      await page.getByRole("menuitem", { name: "Delete…" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  editor: { path: "/apis/inventory", ready: (page) => page.locator("json-editor .cm-line").first().waitFor() },
  "editor-problems": {
    path: "/apis/new",
    ready: async (page) => {
      await page.locator("json-editor").waitFor();
      await type(page, '{\n  "name": "Sketch",\n  "proxy": {\n    "listen_path": 5,\n    "target_url": "htp://x"\n  },\n  "actve": true\n}\n');
      await page.locator(".problem-error").first().waitFor();
    },
  },
  "editor-review": {
    path: "/apis/orders",
    ready: async (page) => {
      await page.locator("json-editor").waitFor();
      await type(page, laidOut({ ...definition("Orders"), domain: "orders.example.com" }));
      await page.getByRole("button", { name: "Review & save" }).click();
      await page.locator(".diff").waitFor();
    },
  },
  "editor-conflict": {
    path: "/apis/payments",
    ready: async (page) => {
      await page.locator("json-editor").waitFor();
      await type(page, laidOut({ ...definition("Payments"), domain: "pay.example.com" }));
      const theirs = { ...definition("Payments"), tags: [`theirs-${Date.now()}`] };
      await stage.admin("PUT", "/gateway/apis/payments", { body: laidOut(theirs) });
      await page.getByRole("button", { name: "Review & save" }).click();
      await page.getByText("Changed by somebody else.").waitFor();
    },
  },
  form: { path: "/apis/orders?view=form", ready: formReady },
  "form-entry": { path: "/apis/rules?view=form&at=/version_data/versions/Default/extended_paths/mock_response/1", ready: formReady },
  "form-list": { path: "/apis/rules?view=form&at=/version_data/versions/Default/extended_paths/ignored", ready: formReady },
  "form-problems": {
    path: "/apis/new",
    ready: async (page) => {
      await page.locator("json-editor").waitFor();
      await type(page, '{\n  "name": "Sketch",\n  "tags": "none",\n  "proxy": {\n    "target_url": "htp://x",\n    "check_host_against_uptime_tests": 5\n  },\n  "listen_port": 8080,\n  "actve": true\n}\n');
      await page.getByRole("radio", { name: "Form" }).check();
      await page.locator(".form .problem-error").first().waitFor();
    },
  },
  "form-find": {
    path: "/apis/orders?view=form",
    ready: async (page) => {
      await page.getByRole("button", { name: "Find or add a field" }).click();
      await page.getByRole("combobox").fill("rate");
      await page.getByRole("option").first().waitFor();
    },
  },
  revisions: { path: "/apis/inventory/revisions", ready: (page) => page.locator(".revision").first().waitFor() },
  reload: { path: "/reload", ready: (page) => page.getByRole("row", { name: /Price list/ }).waitFor() },
  batch: {
    path: "/batch?api=orders",
    ready: async (page) => {
      await page.getByRole("button", { name: "Add a request" }).click();
      await page.getByRole("textbox", { name: "Relative URL of request 2" }).fill("503");
      await page.getByRole("button", { name: "Run" }).click();
      await page.getByRole("heading", { name: "2 answers" }).waitFor();
    },
  },
  "try-find": { path: "/try", ready: (page) => page.getByRole("option").first().waitFor() },
  try: {
    path: "/try/orders",
    ready: async (page) => {
      await page.getByRole("button", { name: "Add a header" }).click();
      await page.getByLabel("Header name").fill("Accept");
      await page.getByLabel("Header value").fill("application/json");
      for (const path of ["/v1/orders?state=open", "/503"]) {
        await page.getByLabel("Path below the listen path").fill(path);
        await page.getByRole("button", { name: "Send" }).click();
        await page.locator(".trace").getByText(path === "/503" ? "503," : "200,").waitFor();
      }
      await page.locator(".try-history").getByText("200").click();
      await page.locator(".trace").getByText("200,").waitFor();
    },
  },
  "try-refused": {
    path: "/try/billing",
    ready: async (page) => {
      await page.getByRole("switch", { name: /Use the stored definition/ }).check();
      await page.locator(".pill", { hasText: "Stored key" }).click();
      await page.getByRole("option", { name: /Partner portal/ }).click();
      await page.getByRole("button", { name: "Send" }).click();
      await page.locator(".trace > li", { hasText: "Refused" }).filter({ hasText: "organisation" }).waitFor();
    },
  },
  import: { path: "/import", ready: (page) => page.locator("json-editor").waitFor() },
  "import-preview": {
    path: "/import",
    ready: async (page) => {
      await openapi(page, DOCUMENT);
      await page.getByRole("switch", { name: /^Answer with the examples/ }).check();
      await page.locator(".import-result json-editor .cm-line").first().waitFor();
    },
  },
  "import-classic": {
    path: "/import",
    ready: async (page) => {
      await openapi(page, DOCUMENT);
      await page.getByRole("radio", { name: "Classic definition" }).check();
      await page.getByRole("region", { name: "Report" }).waitFor();
    },
  },
  "import-refused": {
    path: "/import",
    ready: async (page) => {
      await openapi(page, "openapi: 3.0.3\ninfo:\n  title: Two: colons\n");
      await page.locator(".import-troubles .problem").first().waitFor();
    },
  },
  "import-merge": {
    path: "/import",
    ready: async (page) => {
      await openapi(page, DOCUMENT);
      await page.getByRole("radio", { name: "Classic definition" }).check();
      await page.getByRole("switch", { name: /^Answer with the examples/ }).check();
      await page.getByRole("button", { name: "Merge into an API…" }).click();
      await page.getByRole("combobox", { name: "Find an API to merge into" }).fill("orders");
      await page.getByRole("option", { name: /Orders/ }).first().click();
      await page.getByRole("dialog").locator(".diff").waitFor();
    },
  },
  palette: {
    path: "/apis",
    ready: async (page) => {
      await page.keyboard.press("ControlOrMeta+k");
      await page.getByRole("option", { name: /Orders/ }).waitFor();
    },
  },
  missing: { path: "/no-such-page" },
  "needs-token": { path: "/client-idps", token: null },
  "client-idps": { path: "/client-idps", ready: (page) => page.getByRole("link", { name: "Customer accounts" }).waitFor() },
  "client-idp-new": { path: "/client-idps/new" },
  "client-idp": { path: () => `/client-idps/${idp}`, ready: (page) => page.locator("json-editor .cm-line").first().waitFor() },
  "client-idp-changed": {
    path: () => `/client-idps/${idp}`,
    ready: async (page) => {
      await change(page);
      await page.locator(".mappings").evaluate((element) => element.scrollIntoView());
    },
  },
  "client-idp-wrong": {
    path: () => `/client-idps/${idp}`,
    ready: async (page) => {
      await page.locator("json-editor").waitFor();
      await type(page, '{\n  "orders": { "scope_to_policy": { "orders:read": 5 } }\n}\n');
      await page.locator(".patch-error").waitFor();
      await page.locator(".mapping-side").evaluate((element) => element.scrollIntoView());
    },
  },
  "client-idp-review": {
    path: () => `/client-idps/${idp}`,
    ready: async (page) => {
      await change(page);
      await page.getByRole("button", { name: "Delete the mapping of inventory" }).click();
      await page.getByRole("button", { name: "Review & send" }).click();
      await page.getByText("byte for byte").waitFor();
    },
  },
  "client-idp-conflict": {
    path: () => `/client-idps/${idp}`,
    ready: async (page) => {
      await change(page);
      const patch = { orders: { scope_to_policy: { "orders:write": `theirs-${Date.now()}` } } };
      await stage.dashboard("PATCH", `/api/clientidps/${idp}/mappings`, { body: patch });
      await page.getByRole("button", { name: "Review & send" }).click();
      await page.getByText("Changed by somebody else.").waitFor();
    },
  },
  credentials: { path: "/credentials", ready: (page) => page.getByRole("row", { name: /Old laptop/ }).waitFor() },
  "credentials-revoke": {
    path: "/credentials",
    ready: async (page) => {
      await page.getByRole("button", { name: "Revoke Deploy robot" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  "credential-new": { path: "/credentials/new" },
  "credential-token": {
    path: "/credentials/new",
    ready: async (page) => {
      await page.getByRole("textbox", { name: "Name" }).fill("Screen reader");
      await page.getByRole("group", { name: "APIs" }).getByRole("radio", { name: "Read" }).check();
      await page.getByRole("button", { name: "Issue", exact: true }).click();
      await page.getByText("Copy it now.").waitFor();
    },
  },
  audit: { path: "/audit", ready: (page) => page.getByRole("link", { name: /^Entry/ }).first().waitFor() },
  "audit-none": { path: "/audit?actor=nobody&from=2026-01-01", ready: (page) => page.getByText("No entry matches").waitFor() },
  "audit-entry": {
    path: "/audit?subject=api&action=modified",
    ready: async (page) => {
      await page.getByRole("link", { name: /^Entry/ }).first().click();
      await page.locator(".change").first().waitFor();
    },
  },
  notifications: { path: "/notifications", ready: (page) => page.getByText("Live", { exact: true }).waitFor() },
};

const documentReady = (page) => page.locator(".editor-card .cm-line").first().waitFor();
Object.assign(PAGES, {
  rulesets: { path: "/rulesets", ready: (page) => page.getByRole("link", { name: "House style" }).waitFor() },
  ruleset: { path: () => `/rulesets/${ruleset}?view=json`, ready: documentReady },
  "ruleset-form": { path: () => `/rulesets/${ruleset}?view=form`, ready: formReady },
  "ruleset-revisions": {
    path: () => `/rulesets/${ruleset}?view=json`,
    ready: async (page) => {
      await page.getByRole("button", { name: "Show the revisions" }).click();
      await page.getByRole("button", { name: "View revision 1" }).scrollIntoViewIfNeeded();
    },
  },
  "ruleset-wrong": {
    path: () => `/rulesets/${ruleset}?view=json`,
    ready: async (page) => {
      await page.locator(".definition .cm-content").click();
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.press("Delete");
      await page.keyboard.insertText('{\n  "rules": { "a": { "then": 5 } }\n}\n');
      await page.locator(".definition .problem-error").first().waitFor();
    },
  },
  webhooks: { path: "/webhooks", ready: (page) => page.getByRole("link", { name: "Audit log" }).waitFor() },
  webhook: { path: () => `/webhooks/${hook}?view=json`, ready: documentReady },
  "webhook-form": { path: () => `/webhooks/${hook}?view=form`, ready: formReady },
  "webhook-new": { path: "/webhooks/new?view=form", ready: formReady },
  "webhook-emptied": {
    path: () => `/webhooks/${hook}?view=json`,
    ready: async (page) => {
      await documentReady(page);
      await type(page, '{\n  "method": "POST",\n  "target_path": "https://hooks.invalid/in"\n}\n');
      await page.locator(".emptied").waitFor();
      await page.locator(".emptied").evaluate((element) => element.scrollIntoView({ block: "center" }));
    },
  },
  "webhook-secret": {
    path: "/webhooks/new?view=json",
    ready: async (page) => {
      await documentReady(page);
      await type(page, laidOut({ name: "Pager", method: "POST", target_path: "https://pager.invalid/" }));
      await page.getByRole("button", { name: "Review & save" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Store" }).click();
      await page.getByText("Copy it now.").waitFor();
    },
  },
  "webhook-deliveries": {
    path: () => `/webhooks/${hook}?view=json`,
    ready: async (page) => {
      await documentReady(page);
      await page.getByRole("button", { name: "Send a test" }).click();
      await page.getByText("Not delivered").waitFor();
      await page.getByRole("row", { name: /Test/ }).first().waitFor();
      await page.getByRole("region", { name: "Deliveries" }).evaluate((element) => element.scrollIntoView());
    },
  },
});

Object.assign(PAGES, {
  keys: { path: "/keys", ready: (page) => page.getByRole("row", { name: /Partner portal.*Gold plan/ }).waitFor() },
  "keys-none": { path: "/keys?q=nothing-like-it", ready: (page) => page.getByText("No key matches").waitFor() },
  "key-new": {
    path: "/keys/new",
    ready: async (page) => {
      await page.getByRole("textbox", { name: "Alias" }).fill("Robot");
      await page.getByRole("checkbox", { name: /Gold plan/ }).check();
      await page.getByRole("textbox", { name: "Rate" }).fill("5");
      await page.getByRole("row", { name: /Payments.*100 per minute/ }).waitFor();
    },
  },
  "key-token": {
    path: "/keys/new",
    ready: async (page) => {
      await page.getByRole("textbox", { name: "Alias" }).fill("Robot");
      await page.getByRole("checkbox", { name: /Gold plan/ }).check();
      await page.getByRole("button", { name: "Make the key" }).click();
      await page.getByText("Copy it now.").waitFor();
    },
  },
  key: {
    path: () => `/keys/${key}?view=json`,
    ready: async (page) => {
      await documentReady(page);
      await page.getByText("50000 of 50000 left").first().waitFor();
    },
  },
  "key-gives": {
    path: () => `/keys/${key}?view=form`,
    ready: async (page) => {
      await formReady(page);
      await page.getByRole("region", { name: "What it gives" }).evaluate((element) => element.scrollIntoView());
    },
  },
  "key-extend": {
    path: () => `/keys/${key}?view=json`,
    ready: async (page) => {
      await documentReady(page);
      await page.getByRole("button", { name: "Extend…" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  policies: { path: "/policies", ready: (page) => page.getByRole("link", { name: "Gold plan" }).waitFor() },
  policy: {
    path: "/policies/gold?view=json",
    ready: async (page) => {
      await documentReady(page);
      await page.getByRole("heading", { name: /Used by/ }).waitFor();
    },
  },
  "policy-gives": {
    path: "/policies/gold?view=form",
    ready: async (page) => {
      await formReady(page);
      await page.getByRole("region", { name: "What this policy gives" }).evaluate((element) => element.scrollIntoView());
    },
  },
  "policy-delete": {
    path: "/policies",
    ready: async (page) => {
      await page.getByRole("button", { name: "Actions for Gold plan" }).click();
      await page.getByRole("menuitem", { name: "Delete…" }).click();
      await page.getByText(/ha(s|ve) it\./).waitFor();
    },
  },
  organisations: { path: "/organisations", ready: (page) => page.getByRole("row", { name: /acme.*Switched off/ }).waitFor() },
  organisation: {
    path: "/organisations/acme?view=json",
    ready: async (page) => {
      await documentReady(page);
      await page.getByText(/of 1000000 left/).waitFor();
    },
  },
});

const upstreams = async (page, path, change = {}) => {
  await page.route("**/gateway/health/upstreams/*", (route) => route.fulfill({ json: { ...HEALTH(), ...change } }));
  await page.goto(stage.url(path));
};
const tryRule = async (page, name) => {
  await page.locator(".editor-card .cm-line").first().waitFor();
  await page.getByRole("button", { name: `Try it: ${name}` }).click();
  await page.locator(".playground-status[data-state]").waitFor();
};

Object.assign(PAGES, {
  cache: { path: "/apis/price-feed/cache", ready: (page) => page.getByRole("table", { name: "Paths whose answers are kept" }).waitFor() },
  "cache-off": { path: "/apis/payments/cache", ready: (page) => page.getByText("The cache of this API is off").waitFor() },
  "cache-empty": {
    path: "/apis/price-feed/cache",
    ready: async (page) => {
      await page.getByRole("button", { name: "Empty the cache…" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  upstreams: {
    path: "/apis/orders/chain",
    ready: async (page) => {
      await upstreams(page, "/apis/orders/upstreams");
      await page.locator(".strip").first().waitFor();
    },
  },
  "upstreams-uptime": {
    path: "/apis/orders/chain",
    ready: async (page) => {
      await upstreams(page, "/apis/orders/upstreams");
      await page.getByRole("button", { name: "Show as a table" }).first().click();
      await page.locator(".strip").first().focus();
      await page.keyboard.press("End");
      await page.keyboard.press("Home");
      await page.getByRole("region", { name: "Uptime" }).evaluate((element) => element.scrollIntoView());
    },
  },
  "upstreams-none": {
    path: "/apis/orders/chain",
    ready: async (page) => {
      const discovery = { endpoint: "http://consul:8500/v1/catalog/service/orders", state: "failed", fetched_at: null, targets: [], error: "connection refused" };
      await upstreams(page, "/apis/orders/upstreams", { discovery, targets: [], breakers: [], uptime: { ...HEALTH().uptime, tests: [] } });
      await page.getByText("No target is known").waitFor();
    },
  },
  "body-rules": { path: "/apis/price-feed?view=json", ready: (page) => page.getByRole("heading", { name: "Body rules" }).waitFor() },
  "playground-template": { path: "/apis/price-feed?view=json", ready: (page) => tryRule(page, "Template of the request, POST /orders") },
  "playground-broken": {
    path: "/apis/price-feed?view=json",
    ready: async (page) => {
      await tryRule(page, "jq of the answer, GET /orders/{id}");
      await page.locator("body-playground .cm-content").first().click();
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.insertText("{body: .body | nosuch}");
      await page.locator(".playground-status[data-state=bad]").waitFor();
    },
  },
  "key-rotate": {
    path: () => `/keys/${key}?view=json`,
    ready: async (page) => {
      await documentReady(page);
      await page.getByRole("button", { name: "New token…" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
});

Object.assign(PAGES, {
  openapi: { path: "/openapi", ready: (page) => page.locator("tbody tr").first().waitFor() },
  "openapi-document": {
    path: "/openapi/tickets",
    ready: async (page) => {
      await documentReady(page);
      await page.locator(".subject").first().scrollIntoViewIfNeeded();
    },
  },
  "openapi-new": { path: "/openapi/new", ready: documentReady },
  mcp: { path: "/mcp", ready: (page) => page.locator("tbody tr").first().waitFor() },
  "mcp-document": {
    path: "/mcp/weather",
    ready: async (page) => {
      await documentReady(page);
      await page.locator(".catalogue").scrollIntoViewIfNeeded();
    },
  },
});

for (const theme of THEMES) {
  for (const width of WIDTHS) {
    describe(`${theme}, ${width} wide`, () => {
      // One window for all: what its first page has compiled the others find. What a page keeps for later
      // visits, the next one must not find.
      let context;
      before(async () => {
        context = await stage.context({ theme, width, reducedMotion: "reduce" });
        await context.addInitScript(() => localStorage.clear());
      });
      after(() => context.close());
      for (const [name, { path, ready, ...keys }] of Object.entries(PAGES)) {
        test(name, async () => {
          const address = typeof path === "function" ? path() : path;
          const page = await stage.page({ path: address, context, token: stage.gateway.token, ...keys });
          await ready?.(page);
          await look(page, `${name}-${theme}-${width}`);
          await page.close();
        });
      }
    });
  }
}
