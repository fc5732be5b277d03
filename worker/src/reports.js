// When an isolate reports what it has counted.

import * as wasm from "./dataplane.js";

/** Reports the collected figures if they are due, after the response is sent: no request waits for the report. */
export function reportIf(isDue, env, ctx) {
  if (isDue && ctx !== undefined) wasm.report(env, ctx);
}
