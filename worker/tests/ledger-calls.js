// Ledgers as served, with a Registry that replies what a test has told it (tests only): `POST /<object>/<method>` calls a
// Ledger's object with the arguments in the body, an array in JSON. `POST /registry` sets the Registry's reply, and how
// many milliseconds it takes, and responds with the messages that have arrived since.

import { DurableObject } from "cloudflare:workers";
import { Ledger } from "./index.js";

export { Ledger };

export class Registry extends DurableObject {
  #reply = ["", 0];
  #asked = [];

  async call(message) {
    const [reply, ms] = this.#reply;
    this.#asked.push(message);
    await new Promise((resolve) => setTimeout(resolve, ms));
    return reply;
  }

  set(reply, ms) {
    this.#reply = [reply, ms];
    return this.#asked.splice(0);
  }
}

export default {
  async fetch(request, env) {
    const [, object, method] = new URL(request.url).pathname.split("/").map(decodeURIComponent);
    if (object === "ready") return new Response("{}");
    const values = await request.json();
    try {
      const called = object === "registry" ? env.REGISTRY.getByName("registry").set(...values) : env.LEDGER.getByName(object)[method](...values);
      return Response.json((await called) ?? null);
    } catch (error) {
      return new Response(error.message, { status: 500 });
    }
  },
};
