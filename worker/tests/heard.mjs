// What tests of events share: handlers, and what they have heard of.

import assert from "node:assert/strict";

const HEARD_WITHIN_MS = 20_000;
let names = 0;

/** A name for what a line of the log or the address of a webhook is told apart by. */
export const fresh = (word) => `${word}-${(names += 1)}`;

/** A handler that writes to the log. */
export const logs = (prefix, members) => ({ handler_name: "eh_log_handler", handler_meta: { prefix, ...members } });

/** What hears of events; `gateway` and `target`, a receiver, are functions that answer the running ones. */
export function ears(gateway, target) {
  /** A handler that calls the receiver. */
  const calls = (members) => ({ handler_name: "eh_web_hook_handler", handler_meta: { method: "POST", target_path: target().target, ...members } });

  /** The envelopes that the log has behind a prefix. */
  const lines = (prefix) => {
    const found = gateway().log().split("\n").filter((line) => line.includes(`${prefix} {"Type"`));
    return found.map((line) => JSON.parse(line.slice(line.indexOf("{"))));
  };

  /** Waits until the log has so many behind a prefix; the runtime writes it when it likes. */
  async function logged(prefix, count) {
    const deadline = Date.now() + HEARD_WITHIN_MS;
    while (lines(prefix).length < count) {
      assert.ok(Date.now() < deadline, `${prefix}: ${JSON.stringify(lines(prefix))}`);
      await gateway().admin("GET", "/hello");
    }
    return lines(prefix);
  }

  /** The bodies that the receiver got of an event at a path; one that came again after a crash is the same. */
  const bodies = (path, kind) => {
    const at = target().calls.filter(({ url }) => url === path);
    const byId = new Map(at.map(({ headers, body }) => [headers["webhook-id"], JSON.parse(body)]));
    return [...byId.values()].filter(({ event }) => event === kind);
  };

  /** How many events bodies tell of: those of one kind and API in one second are counted into one. */
  const counted = (heard) => heard.reduce((sum, { count = 1 }) => sum + count, 0);

  /** Waits until bodies tell of so many of them. */
  const received = async (path, kind, count = 1) => {
    await target().until(() => counted(bodies(path, kind)) >= count);
    return bodies(path, kind);
  };

  return { calls, lines, logged, bodies, received };
}
