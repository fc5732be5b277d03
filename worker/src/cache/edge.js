// The cache at the edge: the Cache API, which each location has for itself.
//
// An address of the cache has the generation of its API in it, so what is kept of an API is forgotten by going on to
// the next generation. An isolate leases the generation for a second (`../objects/cache.js`), and whoever empties a
// cache is answered when all leases have ended: by then no location gives anything of before. What is kept of one
// address is under a number made up for it, which is kept too: forgetting that forgets the rest, in this location
// (RFC 9111 section 4.4 asks no more of a cache).

import { LEASE_MS } from "../objects/cache.js";

const ORIGIN = "https://cache.gatewright.invalid";
/** How long the number of an address is kept; what is under it ends earlier or is lost with it. */
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

const kept = (seconds) => ({ "cache-control": `public, max-age=${seconds}` });
const folder = async (env, { api, url }) => `${ORIGIN}/${encodeURIComponent(api)}/${await generation(env, api)}/${url}`;

/** What is kept at a place. Notes in the place under which number an answer is to be kept. */
export async function find(env, place) {
  place.folder ??= await folder(env, place);
  const numbered = await caches.default.match(place.folder);
  if (place.number === undefined && numbered === undefined) {
    // Now and not later: what is forgotten while the answer is on its way has to be forgotten with it.
    place.number = crypto.randomUUID();
    await caches.default.put(place.folder, new Response(place.number, { headers: kept(NUMBER_SECONDS) }));
    return undefined;
  }
  place.number ??= await numbered.text();
  const found = await caches.default.match(`${place.folder}/${place.number}/${place.key}`);
  if (found === undefined) return undefined;
  const { until, noted, status, headers, bare } = JSON.parse(decodeURIComponent(found.headers.get(HEAD)));
  if (bare) await found.body?.cancel();
  return { until, noted, status, headers, body: bare ? null : found.body };
}

/** Keeps an answer. */
export async function keep(env, place, { until, noted, status, headers, body }) {
  if (place.number === undefined) return;
  const seconds = Math.ceil((until - Date.now()) / 1000);
  if (seconds <= 0) return;
  const head = encodeURIComponent(JSON.stringify({ until, noted, status, headers, bare: body === null }));
  const response = new Response(body, { headers: { ...kept(seconds), [HEAD]: head } });
  await caches.default.put(`${place.folder}/${place.number}/${place.key}`, response);
}

/** Forgets what is kept of a scope: an API everywhere, an address here. One key is written anew anyway. */
export async function forget(env, place, scope) {
  if (scope.api !== undefined) await env.CACHE_GENERATIONS.getByName(scope.api).advance();
  else if (scope.url !== undefined) await caches.default.delete(await folder(env, place));
  // Nobody has looked for it, so the number is not known yet.
  else await (await find(env, place))?.body?.cancel();
}
