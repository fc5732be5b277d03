// The worker as served, plus an entrypoint for the contracts of its ports (tests only). `GET /` lists the cases and
// what their server has to respond with; `/{module}/{suite}/{case}` checks one and returns what is wrong, or nothing.
// For releases.test.mjs, it plays the release after the one that is served.

import { DurableObject } from "cloudflare:workers";
import worker from "./entry.js";
import { controlplane, dataplane, registry } from "./modules.js";

export { Console, Gateway, Ledger, Meter, Registry } from "./entry.js";
export default worker;

const MODULES = { controlplane, dataplane, registry };

export const Contracts = {
  async fetch(request, env, context) {
    const url = new URL(request.url);
    const [module, suite, name] = url.pathname.slice(1).split("/");
    if (module === "") return Response.json({ cases: cases(), pages: JSON.parse(registry.run((wasm) => wasm.contractPages())) });
    if (suite === "sql") return new Response((await env.DATABASE.getByName("contracts").check(name)) ?? "");
    const addresses = ["server", "nobody"].map((word) => url.searchParams.get(word));
    const wrong = await MODULES[module].wait((wasm) => wasm.checkContract(request, env, context, suite, name, ...addresses));
    return new Response(wrong ?? "");
  },
};

/** The object whose database the `sql` cases use. */
export class Database extends DurableObject {
  check(name) {
    return registry.run((wasm) => wasm.checkSql(this.ctx, name));
  }
}

/** Lists all cases as `{ module, suite, name }`. */
function cases() {
  return Object.entries(MODULES).flatMap(([module, instance]) => {
    const lines = instance.run((wasm) => wasm.contractCases()).trim().split("\n");
    return lines.map((line) => line.split(" ")).map(([suite, name]) => ({ module, suite, name }));
  });
}
