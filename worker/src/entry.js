// The module that the runtime loads: it hands events over to the WebAssembly modules.
//
// A request of the data plane is decided by the data plane's module at once, if that has its set of APIs
// loaded, and carried out in `serve.js`. Everything else waits: for the set to be loaded, for the console's
// files, or for the administration, which is the control plane's.

import * as wasm from "./dataplane.js";
import { controlplane, dataplane } from "./modules.js";
import { useMeterStatements } from "./objects/meter.js";
import { serve, useHeaderTable } from "./serve.js";

export { Ledger } from "./objects/ledger.js";
export { Meter } from "./objects/meter.js";
export { Registry } from "./objects/registry.js";

useHeaderTable(dataplane.ready().headerTable());
useMeterStatements(wasm.meterStatements());

/** What a request that comes in by an entrypoint is handed to; its number is that of `Entrypoint` in Rust. */
const entrypoint = (number) => ({
  // Not async, like what it calls for a request that is only sent on: each promise more is felt there.
  fetch(request, env, ctx) {
    const directive = dataplane.run((exports) => exports.begin(request.method, request.url, request, number));
    // What goes wrong in the control plane is no trap of the data plane.
    if (directive === undefined && wasm.isAdministrative(request.url, env, number)) {
      return administer(request, env, ctx).then((answer) => reported(answer, env, ctx));
    }
    const answer = directive === undefined ? decideLate(request, env, ctx, number) : serve(request, request, directive, env);
    return answer.then((answer) => reported(answer, env, ctx), trapped);
  },
});

// At the edge hosts tell the two origins apart; on one machine each has a socket, and that decides.
export default entrypoint(0);
export const Gateway = entrypoint(1);
export const Console = entrypoint(2);

/** A request that could not be decided at once. The console's files are answered with a response. */
async function decideLate(request, env, ctx, number) {
  const decided = await wasm.fetch(request, env, ctx, number);
  return typeof decided === "string" ? serve(request, request, decided, env) : decided;
}

function trapped(error) {
  dataplane.guard(error);
  throw error;
}

function administer(request, env, ctx) {
  return controlplane.wait((exports) => exports.administer(request, env, ctx));
}

/** An answer, behind which what has been counted is reported if nobody else does. */
function reported(answer, env, ctx) {
  if (dataplane.run((exports) => exports.due())) wasm.report(env, ctx);
  return answer;
}
