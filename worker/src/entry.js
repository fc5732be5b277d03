// The module that the runtime loads: it hands events over to the WebAssembly modules.
//
// A request of the data plane is decided by the data plane's module at once, if that has its set of APIs
// loaded, and carried out in `serve.js`. Everything else waits: for the set to be loaded, for the console's
// files, or for the administration, which is the control plane's.

import { connect, connects } from "./connect.js";
import * as wasm from "./dataplane.js";
import { clientAddress, discard } from "./glue.js";
import { hasSignIn, hasWrongHost, useHeaderTable, withoutSignIn } from "./headers.js";
import { controlplane, dataplane } from "./modules.js";
import { reportIf, serve } from "./serve.js";

export { UpstreamAnswers } from "./objects/answers.js";
export { CacheGeneration } from "./objects/cache.js";
export { Ledger } from "./objects/ledger.js";
export { Meter } from "./objects/meter.js";
export { Registry } from "./objects/registry.js";
export { Uptime } from "./objects/uptime.js";
export { Objects, Process } from "./processes.js";

useHeaderTable(dataplane.ready().headerTable());

/** What a request that comes in by an entrypoint is handed to; its number is that of `Entrypoint` in Rust. */
const entrypoint = (number) => ({
  // Not async, like what it calls for a request that is only sent on: each promise more is felt there.
  fetch(sent, env, ctx) {
    if (hasWrongHost(sent)) return new Response("400 Bad Request", { status: 400 });
    // An upstream would tell the client what the gateway has put into the request, credentials among it.
    if (sent.method === "TRACE" && !wasm.isAdministrative(sent.url, env, number)) return new Response(null, { status: 501 });
    const request = hasSignIn(sent) && !wasm.isAdministrative(sent.url, env, number) ? withoutSignIn(sent) : sent;
    const directive = dataplane.run((exports) => exports.begin(request.method, request.url, request, number));
    if (directive !== undefined) return serve(request, request, directive, env, { ctx });
    // What goes wrong in the control plane is no trap of the data plane.
    const isAdministrative = wasm.isAdministrative(request.url, env, number);
    const answer = isAdministrative ? administer(request, env, ctx) : decideLate(request, env, ctx, number);
    return answer.then((answer) => {
      reportIf(dataplane.run((exports) => exports.due()), env, ctx);
      return answer;
    });
  },
});

// At the edge hosts tell the two origins apart; on one machine each has a socket, and that decides.
export default entrypoint(0);
export const Gateway = entrypoint(1);
const pages = entrypoint(2);
export const Console = {
  fetch: (request, env, ctx) =>
    connects(request, env) ? connect(request, env, (signIn) => pages.fetch(signIn, env, ctx)) : pages.fetch(request, env, ctx),
};

/** A request that could not be decided at once. The console's files are answered with a response. */
async function decideLate(request, env, ctx, number) {
  const decided = await dataplane.wait((exports) => exports.fetch(request, env, ctx, number));
  if (typeof decided === "string" && decided[0] === "@") return authorise(request, env, ctx, decided.slice(1));
  return typeof decided === "string" ? serve(request, request, decided, env, { ctx }) : decided;
}

// A process that only serves passes it on to the one with the objects.
function administer(request, env, ctx) {
  if (env.PROCESS) return env.ADMINISTRATION.fetch(request);
  return answered(request, (exports) => exports.administer(request, env, ctx));
}

/**
 * What the administration answers, once the body of the request has ended: a process that still sends it when this one
 * hangs up loses the answer, which refuses it unread.
 */
async function answered(request, call) {
  const answer = await controlplane.wait(call);
  await discard(request);
  return answer;
}

/** A request to the OAuth 2.0 server of an API: its id, and the path below its listen path on the next line. */
function authorise(request, env, ctx, call) {
  if (env.PROCESS) return env.ADMINISTRATION.fetch(request);
  const address = clientAddress(request, env.CLIENT_IP_HEADER);
  return answered(request, (exports) => exports.authorise(request, env, ctx, `${call}\n${address}`));
}
