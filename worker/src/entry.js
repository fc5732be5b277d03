// The module that the runtime loads: it hands events to the WebAssembly modules.
//
// The data plane's module decides on a request at once if its set of APIs is loaded, and `serve.js` carries the
// decision out. Everything else waits: for the set to be loaded, for the console's files, or for the administration,
// which belongs to the control plane.

import { watched } from "./bodies.js";
import { connect, connects } from "./connect.js";
import * as wasm from "./dataplane.js";
import { clientAddress, discard } from "./glue.js";
import { hasSignIn, hasWrongHost, useHeaderTable, withoutSignIn } from "./headers.js";
import { controlplane, dataplane } from "./modules.js";
import { reportIf } from "./reports.js";
import { serve } from "./serve.js";

export { UpstreamAnswers } from "./objects/answers.js";
export { CacheGeneration } from "./objects/cache.js";
export { Ledger } from "./objects/ledger.js";
export { Meter } from "./objects/meter.js";
export { Registry } from "./objects/registry.js";
export { Uptime } from "./objects/uptime.js";
export { Objects, Process } from "./processes.js";

useHeaderTable(dataplane.ready().headerTable());

/** Returns the handlers of an entrypoint; `number` is that of `Entrypoint` in Rust. */
const entrypoint = (number) => ({
  // Not async, nor is anything it calls for a request that is only forwarded: every extra promise costs measurably.
  fetch(sent, env, ctx) {
    if (hasWrongHost(sent)) return new Response("400 Bad Request", { status: 400 });
    // An upstream would return the headers that the gateway has added, credentials among them, to the client.
    if (sent.method === "TRACE" && !wasm.isAdministrative(sent.url, env, number)) return new Response(null, { status: 501 });
    const request = hasSignIn(sent) && !wasm.isAdministrative(sent.url, env, number) ? withoutSignIn(sent) : sent;
    const directive = dataplane.run((exports) => exports.begin(request.method, request.url, request, number));
    if (directive) return serve(request, request, directive, env, { ctx });
    // Outside `dataplane.run`: an error in the control plane is no trap of the data plane.
    const isAdministrative = directive === "" || wasm.isAdministrative(request.url, env, number);
    const answer = isAdministrative ? administer(request, env, ctx) : decideLate(request, env, ctx, number);
    return answer.then((answer) => {
      reportIf(dataplane.run((exports) => exports.due()), env, ctx);
      return answer;
    });
  },
});

// At the edge, hosts distinguish the two origins; on one machine each has a socket of its own, which decides.
export default entrypoint(0);
export const Gateway = entrypoint(1);
const pages = entrypoint(2);
export const Console = {
  fetch: (request, env, ctx) =>
    connects(request, env) ? connect(request, env, (signIn) => pages.fetch(signIn, env, ctx)) : pages.fetch(request, env, ctx),
};

/** Handles a request that could not be decided at once. The console's files come back as a response. */
async function decideLate(request, env, ctx, number) {
  const decided = await dataplane.wait((exports) => exports.fetch(request, env, ctx, number));
  if (typeof decided === "string" && decided[0] === "@") return authorise(request, env, ctx, decided.slice(1));
  return typeof decided === "string" ? serve(request, request, decided, env, { ctx }) : decided;
}

function administer(request, env, ctx) {
  if (env.PROCESS) return forward(request, env, ctx);
  return answered(request, (exports) => exports.administer(request, env, ctx));
}

const BROKEN_OFF = JSON.stringify({ status: "error", message: "The body of the request broke off" });
const OWN = { "content-type": "application/json", "cache-control": "no-store", "x-content-type-options": "nosniff" };

/**
 * Forwards a request from a process that only serves to the one with the objects. If the body breaks off on its way,
 * that is the client's fault and not logged (`Error::broken_off` in Rust is the response of a single process), and
 * `headers` are those of the response.
 */
async function forward(request, env, ctx, headers = []) {
  if (request.body === null || ["GET", "HEAD"].includes(request.method)) return env.ADMINISTRATION.fetch(request);
  const { sent, fault, passed } = watched(request);
  ctx.waitUntil(passed);
  try {
    return await env.ADMINISTRATION.fetch(sent);
  } catch (error) {
    if (fault(false) === undefined) throw error;
    return withHeaders(new Response(BROKEN_OFF, { status: 400, headers: OWN }), headers);
  }
}

/**
 * Returns the administration's response once the request's body has ended: if this process closed the connection while
 * another was still sending, the other would lose a response that refused the body unread.
 */
async function answered(request, call) {
  const answer = await controlplane.wait(call);
  if (request.body) await discard(request);
  return answer;
}

/**
 * Handles a request to an API's OAuth 2.0 server. `call` has a line each for the API's id, the path below its listen
 * path, and the name and value of every header that the response gets.
 */
async function authorise(request, env, ctx, call) {
  const [api, path, ...headers] = call.split("\n");
  if (env.PROCESS) return forward(request, env, ctx, headers);
  const address = clientAddress(request, env.CLIENT_IP_HEADER);
  const answer = await answered(request, (exports) => exports.authorise(request, env, ctx, `${api}\n${path}\n${address}`));
  return withHeaders(answer, headers);
}

/** Adds headers to a response, given as alternating names and values. */
function withHeaders(answer, headers) {
  for (let at = 0; at < headers.length; at += 2) answer.headers.append(headers[at], headers[at + 1]);
  return answer;
}
