// What tests of events share: handlers, and the events these have received.

import assert from "node:assert/strict";

const HEARD_WITHIN_MS = 20_000;
let names = 0;

/** Returns a unique name that identifies a line of the log or the address of a webhook. */
export const fresh = (word) => `${word}-${(names += 1)}`;

/** Returns a handler that writes to the log. */
export const logs = (prefix, members) => ({ handler_name: "eh_log_handler", handler_meta: { prefix, ...members } });

/**
 * Returns functions that read the received events; `gateway` and `target`, a receiver, are functions that return the
 * running ones.
 */
export function eventReaders(gateway, target) {
  /** Returns a handler that calls the receiver. */
  const calls = (members) => ({ handler_name: "eh_web_hook_handler", handler_meta: { method: "POST", target_path: target().target, ...members } });

  /** Returns the envelopes in the log that follow a prefix. */
  const lines = (prefix) => {
    const found = gateway().log().split("\n").filter((line) => line.includes(`${prefix} {"Type"`));
    return found.map((line) => JSON.parse(line.slice(line.indexOf("{"))));
  };

  /** Waits until the log has this many after a prefix; the runtime writes it with a delay. */
  async function logged(prefix, count) {
    const deadline = Date.now() + HEARD_WITHIN_MS;
    while (lines(prefix).length < count) {
      assert.ok(Date.now() < deadline, `${prefix}: ${JSON.stringify(lines(prefix))}`);
      await gateway().admin("GET", "/hello");
    }
    return lines(prefix);
  }

  /**
   * Returns the bodies that the receiver got of an event at a path; one that was repeated after a crash counts once.
   */
  const bodies = (path, kind) => {
    const at = target().calls.filter(({ url }) => url === path);
    const byId = new Map(at.map(({ headers, body }) => [headers["webhook-id"], JSON.parse(body)]));
    return [...byId.values()].filter(({ event }) => event === kind);
  };

  /** Returns how many events the bodies report: those of one kind and API within a second are merged into one. */
  const counted = (events) => events.reduce((sum, { count = 1 }) => sum + count, 0);

  /** Waits until the bodies report this many of them. */
  const received = async (path, kind, count = 1) => {
    await target().until(() => counted(bodies(path, kind)) >= count);
    return bodies(path, kind);
  };

  return { calls, lines, logged, bodies, received };
}
