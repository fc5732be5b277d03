// A request body validated as one would do it today: Hono for the route, `ajv` for the schema, compiled ahead of time
// (workers may not generate code at run time). Below `/forwarded/` it also forwards by hand, as a gateway does.

import { Hono } from "hono";
import validate from "order-schema";
import { forward } from "./by-hand.js";

const app = new Hono();

app.post("/:api/orders", async (c) => {
  const text = await c.req.text();
  let body;
  try {
    body = JSON.parse(text);
  } catch {
    return c.json({ error: "the body is no JSON" }, 400);
  }
  if (!validate(body)) return c.json({ error: validate.errors }, 422);
  const { pathname, search } = new URL(c.req.url);
  const path = pathname.slice(pathname.indexOf("/", 1)) + search;
  if (c.req.param("api") === "forwarded") return forward(c.req.raw, c.env, path, { body: text });
  return fetch(new Request(c.env.TARGET + path, { method: "POST", headers: c.req.raw.headers, body: text }));
});

app.all("*", (c) => c.text("no such route", 404));

export default app;
