// Sends a message to an object as an isolate does, and responds with its reply (tests only): `POST /registry` and `POST
// /ledger?name`.

export default {
  async fetch(request, env) {
    const { pathname, search } = new URL(request.url);
    const message = await request.text();
    const name = decodeURIComponent(search.slice(1));
    try {
      const answer = pathname === "/registry" ? env.REGISTRY.getByName("registry").call(message) : env.LEDGER.getByName(name).consume(name, message);
      return new Response(await answer);
    } catch (error) {
      return new Response(error.message, { status: 500 });
    }
  },
};
