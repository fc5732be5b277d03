// The receiver of webhooks in the tests, with its own implementation of Standard Webhooks 1.0.0.

import { createHmac, timingSafeEqual } from "node:crypto";
import { body, listen } from "./upstream.mjs";

/** Whether one of a call's signatures is valid for this secret. */
export function isSigned(call, secret) {
  const key = Buffer.from(secret.slice("whsec_".length), "base64");
  const message = `${call.headers["webhook-id"]}.${call.headers["webhook-timestamp"]}.${call.body}`;
  const right = createHmac("sha256", key).update(message).digest();
  return call.headers["webhook-signature"].split(" ").some((part) => {
    const [version, signature] = part.split(",");
    const given = Buffer.from(signature, "base64");
    return version === "v1" && given.length === right.length && timingSafeEqual(given, right);
  });
}

/**
 * Starts a receiver. `answer(call, response)` ends the response; by default, with status 204. Calls are `{ method, url,
 * headers, body }` of `/in`, in order of arrival; `until(condition)` waits until they fulfil a condition.
 */
export async function receiver(answer = (call, response) => response.writeHead(204).end()) {
  const calls = [];
  const waiting = new Set();
  const state = { answer };
  const server = await listen({
    "/in": async (request, response) => {
      const sent = await body(request).catch(() => undefined);
      if (!sent) return;
      const call = { method: request.method, url: request.url, headers: request.headers, body: sent.toString() };
      calls.push(call);
      for (const check of [...waiting]) check();
      state.answer(call, response);
    },
  });
  const until = (condition) =>
    new Promise((resolve) => {
      const check = () => {
        if (!condition(calls)) return;
        waiting.delete(check);
        resolve(calls);
      };
      waiting.add(check);
      check();
    });
  return { ...server, target: `${server.url}/in`, calls, until, answers: (answer) => (state.answer = answer) };
}

/** Returns a function that answers every call with this status. */
export const status = (code, headers) => (call, response) => response.writeHead(code, headers).end();
