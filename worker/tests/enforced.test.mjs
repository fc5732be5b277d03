// What the support table calls enforced is acted on: one demonstration per member, each showing what is
// different with it and without it. The members come from the schemas that the worker serves, which are
// made from the same table; one without a demonstration fails here, and so does the reverse.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { send } from "./http.mjs";
import { gate, listen, values } from "./upstream.mjs";

const ORG = "example-org";

let gateway;
let upstream;
/** Set by the demonstration that uses the route. */
let handler;
before(async () => {
  const use = (request, response, url) => handler(request, response, url);
  [gateway, upstream] = await Promise.all([start({ env: { DASHBOARD_ORG_ID: ORG, EGRESS_ALLOW_PRIVATE: "true" } }), listen({ "/use": use })]);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

const post = (body, query) => gateway.admin("POST", "/gateway/apis", { body, query });
const at = (path, options) => send(gateway.ports.gateway, { path, ...options });

/** Stores and loads an API in front of the upstream. */
async function loaded(members, proxy) {
  const definition = api(members, { target_url: `${upstream.url}/up`, ...proxy });
  await publish(gateway, definition);
  return definition;
}

/** What the upstream is asked through such an API, or the status if it isn't. */
async function asked(members, proxy, { path = "x", ...options } = {}) {
  const { proxy: { listen_path: base } } = await loaded(members, proxy);
  const answer = await at(base + path, options);
  return answer.status === 200 ? answer.json.url : answer.status;
}

/** The ids in the list of APIs that a query finds. */
async function listed(query) {
  const answer = await gateway.admin("GET", "/gateway/apis", { query: { view: "summary", ...query } });
  return answer.json.apis.map(({ api_id }) => api_id);
}

/** The units of a batch. */
async function batch(body, members) {
  const { proxy } = await loaded({ enable_batch_request_support: true, ...members }, { target_url: upstream.url });
  const answer = await at(`${proxy.listen_path}gateway/batch/`, { method: "POST", body });
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

/** What the upstream got from one item of a batch. */
const item = async (members) => JSON.parse((await batch({ requests: [{ relative_url: "echo", ...members }] }))[0].body);

/** How many items of a batch of two the upstream sees at once, if each is answered after `wait(second)`. */
async function atOnce(members, wait) {
  const second = gate();
  let [running, most] = [0, 0];
  handler = async (request, response) => {
    running += 1;
    most = Math.max(most, running);
    if (running === 2) second.open();
    await wait(second.opened);
    running -= 1;
    response.end();
  };
  await batch({ requests: [{ relative_url: "use" }, { relative_url: "use" }], ...members });
  return most;
}

const ApiDefinition = {
  async name() {
    const { name: _, ...nameless } = api();
    assert.equal((await post(nameless)).status, 400);
    const { api_id } = await loaded({ name: "Findable by this name" });
    assert.deepEqual(await listed({ q: "findable by this" }), [api_id]);
  },
  async api_id() {
    const { api_id } = await loaded({});
    assert.equal((await gateway.admin("GET", `/gateway/apis/${api_id}`)).status, 200);
    assert.equal((await at(`/${api_id}/x`)).status, 200, "it is served under its id");
    const { key } = (await post(api({ api_id: "" }))).json;
    assert.match(key, /^[0-9a-f-]{32,}$/);
  },
  async org_id() {
    await loaded({ org_id: ORG, name: "Mine #mine" });
    await loaded({ org_id: "another-org", name: "Theirs #theirs" });
    const headers = { Authorization: `Bearer ${gateway.dashboardToken}` };
    const answer = await send(gateway.ports.console, { path: "/api/apis/categories", headers });
    assert.ok(answer.text.includes("mine") && !answer.text.includes("theirs"), answer.text);
  },
  async active() {
    assert.equal(await asked({ active: true }), "/up/x");
    assert.equal(await asked({ active: false }), 404);
  },
  async internal() {
    assert.equal(await asked({ internal: false }), "/up/x");
    assert.equal(await asked({ internal: true }), 404);
  },
  async tags() {
    const { api_id } = await loaded({ tags: ["only here"] });
    await loaded({ tags: ["elsewhere"] });
    assert.deepEqual(await listed({ tag: "only here" }), [api_id]);
  },
  async domain() {
    const domain = "demonstration.example.com";
    assert.equal(await asked({ domain }, {}, { headers: { Host: domain } }), "/up/x");
    assert.equal(await asked({ domain }, {}, { headers: { Host: "another.example.com" } }), 404);
  },
  async domain_disabled() {
    const members = { domain: "demonstration.example.com", domain_disabled: true };
    assert.equal(await asked(members, {}, { headers: { Host: "another.example.com" } }), "/up/x");
  },
  async proxy() {
    const { proxy: _, ...nowhere } = api();
    assert.equal((await post(nowhere)).status, 400);
    assert.equal(await asked({}), "/up/x");
  },
  async enable_batch_request_support() {
    const request = { path: "gateway/batch/", method: "POST", body: { requests: [] } };
    // Without it the path belongs to the upstream like any other.
    assert.equal(await asked({ enable_batch_request_support: false }, {}, request), "/up/gateway/batch/");
    assert.deepEqual(await batch({ requests: [] }), []);
  },
  async use_keyless() {
    assert.equal(await asked({ use_keyless: true }), "/up/x");
    assert.equal(await asked({ use_keyless: false }), 401);
  },
};

const ProxyConfig = {
  async listen_path() {
    await loaded({}, { listen_path: "/demonstration/" });
    assert.equal((await at("/demonstration/x")).json.url, "/up/x");
    assert.equal((await at("/demonstrations/x")).status, 404);
  },
  async target_url() {
    assert.equal(await asked({}, { target_url: `${upstream.url}/one` }), "/one/x");
    assert.equal(await asked({}, { target_url: `${upstream.url}/two` }), "/two/x");
  },
  async strip_listen_path() {
    assert.equal(await asked({}, { listen_path: "/stripped/", strip_listen_path: true }), "/up/x");
    assert.equal(await asked({}, { listen_path: "/kept/", strip_listen_path: false }), "/up/kept/x");
  },
  async disable_strip_slash() {
    const target_url = `${upstream.url}/up/`;
    assert.equal(await asked({}, { target_url, disable_strip_slash: false }, { path: "" }), "/up");
    assert.equal(await asked({}, { target_url, disable_strip_slash: true }, { path: "" }), "/up/");
  },
};

const VersionDefinition = {
  async versions() {
    const version = await loaded({ internal: true });
    const base = await loaded({ definition: { enabled: false, versions: { v2: version.api_id } } });
    const { apis } = (await gateway.admin("GET", `/gateway/apis/${base.api_id}/versions`)).json;
    assert.deepEqual(apis.map(({ id, versionName }) => [id, versionName])[1], [version.api_id, "v2"]);
    const read = () => gateway.admin("GET", `/gateway/apis/${version.api_id}`);
    assert.equal((await read()).headers["x-gateway-base-api-id"], base.api_id);
  },
};

const BatchRequest = {
  async requests() {
    const requests = ["echo?1", "echo?2"].map((relative_url) => ({ relative_url }));
    const units = await batch({ requests });
    assert.deepEqual(units.map(({ body }) => JSON.parse(body).url), ["/echo?1", "/echo?2"]);
  },
  async suppress_parallel_execution() {
    assert.equal(await atOnce({ suppress_parallel_execution: false }, (second) => second), 2);
    // The time of another request: enough for a second item to show up.
    assert.equal(await atOnce({ suppress_parallel_execution: true }, () => at("/hello")), 1);
  },
};

const BatchItem = {
  async method() {
    assert.equal((await item({ method: "DELETE" })).method, "DELETE");
    assert.equal((await item({ method: "" })).method, "GET");
  },
  async relative_url() {
    assert.equal((await item({ relative_url: "here?a=b" })).url, "/here?a=b");
  },
  async headers() {
    assert.deepEqual(values(await item({ headers: { "X-Own": "1" } }), "x-own"), ["1"]);
    assert.deepEqual(values(await item({}), "x-own"), []);
  },
  async body() {
    assert.equal((await item({ method: "POST", body: "own" })).body, "own");
  },
};

/** Calls the dashboard API. */
async function dashboard(method, path, body) {
  const headers = { Authorization: `Bearer ${gateway.dashboardToken}` };
  const answer = await send(gateway.ports.console, { method, path, body, headers });
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

/** Stores a webhook that calls the upstream; answers its id. */
async function hook(members) {
  const target_path = `${upstream.url}/use`;
  return (await dashboard("POST", "/api/hooks", { method: "POST", target_path, ...members })).Meta;
}

/** What the upstream gets from a sample of such a webhook. */
async function sampled(members) {
  let call;
  handler = (request, response) => {
    call = request;
    response.end();
  };
  assert.equal((await dashboard("POST", `/api/hooks/${await hook(members)}/test`)).delivered, true);
  return call;
}

const Webhook = {
  async method() {
    assert.equal((await sampled({ method: "PUT" })).method, "PUT");
    assert.equal((await sampled({ method: "DELETE" })).method, "DELETE");
  },
  async target_path() {
    assert.equal((await sampled({ target_path: `${upstream.url}/use?here` })).url, "/use?here");
  },
  async header_map() {
    assert.equal((await sampled({ header_map: { "X-Own": "1" } })).headers["x-own"], "1");
    assert.equal((await sampled({})).headers["x-own"], undefined);
  },
  async subscriptions() {
    const called = gate();
    handler = (request, response) => {
      called.open(request.headers["webhook-id"]);
      response.end();
    };
    const [none, some] = [await hook({ subscriptions: [] }), await hook({ subscriptions: ["ApiAdded"] })];
    await post(api());
    const log = async (id) => (await dashboard("GET", `/api/hooks/${id}/deliveries`)).deliveries;
    assert.deepEqual((await log(some)).map(({ notice_id }) => notice_id), [await called.opened]);
    assert.deepEqual(await log(none), []);
    await dashboard("DELETE", `/api/hooks/${some}`);
  },
};

/** By the titles of the types in the schemas. */
const DEMONSTRATIONS = { ApiDefinition, ProxyConfig, VersionDefinition, BatchRequest, "BatchRequest.requests": BatchItem, Webhook };

for (const [type, members] of Object.entries(DEMONSTRATIONS)) {
  for (const [name, demonstrate] of Object.entries(members)) test(`${type}.${name} is acted on`, demonstrate);
}

test("every member that the schemas call enforced is demonstrated, and no other", async () => {
  const read = async (path) => (await gateway.admin("GET", path)).text;
  const roots = new Set(Array.from((await read("/openapi/gateway.json")).matchAll(/"schemas\/(\w+)\.json"/g), ([, root]) => root));
  assert.ok(roots.has("api_definition") && roots.has("batch_request"));
  const enforced = new Set();
  for (const root of roots) {
    const { $defs } = JSON.parse(await read(`/openapi/schemas/${root}.json`));
    for (const { title, properties } of Object.values($defs)) {
      for (const [name, schema] of Object.entries(properties)) {
        if (schema["x-gatewright-support"] === "enforced") enforced.add(`${title}.${name}`);
      }
    }
  }
  const shown = Object.entries(DEMONSTRATIONS).flatMap(([type, members]) => Object.keys(members).map((name) => `${type}.${name}`));
  assert.deepEqual(shown.sort(), [...enforced].sort());
});
