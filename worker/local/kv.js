// Workers KV on one machine: the protocol of workerd's `kvNamespace` binding, over two SQLite tables in a Durable
// Object. Only `cargo xtask serve` and the tests use it; at the edge the binding is the real KV.
//
// Protocol (workerd, src/workerd/api/kv.c++): GET/PUT/DELETE /{key}?urlencoded=true with the metadata in the header
// CF-KV-Metadata, and GET /?prefix=…&key_count_limit=…&cursor=… for lists.

import { DurableObject } from "cloudflare:workers";

// A SQLite row in a Durable Object holds at most 2 MB, a KV value 25 MiB.
const PART_BYTES = 1024 * 1024;
const VALUE_MAX_BYTES = 25 * 1024 * 1024;
// Counted in the JSON it is sent as (https://developers.cloudflare.com/kv/platform/limits/).
const METADATA_MAX_BYTES = 1024;
const LIST_MAX = 1000;

export class Store extends DurableObject {
  constructor(state, env) {
    super(state, env);
    this.sql = state.storage.sql;
    this.sql.exec(`CREATE TABLE IF NOT EXISTS entry (key TEXT PRIMARY KEY, metadata TEXT, expires INTEGER);
      CREATE TABLE IF NOT EXISTS part (key TEXT, n INTEGER, bytes BLOB, PRIMARY KEY (key, n)) WITHOUT ROWID;`);
  }

  async fetch(request) {
    const url = new URL(request.url);
    if (url.pathname === "/") return request.method === "GET" ? this.list(url.searchParams) : refuse(405);
    const key = decodeURIComponent(url.pathname.slice(1));
    switch (request.method) {
      case "GET":
        return this.get(key);
      case "PUT":
        return this.put(key, request, url.searchParams);
      case "DELETE":
        this.remove(key);
        return new Response();
      default:
        return refuse(405);
    }
  }

  get(key) {
    const [entry] = this.sql.exec("SELECT metadata, expires FROM entry WHERE key = ?", key).toArray();
    if (!entry || isOver(entry.expires)) return refuse(404);
    const parts = this.sql.exec("SELECT bytes FROM part WHERE key = ? ORDER BY n", key).toArray();
    const headers = entry.metadata === null ? {} : { "CF-KV-Metadata": entry.metadata };
    return new Response(new Blob(parts.map((part) => part.bytes)).stream(), { headers });
  }

  async put(key, request, parameters) {
    const bytes = new Uint8Array(await request.arrayBuffer());
    const metadata = request.headers.get("CF-KV-Metadata");
    if (bytes.length > VALUE_MAX_BYTES || new TextEncoder().encode(metadata ?? "").length > METADATA_MAX_BYTES) return refuse(413);
    const ttl = Number(parameters.get("expiration_ttl"));
    const expires = ttl ? Math.floor(Date.now() / 1000) + ttl : Number(parameters.get("expiration")) || null;
    this.ctx.storage.transactionSync(() => {
      this.remove(key);
      this.sql.exec("INSERT INTO entry VALUES (?, ?, ?)", key, metadata, expires);
      for (let n = 0; n * PART_BYTES < bytes.length; n++) {
        const part = bytes.slice(n * PART_BYTES, (n + 1) * PART_BYTES);
        this.sql.exec("INSERT INTO part VALUES (?, ?, ?)", key, n, part);
      }
    });
    return new Response();
  }

  remove(key) {
    this.sql.exec("DELETE FROM entry WHERE key = ?", key);
    this.sql.exec("DELETE FROM part WHERE key = ?", key);
  }

  list(parameters) {
    const prefix = parameters.get("prefix") ?? "";
    const limit = Math.min(Number(parameters.get("key_count_limit")) || LIST_MAX, LIST_MAX);
    const after = parameters.get("cursor") ?? "";
    // All keys with the prefix sort between the prefix itself and the prefix followed by the highest code point.
    const rows = this.sql
      .exec(
        "SELECT key, metadata, expires FROM entry WHERE key >= ? AND key < ? AND key > ? ORDER BY key LIMIT ?",
        prefix,
        `${prefix}\u{10ffff}`,
        after,
        limit + 1,
      )
      .toArray();
    const page = rows.slice(0, limit);
    // workerd parses the metadata of a listed key itself, so it is sent as the text that was stored.
    const keys = page
      .filter((row) => !isOver(row.expires))
      .map((row) => ({ name: row.key, ...(row.metadata && { metadata: row.metadata }), ...(row.expires && { expiration: row.expires }) }));
    const complete = rows.length <= limit;
    return Response.json({ keys, list_complete: complete, ...(!complete && { cursor: page.at(-1).key }) });
  }
}

function isOver(expires) {
  return expires !== null && expires <= Date.now() / 1000;
}

function refuse(status) {
  return new Response(null, { status });
}

export default {
  fetch(request, env) {
    return env.STORE.get(env.STORE.idFromName("kv")).fetch(request);
  },
};
