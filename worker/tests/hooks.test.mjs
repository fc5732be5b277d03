// Webhooks: the errors of the specification with their statuses, and the delivery of notifications on the real runtime.
// The rules are tested natively (crates/controlplane/tests/controlplane/hooks/); these tests cover the calls, the alarm,
// and what survives a restart.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { api } from "./definitions.mjs";
import { ROOT, start } from "./harness.mjs";
import { send } from "./http.mjs";
import { isSigned, receiver, status } from "./receiver.mjs";

const PRIVATE = { EGRESS_ALLOW_PRIVATE: "true", WEBHOOK_RETRY_SECONDS: "1,1,1" };
let count = 0;

/** Calls the dashboard API; a `body` that is not a text is sent as JSON. */
const dashboard = (gateway, method, path, body, headers) =>
  send(gateway.ports.console, { method, path, body, headers: { Authorization: `Bearer ${gateway.dashboardToken}`, ...headers } });

/** Stores a webhook; returns its id and secret. */
async function hook(gateway, target, members = {}) {
  count += 1;
  const body = { name: `h${count}`, method: "POST", target_path: target, subscriptions: ["*"], ...members };
  const made = await dashboard(gateway, "POST", "/api/hooks", body);
  assert.equal(made.status, 200, made.text);
  return { id: made.json.Meta, secret: made.json.signing_secret };
}

/** Stores an API, which causes one notification. */
async function notify(gateway) {
  const body = api();
  assert.equal((await gateway.admin("POST", "/gateway/apis", { body })).status, 200);
  return body.api_id;
}

const log = async (gateway, id, query = "") => (await dashboard(gateway, "GET", `/api/hooks/${id}/deliveries${query}`)).json.deliveries;

/** Waits until a webhook's log fulfils a condition; each check is a call to the gateway. */
async function logged(gateway, id, condition) {
  for (;;) {
    const deliveries = await log(gateway, id);
    if (condition(deliveries)) return deliveries;
  }
}

const ended = (deliveries) => deliveries.length > 0 && deliveries.every(({ state }) => state !== "pending");

