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

export default {
  async fetch(request, env, ctx) {
    const directive = dataplane.run((exports) => exports.begin(request.method, request.url, request));
    // What goes wrong in the control plane is no trap of the data plane.
    if (directive === undefined && wasm.isAdministrative(request.url, env)) return reported(await administer(request, env, ctx), env, ctx);
    try {
      return reported(await served(request, directive ?? (await wasm.fetch(request, env, ctx)), env), env, ctx);
    } catch (error) {
      dataplane.guard(error);
      throw error;
    }
  },
};

/** The answer to a request of the data plane, or of the console, which is one already. */
function served(request, directive, env) {
  return typeof directive === "string" ? serve(request, request, directive, env) : directive;
}

function administer(request, env, ctx) {
  return controlplane.wait((exports) => exports.administer(request, env, ctx));
}

/** An answer, behind which what has been counted is reported if nobody else does. */
function reported(answer, env, ctx) {
  if (dataplane.ready().due()) wasm.report(env, ctx);
  return answer;
}
