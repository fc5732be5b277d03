// Events end to end: which are raised, that log handlers and webhooks of definitions receive them, and that no token is
// ever sent. The rules are tested natively (crates/testkit/tests/testkit/gate/events/).

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { eventReaders, fresh, logs } from "./heard.mjs";
import { keyring, rights } from "./keyring.mjs";
import { isSigned, receiver, status } from "./receiver.mjs";
import { listen } from "./upstream.mjs";

const HOUR = 3600;
const ENV = { EGRESS_ALLOW_PRIVATE: "true", WEBHOOK_RETRY_SECONDS: "1,1,1", NOTIFICATIONS_KEPT: "60" };
const KINDS = [
  "AuthFailure", "KeyExpired", "RatelimitExceeded", "QuotaExceeded", "OrgQuotaExceeded", "OrgRateLimitExceeded",
  "VersionFailure", "TriggerExceeded", "TokenCreated", "TokenUpdated", "TokenDeleted",
];

let gateway;
let upstream;
let target;
const keys = keyring(() => gateway);
const { calls, lines, logged, bodies, received } = eventReaders(() => gateway, () => target);
before(async () => {
  [gateway, upstream, target] = await Promise.all([start({ env: ENV }), listen(), receiver()]);
});
after(() => Promise.all([gateway.stop(), upstream.close(), target.close()]));

/** Loads an API for keys that reports every event, or `kinds`, to these handlers. */
async function loaded(handlers, members = {}, kinds = KINDS) {
  const events = Object.fromEntries(kinds.map((kind) => [kind, handlers]));
  const definition = api({ use_keyless: false, event_handlers: { events }, ...members }, { target_url: upstream.url });
  await publish(gateway, definition);
  return definition;
}

const EVENTS = [
  ["AuthFailure", "Auth Failure", { token: "nobody-knows-this-token" }],
  ["KeyExpired", "Attempted access from expired key.", { session: { expires: 1 } }],
  ["KeyExpired", "Attempted access from inactive key.", { session: { is_inactive: true } }],
  ["RatelimitExceeded", "Key Rate Limit Exceeded", { session: { rate: 1, per: HOUR }, times: 2 }],
  ["RatelimitExceeded", "API Rate Limit Exceeded", { members: { global_rate_limit: { rate: 1, per: HOUR } }, times: 2 }],
  ["QuotaExceeded", "Key Quota Limit Exceeded", { session: { quota_max: 1, quota_renewal_rate: HOUR }, times: 2 }],
  ["OrgQuotaExceeded", "Organisation quota has been exceeded", { org: { quota_max: 1, quota_renewal_rate: HOUR }, times: 2 }],
  ["OrgRateLimitExceeded", "Organisation rate limit has been exceeded", { org: { rate: 1, per: HOUR }, times: 2 }],
  ["VersionFailure", "Attempted access to disallowed version.", { access: { versions: ["none"] } }],
  ["TriggerExceeded", "Quota trigger reached", { session: { quota_max: 4, quota_renewal_rate: HOUR, monitor: { trigger_limits: [50] } }, times: 2 }],
];

describe("each event of a request", () => {
  for (const [kind, message, { token, session, members = {}, org, access, times = 1 }] of EVENTS) {
    test(`${kind}: ${message}`, async () => {
      const [prefix, path] = [fresh("heard"), `/in?${fresh("inline")}`];
      const org_id = org ? fresh("org") : "";
      const definition = await loaded([logs(prefix), calls({ target_path: target.url + path })], { ...members, org_id }, [kind]);
      if (org) assert.equal((await keys.admin("POST", `org/keys/${org_id}`, org)).status, 200);
      const made = await keys.issue({ org_id, access_rights: rights(definition, access), ...session });
      const sent = token ?? made.key;
      await keys.calls(sent, definition, times);

      const [{ Type, Meta, TimeStamp }] = await logged(prefix, 1);
      const requested = `${definition.proxy.listen_path}x`;
      assert.deepEqual([Type, Meta.Message, Meta.Path, Meta.Origin], [kind, message, requested, "127.0.0.1"]);
      assert.ok(Math.abs(Date.parse(TimeStamp) - Date.now()) < 60_000);
      if (!token) assert.equal(Meta.Key, made.key_hash);
      assert.match(Meta.Key, /^[0-9a-f]{8,64}$/);

      const [body] = await received(path, kind);
      const expected = { event: kind, message, path: requested, origin: "127.0.0.1", key: Meta.Key, org: org_id || "default", api_id: definition.api_id };
      if (kind === "TriggerExceeded") expected.trigger_limit = 50;
      if (kind === "VersionFailure") expected.reason = "Access to this API has been disallowed";
      assert.deepEqual(body, expected);
      assert.equal(lines(prefix).length, 1);
      for (const text of [gateway.log(), JSON.stringify(target.calls)]) assert.ok(!text.includes(sent) && !text.includes(made.key));
    });
  }
});

