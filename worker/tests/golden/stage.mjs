// An empty gateway, upstreams, and the loaded scenarios of one recording.

import { start } from "../harness.mjs";
import { Player } from "./player.mjs";
import { listen } from "./upstream.mjs";

/** The recorded gateway's settings, as far as ours has variables for them. */
const SETTINGS = {
  HASH_KEY_FUNCTION: "sha256",
  ENABLE_HEALTH_CHECKS: "true",
  ENABLE_PATH_PREFIX_MATCHING: "false",
  ENABLE_PATH_SUFFIX_MATCHING: "false",
};

/**
 * Loads scenarios into a gateway: the one given by `gateway` (URL) and `secret`, else a new one. Returns `{
 * play(scenario), close() }`; `play` returns `{ stored, answers }`.
 */
export async function raise(scenarios, { gateway, secret } = {}) {
  const own = gateway ? undefined : await start({ env: SETTINGS });
  const upstreams = await listen();
  const close = async () => {
    await own?.stop();
    await upstreams.close();
  };
  try {
    const player = new Player({ gateway: gateway ?? own.gateway, secret: secret ?? own?.secret, upstreams });
    const stored = await player.load(scenarios);
    return { play: async (scenario) => ({ stored: stored.get(scenario.name), answers: await player.play(scenario) }), close };
  } catch (error) {
    await close();
    throw error;
  }
}
