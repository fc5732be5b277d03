// What each link costs: an API that has it against the same API without, on one gateway.
// Bodies that are rewritten stand against a worker that does the same in JavaScript.

import { definition, reload } from "./gateway.mjs";
import { client, compare } from "./load.mjs";
import { against } from "./report.mjs";
import { startGateway, startRewriting, startUpstream, stop } from "./services.mjs";

const rule = (more) => [{ path: "/item$", method: "GET", ...more }];
const base64 = (text) => Buffer.from(text).toString("base64");
const template = (text) => ({ template_data: { template_mode: "blob", input_type: "json", template_source: base64(text) } });
const processors = (name) => ({ response_processors: [{ name }] });

/** The same as rewriting.js makes. */
const TEMPLATE = '{"total": {{ len .items }}, "names": [{{ range $i, $item := .items }}{{ if $i }},{{ end }}"{{ $item.name }}"{{ end }}]}';
const FILTER = "{body: {total: (.body.items | length), names: [.body.items[].name]}}";

/** A link's row, what its definition says, and which part of the rate without it is to be left. */
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
  ["load balancing", (target) => ({ proxy: { enable_load_balancing: true, target_list: [target, target] } })],
  ["request_signing", { api: { request_signing: { is_enabled: true, algorithm: "hmac-sha256", secret: "s", key_id: "k", header_list: [], signature_header: "Signature" } } }],
  ["upstream_auth, basic", { api: { upstream_auth: { enabled: true, basic_auth: { enabled: true, username: "u", password: "p" } } } }],
  ["transform_response_headers", { paths: { transform_response_headers: rule({ add_headers: { "X-Answer": "1" } }) } }],
  ["cache, a cached answer", { api: { cache_options: { enable_cache: true, cache_timeout: 600, cache_all_safe_requests: true } } }, 1.2],
];

/** The same for answers of 10 kB of JSON. */
const BODIES = [
  ["a template over 10 kB", { paths: { transform_response: [{ path: "/json$", method: "GET", ...template(TEMPLATE) }] }, api: processors("response_body_transform") }],
  ["a jq filter over 10 kB", { paths: { transform_jq_response: [{ path: "/json$", method: "GET", filter: FILTER }] }, api: processors("response_body_transform_jq") }],
];

function linked(number, upstream, part) {
  const { paths = {}, proxy = {}, api = {} } = typeof part === "function" ? part(upstream.url) : part;
  const base = JSON.parse(definition(number, upstream.url));
  const versions = { Default: { name: "Default", use_extended_paths: true, extended_paths: paths } };
  return JSON.stringify({ ...base, ...api, proxy: { ...base.proxy, ...proxy }, version_data: { not_versioned: true, versions } });
}

export async function links({ pace, say }) {
  const upstream = await startUpstream();
  const [gateway, byHand] = [await startGateway("links"), await startRewriting(upstream)];
  const http = client(1);
  const all = [...LINKS, ...BODIES];
  const add = (number, part) => http.call("POST", `${gateway.url}/gateway/apis`, linked(number, upstream, part));
  await add(0, {});
  for (const [index, [, part]] of all.entries()) await add(index + 1, part);
  await reload(http, gateway);
  const side = (service, number, path) => ({ service, url: `${service.url}/bench-${number}/${path}` });
  const json = (at) => side(gateway, LINKS.length + at + 1, "json");
  const theirs = { service: byHand, url: `${byHand.url}/json` };
  for (const at of BODIES.keys()) await same(http, json(at).url, theirs.url);
  const rows = [];
  for (const [index, [name, , goal = 0.9]] of LINKS.entries()) {
    say(`${name}, with and without`);
    const found = await compare(side(gateway, index + 1, "item"), side(gateway, 0, "item"), pace);
    rows.push(against(`${name}, against none`, found, { goal }));
  }
  for (const [index, [name]] of BODIES.entries()) {
    say(`${name}, and the same in JavaScript`);
    rows.push(against(`${name}, against the same in JavaScript`, await compare(json(index), theirs, pace), { goal: 1 }));
  }
  http.close();
  await Promise.all([gateway, byHand, upstream].map(stop));
  return rows;
}

/** Says no if two sides don't answer the same document. */
async function same(http, ours, theirs) {
  const [a, b] = await Promise.all([ours, theirs].map(async (url) => (await http.call("GET", url)).text));
  if (JSON.stringify(JSON.parse(a)) !== JSON.stringify(JSON.parse(b))) throw new Error(`${ours} answers ${a.slice(0, 200)}, not ${b.slice(0, 200)}`);
}
