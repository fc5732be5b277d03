// The worker as served, plus response headers with the names of the Durable Objects that a request has called and the
// `cf` options of each call of an upstream (tests only).

import worker, { Ledger as ServedLedger, Meter, Registry } from "./index.js";

export { Meter, Registry };

// The called objects, and the `cf` options of each `fetch`, since the request started; a test sends one request after
// another.
let calls = [];
let cfOptions = [];
const send = globalThis.fetch;
globalThis.fetch = (outgoing, init) => {
  cfOptions.push(JSON.stringify(init?.cf ?? null));
  return send(outgoing, init);
};

export default {
  async fetch(request, env, context) {
    cfOptions = [];
    calls = [];
    const response = await worker.fetch(request, counted(env), context);
    const answer = new Response(response.body, response);
    answer.headers.set("x-calls", calls.join(" "));
    answer.headers.set("x-cf", cfOptions.join(" "));
    return answer;
  },
};

/** The Ledger as served; what it calls is recorded, too. */
export class Ledger extends ServedLedger {
  constructor(context, env) {
    super(context, counted(env));
  }
}

function counted(env) {
  const counted = { ...env };
  for (const name of ["LEDGER", "METER", "REGISTRY"]) counted[name] = counting(env[name]);
  return counted;
}

/** Wraps a namespace so that each call is recorded under the object's name. */
function counting(namespace) {
  return {
    getByName(name) {
      const object = namespace.getByName(name);
      const call = (method) => (...values) => {
        // One object hosts many Ledgers; the first argument is the owner's name.
        calls.push(method === "consume" || method === "find" ? values[0] : name);
        return object[method](...values);
      };
      return new Proxy({}, { get: (_, method) => call(method) });
    },
  };
}