describe("event handlers", () => {
  test("key events reach the APIs the key may use", async () => {
    const [prefix, path] = [fresh("keys"), `/in?${fresh("keys")}`];
    const definition = await loaded([logs(prefix), calls({ target_path: target.url + path })]);
    const session = { access_rights: rights(definition) };
    const { key, key_hash } = await keys.issue(session);
    assert.equal((await keys.admin("PUT", `keys/${encodeURIComponent(key)}`, session)).status, 200);
    assert.equal((await keys.admin("DELETE", `keys/${encodeURIComponent(key)}`)).status, 200);
    const messages = { TokenCreated: "Key generated.", TokenUpdated: "Key modified.", TokenDeleted: "Key deleted." };
    for (const [event, message] of Object.entries(messages)) {
      const [body] = await received(path, event);
      assert.deepEqual(body, { event, message, path: "", origin: "", key: key_hash, org: "default" });
    }
    const events = await logged(prefix, 3);
    assert.deepEqual(events.map(({ Type, Meta }) => [Type, Meta.Key]), Object.keys(messages).map((event) => [event, key_hash]));
    assert.ok(!gateway.log().includes(key));
  });

  test("an expiring key raises the same event as a deleted one", async () => {
    const [prefix, path] = [fresh("over"), `/in?${fresh("over")}`];
    const definition = await loaded([logs(prefix), calls({ target_path: target.url + path })], {}, ["TokenDeleted"]);
    const { key_hash } = await keys.issue({ access_rights: rights(definition), session_lifetime: 1 });
    const [body] = await received(path, "TokenDeleted");
    assert.deepEqual([body.message, body.key], ["Key deleted.", key_hash]);
    assert.equal((await logged(prefix, 1))[0].Meta.Key, key_hash);
  });

  test("a request on either path and a batch item raise the same event", async () => {
    const prefix = fresh("ways");
    const definition = await loaded([logs(prefix)], { enable_batch_request_support: true });
    const { key, key_hash } = await keys.issue({ access_rights: rights(definition), rate: 2, per: HOUR });
    // The first one is new to the isolate, the second one takes the short path, and so does the refusal.
    assert.deepEqual(await keys.statuses(key, definition, 3), [200, 200, 429]);
    const batch = { requests: [{ method: "GET", relative_url: "item", headers: { Authorization: key } }] };
    const { json } = await keys.call(key, definition, { rest: "gateway/batch/", method: "POST", body: batch });
    assert.equal(json[0].code, 429);
    const events = (await logged(prefix, 3)).filter(({ Type }) => Type === "RatelimitExceeded");
    const base = definition.proxy.listen_path;
    assert.deepEqual(events.map(({ Meta }) => [Meta.Path, Meta.Key, Meta.Origin]), [[`${base}x`, key_hash, "127.0.0.1"], [`${base}item`, key_hash, "127.0.0.1"]]);
  });

  test("a stored webhook is called with its signature, in its own format", async () => {
    const path = `/in?${fresh("stored")}`;
    const stored = { name: fresh("hook"), method: "POST", target_path: target.url + path };
    const made = (await gateway.dashboard("POST", "/api/hooks", { body: stored })).json;
    const definition = await loaded([calls({ id: made.Meta, target_path: "" })], {}, ["AuthFailure"]);
    await keys.call("nobody-knows-this-token", definition);
    const got = await target.until((all) => all.some(({ url }) => url === path));
    const call = got.find(({ url }) => url === path);
    assert.ok(isSigned(call, made.signing_secret));
    const { type, data } = JSON.parse(call.body);
    assert.deepEqual([type, data.event, data.api_id], ["AuthFailure", "AuthFailure", definition.api_id]);
  });

  test("a failed delivery is retried until it succeeds, and logged without the URL", async () => {
    const path = `/in?${fresh("retried")}`;
    const definition = await loaded([calls({ target_path: target.url + path })], {}, ["AuthFailure"]);
    const attempts = () => target.calls.filter(({ url }) => url === path);
    target.answers((call, response) => response.writeHead(attempts().length < 3 ? 500 : 200).end());
    await keys.call("nobody-knows-this-token", definition);
    await target.until(() => attempts().length >= 3);
    target.answers(status(204));
    const [first, , third] = attempts();
    assert.deepEqual([third.body, third.headers["webhook-id"]], [first.body, first.headers["webhook-id"]]);
    const complaint = `api/${definition.api_id}/`;
    await gateway.logged(new RegExp(`${complaint}[^]*${complaint}`));
    const complaints = gateway.log().split("\n").filter((line) => line.includes(complaint));
    assert.ok(complaints.length >= 2 && complaints.every((line) => line.includes("The receiver answered 500")), complaints.join("\n"));
    assert.ok(!gateway.log().includes(path));
  });

  test("a repeated event is sent once per event_timeout", async () => {
    const [quiet, loud] = [fresh("quiet"), fresh("loud")].map((name) => `/in?${name}`);
    const definition = await loaded([calls({ target_path: target.url + quiet, event_timeout: HOUR }), calls({ target_path: target.url + loud })], {}, ["AuthFailure"]);
    for (let sent = 0; sent < 3; sent += 1) await keys.call("nobody-knows-this-token", definition);
    await received(loud, "AuthFailure", 3);
    await keys.call("nor-does-anybody-know-this-one", definition);
    // Events are sent in order, so the one about another key arrives last.
    await received(loud, "AuthFailure", 4);
    await received(quiet, "AuthFailure", 2);
    // An isolate that has just started doesn't know about it; the Registry does.
    await gateway.restart();
    await keys.call("nobody-knows-this-token", definition);
    await received(loud, "AuthFailure", 5);
    await keys.call("and-nobody-knows-this-one", definition);
    await received(loud, "AuthFailure", 6);
    const repeated = await received(quiet, "AuthFailure", 3);
    assert.equal(new Set(repeated.flatMap(({ key, keys = [] }) => [key, ...keys])).size, 3);
  });

  test("an API without handlers, and a disabled handler, send nothing", async () => {
    const prefix = fresh("off");
    const path = `/in?${fresh("off")}`;
    const definition = await loaded([logs(prefix, { disabled: true }), calls({ target_path: target.url + path, disabled: true })]);
    await keys.call("nobody-knows-this-token", definition);
    const handling = await loaded([logs(prefix)]);
    await keys.call("nobody-knows-this-token", handling);
    assert.equal((await logged(prefix, 1))[0].Meta.ApiId, handling.api_id);
    assert.ok(target.calls.every(({ url }) => url !== path));
  });

  test("a flood of events is merged into one notification per second, without losing a count", async () => {
    const path = `/in?${fresh("flood")}`;
    const definition = await loaded([calls({ target_path: target.url + path })], { org_id: "flooded" }, ["AuthFailure"]);
    const credential = { name: "f", org_id: "flooded", permissions: { apis: "read", clientidps: "read" } };
    const { token } = (await gateway.admin("POST", "/gateway/dashboard/credentials", { body: credential })).json;
    const headers = { Authorization: `Bearer ${token}` };
    const list = async () => (await gateway.dashboard("GET", "/api/notifications?limit=500", { headers })).json;
    for (let round = 1; round <= 3; round += 1) {
      await Promise.all(Array.from({ length: 60 }, (_, n) => keys.call(`nobody-${round}-${n}-knows-this`, definition)));
      await received(path, "AuthFailure", 60 * round);
    }
    // The current second has reported one event, and counts the others until it ends.
    const { notifications } = await list();
    const failures = notifications.filter(({ type }) => type === "AuthFailure");
    assert.ok(failures.length < 60, `${failures.length}`);
    assert.ok(failures.some(({ data }) => data.count > 30 && data.keys.length === 20), JSON.stringify(failures));
  });
});
