// What the entry module does after a trap (attack A19): nothing runs in the broken instance again. It is bundled here
// with fakes for its imports, because only a fake can trap on demand.

import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { beforeEach, test } from "node:test";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const SOURCE = join(dirname(fileURLToPath(import.meta.url)), "../src/entry.js");

const FAKES = {
  "cloudflare:workers": "export class DurableObject { constructor(ctx, env) { this.ctx = ctx; this.env = env; } }",
  "./dataplane_bg.wasm": "export default {};",
  "./controlplane_bg.wasm": "export default {};",
  "./registry_bg.wasm": "export default {};",
  "./extras.js": "export const callExtra = () => {};",
  "./proofs.js": "export const prove = () => {};",
  "./dataplane.js": `
    export const initSync = () => {};
    export const headerTable = () => "\\n\\n\\n";
    export const isAdministrative = (url) => new URL(url).pathname.startsWith("/gateway/");
    export const begin = (...args) => globalThis.fake.begin(...args);
    export const fetch = (...args) => globalThis.fake.fetch(...args);
    export const requestLeases = () => {};
    export const countedApi = () => "";
    export const due = () => globalThis.fake.due();
    export const report = (...args) => globalThis.fake.report(...args);
    export const resumeTime = (...args) => globalThis.fake.resumeTime(...args);
    export const dropRun = (id) => globalThis.fake.calls.push(\`drop \${id}\`);
    export const __wbg_reset_state = () => globalThis.fake.calls.push("reset dataplane");
    export class Ledger {
      constructor(name, stored) { globalThis.fake.calls.push(\`new Ledger \${name} \${stored}\`); }
      consume(message, isSettled) { return globalThis.fake.object(message, isSettled); }
      question() { return "question"; }
      learn(reply) { globalThis.fake.calls.push(\`learn \${reply}\`); }
      chores() { return globalThis.fake.state && { store: globalThis.fake.state, number: 4, free() {} }; }
      confirm(number) { globalThis.fake.calls.push(\`confirm \${number}\`); }
      isIdle() { return globalThis.fake.idle; }
      free() { globalThis.fake.calls.push("free"); }
    }`,
  "./controlplane.js": `
    // Outlives the tests, which share one instance.
    globalThis.instantiated = 0;
    export const initSync = () => { globalThis.instantiated += 1; };
    export const administer = (...args) => globalThis.fake.administer(...args);
    export const authorise = (...args) => globalThis.fake.authorise(...args);
    export const __wbg_reset_state = () => globalThis.fake.calls.push("reset controlplane");`,
  "./registry.js": `
    export const initSync = () => {};
    export const __wbg_reset_state = () => globalThis.fake.calls.push("reset registry");
    export class Registry {
      constructor() { globalThis.fake.calls.push("new Registry"); }
      call(message) { return globalThis.fake.object(message); }
      removeEnded() { return ""; }
      openHandovers() { return [[], false]; }
      nextToGoThrough() {}
      alarm() { return globalThis.fake.object("alarm"); }
      publish() { return globalThis.fake.object("publish"); }
    }`,
  "./serve.js": `
    export const serve = (...args) => globalThis.fake.serve(...args);`,
  "./processes.js": "export const Objects = {}; export const Process = {};",
  "./glue.js": `
    export const callRegistry = (env, method, message) => globalThis.fake.object(message);
    export const callLedger = async () => "";
    export const wait = async () => {};
    export const clientAddress = () => "192.0.2.1";
    export const discard = async () => {};`,
  "./objects/answers.js": "export class UpstreamAnswers {};",
  "./objects/uptime.js": "export class Uptime {};",
  "./objects/meter.js": "export class Meter {};",
  "./stream.js": "export const begin = () => () => {}; export const follow = () => {};",
};
// The objects are one folder deeper.
for (const name of ["./glue.js", "./stream.js"]) FAKES[`.${name}`] = FAKES[name];

async function load(contents) {
  const fakes = {
    name: "fakes",
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path }) => (contents[path] === undefined ? undefined : { path, namespace: "fake" }));
      build.onLoad({ filter: /.*/, namespace: "fake" }, ({ path }) => ({ contents: contents[path] }));
    },
  };
  const { outputFiles } = await build({ entryPoints: [SOURCE], bundle: true, format: "esm", write: false, plugins: [fakes] });
  globalThis.addEventListener = (_, listen) => (globalThis.listen = listen);
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

