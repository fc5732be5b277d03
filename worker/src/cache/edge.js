// The cache at the edge: the Cache API, of which each location has its own.
//
// A cache address contains the generation of its API, so moving on to the next generation deletes everything cached for
// the API. An isolate leases the generation for a second (`../objects/cache.js`), and clearing a cache completes only
// when all leases have expired: by then no location returns an earlier entry. The entries of one address are stored
// under a random number, which is itself cached: deleting the number deletes the entries, at this location (RFC 9111
// section 4.4 requires no more of a cache).

import { LEASE_MS } from "../objects/cache.js";

const ORIGIN = "https://cache.gatewright.invalid";
/** How long the number of an address is cached; its entries expire earlier, or are lost with it. */
const NUMBER_SECONDS = 30 * 24 * 60 * 60;
const HEAD = "x-gatewright-head";

const generations = new Map();

async function generation(env, api) {
  const now = Date.now();
  const known = generations.get(api);
  if (known !== undefined && now < known.until) return known.number;
  const number = await env.CACHE_GENERATIONS.getByName(api).lease();
  generations.set(api, { number, until: now + LEASE_MS });
  return number;
}

const cachedFor = (seconds) => ({ "cache-control": `public, max-age=${seconds}` });
const folder = async (env, { api, url }) => `${ORIGIN}/${encodeURIComponent(api)}/${await generation(env, api)}/${url}`;

/** Returns the entry in a slot. Sets the number under which a response will be stored (`slot.number`). */
export async function find(env, slot) {
  slot.folder ??= await folder(env, slot);
  const numbered = await caches.default.match(slot.folder);
  if (slot.number === undefined && numbered === undefined) {
    // Now rather than later: an invalidation while the response is still arriving must affect it as well.
    slot.number = crypto.randomUUID();
    await caches.default.put(slot.folder, new Response(slot.number, { headers: cachedFor(NUMBER_SECONDS) }));
    return undefined;
  }
  slot.number ??= await numbered.text();
  const found = await caches.default.match(`${slot.folder}/${slot.number}/${slot.key}`);
  if (found === undefined) return undefined;
  const { until, noted: notes, status, headers, bare } = JSON.parse(decodeURIComponent(found.headers.get(HEAD)));
  if (bare) await found.body?.cancel();
  return { until, notes, status, headers, body: bare ? null : found.body };
}

/** Stores a response. */
export async function store(env, slot, { until, notes, status, headers, body }) {
  if (slot.number === undefined) return;
  const seconds = Math.ceil((until - Date.now()) / 1000);
  if (seconds <= 0) return;
  const head = encodeURIComponent(JSON.stringify({ until, noted: notes, status, headers, bare: body === null }));
  const response = new Response(body, { headers: { ...cachedFor(seconds), [HEAD]: head } });
  await caches.default.put(`${slot.folder}/${slot.number}/${slot.key}`, response);
}

/**
 * Deletes the entries of a scope: of an API everywhere, of an address at this location. A single key needs nothing,
 * since it is overwritten.
 */
export async function forget(env, slot, scope) {
  if (scope.api !== undefined) await env.CACHE_GENERATIONS.getByName(scope.api).advance();
  else if (scope.url !== undefined) await caches.default.delete(await folder(env, slot));
  // Nothing has looked the key up yet, so its number is not known.
  else await (await find(env, slot))?.body?.cancel();
}
