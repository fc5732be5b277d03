// What the measures do to a gateway: fill it, reload it, send it requests.

import { inParallel, timed } from "./load.mjs";

/** A definition of the usual size (1 kB), keyless, with batches, served under `/bench-{n}/`. */
export function definition(n, target, name = `Bench API ${n}`) {
  return JSON.stringify(
    {
      name,
      api_id: `bench-${n}`,
      org_id: "bench",
      active: true,
      use_keyless: true,
      enable_batch_request_support: true,
      definition: { location: "header", key: "x-api-version" },
      auth: { auth_header_name: "authorization" },
      version_data: {
        not_versioned: true,
        versions: {
          Default: {
            name: "Default",
            use_extended_paths: true,
            extended_paths: { ignored: [], white_list: [], black_list: [] },
          },
        },
      },
      proxy: { listen_path: `/bench-${n}/`, target_url: `${target}/`, strip_listen_path: true },
      tags: ["bench", `group-${n % 100}`],
    },
    null,
    2,
  );
}

export const apiUrl = (gateway, n) => `${gateway.url}/gateway/apis/bench-${n}`;

/** Creates the APIs `from` to `to - 1`; returns the elapsed milliseconds. */
export async function create(http, gateway, upstream, from, to, width) {
  const post = (n) => http.call("POST", `${gateway.url}/gateway/apis`, definition(from + n, upstream.url));
  return timed(() => inParallel(to - from, width, post));
}

/** Reloads and waits; returns the elapsed milliseconds. */
export async function reload(http, gateway) {
  return timed(() => http.call("GET", `${gateway.url}/gateway/reload?block=true`));
}

/** Throws if an API is not served correctly: a wrong response can be fast, too. */
export async function check(http, gateway, n) {
  const { text } = await http.call("GET", `${gateway.url}/bench-${n}/item`);
  if (text.length !== 1024) throw new Error(`bench-${n} answered ${text.length} bytes instead of 1024`);
}

// A gateway counts as idle once it has responded quickly for this long.
const REST_MS = 1500;
const QUICK_MS = 50;
const RESTS_WITHIN_MS = 60_000;

/**
 * Waits until the background work of a reload (the files of the application folder) is over; returns the elapsed
 * milliseconds. The gateway doesn't report it, but its single thread does both, so a quick response means that it had
 * nothing else to do.
 */
export async function rest(http, gateway, n) {
  const start = performance.now();
  let busy = start;
  for (;;) {
    if ((await timed(() => check(http, gateway, n))) > QUICK_MS) busy = performance.now();
    const now = performance.now();
    if (now - busy > REST_MS) return busy - start;
    if (now - start > RESTS_WITHIN_MS) throw new Error("the gateway is still busy a minute after a reload");
    await new Promise((done) => setTimeout(done, 20));
  }
}
