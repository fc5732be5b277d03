// A worker that forwards by hand: below `/ruled/` with the benchmark's rules, below `/keyed/` with a key that it counts
// in memory.

import { counted, forward } from "./by-hand.js";

export default {
  async fetch(request, env) {
    const { pathname, search } = new URL(request.url);
    const path = pathname + search;
    if (!pathname.startsWith("/keyed/")) return forward(request, env, path, { isRuled: pathname.startsWith("/ruled/") });
    const key = request.headers.get("authorization");
    if (key === null) return Response.json({ error: "Authorization field missing" }, { status: 401 });
    const { status, quota } = counted(key);
    if (status !== 200) return Response.json({ error: "Limit exceeded" }, { status });
    return forward(request, env, path, { quota });
  },
};
