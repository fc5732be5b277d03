// Several processes of one machine that serve together: each has the data plane, and one has all objects, the
// administration and the console (`worker/process.capnp`, `worker/objects.capnp`). They reach each other over Unix
// sockets, in a folder that only their user can open. At the edge, and in a single process, the platform itself reaches
// the objects.

import { answer as answerCache, forgetHere } from "./cache/machine.js";
import { callAnswers, callLedger, callMeter, callRegistry, callUptime } from "./glue.js";
import { dataplane, memoryBytes } from "./modules.js";

/** Returns what a process serves: its name, the generation or "-", and the bytes of its WebAssembly memories. */
export function state(name) {
  const generation = dataplane.run((wasm) => wasm.loadedGeneration());
  return `${name} ${generation ?? "-"} ${memoryBytes()}`;
}

/** Whether this process has learnt that it is the only one of its machine. */
let isAlone = false;

/** Sends a message to the other processes of this machine that serve; at the edge, and for a single process, there are none. */
export async function tell(env, message, body) {
  if (isAlone || env.PROCESSES === undefined) return;
  const { status } = await env.PROCESSES.fetch(`http://processes/${message}`, { method: "POST", body });
  isAlone = status === 404;
}

// What a serving process may call on the objects. Their process has the shared cache, too.
const CALLS = {
  registry: { methods: ["call", "write", "published", "certificate"], call: (env, method, name, message) => callRegistry(env, method, message) },
  ledger: { methods: ["consume", "find"], call: (env, method, name, message) => callLedger(env, name, method, message) },
  meter: { methods: ["add"], call: (env, method, name, message) => callMeter(env, method, message) },
  uptime: { methods: ["down"], call: (env, method, name, message) => callUptime(env, method, message) },
  answers: { methods: ["ask", "get"], call: (env, method, name, message) => callAnswers(env, name, method, message) },
  upstreams: { methods: ["ask"], call: (env, method, name, message) => askUpstreams(env, message) },
};

/** Answers a question about upstreams, once every process has been sent what it must know by then. */
async function askUpstreams(env, message) {
  const [answer, update] = dataplane.run((wasm) => wasm.answerUpstreams(env, message)).split("\n");
  if (update) await env.PROCESSES.fetch("http://processes/upstreams", { method: "POST", body: update });
  return answer;
}

/** The entrypoint of the process with the objects: `POST /<object>/<method>?<name>` with the message. */
export const Objects = {
  async fetch(request, env) {
    const { pathname, search } = new URL(request.url);
    const [, object, method] = pathname.split("/");
    if (object === "cache") return answerCache(env, method, request);
    const known = CALLS[object];
    if (!known?.methods.includes(method)) return new Response(null, { status: 404 });
    try {
      const answer = await known.call(env, method, decodeURIComponent(search.slice(1)), await request.text());
      return answer === undefined ? new Response(null, { status: 204 }) : new Response(answer);
    } catch (error) {
      return new Response(String(error), { status: 500 });
    }
  },
};

/** The entrypoint of a serving process, for the process with the objects and for the launcher. */
export const Process = {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname === "/organisations") {
      const list = await request.text();
      dataplane.run((wasm) => wasm.learnOrganisations(env, list));
      return new Response(null, { status: 204 });
    }
    if (pathname === "/upstreams") {
      const update = await request.text();
      dataplane.run((wasm) => wasm.learnUpstreams(env, update));
      return new Response(null, { status: 204 });
    }
    if (pathname === "/state") return new Response(state(`process-${env.PROCESS}`));
    if (pathname === "/forget") {
      forgetHere(env, await request.json());
      return new Response(null, { status: 204 });
    }
    if (pathname === "/load") {
      const generation = await request.text();
      await dataplane.wait((wasm) => wasm.loadGeneration(env, generation));
      return new Response(null, { status: 204 });
    }
    const isLoaded = await dataplane.wait((wasm) => wasm.ensureLoaded(env));
    return new Response(null, { status: isLoaded ? 200 : 503 });
  },
};