describe("the specified errors", () => {
  const target_path = "https://hooks.example.com/in";
  let gateway;
  before(async () => {
    gateway = await start();
    const stored = { name: "n", method: "POST", target_path, webhook_id: "stored" };
    assert.equal((await dashboard(gateway, "POST", "/api/hooks", stored)).status, 200);
    assert.equal((await dashboard(gateway, "POST", "/api/hooks", { ...stored, webhook_id: "other" })).status, 200);
  });
  after(() => gateway.stop());

  const valid = { method: "POST", target_path };
  for (const [what, method, path, body, code, message] of [
    ["updating an unknown webhook", "PUT", "/api/hooks/none", valid, 400, "Webhook not found."],
    ["a body that is not JSON", "PUT", "/api/hooks/stored", "{", 403, "Request body malformed."],
    ["a body that is not JSON", "POST", "/api/hooks", "{", 403, "Request body malformed."],
    ["an empty body", "PUT", "/api/hooks/stored", "", 500, "Failed to read response body, body empty."],
    ["an empty body", "POST", "/api/hooks", "", 500, "Failed to read response body, body empty."],
    ["a webhook without a method", "POST", "/api/hooks", { target_path }, 400, "Webhook object validation failed."],
    ["a webhook without a target", "PUT", "/api/hooks/stored", { method: "GET" }, 400, "Webhook object validation failed."],
    ["an identifier in use", "POST", "/api/hooks", { ...valid, webhook_id: "stored" }, 409, "Duplicate webhook_id."],
    ["an identifier in use", "PUT", "/api/hooks/other", { ...valid, webhook_id: "stored" }, 409, "Duplicate webhook_id."],
    ["reading an unknown webhook", "GET", "/api/hooks/none", undefined, 400, "Could not retrieve webhook detail."],
    ["deleting an unknown webhook", "DELETE", "/api/hooks/none", undefined, 404, "Could not retrieve webhook detail."],
    ["testing an unknown webhook", "POST", "/api/hooks/none/test", undefined, 400, "Webhook not found."],
    ["a new secret for an unknown webhook", "POST", "/api/hooks/none/secret", undefined, 400, "Webhook not found."],
    ["the log of an unknown webhook", "GET", "/api/hooks/none/deliveries", undefined, 400, "Could not retrieve webhook detail."],
  ]) {
    test(`${code} for ${what} (${method})`, async () => {
      const answer = await dashboard(gateway, method, path, body);
      const { ID, Message, Meta, Status } = answer.json;
      assert.deepEqual([answer.status, Message, Meta, Status], [code, message, null, "Error"]);
      assert.ok(ID);
    });
  }

  test("401 without a valid credential, whatever the body", async () => {
    for (const headers of [{ Authorization: "" }, { Authorization: "Bearer wrong" }, { "Sec-Fetch-Site": "cross-site" }]) {
      const answer = await dashboard(gateway, "PUT", "/api/hooks/stored", "{", headers);
      assert.deepEqual([answer.status, answer.json.Message], [401, "Not authorised"]);
    }
  });

  test("invalid targets and headers", async () => {
    for (const [members, pointer] of [
      [{ target_path: "/relative" }, "/target_path"],
      [{ target_path: "ftp://example.com/" }, "/target_path"],
      [{ target_path: "https://u:p@example.com/" }, "/target_path"],
      [{ target_path: "http://127.0.0.1/" }, "/target_path"],
      [{ target_path: "http://2130706433/" }, "/target_path"],
      [{ target_path: "http://[::1]/" }, "/target_path"],
      [{ target_path: "http://metadata.google.internal/" }, "/target_path"],
      [{ header_map: { Host: "x" } }, "/header_map/Host"],
      [{ header_map: { "webhook-signature": "v1,x" } }, "/header_map/webhook-signature"],
      [{ header_map: { "X-A": "a\r\nb: c" } }, "/header_map/X-A"],
    ]) {
      for (const [method, path] of [["POST", "/api/hooks"], ["PUT", "/api/hooks/stored"]]) {
        const answer = await dashboard(gateway, method, path, { ...valid, ...members });
        assert.deepEqual([answer.status, answer.json.Message], [400, "Webhook object validation failed."], answer.text);
        assert.ok(answer.json.issues.some((issue) => issue.pointer === pointer && issue.severity === "error"), answer.text);
      }
    }
  });

  test("a PUT clears omitted members and returns the specified message", async () => {
    const answer = await dashboard(gateway, "PUT", "/api/hooks/other", { method: "GET", target_path });
    assert.deepEqual([answer.status, answer.text], [200, '{"Message":"Hook updated","Meta":null,"Status":"OK"}\n']);
    const list = (await dashboard(gateway, "GET", "/api/hooks")).json.hooks;
    const updated = list.find(({ method }) => method === "GET");
    assert.deepEqual([updated.name, updated.webhook_id, updated.header_map], ["", "", {}]);
  });
});

