// Streams of events, which an extra may change on their way, and which end with the session of their key. A stream may
// never end, so the extra gets each event as it arrives.

import { callExtra } from "./extras.js";
import { findSession } from "./glue.js";
import { dataplane } from "./modules.js";
import { HeldEvents } from "./held-events.js";

/** Whether a response is a stream of events. */
export const isStream = (response) => /event-stream/i.test(response.headers.get("content-type")) && response.body !== null;

/** How long events are passed on before the session is asked for again. */
const LOOK_MS = 5000;

/**
 * Returns a stream of events that ends when the session of its key is written, deleted or expires, or can't be asked for.
 * `session` has its Ledger, its revision and the question about it in a line each. A stream that is silent asks for
 * nothing: it shows nothing either.
 */
export function whileCurrent(response, session, env) {
  if (session === undefined) return response;
  const [ledger, revision, ...question] = session.split("\n");
  const isCurrent = async () => {
    const reply = await findSession(env, [ledger, question.join("\n")]).catch(() => undefined);
    return reply !== undefined && dataplane.run((wasm) => wasm.isRevision(reply, revision));
  };
  let until = Date.now() + LOOK_MS;
  const gate = new TransformStream({
    async transform(part, controller) {
      if (Date.now() >= until) {
        if (!(await isCurrent())) return controller.terminate();
        until = Date.now() + LOOK_MS;
      }
      controller.enqueue(part);
    },
  });
  return new Response(response.body.pipeThrough(gate), response);
}

/** Returns a response whose events pass through a call of an extra; the same one if there is no call, or it has no events. */
export function eventsThrough(response, call, settings) {
  if (call === undefined || !isStream(response)) return response;
  const { module, function: name, facts, max } = call;
  const headers = new Headers(response.headers);
  // The body is read decoded. However its type is written, a client reads events.
  const head = { headers: { "content-type": ["text/event-stream"], "content-encoding": [headers.get("content-encoding") ?? ""] } };
  for (const encoded of ["content-encoding", "content-length"]) headers.delete(encoded);
  const held = new HeldEvents();
  const pass = (events, controller) => {
    const [report, changed] = callExtra(module, name, settings, `${JSON.stringify(head)}\n${facts}`, events) ?? [];
    // The rest of the stream stays unread: passed on unchanged, it could reveal what is to be hidden.
    if (report !== "{}") throw new Error(`an event can't be read: ${report}`);
    controller.enqueue(changed === undefined ? events : new TextEncoder().encode(changed));
  };
  const filter = new TransformStream({
    transform(part, controller) {
      const events = held.add(part);
      if (held.length > max) throw new Error(`an event has more than ${max} bytes`);
      if (events !== undefined) pass(events, controller);
    },
    flush(controller) {
      if (held.length > 0) pass(held.take(), controller);
    },
  });
  const { status, statusText } = response;
  return new Response(response.body.pipeThrough(filter), { status, statusText, headers });
}
