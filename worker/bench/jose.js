// JSON Web Tokens verified as one would do it today: Hono for the route, `jose` for the token, whose key set is fetched
// once and cached. Below `/keyed/` it also forwards by hand, and counts what its users do, as a gateway does.

import { Hono } from "hono";
import { createRemoteJWKSet, jwtVerify } from "jose";
import { counted, forward } from "./by-hand.js";

let keys;
const app = new Hono();

app.all("/:api/*", async (c) => {
  keys ??= createRemoteJWKSet(new URL(c.env.KEY_SET));
  const token = (c.req.header("authorization") ?? "").replace(/^bearer /i, "");
  let claims;
  try {
    claims = (await jwtVerify(token, keys, { algorithms: ["RS256"], requiredClaims: ["sub"] })).payload;
  } catch {
    return c.json({ error: "Key not authorized" }, 403);
  }
  const { pathname, search } = new URL(c.req.url);
  const path = pathname.slice(pathname.indexOf("/", 1)) + search;
  if (c.req.param("api") !== "keyed") return fetch(new Request(c.env.TARGET + path, c.req.raw));
  const { status, quota } = counted(claims.sub);
  return status === 200 ? forward(c.req.raw, c.env, path, { quota }) : c.json({ error: "Limit exceeded" }, status);
});

export default app;
