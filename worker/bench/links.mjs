// The cost of each link: an API with it against the same API without, on one gateway. Rewritten bodies are compared
// with a worker that does the same in JavaScript, with packages and by hand.

import { definition, reload } from "./gateway.mjs";
import { client, compare, compareAll } from "./load.mjs";
import { against } from "./report.mjs";
import { ORDER, ORDER_SCHEMA } from "./order-schema.mjs";
import { bodyFile, serveDocument, startGateway, startRewriting, startUpstream, stop } from "./services.mjs";

const rule = (more) => [{ path: "/item$", method: "GET", ...more }];
const base64 = (text) => Buffer.from(text).toString("base64");
const template = (text) => ({ template_data: { template_mode: "blob", input_type: "json", template_source: base64(text) } });
const processors = (name) => ({ response_processors: [{ name }] });

/** Produces the same as the template of packages.mjs and the filter of rewriting.js. */
const TEMPLATE = '{"total": {{ len .items }}, "names": [{{ range $i, $item := .items }}{{ if $i }},{{ end }}"{{ $item.name }}"{{ end }}]}';
const FILTER = "{body: {total: (.body.items | length), names: [.body.items[].name]}}";

/**
 * A link's row: its name, its members of a definition (`at` has addresses: the upstream's, one that counts its
 * requests, and those of a registry and a token server), and the goal as a share of the rate without it, 0.9 by
 * default.
 */
const LINKS = [
  ["white_list", { paths: { white_list: rule({}) } }],
  ["allowed_ips", { api: { allowed_ips: ["127.0.0.0/8"], enable_ip_whitelisting: true } }],
  ["CORS", { api: { CORS: { enable: true, allowed_origins: ["*"] } } }],
  ["global_rate_limit", { api: { global_rate_limit: { rate: 10_000_000, per: 1 } } }],
  ["transform_headers", { paths: { transform_headers: rule({ add_headers: { "X-Rule": "1" }, delete_headers: ["X-Gone"] }) } }],
  ["enable_context_vars in a header", { paths: { transform_headers: rule({ add_headers: { "X-Path": "$gateway_context.path" } }) }, api: { enable_context_vars: true } }],
  ["url_rewrites", { paths: { url_rewrites: rule({ match_pattern: "/(item)", rewrite_to: "/new/$1" }) } }],
  ["hard_timeouts", { paths: { hard_timeouts: rule({ timeout: 10 }) } }],
  ["circuit_breakers", { paths: { circuit_breakers: rule({ threshold_percent: 0.5, samples: 100, return_to_service_after: 1 }) } }],
  ["load balancing", (at) => ({ proxy: { enable_load_balancing: true, target_list: [at.upstream, at.upstream] } })],
  ["service discovery", (at) => ({ proxy: { service_discovery: { use_discovery_service: true, query_endpoint: at.registry, data_path: "host" } } })],
  ["request_signing", { api: { request_signing: { is_enabled: true, algorithm: "hmac-sha256", secret: "s", key_id: "k", header_list: [], signature_header: "Signature" } } }],
  ["upstream_auth, basic", { api: { upstream_auth: { enabled: true, basic_auth: { enabled: true, username: "u", password: "p" } } } }],
  ["upstream_auth, OAuth", (at) => ({ api: { upstream_auth: { enabled: true, oauth: { enabled: true, allowed_authorize_types: ["clientCredentials"], client_credentials: { client_id: "me", client_secret: "s", token_url: at.tokens } } } } })],
  ["transform_response_headers", { paths: { transform_response_headers: rule({ add_headers: { "X-Answer": "1" } }) } }],
  ["cache, a hit", (at) => ({ proxy: { target_url: at.counted }, api: { cache_options: { enable_cache: true, cache_timeout: 600, cache_all_safe_requests: true } } }), { goal: 1.2 }],
  ["validate_json, 2 kB body", { paths: { validate_json: [{ path: "/item$", method: "POST", schema: ORDER_SCHEMA }] } }, { body: ORDER }],
];

