// What the control plane calls in the data plane of its isolate: everything that crosses between the two modules. Texts
// cross, and the runtime's own objects. The functions are in `worker/dataplane/src/seam.rs`, and
// `worker/controlplane/src/seam.rs` calls these here. The data plane never calls the control plane.

import { forgetApi } from "./cache.js";
import { callExtra } from "./extras.js";
import { callRegistry } from "./glue.js";
import { dataplane } from "./modules.js";
import { state, tell } from "./processes.js";

/** Whether the isolate has a set of APIs to serve. */
export const isLoaded = () => dataplane.run((wasm) => wasm.loadedGeneration()) !== undefined;

/** Returns what the processes of this machine serve, one per line, this one first; at the edge there is no other. */
export async function processes(env) {
  const response = await env.PROCESSES?.fetch("http://processes/state", { method: "POST" });
  const others = response?.status === 200 ? await response.text() : "";
  return others === "" ? state("worker") : `${state("objects")}\n${others}`;
}

/** Loads the published set unless one is loaded; resolves to whether there is one then. */
export const ensureLoaded = (env) => dataplane.wait((wasm) => wasm.ensureLoaded(env));

/** Loads and serves a generation that has just been published, here and in the other processes of this machine. */
export async function loadGeneration(env, generation) {
  await dataplane.wait((wasm) => wasm.loadGeneration(env, generation));
  await tell(env, "load", generation);
}

/** The last list of organisations that was passed on here, and to which instance. */
let learnt = {};

/**
 * Passes on which organisations have a session, here and in the other processes of this machine. `key` is that of the
 * list, which the Registry has before KV; it may be long, and the administration needs nothing of it.
 */
export async function learnOrganisations(env, key) {
  const list = await callRegistry(env, "published", key);
  dataplane.run((wasm) => {
    const { generation } = dataplane;
    if (learnt.list !== list || learnt.generation !== generation) wasm.learnOrganisations(env, list);
    learnt = { list, generation };
  });
  await tell(env, "organisations", list);
}

/** Deletes an API's cached responses, here and everywhere else. */
export const forgetCache = (env, apiId) => forgetApi(env, apiId);

/**
 * Returns the breakers of a loaded API: a line with `isolate` or `machine`, whose state it is, then one line each
 * (`shown` of `crates/dataplane/src/links/circuit_breakers.rs`); undefined if no such API is loaded.
 */
export const breakers = (env, apiId) =>
  dataplane.wait(async (wasm) => {
    const shown = await wasm.breakers(env, apiId);
    return shown === undefined ? undefined : `${env.EGRESS === undefined ? "isolate" : "machine"}\n${shown}`;
  });

/** Takes what the isolate has counted since its last report, if anything. */
export const takeFigures = () => dataplane.run((wasm) => wasm.takeFigures());

/** False if this isolate knows that no API listens to events of keys. */
export const mayHaveTokenListeners = () => dataplane.run((wasm) => wasm.mayHaveTokenListeners());

/** Returns what is served of the things asked for; undefined if no set can be loaded. */
export const served = (env, ask) => dataplane.wait((wasm) => wasm.served(env, ask));

/** Reads a certificate that is to be stored for an organisation, as JSON; undefined if the module failed. */
export const readCertificate = (org, now, sent) => callExtra("auth", "readCertificate", org, now, sent)?.[0];

/** Carries out a call about an OpenAPI document; undefined if its module failed. */
export const openapi = (call, before, sent) => callExtra("openapi", "run", call, before, sent);

/**
 * Checks the filters and templates of a definition with the modules that will run them. Returns a list of issues as
 * JSON; undefined if the module that knows their positions failed.
 */
export function rewrites(definition) {
  const sources = callExtra("openapi", "sources", "", "", definition) ?? [];
  const reports = [];
  for (let at = 0; at < sources.length; at += 2) {
    const [report = "{}"] = callExtra(sources[at], "check", sources[at + 1], "", NOTHING) ?? [];
    reports.push(report);
  }
  return reports.length === 0 ? undefined : callExtra("openapi", "broken", "", reports.join("\n"), definition)?.[0];
}

const NOTHING = new Uint8Array();

/** Runs a batch through a loaded API; undefined if no such API is loaded. */
export const runBatch = (request, env, ctx, apiId, body) =>
  dataplane.wait((wasm) => wasm.runBatch(request, env, ctx, apiId, body));

/** Sends one request through the chain of a loaded API, or of the given definition, and returns its steps. */
export const debugRequest = (request, env, ctx, body, definition) =>
  dataplane.wait((wasm) => wasm.debugRequest(request, env, ctx, body, definition));
