// The administration's most frequent read as one would write it today: Hono for the route and the secret, and a Durable
// Object that owns the documents, called once.

import { DurableObject } from "cloudflare:workers";
import { Hono } from "hono";
import { HTTPException } from "hono/http-exception";

export class Documents extends DurableObject {
  constructor(state, env) {
    super(state, env);
    this.sql = state.storage.sql;
    this.sql.exec("CREATE TABLE IF NOT EXISTS document (id TEXT PRIMARY KEY, text TEXT NOT NULL)");
  }

  read(id) {
    return this.sql.exec("SELECT text FROM document WHERE id = ?", id).toArray()[0]?.text ?? null;
  }

  write(id, text) {
    this.sql.exec("INSERT OR REPLACE INTO document VALUES (?, ?)", id, text);
  }
}

const documents = (env) => env.DOCUMENTS.getByName("documents");
const json = { "content-type": "application/json" };

const app = new Hono();

app.use("/gateway/*", async (c, next) => {
  if (c.req.header("x-gateway-authorization") !== c.env.GATEWAY_SECRET) throw new HTTPException(403);
  await next();
});

app.get("/gateway/apis/:id", async (c) => {
  const text = await documents(c.env).read(c.req.param("id"));
  return text === null ? c.json({ status: "error", message: "API not found." }, 404) : c.body(text, 200, json);
});

app.post("/gateway/apis/:id", async (c) => {
  await documents(c.env).write(c.req.param("id"), await c.req.text());
  return c.json({ status: "ok" });
});

export default app;
