// A bounded cache of what an isolate has looked up.

/** The maximum number of entries in a map. */
const MAX_ENTRIES = 500;

/** Sets a value in a map, and evicts the oldest one if the map is full. */
export function keep(map, name, value) {
  if (map.size >= MAX_ENTRIES) map.delete(map.keys().next().value);
  map.set(name, value);
}

const ofTokens = new Map();
const others = new Map();

/**
 * Returns the cache for responses to requests with this form: those about tokens, which anybody can make up, have one of
 * their own.
 */
export const responsesTo = (form) => (form ? ofTokens : others);
