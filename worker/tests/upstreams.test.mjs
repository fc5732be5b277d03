// Upstreams that are discovered, tested and called with tokens: what concerns several requests, processes and the log.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { UPTIME_ENV } from "./enforced-uptime.mjs";
import { start } from "./harness.mjs";
import { fresh } from "./heard.mjs";
import { send } from "./http.mjs";
import { receiver } from "./receiver.mjs";
import { listen, values } from "./upstream.mjs";

const SECRET = "a-secret-that-nobody-logs";

let gateway;
let upstream;
let hooks;
/** What the routes below respond with. */
const answers = { healthy: 200, registry: () => "{}", token: () => ({}) };
const counts = { registry: 0, token: 0 };
const routes = {
  "/health": (request, response) => response.writeHead(answers.healthy).end(),
  "/registry": (request, response) => {
    counts.registry += 1;
    const answer = answers.registry();
    response.writeHead(answer === undefined ? 500 : 200).end(answer);
  },
  "/token": (request, response) => {
    counts.token += 1;
    const answer = answers.token();
    response.writeHead(answer === undefined ? 401 : 200).end(JSON.stringify(answer ?? { error: "invalid_client", told: SECRET }));
  },
};
before(async () => {
  const env = { EGRESS_ALLOW_PRIVATE: "true", DASHBOARD_ORG_ID: "default", ...UPTIME_ENV };
  [gateway, upstream, hooks] = await Promise.all([start({ env }), listen(routes), receiver()]);
});
after(() => Promise.all([gateway.stop(), upstream.close(), hooks.close()]));

async function loaded(members, proxy) {
  const definition = api(members, { target_url: `${upstream.url}/up`, ...proxy });
  await publish(gateway, definition);
  return definition;
}
const call = ({ proxy }, path = "x") => send(gateway.ports.gateway, { path: proxy.listen_path + path });
const health = async ({ api_id }) => (await gateway.admin("GET", `/gateway/health/upstreams/${api_id}`)).json;

async function until(definition, fits) {
  for (;;) {
    const found = await health(definition);
    if (fits(found)) return found;
  }
}

const oauth = (members) => ({
  upstream_auth: { enabled: true, oauth: { enabled: true, allowed_authorize_types: ["clientCredentials"], client_credentials: { client_id: "me", client_secret: SECRET, token_url: `${upstream.url}/token`, ...members } } },
});

test("a host that goes down is reported, gets no requests, and comes back", async () => {
  answers.healthy = 200;
  const path = `/in?${fresh("host")}`;
  const hook = { handler_name: "eh_web_hook_handler", handler_meta: { method: "POST", target_path: hooks.url + path } };
  const other = `${upstream.url}/up/b`;
  const definition = await loaded(
    { uptime_tests: { check_list: [{ url: `${upstream.url}/health` }] }, event_handlers: { events: { HostDown: [hook], HostUp: [hook] } } },
    { enable_load_balancing: true, check_host_against_uptime_tests: true, target_list: [other] },
  );
  const { targets } = await until(definition, ({ targets: [target] }) => target?.state === "up");
  assert.deepEqual(targets.map(({ url, host, weight }) => [url, host, weight]), [[other, new URL(other).host, 1]]);
  assert.equal((await call(definition)).json.url, "/up/b/x");
  answers.healthy = 500;
  await until(definition, ({ targets: [target] }) => target.state === "down");
  let refused;
  while ((refused = await call(definition)).status !== 503);
  assert.deepEqual(refused.json, { error: "all hosts are down" });
  answers.healthy = 200;
  await until(definition, ({ targets: [target] }) => target.state === "up");
  while ((await call(definition)).status !== 200);
  const deliveries = (await hooks.until((calls) => calls.filter(({ url }) => url === path).length === 2)).filter(({ url }) => url === path);
  const bodies = deliveries.map(({ body }) => JSON.parse(body));
  assert.deepEqual(
    bodies.map(({ event, message, response_code, api_id }) => [event, message, response_code, api_id]),
    [["HostDown", "Uptime test failed", 500, definition.api_id], ["HostUp", "Uptime test succeeded", 200, definition.api_id]],
  );
});

test("the state of hosts survives a restart", async () => {
  answers.healthy = 500;
  const definition = await loaded({ uptime_tests: { check_list: [{ url: `${upstream.url}/health` }] } });
  const before = (await until(definition, ({ uptime: { tests } }) => tests[0]?.state === "down")).uptime.tests[0];
  await gateway.restart();
  const after = (await until(definition, ({ uptime: { tests } }) => tests[0]?.checks.length > before.checks.length)).uptime.tests[0];
  assert.deepEqual([after.state, after.since], ["down", before.since]);
});

