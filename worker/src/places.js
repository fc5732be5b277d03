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

function number(text, name) {
  return wholeNumber(text ?? 0, name, 0, 1_000_000);
}

/** A setting that is a whole number; anything else is an error that names the setting. */
export function wholeNumber(text, name, least, most) {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new Error(`${name} is "${text}": write a whole number from ${least} to ${most}`);
}

/** The name of the object that an owner lives in. Stored counts rest on it: it never changes. */
export function place(owner, count) {
  return count === 0 ? owner : `shard:${count}:${shard(owner, count)}`;
}

/** Which of so many shards a name falls into. */
export function shard(name, count) {
  // FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv/), over the units of the text.
  let hash = 0x811c9dc5;
  for (let at = 0; at < name.length; at += 1) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return (hash >>> 0) % count;
}
