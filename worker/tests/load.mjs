// Load over several connections, each with one request at a time.

import http from "node:http";
import { performance } from "node:perf_hooks";

/** Returns the milliseconds of a monotonic clock. */
export const now = () => performance.now();

/**
 * Sends requests over `connections` connections for `ms` milliseconds, or until `next` returns undefined.
 * `next(number)` returns a connection's next request, `{ path, headers, key }`. Returns one `{ key, status, sent, done,
 * headers }` per request; `status` is undefined if there was no response, `sent` and `done` are times of {@link now}.
 * `onAnswer` is called with each of them at once.
 */
export async function load(port, { connections, ms, next, onAnswer = () => {} }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: connections });
  const until = now() + ms;
  const answers = [];
  let number = 0;
  const work = async () => {
    while (now() < until) {
      const request = next(number);
      number += 1;
      if (request === undefined) return;
      const answer = await ask(port, agent, request);
      answers.push(answer);
      onAnswer(answer);
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  agent.destroy();
  return answers;
}

/** Sends one request on a connection of the agent; a broken connection counts as a response without a status. */
export function ask(port, agent, { path, headers, key, method = "GET", body }) {
  const sent = now();
  return new Promise((resolve) => {
    const lost = () => resolve({ key, status: undefined, sent, done: now(), headers: {} });
    const request = http.request({ host: "127.0.0.1", port, path, headers, method, agent }, (response) => {
      const chunks = [];
      response.on("data", (chunk) => chunks.push(chunk));
      response.on("error", lost);
      response.on("end", () =>
        resolve({ key, status: response.statusCode, sent, done: now(), headers: response.headers, text: Buffer.concat(chunks).toString() }),
      );
    });
    request.on("error", lost);
    request.end(body);
  });
}

// The gateway's clock has whole milliseconds, so what it keeps apart may seem this much closer.
const TICK = 2;

/**
 * Returns the largest number of these admissions that were certainly decided within one window of `window`
 * milliseconds. An admission was decided at some time between its `sent` and its `done`.
 */
export function maxInWindow(admitted, window) {
  const bySent = [...admitted].sort((a, b) => a.sent - b.sent);
  let largest = 0;
  bySent.forEach(({ sent: begin }, first) => {
    const end = begin + window - TICK;
    let inside = 0;
    for (let at = first; at < bySent.length && bySent[at].sent < end; at += 1) inside += Number(bySent[at].done < end);
    largest = Math.max(largest, inside);
  });
  return largest;
}

/** Returns how many of these requests an ideal gateway admits, which decides on each as soon as it is sent. */
export function ideal(requests, limit, window) {
  const admitted = [];
  let oldest = 0;
  for (const sent of requests.map((request) => request.sent).sort((a, b) => a - b)) {
    while (oldest < admitted.length && admitted[oldest] + window <= sent) oldest += 1;
    if (admitted.length - oldest < limit) admitted.push(sent);
  }
  return admitted.length;
}
