// The Durable Object that adds up what isolates count about their requests: sums an API and a bucket
// of time, and the keys that are close to their limit. What the numbers mean is decided in
// `crates/protocol/src/figures/`, whose lines these are: it only adds and selects.

import { DurableObject } from "cloudflare:workers";

// The tables of `crates/protocol/src/figures/tables.rs`, and the statements that are made of them.
let columns = [];
let grains = [];
let keysMax = 0;
let trimMs = 0;
let schema = "";
let add = "";
let sums = "";

/** Takes the tables, before the first event: lines of words with spaces between. */
export function useMeterTables(text) {
  const [names, widths, bounds] = text.split("\n").map((line) => line.split(" "));
  columns = names;
  const numbers = widths.map(Number);
  grains = [];
  for (let at = 0; at + 1 < numbers.length; at += 2) grains.push([numbers[at], numbers[at + 1]]);
  [keysMax, trimMs] = bounds.map(Number);
  schema = `
    CREATE TABLE IF NOT EXISTS bucket (
      grain INTEGER NOT NULL, at INTEGER NOT NULL, api_id TEXT NOT NULL,
      ${columns.map((column) => `${column} INTEGER NOT NULL`).join(", ")},
      PRIMARY KEY (grain, at, api_id)
    ) WITHOUT ROWID;
    CREATE TABLE IF NOT EXISTS close (
      hash TEXT NOT NULL, api_id TEXT NOT NULL, quota INTEGER NOT NULL, remaining INTEGER NOT NULL,
      renews INTEGER NOT NULL, seen INTEGER NOT NULL, PRIMARY KEY (hash, api_id)
    ) WITHOUT ROWID`;
  add = `
    INSERT INTO bucket (grain, at, api_id, ${columns.join(", ")})
    VALUES (?, ?, ?, ${columns.map(() => "?").join(", ")})
    ON CONFLICT DO UPDATE SET ${columns.map((column) => `${column} = ${column} + excluded.${column}`).join(", ")}`;
  sums = columns.map((column) => `sum(${column})`).join(", ");
}

export class Meter extends DurableObject {
  #sql = this.ctx.storage.sql;
  #trimmed = 0;

  constructor(ctx, env) {
    super(ctx, env);
    this.#sql.exec(schema);
  }

  /** Adds a report. No answer leaves before it is durable. */
  add(report) {
    const now = Date.now();
    for (const line of report.split("\n")) {
      const [kind, ...rest] = line.split(" ");
      if (kind === "a") this.#count(rest, now);
      else if (kind === "k") this.#note(rest, now);
    }
    if (now - this.#trimmed > trimMs) this.#trim(now);
  }

  #count(rest, now) {
    const numbers = rest.slice(0, columns.length).map(Number);
    const id = rest.slice(columns.length).join(" ");
    for (const [grain] of grains) this.#sql.exec(add, grain, bucket(now, grain), id, ...numbers);
  }

  #note([quota, remaining, renews, hash, ...id], now) {
    const values = [hash, id.join(" "), Number(quota), Number(remaining), Number(renews), now];
    this.#sql.exec("INSERT OR REPLACE INTO close (hash, api_id, quota, remaining, renews, seen) VALUES (?, ?, ?, ?, ?, ?)", ...values);
  }

  /** Adds the report behind the first line, which is the question, and answers it line by line. */
  read(message) {
    const end = message.indexOf("\n");
    const [grain, since, step, most, ...id] = message.slice(0, end).split(" ");
    this.add(message.slice(end + 1));
    const only = id.join(" ");
    const where = `WHERE grain = ? AND at >= ?${only === "" ? "" : " AND api_id = ?"}`;
    const bound = [Number(grain), Number(since), ...(only === "" ? [] : [only])];
    const lines = [];
    const select = (kind, statement, ...values) => {
      for (const row of this.#sql.exec(statement, ...values).raw()) lines.push([kind, ...row].join(" "));
    };
    const width = Number(step);
    if (width > 0) {
      // A number of JavaScript arrives as a real one, which would divide without a rest.
      const point = "at / cast(? AS INTEGER) * cast(? AS INTEGER)";
      select("p", `SELECT ${sums}, ${point} AS point FROM bucket ${where} GROUP BY point ORDER BY point`, width, width, ...bound);
    }
    select("a", `SELECT ${sums}, api_id FROM bucket ${where} GROUP BY api_id ORDER BY 1 DESC LIMIT ?`, ...bound, only === "" ? Number(most) : 1);
    const keys = only === "" ? "" : "AND api_id = ?";
    select(
      "k",
      `SELECT seen, quota, remaining, renews, hash, api_id FROM close WHERE (renews = 0 OR renews > ?) ${keys}
       ORDER BY remaining * 1.0 / quota, hash, api_id LIMIT ?`,
      ...[Date.now(), ...bound.slice(2), Number(most)],
    );
    return lines.join("\n");
  }

  // A key is forgotten when its window has ended, or so long after it was seen as anything is kept.
  #trim(now) {
    this.#trimmed = now;
    for (const [grain, kept] of grains) {
      this.#sql.exec("DELETE FROM bucket WHERE grain = ? AND at < ?", grain, bucket(now, grain) - kept);
    }
    this.#sql.exec("DELETE FROM close WHERE (renews > 0 AND renews <= ?) OR seen < ?", now, now - longest() * 1000);
    this.#sql.exec(
      "DELETE FROM close WHERE (hash, api_id) NOT IN (SELECT hash, api_id FROM close ORDER BY seen DESC LIMIT ?)",
      keysMax,
    );
  }
}

/** The beginning of the bucket of a time, in Unix seconds. */
const bucket = (now, grain) => Math.floor(now / 1000 / grain) * grain;

/** For how many seconds anything is kept at most. */
const longest = () => Math.max(...grains.map(([, kept]) => kept));
