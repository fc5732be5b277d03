// What the administration has read of the Registry, where both live in the same isolate: a read that repeats an earlier
// one needs no call unless something was written in between.
//
// That is as exact as a call. Everything the Registry knows is in its rows, and only statements change rows. A reply
// leaves the Registry once everything that it has seen is on disk, so it is remembered only after it has arrived.

/** The maximum length of everything that is remembered, in characters. */
const MAX_LENGTH = 4 * 1024 * 1024;

/** The number of statements that may have changed the rows; 0 where the Registry lives elsewhere. */
let changes = 0;
/** The replies by message, all read after the same number of changes. */
const replies = new Map();
let readAt = 0;
let length = 0;

/** Records that the Registry runs a statement in this isolate. */
export function recordStatement(statement) {
  if (!statement.startsWith("SELECT ")) changes += 1;
}

/** The last text of `once`, its key, and how many changes came before it. */
let made = {};

/** Returns the text that `make` makes of the rows for a key: the last one, unless the key or the rows have changed. */
export function once(key, make) {
  if (made.key !== key || made.at !== changes) made = { key, at: changes, text: make() };
  return made.text;
}

/**
 * Returns the reply to a message, which `call` asks the Registry for. `stays` says that the Registry's object is never
 * moved or replaced: one machine has only one, for as long as its process runs.
 */
export async function read(message, stays, call) {
  if (readAt !== changes) forget(changes);
  const known = replies.get(message);
  if (known !== undefined && stays) return known;
  const at = changes;
  const reply = await call(message);
  if (stays && at > 0 && at === changes) remember(message, reply);
  return reply;
}

function remember(message, reply) {
  const added = message.length + reply.length;
  if (added > MAX_LENGTH) return;
  if (length + added > MAX_LENGTH) forget(readAt);
  if (!replies.has(message)) length += added;
  replies.set(message, reply);
}

function forget(at) {
  replies.clear();
  readAt = at;
  length = 0;
}
