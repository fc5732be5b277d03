// JSON Web Tokens verified as one would do it today: Hono for the route, `jose` for the token, whose key set is fetched
// once and cached.

import { Hono } from "hono";
import { createRemoteJWKSet, jwtVerify } from "jose";

let keys;
const app = new Hono();

app.all("/:api/*", async (c) => {
  keys ??= createRemoteJWKSet(new URL(c.env.KEY_SET));
  const token = (c.req.header("authorization") ?? "").replace(/^bearer /i, "");
  try {
    await jwtVerify(token, keys, { algorithms: ["RS256"], requiredClaims: ["sub"] });
  } catch {
    return c.json({ error: "Key not authorized" }, 403);
  }
  const { pathname, search } = new URL(c.req.url);
  return fetch(new Request(c.env.TARGET + pathname.slice(pathname.indexOf("/", 1)) + search, c.req.raw));
});

export default app;