/** The same for responses of 10 kB of JSON: a name, the members of a definition, and the package to compare with. */
const BODIES = [
  ["a template on 10 kB", { paths: { transform_response: [{ path: "/json$", method: "GET", ...template(TEMPLATE) }] }, api: processors("response_body_transform") }, { name: "eta", path: "template" }],
  ["a jq filter on 10 kB", { paths: { transform_jq_response: [{ path: "/json$", method: "GET", filter: FILTER }] }, api: processors("response_body_transform_jq") }, { name: "jq-web", path: "filter" }],
];

function linked(number, at, part) {
  const { paths = {}, proxy = {}, api = {} } = typeof part === "function" ? part(at) : part;
  const base = JSON.parse(definition(number, at.upstream));
  const versions = { Default: { name: "Default", use_extended_paths: true, extended_paths: paths } };
  return JSON.stringify({ ...base, ...api, proxy: { ...base.proxy, ...proxy }, version_data: { not_versioned: true, versions } });
}

export async function links({ pace, say }) {
  const upstream = await startUpstream();
  const [gateway, inJs] = [await startGateway("links"), await startRewriting(upstream)];
  const registry = await serveDocument({ host: upstream.url });
  const tokens = await serveDocument({ access_token: "t", token_type: "bearer", expires_in: 3600 });
  const at = { upstream: upstream.url, counted: `${upstream.url}/counted/`, registry: registry.url, tokens: tokens.url };
  const http = client(1);
  const all = [...LINKS, ...BODIES];
  const add = (number, part) => http.call("POST", `${gateway.url}/gateway/apis`, linked(number, at, part));
  await add(0, {});
  for (const [index, [, part]] of all.entries()) await add(index + 1, part);
  await reload(http, gateway);
  const side = (number, path, more) => ({ service: gateway, url: `${gateway.url}/bench-${number}/${path}`, ...more });
  // A link costs less than a run differs from the next: rounds of a second, in which every link has its turn.
  const turns = { rounds: pace.rounds * pace.seconds, seconds: 1 };
  say(`${LINKS.length} links, with and without, in ${turns.rounds} rounds`);
  const without = side(0, "item");
  const pairs = [];
  for (const [index, [, , { body } = {}]] of LINKS.entries()) {
    const more = body && { body: bodyFile(`${index}.json`, body) };
    // By now, a link has fetched what it fetches only once, and one request has filled the cache.
    if (!body) await http.call("GET", side(index + 1, "item").url);
    pairs.push([side(index + 1, "item", more), more ? side(0, "item", more) : without]);
  }
  const compared = await compareAll(pairs, turns);
  const rows = LINKS.map(([name, , { goal = 0.9, body } = {}], index) => {
    const found = compared[index];
    // A link that reads bodies may cost as much as that takes.
    const row = against(`${name}, against the API without it`, found, body ? {} : { goal });
    return { ...row, value: `${row.value}, CPU time ${found.cpuRatio.toFixed(2)}` };
  });
  const asked = Number((await http.call("GET", `${upstream.url}/count`)).text);
  if (asked !== 1) throw new Error(`the upstream was asked ${asked} times for what is cached`);
  for (const [index, [name, , other]] of BODIES.entries()) {
    const ours = side(LINKS.length + index + 1, "json");
    const theirs = (path) => ({ service: inJs, url: `${inJs.url}/${path}` });
    for (const path of [other.path, "json"]) await same(http, ours.url, theirs(path).url);
    say(`${name}, and the same in JavaScript`);
    rows.push(against(`${name}, against ${other.name}`, await compare(ours, theirs(other.path), turns), { goal: 1 }));
    rows.push(against("the same, against hand-written JavaScript", await compare(ours, theirs("json"), turns)));
  }
  http.close();
  for (const server of [registry, tokens]) server.close();
  await Promise.all([gateway, inJs, upstream].map(stop));
  return rows;
}

/** Throws if two sides don't respond with the same document. */
async function same(http, ours, theirs) {
  const [a, b] = await Promise.all([ours, theirs].map(async (url) => (await http.call("GET", url)).text));
  if (JSON.stringify(JSON.parse(a)) !== JSON.stringify(JSON.parse(b))) throw new Error(`${ours} answers ${a.slice(0, 200)}, not ${b.slice(0, 200)}`);
}