// The same with the real interpreter of directives; the module loaded last receives the errors.
const { default: interpreting } = await load({ ...FAKES, "./serve.js": undefined, "./glue.js": undefined });
// The body of each forwarded request breaks off.
const { default: breaking } = await load({ ...FAKES, "./bodies.js": `
    export const watched = (sent) => ({ sent, fault: () => "client: gone", passed: Promise.resolve() });` });
const { default: worker, Gateway, Console, Registry, Ledger } = await load(FAKES);
const request = { method: "GET", url: "http://h/a", headers: new Headers() };
const trap = () => {
  throw new WebAssembly.RuntimeError("unreachable");
};

beforeEach((context) => {
  context.mock.method(console, "error", () => {});
  globalThis.fake = {
    calls: [],
    begin: () => undefined,
    fetch: async () => "long way",
    administer: async () => "administration",
    serve: async (_client, _request, directive) => `served ${directive}`,
    due: () => false,
    object: async () => "object",
  };
});

test("a request decided synchronously is served from its directive, all others are awaited", async () => {
  fake.begin = (method, url) => `${method} ${url}`;
  assert.equal(await worker.fetch(request, {}, {}), "served GET http://h/a");
  fake.begin = () => undefined;
  assert.equal(await worker.fetch(request, {}, {}), "served long way");
  const response = { status: 200 };
  fake.fetch = async () => response;
  assert.equal(await worker.fetch(request, {}, {}), response);
});

test("a Host that could be read as a path, or is repeated, is refused before routing", async () => {
  fake.begin = () => "served";
  for (const host of ["a/b?", "a/b", "a#b", "u@a", "a\\b", "a b", "a, b"]) {
    const sent = { ...request, headers: new Headers({ host }) };
    for (const entrypoint of [worker, Gateway, Console]) {
      assert.equal((await entrypoint.fetch(sent, {}, {})).status, 400, host);
    }
  }
  for (const host of ["a", "A.b-c_d.example:8787", "[::1]:80", "xn--a.example.", "127.0.0.1:1"]) {
    const sent = { ...request, headers: new Headers({ host }) };
    for (const _ of [1, 2]) assert.equal(await worker.fetch(sent, {}, {}), "served served", host);
  }
});

test("every call receives the entrypoint its request arrived at", async () => {
  const entrypoints = [];
  fake.begin = (_method, _url, _request, number) => void entrypoints.push(number);
  fake.fetch = async (_request, _env, _ctx, number) => `long way of ${number}`;
  for (const [entrypoint, number] of [[worker, 0], [Gateway, 1], [Console, 2]]) {
    assert.equal(await entrypoint.fetch(request, {}, {}), `served long way of ${number}`);
  }
  assert.deepEqual(entrypoints, [0, 1, 2]);
});

test("the control plane is instantiated once, by its first event", async () => {
  assert.equal(await worker.fetch(request, {}, {}), "served long way");
  assert.equal(instantiated, 0);
  const administrative = { ...request, url: "http://h/gateway/apis" };
  for (const _ of [1, 2]) {
    assert.equal(await worker.fetch(administrative, {}, {}), "administration");
    assert.equal(instantiated, 1);
  }
  assert.deepEqual(fake.calls, []);
});

test("an empty directive hands a request to the administration without another question", async () => {
  fake.begin = () => "";
  assert.equal(await worker.fetch(request, {}, {}), "administration");
});

test("figures are reported after an administrative response too", async () => {
  fake.due = () => true;
  fake.report = (env, ctx) => fake.calls.push(`report ${env} ${ctx}`);
  await worker.fetch({ ...request, url: "http://h/gateway/apis" }, "env", "ctx");
  assert.deepEqual(fake.calls, ["report env ctx"]);
});

for (const [name, break_] of [
  ["the short path", () => { fake.begin = trap; }],
  ["the long path", () => { fake.fetch = async () => trap(); }],
]) {
  test(`after a trap on ${name} the next request gets a fresh instance`, async () => {
    const intact = { ...fake };
    break_();
    await assert.rejects(async () => worker.fetch(request, {}, {}), WebAssembly.RuntimeError);
    Object.assign(fake, intact);
    assert.equal(await worker.fetch(request, {}, {}), "served long way");
    assert.equal(await worker.fetch(request, {}, {}), "served long way");
    assert.deepEqual(fake.calls, ["reset dataplane"]);
  });
}

