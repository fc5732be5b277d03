// Streams of events that an extra changes on their way. A stream may never end, so it gets each event as it arrives.

import { callExtra } from "./extras.js";
import { findSession } from "./glue.js";
import { Parts } from "./parts.js";

const isStream = ({ headers, body }) => body !== null && /event-stream/i.test(headers.get("content-type"));

/** How long events are passed on without asking for the session again. */
const LOOK_MS = 5000;

/**
 * Returns a response whose events end when the session of its key is written, deleted or expires, or can't be asked for.
 * `question` is that of `findSession`. A stream that is silent asks for nothing: it shows nothing either.
 */
export function whileCurrent(response, question, env) {
  if (question === undefined || !isStream(response)) return response;
  const look = () => findSession(env, question).catch(() => undefined);
  const begun = look();
  let until = Date.now() + LOOK_MS;
  const gate = new TransformStream({
    async transform(part, controller) {
      if (Date.now() >= until) {
        const session = await look();
        if (session === undefined || session !== (await begun)) return controller.terminate();
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
  const held = new Parts();
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
