// The call to an upstream, its time limit, and the description of a failed one or of a response that breaks off.

import { NO_CACHE } from "./glue.js";

/**
 * Sends a request, or the init of one with its address, to an upstream, which must start responding within `ms`
 * milliseconds; 0 means no limit. A late response is dropped together with the request: an abort signal per request
 * would cost three times as much. The timer isn't cleared either: once there is a response, its rejection has no effect.
 */
export function fetchUpstream(sent, env, ms, signal) {
  // A self-hosted runtime has a binding for the public network (`EGRESS`), and no cache in front of `fetch`. Passing an
  // options object costs as much as all the headers.
  const cf = env.EGRESS === undefined ? NO_CACHE : undefined;
  const response = cf === undefined && signal === undefined ? send(sent) : send(sent, { cf, signal });
  if (!ms) return response;
  return new Promise((resolve, reject) => {
    setTimeout(() => reject(TIMED_OUT), ms);
    response.then(resolve, reject);
  });
}

/** Calls `fetch` with what `outgoing` returns (`headers.js`). */
function send(sent, more) {
  if (sent instanceof Request) return fetch(sent, more);
  return fetch(sent.url, more === undefined ? sent : { ...sent, ...more });
}

/** Rejection of a call that timed out. One shared instance, so it can be told apart from errors the runtime throws. */
export const TIMED_OUT = new Error("timeout");

/** Matches a URL without TLS whose host is a name, not an address. */
const PLAIN_NAME = /^http:\/\/(?![\d.]+(?:[:/?]|$)|\[)/i;

/**
 * Describes a failed call in the runtime's words. The runtime reports a name that doesn't resolve as an `internal
 * error`; without TLS, nothing else on the path to an upstream is reported like that.
 */
export function describeError(error, url) {
  const text = String(error);
  return text.startsWith("Error: internal error") && PLAIN_NAME.test(url) ? `${text}: DNS lookup failed` : text;
}

/** The upstream's response broke off while the gateway was reading it; the message is the runtime's. */
export class BrokenOff extends Error {}

/** Returns what a promise for an upstream's body resolves to; throws [`BrokenOff`] if the body doesn't end. */
export async function whole(reading) {
  try {
    return await reading;
  } catch (error) {
    throw new BrokenOff(String(error));
  }
}

/** Returns the details of a call to an upstream, for a report of its failure. */
export const details = ({ url, timeout = 0 }, sentAt, error) => ({ url, timeout, error, ms: sentAt && Date.now() - sentAt });
