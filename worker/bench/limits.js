// Keys with a rate and a quota as one would write them today: Hono for the route, and a Durable Object per key that
// counts. Rates are exact over the last second; the quota is stored with every hundredth request, as often as the
// gateway stores it.

import { DurableObject } from "cloudflare:workers";
import { Hono } from "hono";

const WINDOW_MS = 1000;
const STORED_EVERY = 100;

export class Limiter extends DurableObject {
  #admitted = [];
  #within = 0;
  #used = this.ctx.storage.kv.get("used") ?? 0;

  consume({ rate, quota }) {
    const now = Date.now();
    let old = 0;
    for (; old < this.#admitted.length && this.#admitted[old][0] + WINDOW_MS <= now; old += 1) this.#within -= this.#admitted[old][1];
    if (old > 0) this.#admitted.splice(0, old);
    if (this.#within >= rate) return { status: 429 };
    if (this.#used >= quota) return { status: 403 };
    const last = this.#admitted.at(-1);
    if (last?.[0] === now) last[1] += 1;
    else this.#admitted.push([now, 1]);
    this.#within += 1;
    this.#used += 1;
    if (this.#used % STORED_EVERY === 1) this.ctx.storage.kv.put("used", this.#used + STORED_EVERY);
    return { status: 200, remaining: quota - this.#used };
  }
}

const app = new Hono();

app.all("/:api/*", async (c) => {
  const token = c.req.header("authorization");
  if (token !== c.env.TOKEN) return c.json({ error: "Authorization field missing" }, 401);
  const limits = { rate: Number(c.env.RATE), quota: Number(c.env.QUOTA) };
  const { status, remaining } = await c.env.LIMITER.getByName(token).consume(limits);
  if (status !== 200) return c.json({ error: "Rate Limit Exceeded" }, status);
  const { pathname, search } = new URL(c.req.url);
  const answer = await fetch(new Request(c.env.TARGET + pathname.slice(pathname.indexOf("/", 1)) + search, c.req.raw));
  const answered = new Response(answer.body, answer);
  answered.headers.set("x-ratelimit-limit", String(limits.quota));
  answered.headers.set("x-ratelimit-remaining", String(remaining));
  return answered;
});

export default app;
