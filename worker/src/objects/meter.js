// The Durable Object that adds up what isolates count about their requests: sums per API and bucket of time, the keys
// close to their limit, and the failed requests. The meaning of the numbers and the arithmetic are defined in
// `crates/protocol/src/figures/`: this only splits lines and runs the statements that a test of `statements.rs` there
// has written to `statements.json`.

import { DurableObject } from "cloudflare:workers";
import statements from "./statements.json";

export class Meter extends DurableObject {
  #sql = this.ctx.storage.sql;
  #trimmed = 0;

  constructor(ctx, env) {
    super(ctx, env);
    this.#open();
  }

  // Tables of a later release are left alone: the caller gets the error, which is also logged.
  #open() {
    const { version, schema, known, added } = statements;
    const sql = this.#sql;
    sql.exec(version.make);
    const [[found]] = sql.exec(version.found).raw();
    if (found === version.known) return;
    if (found > version.known) {
      const later = `its tables are of version ${found}, made by a later release; this one knows version ${version.known}`;
      console.error(`meter: ${later}: deploy that release or a later one`);
      throw new Error(`meter: ${later}`);
    }
    this.ctx.storage.transactionSync(() => {
      for (const statement of schema) sql.exec(statement);
      const columns = new Set([...sql.exec(known).raw()].map(([, name]) => name));
      for (const [name, statement] of added) if (!columns.has(name)) sql.exec(statement);
      sql.exec(version.reached, version.known);
    });
  }

  /** Adds a report. No reply leaves before it is durable. */
  add(report) {
    const now = Date.now();
    for (const line of report.split("\n")) {
      const [kind, ...rest] = line.split(" ");
      const known = statements.lines.find(([letter]) => letter === kind);
      if (known !== undefined) this.#count(known[1], rest, now);
      else if (kind === "d") this.#count(Number(rest.shift()), rest, now);
      else if (kind === "k") this.#note(rest, now);
      else if (kind === "f") this.#fail(JSON.parse(line.slice(2)), now);
    }
    if (now - this.#trimmed > statements.trimMs) this.#trim(now);
  }

  // An earlier release sends fewer numbers, a later one more.
  #count(count, rest, now) {
    const numbers = Array.from({ length: statements.columns }, (_, at) => (at < count ? Number(rest[at]) : 0));
    const id = rest.slice(count).join(" ");
    for (const statement of statements.add) this.#sql.exec(statement, now, id, ...numbers);
  }

  #note([quota, remaining, renews, hash, ...id], now) {
    this.#sql.exec(statements.note, now, hash, id.join(" "), Number(quota), Number(remaining), Number(renews));
  }

  #fail({ api, version, status, reason, count, sample }, now) {
    this.#sql.exec(statements.fail, now, api, version, status, reason, count, sample ? JSON.stringify(sample) : null);
  }

  /**
   * Adds the report after the first line, which is the question, and returns the failures: a letter and a JSON object
   * per line.
   */
  failures(message) {
    const end = message.indexOf("\n");
    this.add(message.slice(end + 1));
    const wanted = JSON.parse(message.slice(0, end));
    const select = (letter, statement) => [...this.#sql.exec(statement, ...wanted).raw()].map(([row]) => `${letter} ${row}`);
    return [...select("s", statements.failureSums), ...select("r", statements.failures)].join("\n");
  }

  /**
   * Adds the report after the first line, which is the question, and answers it line by line. The first line of the
   * reply says how many numbers the sums have.
   */
  read(message) {
    const end = message.indexOf("\n");
    const [grain, since, step, most, ...id] = message.slice(0, end).split(" ");
    this.add(message.slice(end + 1));
    const lines = [`n ${statements.columns}`];
    const select = (kind, statement, ...values) => {
      for (const row of this.#sql.exec(statement, ...values).raw()) lines.push([kind, ...row].join(" "));
    };
    const api = id.join(" ");
    const wanted = [Number(grain), Number(since), api];
    if (Number(step) > 0) select("p", statements.points, ...wanted, Number(step));
    select("a", statements.apis, ...wanted, Number(most));
    select("k", statements.keys, Date.now(), api, Number(most));
    return lines.join("\n");
  }

  #trim(now) {
    this.#trimmed = now;
    for (const statement of statements.trim) this.#sql.exec(statement, now);
  }
}
