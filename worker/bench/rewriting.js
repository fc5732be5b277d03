// What rewrites a body of JSON by hand: read, change, write.

export default {
  async fetch(request, env) {
    const { pathname, search } = new URL(request.url);
    const answer = await fetch(new Request(env.TARGET + pathname + search, request));
    const { items } = await answer.json();
    return Response.json({ total: items.length, names: items.map((item) => item.name) });
  },
};
