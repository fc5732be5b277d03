// What a Ledger object stores of its owners: rows of its SQLite by name, or the single state of an object with only one
// owner (LEDGER_SHARDS=0).

const VERSION = 2;
const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS owner (
     name TEXT PRIMARY KEY,
     state TEXT NOT NULL,
     -- When it has to be looked after, Unix milliseconds.
     due INTEGER
   ) WITHOUT ROWID`,
  "CREATE INDEX IF NOT EXISTS owner_due ON owner (due) WHERE due IS NOT NULL",
];
// Sessions, in the order in which they came: owners that are created together are next to each other, so a commit writes
// few pages. The table before had copies of sessions, which the Registry has.
const SESSIONS = [
  "CREATE TABLE kept (name TEXT PRIMARY KEY, session TEXT NOT NULL)",
  "DROP TABLE IF EXISTS session",
];
/** The statements that lead to each version. */
const STEPS = [SCHEMA, SESSIONS];
/** How many owners one alarm looks after. */
const MAX_PER_ALARM = 500;

/** The storage of an object with many owners. */
export class Rows {
  #storage;
  /** When the alarm fires, Unix milliseconds; undefined if that isn't known. */
  #alarm;

  /** Leaves tables of a later release alone: the caller gets the error, which is also logged. */
  constructor(storage, version) {
    this.#storage = storage;
    this.#sql(version.make);
    const [[found]] = this.#sql(version.found);
    if (found > VERSION) {
      const later = `ledger: its tables are of version ${found}, made by a later release; this one knows version ${VERSION}`;
      console.error(`${later}: deploy that release or a later one`);
      throw new Error(later);
    }
    if (found === VERSION) return;
    storage.transactionSync(() => {
      for (const statement of STEPS.slice(found).flat()) this.#sql(statement);
      this.#sql(version.reached, VERSION);
    });
  }

  #sql(statement, ...values) {
    return [...this.#storage.sql.exec(statement, ...values).raw()];
  }

  /** Returns an owner's state and its session, each undefined if there is none. */
  get(name) {
    const [found] = this.#sql("SELECT state, session FROM owner LEFT JOIN kept USING (name) WHERE name = ?", name);
    return [found?.[0], found?.[1] ?? undefined];
  }

  put(name, state) {
    this.#sql("INSERT INTO owner (name, state) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET state = ?2", name, state);
  }

  /** Stores an owner's session; deletes it if it is empty. */
  putSession(name, session) {
    if (session === "") this.#sql("DELETE FROM kept WHERE name = ?", name);
    else this.#sql("INSERT INTO kept (name, session) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET session = ?2", name, session);
  }

  /** Does `put` and `wake` in one statement: most owners are written when first met, and expire. */
  putUntil(name, state, at) {
    this.#sql("INSERT INTO owner (name, state, due) VALUES (?1, ?2, ?3) ON CONFLICT (name) DO UPDATE SET state = ?2, due = ?3", name, state, at);
    return this.#ringBy(at);
  }

  /** Deletes everything stored for an owner. */
  drop(name) {
    this.#sql("DELETE FROM owner WHERE name = ?", name);
    this.putSession(name, "");
  }

  /** Makes the alarm fire for an owner. The returned promise rejects if it can't be set. */
  wake(name, at) {
    this.#sql("UPDATE owner SET due = ? WHERE name = ?", at, name);
    return this.#ringBy(at);
  }

  /** Resets the alarm if it would fire too late for an owner that is due at this time. */
  #ringBy(at) {
    return this.#alarm <= at ? undefined : this.#ring();
  }

  #ring() {
    const [[next]] = this.#sql("SELECT min(due) FROM owner WHERE due IS NOT NULL");
    this.#alarm = next ?? Infinity;
    return next === null ? undefined : this.#storage.setAlarm(next);
  }

  /** Handles the alarm: calls `look` for each owner that is due, and sets the next alarm. */
  rung(now, look) {
    const due = this.#sql("SELECT name FROM owner WHERE due <= ? ORDER BY due LIMIT ?", now, MAX_PER_ALARM);
    for (const [name] of due) {
      this.#sql("UPDATE owner SET due = NULL WHERE name = ?", name);
      look(name);
    }
    return this.#ring();
  }
}

/** The storage of an object with one owner, in the form of releases that knew no other. */
export class Own {
  #storage;

  constructor(storage) {
    this.#storage = storage;
  }

  get() {
    return [this.#storage.kv.get("state"), this.#storage.kv.get("session")];
  }

  putSession(name, session) {
    if (session === "") this.#storage.kv.delete("session");
    else this.#storage.kv.put("session", session);
  }

  put(name, state) {
    this.#storage.kv.put("state", state);
  }

  putUntil(name, state, at) {
    this.put(name, state);
    return this.wake(name, at);
  }

  drop() {
    return this.#storage.deleteAll();
  }

  wake(name, at) {
    return this.#storage.setAlarm(at);
  }

  rung(now, look) {
    return look("");
  }
}

/**
 * Whether the object belongs to a single owner: as it has stored it, whatever LEDGER_SHARDS is now; undefined if it has
 * stored nothing.
 */
export function isOwn(storage) {
  if (storage.kv.get("state") !== undefined) return true;
  return storage.sql.exec("SELECT 1 FROM sqlite_schema WHERE name = 'owner'").toArray().length > 0 ? false : undefined;
}
