// Which Ledger object an owner (a key, an organisation, an API, a text) lives in.

/**
 * Over how many objects the owners spread; 0 for an object of its own for each.
 *
 * What is no such number is refused: another place has other counts.
 */
export function shards(env) {
  return number(env.LEDGER_SHARDS, "LEDGER_SHARDS");
}

/** Where owners lived before, the latest first: the values that LEDGER_SHARDS had. */
export function shardsBefore(env) {
  const texts = (env.LEDGER_SHARDS_BEFORE ?? "").split(",").filter((text) => text.trim() !== "");
  const now = shards(env);
  return texts.map((text) => number(text, "LEDGER_SHARDS_BEFORE")).filter((before) => before !== now);
}

const MOST = 1_000_000;

function number(text, name) {
  const value = Number(text ?? 0);
  if (Number.isInteger(value) && value >= 0 && value <= MOST) return value;
  throw new Error(`${name} is "${text}": write a whole number from 0 to ${MOST}`);
}

/** The name of the object that an owner lives in. Stored counts rest on it: it never changes. */
export function place(owner, count) {
  if (count === 0) return owner;
  // FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/), over the units of the text.
  let hash = 0x811c9dc5;
  for (let at = 0; at < owner.length; at += 1) hash = Math.imul(hash ^ owner.charCodeAt(at), 0x01000193);
  return `shard:${count}:${(hash >>> 0) % count}`;
}
