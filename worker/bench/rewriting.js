// Rewrites JSON bodies in JavaScript: by hand, with an `eta` template, and with a `jq-web` filter.

import { Eta } from "eta/core";
import startJq from "jq-factory";
import template from "names-template";
import wasm from "./jq.wasm";

const FILTER = "{total: (.items | length), names: [.items[].name]}";

const eta = new Eta();
let jq;

const WAYS = {
  json: async (answer) => {
    const { items } = await answer.json();
    return JSON.stringify({ total: items.length, names: items.map((item) => item.name) });
  },
  template: async (answer) => eta.render(template, await answer.json()),
  filter: async (answer) => {
    // Not at module scope, where workers have no random numbers.
    jq ??= startJq({ instantiateWasm });
    return (await jq).raw(await answer.text(), FILTER, ["-c"]);
  },
};

/** Workers may not compile code they have fetched, so the module is a binding. */
function instantiateWasm(imports, done) {
  WebAssembly.instantiate(wasm, imports).then((instance) => done(instance, wasm));
  return {};
}

export default {
  async fetch(request, env) {
    const { pathname, search } = new URL(request.url);
    const rewrite = WAYS[pathname.slice(1)];
    if (rewrite === undefined) return new Response("no such way", { status: 404 });
    const answer = await fetch(new Request(`${env.TARGET}/json${search}`, request));
    return new Response(await rewrite(answer), { headers: { "content-type": "application/json" } });
  },
};
