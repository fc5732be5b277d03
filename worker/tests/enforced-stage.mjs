// What the demonstrations of rules share: the upstream, and shorthands for definitions. See enforced.mjs.

import { api, publish } from "./definitions.mjs";
import { send } from "./http.mjs";
import { gate } from "./upstream.mjs";

/** Returns the members of an API whose requests all have one version. */
export const version = (members) => ({
  version_data: { not_versioned: true, versions: { Default: { name: "Default", ...members } } },
});

/** Returns the members of an API with rules for single paths. */
export const extended = (extended_paths, members) => version({ use_extended_paths: true, extended_paths, ...members });

/** The upstream's response at `broken`. */
export const BROKEN = { status: 503, body: { code: "DB", text: "the database is away" } };

/**
 * Returns what demonstrations use. `gateway` and `upstream` are functions that return the running ones, `keys` is a
 * keyring; the upstream must have the `routes`.
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

  /** Returns the address of a path of the upstream. */
  const target = (path) => upstream().url + path;

  /** Stores and loads an API in front of the upstream. */
  async function loaded(members, proxy) {
    const definition = api(members, { target_url: target("/up"), ...proxy });
    await publish(gateway(), definition);
    return definition;
  }

  /** Sends a request to an API, to a path below its listen path. */
  const call = ({ proxy }, path = "x", options = {}) => send(gateway().ports.gateway, { path: proxy.listen_path + path, ...options });

  /** Returns a function that loads an API on its first call. */
  const once = (members) => {
    let made;
    return () => (made ??= loaded(members));
  };
  const bare = once({});
  const limited = once(extended({ hard_timeouts: [{ path: "/held", method: "GET", duration: "100ms" }] }));

  /** Returns the status of a request that the upstream answers only when another one, sent later, has timed out. */
  async function patient(definition, path, options) {
    held = gate();
    const one = call(definition, path, options);
    const other = await call(await limited(), "held");
    held.open();
    if (other.status !== 504) throw new Error(other.text);
    return (await one).status;
  }

  /** Returns the status of a request that the upstream never answers. */
  async function impatient(definition, path, options) {
    held = gate();
    return (await call(definition, path, options)).status;
  }

  return { routes, target, keys, loaded, call, once, bare, patient, impatient };
}
