// What a Ledger object has stored of its owners: rows of its SQLite by their names, or the one state of an
// object that is its owner's own (LEDGER_SHARDS=0).

const VERSION = 1;
const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS owner (
     name TEXT PRIMARY KEY,
     state TEXT NOT NULL,
     -- When it has to be looked after, Unix milliseconds.
     due INTEGER
   ) WITHOUT ROWID`,
  "CREATE INDEX IF NOT EXISTS owner_due ON owner (due) WHERE due IS NOT NULL",
];
/** How many owners one alarm looks after. */
const AT_ONCE = 500;

/** Many owners. */
export class Rows {
  #storage;
  /** When the alarm rings; undefined for not known. */
  #alarm;

  /** Tables of a later release are left alone: whoever calls gets the error, and the log has it. */
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
      for (const statement of SCHEMA) this.#sql(statement);
      this.#sql(version.reached, VERSION);
    });
  }

  #sql(statement, ...values) {
    return [...this.#storage.sql.exec(statement, ...values).raw()];
  }

  get(name) {
    return this.#sql("SELECT state FROM owner WHERE name = ?", name)[0]?.[0];
  }

  put(name, state) {
    this.#sql("INSERT INTO owner (name, state) VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET state = ?2", name, state);
  }

  /** `put` and `wake` in one statement: most owners are written when they are first met, and have an end. */
  putUntil(name, state, at) {
    this.#sql("INSERT INTO owner (name, state, due) VALUES (?1, ?2, ?3) ON CONFLICT (name) DO UPDATE SET state = ?2, due = ?3", name, state, at);
    return this.#expect(at);
  }

  /** Everything that is stored of an owner goes. */
  drop(name) {
    this.#sql("DELETE FROM owner WHERE name = ?", name);
  }

  /** The alarm has to ring for an owner. What this answers fails if it can't be set. */
  wake(name, at) {
    this.#sql("UPDATE owner SET due = ? WHERE name = ?", at, name);
    return this.#expect(at);
  }

  /** Somebody is due then, which the alarm may ring too late for. */
  #expect(at) {
    return this.#alarm <= at ? undefined : this.#ring();
  }

  #ring() {
    const [[next]] = this.#sql("SELECT min(due) FROM owner WHERE due IS NOT NULL");
    this.#alarm = next ?? Infinity;
    return next === null ? undefined : this.#storage.setAlarm(next);
  }

  /** The alarm rings: looks after the owners that are due by `look`, and sets the next one. */
  rung(now, look) {
    const due = this.#sql("SELECT name FROM owner WHERE due <= ? ORDER BY due LIMIT ?", now, AT_ONCE);
    for (const [name] of due) {
      this.#sql("UPDATE owner SET due = NULL WHERE name = ?", name);
      look(name);
    }
    return this.#ring();
  }
}

/** One owner, in the form of releases that knew no other. */
export class Own {
  #storage;

  constructor(storage) {
    this.#storage = storage;
  }

  get() {
    return this.#storage.kv.get("state");
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

/** True for an object that is its owner's own and has something stored. */
export const isOwn = (storage) => storage.kv.get("state") !== undefined;
