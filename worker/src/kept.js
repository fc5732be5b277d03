// A bounded cache of what an isolate has looked up.

/** The maximum number of entries in a map. */
const MOST = 500;

/** Sets a value in a map, and evicts the oldest one if the map is full. */
export function keep(map, name, value) {
  if (map.size >= MOST) map.delete(map.keys().next().value);
  map.set(name, value);
}
