// A gateway whose KV can be made to fail.

import { join } from "node:path";
import { ROOT, start } from "./harness.mjs";
import { send } from "./http.mjs";

const REACHED_WITHIN_MS = 10_000;

/**
 * Starts a gateway like `start`, plus `faults(...rules)`, which sets what KV does from now on (see faults.js),
 * `seen()`, the requests to KV since it was last called, `reached(operation)`, which waits for a request that starts
 * with this, and `kv(method, key, body)`, which calls the real KV.
 */
export async function startWithFaults(options = {}) {
  const gateway = await start({ ...options, config: join(ROOT, "worker/tests/faults.capnp"), sockets: ["faults"] });
  const port = gateway.ports.faults;
  const seen = async () => (await send(port, { path: "/seen" })).json;
  return {
    ...gateway,
    faults: async (...rules) => {
      const answer = await send(port, { method: "PUT", path: "/rules", body: rules });
      if (answer.status !== 200) throw new Error(answer.text);
    },
    seen,
    reached: async (operation) => {
      const deadline = Date.now() + REACHED_WITHIN_MS;
      while (!(await seen()).some((line) => line.startsWith(operation))) {
        if (Date.now() > deadline) throw new Error(`KV was never asked for ${operation}`);
      }
    },
    kv: (method, key, body, headers) => send(port, { method, path: `/kv/${encodeURIComponent(key)}?urlencoded=true`, body, headers }),
  };
}