test("after a trap during a run the next request gets a fresh instance, and the run is dropped with the old one", async () => {
  fake.begin = () => '{"run":7,"figures":0,"time":0}';
  fake.resumeTime = trap;
  await assert.rejects(async () => interpreting.fetch(request, {}, {}), WebAssembly.RuntimeError);
  fake.resumeTime = () => '{"run":7,"figures":0,"answer":{"status":204,"headers":[],"body":""}}';
  assert.equal((await interpreting.fetch(request, {}, {})).status, 204);
  assert.deepEqual(fake.calls, ["reset dataplane", "drop 7"]);
});

test("after a trap in one module the other is unaffected", async () => {
  const administrative = { ...request, url: "http://h/gateway/apis" };
  fake.administer = async () => trap();
  await assert.rejects(async () => worker.fetch(administrative, {}, {}), WebAssembly.RuntimeError);
  assert.equal(await worker.fetch(request, {}, {}), "served long way");
  assert.deepEqual(fake.calls, []);
  fake.administer = async () => "administration";
  assert.equal(await worker.fetch(administrative, {}, {}), "administration");
  assert.deepEqual(fake.calls, ["reset controlplane"]);
});

for (const [stack, resets] of [
  ["at wasm://wasm/dataplane-3d5e2a12:wasm-function[7]:0x4567", ["reset dataplane"]],
  ["at wasm://wasm/controlplane-3d5e2a12:wasm-function[7]:0x4567", ["reset controlplane"]],
  ["at wasm://wasm/3d5e2a12:wasm-function[7]:0x4567", ["reset dataplane", "reset controlplane"]],
  ["at somewhere", ["reset dataplane", "reset controlplane"]],
]) {
  test(`a trap in a promise job resets ${resets.length} of the modules in use (${stack})`, async () => {
    const administrative = { ...request, url: "http://h/gateway/apis" };
    await worker.fetch(administrative, {}, {});
    listen({ error: Object.assign(new WebAssembly.RuntimeError("unreachable"), { stack }) });
    await worker.fetch(administrative, {}, {});
    await worker.fetch(request, {}, {});
    assert.deepEqual(fake.calls, resets);
  });
}

test("an ordinary error resets nothing", async () => {
  fake.fetch = async () => {
    throw new TypeError("x");
  };
  await assert.rejects(async () => worker.fetch(request, {}, {}), TypeError);
  fake.fetch = async () => "long way";
  assert.equal(await worker.fetch(request, {}, {}), "served long way");
  assert.deepEqual(fake.calls, []);
});

test("a Durable Object is recreated in the fresh instance, and not before", async () => {
  const object = new Registry({}, {});
  fake.object = () => "object";
  assert.equal(await object.call("command"), "object");
  assert.equal(await object.call("command"), "object");
  assert.deepEqual(fake.calls, ["new Registry"]);
  for (const event of [() => object.alarm(), async () => object.call("command")]) {
    fake.calls.length = 0;
    fake.object = () => trap();
    await assert.rejects(event(), WebAssembly.RuntimeError);
    fake.object = () => "object";
    assert.equal(await object.call("command"), "object");
    assert.deepEqual(fake.calls, ["reset registry", "new Registry"]);
  }
});

for (const event of ["alarm", "publish"]) {
  test(`${event} of the Registry rejects if a trap leaves its promise pending (M13)`, async (context) => {
    context.mock.timers.enable({ apis: ["setInterval"] });
    const object = new Registry({}, {});
    fake.object = () => new Promise(() => {});
    let ended;
    object[event]().catch((error) => (ended = error.message));
    const later = async () => {
      context.mock.timers.tick(1000);
      await new Promise((resolve) => setImmediate(resolve));
    };
    await later();
    assert.equal(ended, undefined);
    listen({ error: Object.assign(new WebAssembly.RuntimeError("unreachable"), { stack: "at wasm://wasm/registry-1:wasm-function[7]:0x4" }) });
    await later();
    assert.equal(ended, "registry was trapped meanwhile");
    fake.object = async () => "object";
    assert.equal(await object[event](), "object");
    assert.deepEqual(fake.calls, ["new Registry", "reset registry", "new Registry"]);
  });
}

