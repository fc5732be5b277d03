// Demonstrations of what the support table calls enforced: event handlers. Run by enforced-apis.mjs.

import assert from "node:assert/strict";
import { fresh, logs } from "./heard.mjs";

/** A token that no key has. */
const UNKNOWN = "nobody-knows-this-token";

/**
 * The demonstrations. `loaded(members)` stores and loads an API, `readers` are its `eventReaders` (heard.mjs), and
 * `gateway` and `target` are functions that return the running ones.
 */
export function eventHandlers({ loaded, keys, readers, gateway, target }) {
  const { calls, logged, lines, received } = readers;

  /** Sends a request with an unknown token to an API with these handlers for the resulting event. */
  async function unknown(handlers, event = "AuthFailure") {
    const definition = await loaded({ use_keyless: false, event_handlers: { events: { [event]: handlers } } });
    assert.equal((await keys.call(UNKNOWN, definition)).status, 403);
  }

  /** Returns the call that a webhook handler with these members makes. */
  async function called(members) {
    const path = `/in?${fresh("enforced")}`;
    const target_path = target().url + path;
    await unknown([calls({ target_path, ...members })]);
    const all = await target().until((got) => got.some(({ url }) => url === path));
    return all.find(({ url }) => url === path);
  }

  /** Whether a handler receives the event; a second handler's event, raised later, marks the end of the wait. */
  async function reaches(handlers, event) {
    const [prefix, end] = [fresh("first"), fresh("end")];
    await unknown(handlers(prefix), event);
    await unknown([logs(end)]);
    await logged(end, 1);
    return lines(prefix).length > 0;
  }

  const log = (members) => (prefix) => [logs(prefix, members)];
  return {
    EventHandlerMetaConfig: {
      async events() {
        assert.equal(await reaches(log({}), "AuthFailure"), true);
        assert.equal(await reaches(log({}), "KeyExpired"), false);
      },
    },
    EventHandlerTriggerConfig: {
      async handler_name() {
        assert.equal(await reaches(log({})), true);
        assert.equal(await reaches((prefix) => [{ ...logs(prefix), handler_name: "eh_dynamic_handler" }]), false);
      },
      async handler_meta() {
        const [prefix, other] = [fresh("one"), fresh("other")];
        await unknown([logs(prefix), logs(other)]);
        assert.deepEqual([await logged(prefix, 1), await logged(other, 1)].map(({ length }) => length), [1, 1]);
      },
    },
    "handler_meta (eh_log_handler)": {
      async disabled() {
        assert.equal(await reaches(log({ disabled: false })), true);
        assert.equal(await reaches(log({ disabled: true })), false);
      },
      async prefix() {
        const prefix = fresh("a prefix of its own");
        await unknown([logs(prefix)]);
        assert.equal((await logged(prefix, 1))[0].Type, "AuthFailure");
      },
    },
    "handler_meta (eh_web_hook_handler)": {
      async disabled() {
        const off = `/in?${fresh("off")}`;
        const path = `/in?${fresh("on")}`;
        await unknown([calls({ target_path: target().url + off, disabled: true }), calls({ target_path: target().url + path })]);
        await received(path, "AuthFailure");
        assert.ok(target().calls.every(({ url }) => url !== off));
      },
      async id() {
        const path = `/in?${fresh("stored")}`;
        const hook = { name: fresh("hook"), method: "POST", target_path: target().url + path };
        const { Meta: id } = (await gateway().dashboard("POST", "/api/hooks", { body: hook })).json;
        await unknown([calls({ id, target_path: "" })]);
        const all = await target().until((got) => got.some(({ url }) => url === path));
        assert.ok(all.find(({ url }) => url === path).headers["webhook-signature"]);
        assert.equal((await called({})).headers["webhook-signature"], undefined);
      },
      async method() {
        assert.equal((await called({ method: "PUT" })).method, "PUT");
        assert.equal((await called({ method: "GET" })).method, "GET");
      },
      async target_path() {
        assert.match((await called({})).url, /^\/in\?enforced/);
      },
      async header_map() {
        assert.equal((await called({ header_map: { "X-Team": "ops" } })).headers["x-team"], "ops");
        assert.equal((await called({})).headers["x-team"], undefined);
      },
      async event_timeout() {
        const [quiet, loud] = [fresh("quiet"), fresh("loud")].map((name) => `/in?${name}`);
        const handlers = [calls({ target_path: target().url + quiet, event_timeout: 3600 }), calls({ target_path: target().url + loud })];
        const definition = await loaded({ use_keyless: false, event_handlers: { events: { AuthFailure: handlers } } });
        await keys.statuses(UNKNOWN, definition, 2);
        await received(loud, "AuthFailure", 2);
        assert.equal((await received(quiet, "AuthFailure")).length, 1);
      },
    },
  };
}