test("an API's breakers are shown with their state", async () => {
  const row = { path: "/x", method: "GET", samples: 1, threshold_percent: 0.5, return_to_service_after: 60, disable_half_open_state: true };
  const version = { Default: { name: "Default", use_extended_paths: true, extended_paths: { circuit_breakers: [row] } } };
  const definition = await loaded({ version_data: { not_versioned: true, versions: version } }, { target_url: "http://127.0.0.1:9" });
  const shown = async () => {
    const { breakers, breakers_of } = await health(definition);
    return [breakers_of, ...breakers.map(({ path, method, state, requests, failures }) => [path, method, state, requests, failures])];
  };
  assert.deepEqual(await shown(), ["machine", ["/x", "GET", "closed", 0, 0]]);
  await call(definition);
  assert.deepEqual(await shown(), ["machine", ["/x", "GET", "open", 1, 1]]);
});

test("a registry is queried once for concurrent requests, and its list is used while it fails", async () => {
  counts.registry = 0;
  answers.registry = () => JSON.stringify({ h: `${upstream.url}/up/a` });
  const service_discovery = { use_discovery_service: true, query_endpoint: `${upstream.url}/registry`, data_path: "h", cache_timeout: 1 };
  const definition = await loaded({}, { service_discovery });
  assert.equal((await health(definition)).discovery.state, "unused");
  const urls = await Promise.all(Array.from({ length: 20 }, async () => (await call(definition)).json.url));
  assert.deepEqual([new Set(urls), counts.registry], [new Set(["/up/a/x"]), 1]);
  const { discovery, targets } = await health(definition);
  assert.deepEqual([discovery.state, discovery.targets, targets[0].url], ["fresh", [`${upstream.url}/up/a`], `${upstream.url}/up/a`]);
  answers.registry = () => undefined;
  while ((await health(definition)).discovery.state !== "stale") assert.equal((await call(definition)).json.url, "/up/a/x");
  assert.equal((await health(definition)).discovery.error, "status 500");
  // It survives the isolate, too.
  await gateway.restart();
  assert.equal((await call(definition)).json.url, "/up/a/x");
});

test("one upstream token is used for all requests, and survives a restart", async () => {
  counts.token = 0;
  answers.token = () => ({ access_token: `token-${counts.token}`, expires_in: 3600 });
  const definition = await loaded(oauth({}));
  const sent = async () => values((await call(definition)).json, "authorization")[0];
  const all = await Promise.all(Array.from({ length: 20 }, sent));
  assert.deepEqual([new Set(all), counts.token], [new Set(["Bearer token-1"]), 1]);
  await gateway.restart();
  assert.deepEqual([await sent(), counts.token], ["Bearer token-1", 1]);
});

test("a token is renewed before it expires, and used until then if it can't be", async () => {
  counts.token = 0;
  answers.token = () => ({ access_token: `token-${counts.token}`, expires_in: 2 });
  const definition = await loaded(oauth({}));
  const sent = async () => values((await call(definition)).json, "authorization")[0];
  assert.equal(await sent(), "Bearer token-1");
  while ((await sent()) === "Bearer token-1");
  answers.token = () => undefined;
  let answer;
  while ((answer = await call(definition)).status === 200);
  assert.equal(answer.status, 500);
});

test("without a token a request is refused with an event, and the secret is never logged", async () => {
  answers.token = () => undefined;
  const path = `/in?${fresh("oauth")}`;
  const hook = { handler_name: "eh_web_hook_handler", handler_meta: { method: "POST", target_path: hooks.url + path } };
  const definition = await loaded({ ...oauth({}), event_handlers: { events: { UpstreamOAuthError: [hook] } } });
  const { status, text } = await call(definition);
  assert.deepEqual([status, JSON.parse(text).error], [500, "failed to get OAuth token"]);
  const [delivery] = (await hooks.until((calls) => calls.some(({ url }) => url === path))).filter(({ url }) => url === path);
  assert.equal(JSON.parse(delivery.body).event, "UpstreamOAuthError");
  await gateway.logged(new RegExp(`token of ${definition.api_id}: status 401`));
  const debug = await gateway.admin("POST", "/gateway/debug", { body: { request: { method: "GET", path: "/x", headers: {} }, spec: definition } });
  for (const shown of [gateway.log(), text, delivery.body, debug.text]) assert.ok(!shown.includes(SECRET));
});