/** A SQLite without tables. */
const sql = { exec: () => ({ toArray: () => [] }) };

test("after a trap a Ledger is recreated from its stored state", async () => {
  const stored = new Map();
  const kv = { get: (name) => stored.get(name), put: (name, value) => stored.set(name, value) };
  const object = new Ledger({ storage: { kv, sql, sync: () => new Promise(() => {}) } }, {});
  fake.object = (message) => message;
  fake.state = "state";
  assert.equal(object.consume("key:a", "1"), "1");
  fake.state = undefined;
  fake.object = trap;
  assert.throws(() => object.consume("key:a", "2"), WebAssembly.RuntimeError);
  fake.object = (message) => message;
  assert.equal(object.consume("key:a", "3"), "3");
  assert.deepEqual(fake.calls, ["new Ledger key:a undefined", "reset dataplane", "new Ledger key:a state"]);
});

test("a Ledger's write is confirmed once it is on disk, and only to the instance that made it", async () => {
  const flushed = [];
  const storage = { kv: { get: () => undefined, put: () => {} }, sql, sync: () => new Promise((resolve) => flushed.push(resolve)) };
  const object = new Ledger({ storage }, {});
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  fake.object = (message) => message;
  fake.state = "state";
  object.consume("key:a", "1");
  await settled();
  assert.deepEqual(fake.calls, ["new Ledger key:a undefined"]);
  flushed[0]();
  await settled();
  assert.deepEqual(fake.calls, ["new Ledger key:a undefined", "confirm 4"]);
  object.consume("key:a", "2");
  fake.calls = [];
  fake.object = trap;
  assert.throws(() => object.consume("key:a", "3"), WebAssembly.RuntimeError);
  fake.state = undefined;
  fake.object = (message) => message;
  object.consume("key:a", "4");
  flushed[1]();
  await settled();
  assert.deepEqual(fake.calls, ["reset dataplane", "new Ledger key:a undefined"]);
});

test("a Ledger fetches a session it lacks from the Registry", async () => {
  const object = new Ledger({ storage: { kv: { get: () => undefined }, sql } }, {});
  fake.object = (message, isSettled) => (message === "question" ? "reply" : isSettled ? "answer" : undefined);
  assert.equal(await object.consume("key:a", "1"), "answer");
  assert.ok(fake.calls.includes("learn reply"));
});

test("idle owners are evicted from their object's memory", () => {
  const object = new Ledger({ storage: { kv: { get: () => undefined }, sql } }, {});
  const comes = (from, to) => {
    fake.calls = [];
    for (let owner = from; owner < to; owner += 1) object.consume(`key:${owner}`, "1");
    return fake.calls.filter((call) => call === "free").length;
  };
  fake.object = (message) => message;
  fake.idle = false;
  assert.equal(comes(0, 512), 0);
  fake.idle = true;
  assert.equal(comes(512, 513), 512);
  // They are created again, and idle ones are searched for only when there are many.
  assert.equal(comes(0, 200), 0);
  assert.equal(fake.calls.length, 200);
});

test("requests to an API's OAuth server go to the control plane, in the process that has it", async () => {
  fake.fetch = async () => "@an-api\noauth/token";
  fake.authorise = async (_request, _env, _ctx, call) => `authorised ${JSON.stringify(call)}`;
  assert.equal(await worker.fetch(request, {}, {}), 'authorised "an-api\\noauth/token\\n192.0.2.1"');
  const env = { PROCESS: "1", ADMINISTRATION: { fetch: async ({ url }) => `passed on ${url}` } };
  assert.equal(await worker.fetch(request, env, {}), "passed on http://h/a");
});

test("a page that CORS allows can read why its request to an OAuth server was not forwarded", async () => {
  fake.fetch = async () => "@an-api\noauth/token\nvary\nOrigin\naccess-control-allow-origin\nhttps://page.example";
  const env = { PROCESS: "1", ADMINISTRATION: { fetch: async () => Promise.reject(new Error("closed")) } };
  const sent = { ...request, method: "POST", body: {} };
  const answer = await breaking.fetch(sent, env, { waitUntil: () => {} });
  assert.equal(answer.status, 400);
  assert.deepEqual([answer.headers.get("vary"), answer.headers.get("access-control-allow-origin")], ["Origin", "https://page.example"]);
});
