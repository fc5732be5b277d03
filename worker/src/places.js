// Which Ledger object an owner (a key, an organisation, an API or a text) lives in.

/**
 * Returns the number of objects that owners are distributed over; 0 means one object per owner.
 *
 * An invalid setting is an error, because another object would have other counts.
 */
export function shards(env) {
  return number(env.LEDGER_SHARDS, "LEDGER_SHARDS");
}

/** Returns the earlier values of LEDGER_SHARDS, where owners may still live, the latest first. */
export function shardsBefore(env) {
  const texts = (env.LEDGER_SHARDS_BEFORE ?? "").split(",").filter((text) => text.trim() !== "");
  const now = shards(env);
  return texts.map((text) => number(text, "LEDGER_SHARDS_BEFORE")).filter((before) => before !== now);
}

function number(text, name) {
  return wholeNumber(text ?? 0, name, 0, 1_000_000);
}

/** Parses a setting as a whole number; throws an error that names the setting if it is anything else. */
export function wholeNumber(text, name, least, most) {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new Error(`${name} is "${text}": write a whole number from ${least} to ${most}`);
}

/** Returns the name of the object that an owner lives in. Stored counts depend on it, so it must never change. */
export function place(owner, count) {
  return count === 0 ? owner : `shard:${count}:${shard(owner, count)}`;
}

/** Returns the shard of a name, from 0 to `count - 1`. */
export function shard(name, count) {
  // FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/) over UTF-16 code units.
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % count;
}
