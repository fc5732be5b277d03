// Demonstrations of what the support table calls enforced: the requests that the gateway itself makes, items of batches
// and webhooks. See enforced.mjs.

import assert from "node:assert/strict";
import { after, before } from "node:test";
import { api, publish } from "./definitions.mjs";
import { demonstrate } from "./enforced.mjs";
import { start } from "./harness.mjs";
import { send } from "./http.mjs";
import { gate, listen, values } from "./upstream.mjs";

let gateway;
let upstream;
/** Set by the demonstration that uses the route. */
let handler;
before(async () => {
  const use = (request, response, url) => handler(request, response, url);
  [gateway, upstream] = await Promise.all([start({ env: { EGRESS_ALLOW_PRIVATE: "true" } }), listen({ "/use": use })]);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

const at = (path, options) => send(gateway.ports.gateway, { path, ...options });

/** Returns the responses to a batch's items. */
async function batch(body) {
  const definition = api({ enable_batch_request_support: true }, { target_url: upstream.url });
  await publish(gateway, definition);
  const answer = await at(`${definition.proxy.listen_path}gateway/batch/`, { method: "POST", body });
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}

/** Returns what the upstream received from one item of a batch. */
const item = async (members) => JSON.parse((await batch({ requests: [{ relative_url: "echo", ...members }] }))[0].body);

/** Returns how many items of a batch of two the upstream sees at once, if each is answered after `wait(second)`. */
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

const BatchRequest = {
  async requests() {
    const requests = ["echo?1", "echo?2"].map((relative_url) => ({ relative_url }));
    const units = await batch({ requests });
    assert.deepEqual(units.map(({ body }) => JSON.parse(body).url), ["/echo?1", "/echo?2"]);
  },
  async suppress_parallel_execution() {
    assert.equal(await atOnce({ suppress_parallel_execution: false }, (second) => second), 2);
    // The duration of another request: enough time for a second item to arrive.
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

/** Stores a webhook that calls the upstream; returns its id. */
async function hook(members) {
  const target_path = `${upstream.url}/use`;
  return (await dashboard("POST", "/api/hooks", { method: "POST", target_path, ...members })).Meta;
}

/** Returns what the upstream receives as a sample of such a webhook. */
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
  async webhook_id() {
    await hook({ webhook_id: "an-id" });
    assert.equal((await dashboard("GET", "/api/hooks/an-id")).webhook_id, "an-id");
  },
  async id() {
    const webhook = await dashboard("GET", `/api/hooks/${await hook({})}`);
    assert.match(webhook.id, /^[0-9a-f]{24}$/);
    assert.deepEqual(await dashboard("GET", `/api/hooks/${webhook.id}`), webhook);
  },
  async org_id() {
    const { org_id } = await dashboard("GET", `/api/hooks/${await hook({ org_id: "another" })}`);
    assert.equal(org_id, "default", "that of who has made it");
  },
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
    await gateway.admin("POST", "/gateway/apis", { body: api() });
    const log = async (id) => (await dashboard("GET", `/api/hooks/${id}/deliveries`)).deliveries;
    assert.deepEqual((await log(some)).map(({ notice_id }) => notice_id), [await called.opened]);
    assert.deepEqual(await log(none), []);
    await dashboard("DELETE", `/api/hooks/${some}`);
  },
  async event_timeout() {
    const [quiet, loud] = [await hook({ subscriptions: ["AuthFailure"], event_timeout: 3600 }), await hook({ target_path: `${upstream.url}/use?loud` })];
    const handlers = [{ handler_name: "eh_web_hook_handler", handler_meta: { id: loud } }];
    const definition = api({ use_keyless: false, event_handlers: { events: { AuthFailure: handlers } } });
    await publish(gateway, definition);
    for (const _ of ["once", "again"]) {
      const called = gate();
      handler = (request, response) => {
        if (request.url.endsWith("?loud")) called.open();
        response.end();
      };
      assert.equal((await at(definition.proxy.listen_path, { headers: { Authorization: "unknown" } })).status, 403);
      await called.opened;
    }
    const log = async (id) => (await dashboard("GET", `/api/hooks/${id}/deliveries`)).deliveries.length;
    assert.deepEqual([await log(quiet), await log(loud)], [1, 2]);
    await dashboard("DELETE", `/api/hooks/${quiet}`);
  },
};

demonstrate("calls", { BatchRequest, "BatchRequest.requests": BatchItem, Webhook }, () => gateway);