describe("deliveries", () => {
  let gateway;
  let target;
  before(async () => {
    [gateway, target] = await Promise.all([start({ env: PRIVATE }), receiver()]);
  });
  after(() => Promise.all([gateway.stop(), target.close()]));

  /** Returns the calls about an API. */
  const about = (id) => target.calls.filter(({ body }) => body.includes(`"${id}"`));

  test("a notification is delivered with a signature", async () => {
    target.answers(status(204));
    const { id, secret } = await hook(gateway, `${target.target}?x=1`, { header_map: { "X-Team": "ops", Authorization: "Bearer mine" } });
    const api_id = await notify(gateway);
    await target.until(() => about(api_id).length > 0);
    const [call] = about(api_id);
    assert.deepEqual([call.method, call.url], ["POST", "/in?x=1"]);
    assert.ok(isSigned(call, secret));
    assert.ok(!isSigned({ ...call, body: `${call.body} ` }, secret));
    const { headers } = call;
    assert.deepEqual([headers["x-team"], headers.authorization, headers["content-type"], headers["user-agent"]], ["ops", "Bearer mine", "application/json", "Gatewright"]);
    assert.ok(Math.abs(Date.now() / 1000 - Number(headers["webhook-timestamp"])) < 60);
    const notice = (await dashboard(gateway, "GET", "/api/notifications")).json.notifications.find(({ data }) => data.api_id === api_id);
    assert.equal(headers["webhook-id"], notice.id);
    assert.deepEqual(JSON.parse(call.body), { type: "ApiAdded", timestamp: notice.at, data: notice.data });
    const [delivery] = await logged(gateway, id, ended);
    assert.deepEqual([delivery.state, delivery.attempts[0].status, delivery.attempts[0].error], ["delivered", 204, null]);
    await dashboard(gateway, "DELETE", `/api/hooks/${id}`);
  });

  test("a failed delivery is retried with the same id and a new timestamp until it succeeds", async () => {
    const { id, secret } = await hook(gateway, target.target);
    target.answers((call, response) => response.writeHead(about(api_id).length < 3 ? 503 : 200).end());
    const api_id = await notify(gateway);
    await target.until(() => about(api_id).length === 3);
    const calls = about(api_id);
    assert.equal(new Set(calls.map(({ headers }) => headers["webhook-id"])).size, 1);
    assert.ok(calls.every((call) => isSigned(call, secret)));
    const times = calls.map(({ headers }) => Number(headers["webhook-timestamp"]));
    assert.ok(times[0] < times[1] && times[1] < times[2], String(times));
    const [delivery] = await logged(gateway, id, ended);
    assert.deepEqual(delivery.attempts.map((attempt) => attempt.status), [503, 503, 200]);
    await dashboard(gateway, "DELETE", `/api/hooks/${id}`);
  });

  test("delivery is abandoned after the last pause, and can be sent again by hand", async () => {
    const { id } = await hook(gateway, target.target);
    target.answers(status(500));
    await notify(gateway);
    const [failed] = await logged(gateway, id, ended);
    assert.deepEqual([failed.state, failed.attempts.length, failed.next_at], ["failed", 4, null]);
    target.answers(status(200));
    const again = await dashboard(gateway, "POST", `/api/hooks/${id}/deliveries/${failed.notice_id}/retry`);
    assert.equal(again.status, 200);
    const [delivered] = await logged(gateway, id, ended);
    assert.deepEqual([delivered.state, delivered.attempts.length], ["delivered", 5]);
    await dashboard(gateway, "DELETE", `/api/hooks/${id}`);
  });

  test("redirects are not followed, and a 410 stops deliveries", async () => {
    const calls = target.seen.length;
    for (const [code, headers, attempts] of [[307, { Location: `${target.url}/elsewhere` }, 4], [410, {}, 1]]) {
      const { id } = await hook(gateway, target.target);
      target.answers(status(code, headers));
      await notify(gateway);
      const [failed] = await logged(gateway, id, ended);
      assert.deepEqual([failed.state, failed.attempts.map((attempt) => attempt.status)], ["failed", Array(attempts).fill(code)]);
      await dashboard(gateway, "DELETE", `/api/hooks/${id}`);
    }
    assert.ok(target.seen.slice(calls).every(({ url }) => url === "/in"));
  });

  test("a receiver that hangs delays no other", async () => {
    const held = [];
    target.answers((call, response) => (call.url === "/in?slow" ? held.push(response) : response.writeHead(200).end()));
    const [slow, quick] = [await hook(gateway, `${target.target}?slow`), await hook(gateway, `${target.target}?quick`)];
    for (let n = 0; n < 10; n += 1) await notify(gateway);
    const deliveries = await logged(gateway, quick.id, (list) => list.length === 10 && ended(list));
    assert.ok(deliveries.every(({ state }) => state === "delivered"));
    const waiting = await log(gateway, slow.id);
    assert.ok(waiting.every(({ state }) => state === "pending"));
    target.answers(status(200));
    held.forEach((response) => response.writeHead(200).end());
    await logged(gateway, slow.id, (list) => list.length === 10 && ended(list));
    for (const { id } of [slow, quick]) await dashboard(gateway, "DELETE", `/api/hooks/${id}`);
  });

  test("a webhook receives what it subscribes to, and nothing once it is deleted", async () => {
    target.answers(status(200));
    const none = await hook(gateway, `${target.target}?none`, { subscriptions: [] });
    const some = await hook(gateway, `${target.target}?some`, { subscriptions: ["ApiRemoved"] });
    const all = await hook(gateway, `${target.target}?all`);
    const api_id = await notify(gateway);
    await gateway.admin("DELETE", `/gateway/apis/${api_id}`);
    await logged(gateway, all.id, (list) => list.length === 2 && ended(list));
    await logged(gateway, some.id, (list) => list.length === 1 && ended(list));
    const types = about(api_id).map(({ url, body }) => `${url.slice(4)} ${JSON.parse(body).type}`);
    assert.deepEqual(types.sort(), ["all ApiAdded", "all ApiRemoved", "some ApiRemoved"]);
    assert.deepEqual(await log(gateway, none.id), []);
    for (const { id } of [none, some, all]) await dashboard(gateway, "DELETE", `/api/hooks/${id}`);
    const before = target.calls.length;
    await notify(gateway);
    assert.equal((await log(gateway, all.id)).length, 2);
    assert.equal(target.calls.length, before);
  });

  test("the log has the beginning of the latest response, without what it repeats of the request", async () => {
    const long = `${"x".repeat(2000)}`;
    target.answers((call, response) => {
      const said = `${call.headers["x-token"]} ${call.headers["webhook-signature"]} ${long}`;
      response.writeHead(500, { "content-type": "text/plain; charset=utf-8" }).end(said);
    });
    const { id } = await hook(gateway, target.target, { header_map: { "X-Token": "s3cr3t-value" }, subscriptions: [] });
    const tested = await dashboard(gateway, "POST", `/api/hooks/${id}/test`);
    assert.deepEqual([tested.json.status, tested.json.delivered], [500, false]);
    const [{ attempts }] = await log(gateway, id);
    const { body, ...rest } = attempts[0].response;
    assert.deepEqual(rest, { content_type: "text/plain; charset=utf-8", content_length: null, truncated: true, withheld: false });
    assert.equal(body, `[redacted] [redacted] ${long}`.slice(0, 1024));
    // A body that never ends does not change the outcome.
    target.answers((call, response) => response.writeHead(200, { "content-type": "text/html", "content-length": "10" }).write("<p>"));
    await dashboard(gateway, "POST", `/api/hooks/${id}/test`);
    const [endless] = await log(gateway, id);
    assert.equal(endless.state, "delivered");
    assert.deepEqual(endless.attempts[0].response, { content_type: "text/html", content_length: 10, body: "<p>", truncated: true, withheld: false });
  });

  test("a test delivery reports its result, and is signed like any other", async () => {
    const { id, secret } = await hook(gateway, target.target, { subscriptions: [] });
    target.answers(status(201));
    const tested = await dashboard(gateway, "POST", `/api/hooks/${id}/test`);
    const { duration_ms: took, ...rest } = tested.json;
    assert.deepEqual([tested.status, rest], [200, { delivered: true, status: 201, error: null }]);
    assert.ok(took >= 0);
    const call = target.calls.at(-1);
    assert.equal(JSON.parse(call.body).type, "Test");
    assert.ok(isSigned(call, secret));
    target.answers((call, response) => response.socket.resetAndDestroy());
    const failed = (await dashboard(gateway, "POST", `/api/hooks/${id}/test`)).json;
    assert.deepEqual([failed.delivered, failed.status], [false, null]);
    assert.match(failed.error, /can't be reached/);
    assert.deepEqual((await log(gateway, id)).map(({ type, state }) => [type, state]), [["Test", "failed"], ["Test", "delivered"]]);
    await dashboard(gateway, "DELETE", `/api/hooks/${id}`);
  });

  test("after a rotation both secrets sign, and no response shows either again", async () => {
    const { id, secret } = await hook(gateway, target.target, { subscriptions: [] });
    target.answers(status(200));
    const rotated = await dashboard(gateway, "POST", `/api/hooks/${id}/secret`);
    assert.equal(rotated.status, 200);
    assert.match(rotated.json.secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
    assert.notEqual(rotated.json.secret, secret);
    await dashboard(gateway, "POST", `/api/hooks/${id}/test`);
    const call = target.calls.at(-1);
    assert.ok(isSigned(call, secret) && isSigned(call, rotated.json.secret));
    assert.equal(call.headers["webhook-signature"].split(" ").length, 2);
    for (const path of [`/api/hooks/${id}`, "/api/hooks", `/api/hooks/${id}/revisions/1`, `/api/hooks/${id}/deliveries`, "/api/audit", "/api/notifications"]) {
      assert.ok(!(await dashboard(gateway, "GET", path)).text.includes("whsec_"), path);
    }
    assert.ok(!gateway.log().includes("whsec_"));
    assert.ok(!target.calls.some(({ body }) => body.includes("whsec_")));
  });

  test("a GET has no body, and its signature covers the empty one", async () => {
    const { id, secret } = await hook(gateway, target.target, { method: "GET", subscriptions: [] });
    target.answers(status(200));
    assert.equal((await dashboard(gateway, "POST", `/api/hooks/${id}/test`)).json.delivered, true);
    const call = target.calls.at(-1);
    assert.deepEqual([call.method, call.body], ["GET", ""]);
    assert.ok(isSigned(call, secret));
  });
});

test("every subscribed notification is delivered, even if the process is killed in between", async () => {
  const [gateway, target] = await Promise.all([start({ env: PRIVATE }), receiver()]);
  // After some calls there are no more responses, so that some calls are under way and most are waiting.
  target.answers((call, response) => target.calls.length <= 20 && response.writeHead(200).end());
  try {
    const { id } = await hook(gateway, target.target);
    const acknowledged = [];
    let killed;
    const work = async () => {
      while (!killed) {
        const body = api();
        const answer = await gateway.admin("POST", "/gateway/apis", { body }).catch(() => undefined);
        if (answer?.status !== 200) return;
        acknowledged.push(body.api_id);
        if (acknowledged.length === 150) killed = gateway.kill("SIGKILL");
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    await killed;
    assert.ok(target.calls.length < acknowledged.length, "most were still pending");
    target.answers(status(200));
    // Nothing calls the gateway except the check for readiness.
    await gateway.restart();
    const arrived = () => new Map(target.calls.map(({ headers, body }) => [JSON.parse(body).data.api_id, headers["webhook-id"]]));
    await target.until(() => acknowledged.every((api_id) => arrived().has(api_id)));
    const { notifications } = (await dashboard(gateway, "GET", "/api/notifications?limit=1000")).json;
    const ids = new Map(notifications.map(({ id, data }) => [data.api_id, id]));
    for (const { headers, body } of target.calls) assert.equal(headers["webhook-id"], ids.get(JSON.parse(body).data.api_id));
    const deliveries = await logged(gateway, id, (list) => ended(list));
    assert.ok(deliveries.every(({ state }) => state === "delivered"));
  } finally {
    await Promise.all([gateway.stop(), target.close()]);
  }
});

describe("where private addresses are forbidden", () => {
  let gateway;
  before(async () => {
    gateway = await start({ config: join(ROOT, "worker/tests/egress.capnp"), sockets: ["upstreams", "public"] });
  });
  after(() => gateway.stop());

  test("calls go through the network that excludes them", async () => {
    const { id } = await hook(gateway, "https://example.com/hook");
    assert.deepEqual((await dashboard(gateway, "POST", `/api/hooks/${id}/test`)).json.delivered, true);
    await notify(gateway);
    const [delivery] = await logged(gateway, id, (list) => list.length === 2 && ended(list));
    assert.equal(delivery.state, "delivered");
  });
});
