// The module that the runtime loads: it hands events over to the WebAssembly modules.
//
// A request that is only sent on takes the short way: one synchronous call asks Rust where it
// goes, and everything else about it stays in JavaScript. So does one with a key that is known here
// and that its Ledger lets pass. All other requests of the data plane take the long way through `fetch`
// in lib.rs. Both decide with the same functions. Administrative requests are the control plane's.

import * as wasm from "./dataplane.js";
import { callLedger, forward, useHeaderTable } from "./glue.js";
import { controlplane, dataplane } from "./modules.js";
import { useMeterTables } from "./objects/meter.js";

export { Ledger } from "./objects/ledger.js";
export { Meter } from "./objects/meter.js";
export { Registry } from "./objects/registry.js";

useHeaderTable(dataplane.ready().headerTable());
useMeterTables(wasm.meterTables());

export default {
  async fetch(request, env, ctx) {
    dataplane.ready();
    const url = request.url;
    try {
      let target = wasm.route(request.method, url);
      let headers;
      // Where it is counted. Asked for at once: the next request is routed elsewhere.
      const place = wasm.place();
      if (target?.startsWith("?")) {
        const admitted = await admit(request, url, target.slice(1), env, ctx, place);
        if (admitted.refusal !== undefined) return reported(admitted.refusal, wasm.due(), env, ctx);
        ({ target, headers } = admitted);
      }
      // Not awaited here: what goes wrong there is no trap of this module.
      if (target === undefined && wasm.isAdministrative(url, env)) return administer(request, env, ctx);
      if (target === undefined) return await wasm.fetch(request, env, ctx);
      const sent = Date.now();
      let answer;
      try {
        answer = await forward(request, url, target, env.CLIENT_IP_HEADER, undefined, headers);
      } catch (error) {
        return reported(wasm.failed(request, error, place), wasm.due(), env, ctx);
      }
      dataplane.ready();
      return reported(answer, wasm.answered(place, answer.status, sent), env, ctx);
    } catch (error) {
      dataplane.guard(error);
      throw error;
    }
  },
};

async function administer(request, env, ctx) {
  const answer = await controlplane.wait((exports) => exports.administer(request, env, ctx));
  dataplane.ready();
  return reported(answer, wasm.due(), env, ctx);
}

/** An answer, behind which what has been counted is reported if nobody else does. */
function reported(answer, due, env, ctx) {
  if (due) wasm.report(env, ctx);
  return answer;
}

/**
 * Asks the Ledger about a request with a key: where the request goes and the headers of its answer, or
 * the answer itself; nothing of these if the request takes the long way.
 */
async function admit(request, url, header, env, ctx, place) {
  const token = request.headers.get(header);
  const question = token === null ? undefined : wasm.question(request.method, url, token);
  if (question === undefined) return {};
  const [ledger, target] = question.split("\n", 2);
  const message = question.slice(ledger.length + target.length + 2);
  // What is wrong with the Ledger is told on the long way.
  const answer = await callLedger(env, ledger, "consume", message).catch(() => undefined);
  dataplane.ready();
  if (answer === undefined) return {};
  const headers = wasm.settle(question, answer, place);
  return headers === undefined ? { refusal: wasm.refuse(request, env, ctx, question, answer, place) } : { target, headers };
}
