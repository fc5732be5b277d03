// What an isolate keeps of what it has asked for.

/** So much is kept of a kind. */
const MOST = 500;

/** Keeps a value in a map, and forgets the oldest one where there are too many. */
export function keep(map, name, value) {
  if (map.size >= MOST) map.delete(map.keys().next().value);
  map.set(name, value);
}
