// The dashboard's merge patch as one would write it today: Hono for the route and the token, `json-merge-patch` from
// npm for the patch, and a Durable Object that owns the providers. It gives the gateway's guarantee: document,
// notification and audit entry are one transaction, because SQLite statements without an `await` between them are one
// commit.

import { DurableObject } from "cloudflare:workers";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";
import mergePatch from "json-merge-patch";

const TABLES = `
  CREATE TABLE IF NOT EXISTS provider (id TEXT PRIMARY KEY, revision INTEGER NOT NULL, text TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS notice (seq INTEGER PRIMARY KEY, id TEXT, type TEXT, at TEXT, data TEXT);
  CREATE TABLE IF NOT EXISTS audit (seq INTEGER PRIMARY KEY, at TEXT, actor TEXT, action TEXT, subject TEXT,
    id TEXT, name TEXT, before INTEGER, after INTEGER);
`;

export class Providers extends DurableObject {
  constructor(state, env) {
    super(state, env);
    this.sql = state.storage.sql;
    this.sql.exec(TABLES);
  }

  read(id) {
    const [row] = this.sql.exec("SELECT text, revision FROM provider WHERE id = ?", id).toArray();
    return row ?? null;
  }

  /** Returns the number of the latest notification. */
  last() {
    return this.sql.exec("SELECT max(seq) AS last FROM notice").one().last ?? 0;
  }

  create(id, text) {
    this.sql.exec("INSERT INTO provider VALUES (?, 1, ?)", id, text);
    this.#journal(id, "added", JSON.parse(text), [], 1);
  }

  /** Applies a patch. Without `journal`, neither notification nor audit entry is written. */
  patch(id, patch, journal) {
    const row = this.read(id);
    if (row === null) return null;
    const document = JSON.parse(row.text);
    document.api_mappings = mergePatch.apply(document.api_mappings ?? {}, patch);
    document.last_updated = new Date().toISOString();
    const text = JSON.stringify(document);
    const revision = row.revision + 1;
    this.sql.exec("UPDATE provider SET text = ?, revision = ? WHERE id = ?", text, revision, id);
    if (journal) this.#journal(id, "modified", document, Object.keys(patch), revision);
    return { text, revision };
  }

  #journal(id, action, document, apis, revision) {
    const at = new Date().toISOString();
    const data = JSON.stringify({ client_idp_id: id, action, revision, api_ids: apis });
    const insert = "INSERT INTO notice (id, type, at, data) VALUES (?, 'NoticeClientIdPChanged', ?, ?)";
    this.sql.exec(insert, crypto.randomUUID(), at, data);
    const entry = [at, "bench", action, "client_idp", id, document.name, revision - 1 || null, revision];
    const columns = "(at, actor, action, subject, id, name, before, after)";
    this.sql.exec(`INSERT INTO audit ${columns} VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, ...entry);
  }
}

const encoder = new TextEncoder();
const bytes = (hex) => Uint8Array.from(hex.match(/../g), (pair) => Number.parseInt(pair, 16));
let expected;
const providers = (env) => env.PROVIDERS.getByName("providers");

function answer(c, found) {
  if (found === null) throw new HTTPException(404);
  return c.body(found.text, 200, { "content-type": "application/json", etag: `"${found.revision}"` });
}

const app = new Hono();

app.use("*", async (c, next) => {
  const token = /^Bearer (.+)$/.exec(c.req.header("authorization") ?? "")?.[1] ?? "";
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", encoder.encode(token)));
  expected ??= bytes(c.env.TOKEN_HASH);
  if (!crypto.subtle.timingSafeEqual(hash, expected)) throw new HTTPException(401);
  await next();
});

app.post("/api/clientidps", async (c) => {
  const text = await c.req.text();
  await providers(c.env).create(JSON.parse(text).client_idp_id, text);
  return c.json({ Status: "success" }, 201);
});

app.get("/api/clientidps/:id", async (c) => answer(c, await providers(c.env).read(c.req.param("id"))));

app.get("/api/notifications", async (c) => c.json({ last: await providers(c.env).last() }));

const patch = (journal) => async (c) =>
  answer(c, await providers(c.env).patch(c.req.param("id"), await c.req.json(), journal));

app.patch("/api/clientidps/:id/mappings", patch(true));
app.patch("/bare/clientidps/:id/mappings", patch(false));

export default app;
