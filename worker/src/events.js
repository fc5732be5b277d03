// Streams of events that an extra changes on their way. A stream may never end, so it gets each event as it arrives.

import { callExtra } from "./extras.js";
import { findSession } from "./glue.js";

const [LF, CR] = [10, 13];

/** Returns the length of the complete events at the start of these bytes: up to the last empty line. */
function lengthOfEvents(bytes) {
  for (let at = bytes.length - 1; at > 0; at--) {
    const [first, before, last] = [bytes[at - 2], bytes[at - 1], bytes[at]];
    const isEmptyLine = last === CR ? before === CR || before === LF : last === LF && (before === LF || (before === CR && first === LF));
    if (isEmptyLine) return at + 1;
  }
  return 0;
}

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
  let rest = new Uint8Array();
  const pass = (events, controller) => {
    const [report, changed] = callExtra(module, name, settings, `${JSON.stringify(head)}\n${facts}`, events) ?? [];
    // The rest of the stream stays unread: passed on unchanged, it could reveal what is to be hidden.
    if (report !== "{}") throw new Error(`an event can't be read: ${report}`);
    controller.enqueue(changed === undefined ? events : new TextEncoder().encode(changed));
  };
  const filter = new TransformStream({
    transform(part, controller) {
      const bytes = new Uint8Array(rest.length + part.length);
      bytes.set(rest);
      bytes.set(part, rest.length);
      const length = lengthOfEvents(bytes);
      rest = bytes.subarray(length);
      if (rest.length > max) throw new Error(`an event has more than ${max} bytes`);
      if (length > 0) pass(bytes.subarray(0, length), controller);
    },
    flush(controller) {
      if (rest.length > 0) pass(rest, controller);
    },
  });
  const { status, statusText } = response;
  return new Response(response.body.pipeThrough(filter), { status, statusText, headers });
}
