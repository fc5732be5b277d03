// What the demonstrations of rules share: the upstream behind them and short ways to write definitions. See
// enforced.mjs.

import { api, publish } from "./definitions.mjs";
import { send } from "./http.mjs";
import { gate } from "./upstream.mjs";

/** Rules of an API whose requests are all of one version. */
export const version = (members) => ({
  version_data: { not_versioned: true, versions: { Default: { name: "Default", ...members } } },
});

/** Rules for single paths. */
export const extended = (extended_paths, members) => version({ use_extended_paths: true, extended_paths, ...members });

/** What the upstream says at `broken`. */
export const BROKEN = { status: 503, body: { code: "DB", text: "the database is away" } };

/**
 * What demonstrations use. `gateway` and `upstream` are functions that answer the running ones, `keys` is a
 * keyring; the upstream has to have the `routes`.
 */
export function stage(gateway, upstream, keys) {
  let held = gate();
  const hold = async (request, response) => {
    await held.opened;
    response.end();
  };
  const routes = {
    "/up/held": hold,
    "/up/waits": hold,
    "/up/named": (request, response) => response.writeHead(200, { "X-Up": "1", Location: `http://${request.headers.host}/up/a` }).end(),
    "/up/broken": (request, response) => response.writeHead(BROKEN.status, { "Content-Type": "application/json" }).end(JSON.stringify(BROKEN.body)),
  };

  /** The address of a path of the upstream. */
  const target = (path) => upstream().url + path;

  /** Stores and loads an API in front of the upstream. */
  async function loaded(members, proxy) {
    const definition = api(members, { target_url: target("/up"), ...proxy });
    await publish(gateway(), definition);
    return definition;
  }

  /** Sends a request to an API, to what is behind its listen path. */
  const call = ({ proxy }, path = "x", options = {}) => send(gateway().ports.gateway, { path: proxy.listen_path + path, ...options });

  /** An API that is loaded by whoever asks for it first. */
  const once = (members) => {
    let made;
    return () => (made ??= loaded(members));
  };
  const bare = once({});
  const limited = once(extended({ hard_timeouts: [{ path: "/held", method: "GET", duration: "100ms" }] }));

  /**
   * The status of a request that the upstream answers only when another one, which was sent later, has been
   * given up.
   */
  async function patient(definition, path, options) {
    held = gate();
    const one = call(definition, path, options);
    const other = await call(await limited(), "held");
    held.open();
    if (other.status !== 504) throw new Error(other.text);
    return (await one).status;
  }

  /** The status of a request that the upstream never answers. */
  async function impatient(definition, path, options) {
    held = gate();
    return (await call(definition, path, options)).status;
  }

  return { routes, target, keys, loaded, call, once, bare, patient, impatient };
}
