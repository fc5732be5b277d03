// What the entry module does after a trap (attack A19): nothing runs in the broken instance again.
// It is bundled here with fakes for what it imports, because only a fake can trap on demand.

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
  "./dataplane.js": `
    export const initSync = () => {};
    export const headerTable = () => "";
    export const meterTables = () => "";
    export const isAdministrative = (url) => new URL(url).pathname.startsWith("/gateway/");
    export const route = (...args) => globalThis.fake.route(...args);
    export const fetch = (...args) => globalThis.fake.fetch(...args);
    export const failed = (...args) => globalThis.fake.failed(...args);
    export const question = (...args) => globalThis.fake.question(...args);
    export const settle = (...args) => globalThis.fake.settle(...args);
    export const refuse = (...args) => globalThis.fake.refuse(...args);
    export const place = () => globalThis.fake.place();
    export const answered = (...args) => globalThis.fake.answered(...args);
    export const due = () => globalThis.fake.due();
    export const report = (...args) => globalThis.fake.report(...args);
    export const __wbg_reset_state = () => globalThis.fake.calls.push("reset dataplane");
    export class Ledger {
      epoch = 0;
      constructor(name, stored) { globalThis.fake.calls.push(\`new Ledger \${name} \${stored}\`); }
      consume(message) { return globalThis.fake.object(message); }
      question() { return "question"; }
      learn(epoch, answer) { return answer; }
      keep() { return globalThis.fake.state && { store: globalThis.fake.state, free() {} }; }
    }`,
  "./controlplane.js": `
    // Outlives the tests: there is one instance in all of them.
    globalThis.instantiated = 0;
    export const initSync = () => { globalThis.instantiated += 1; };
    export const administer = (...args) => globalThis.fake.administer(...args);
    export const __wbg_reset_state = () => globalThis.fake.calls.push("reset controlplane");
    export class Registry {
      constructor() { globalThis.fake.calls.push("new Registry"); }
      call(message) { return globalThis.fake.object(message); }
      alarm() { return globalThis.fake.object("alarm"); }
    }`,
  "./glue.js": `
    export const useHeaderTable = () => {};
    export const forward = (...args) => globalThis.fake.forward(...args);
    export const callLedger = (env, name, method, message) => globalThis.fake.ledger(name, method, message);
    export const callRegistry = (env, method, message) => globalThis.fake.object(message);`,
  "./objects/meter.js": "export class Meter {}; export const useMeterTables = () => {};",
  "./stream.js": "export const follow = () => {};",
};
// The objects stand a folder deeper.
for (const name of ["./glue.js", "./stream.js"]) FAKES[`.${name}`] = FAKES[name];

async function load() {
  const fakes = {
    name: "fakes",
    setup(build) {
      build.onResolve({ filter: /.*/ }, ({ path }) => (FAKES[path] === undefined ? undefined : { path, namespace: "fake" }));
      build.onLoad({ filter: /.*/, namespace: "fake" }, ({ path }) => ({ contents: FAKES[path] }));
    },
  };
  const { outputFiles } = await build({ entryPoints: [SOURCE], bundle: true, format: "esm", write: false, plugins: [fakes] });
  globalThis.addEventListener = (_, listen) => (globalThis.listen = listen);
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0].text)}`);
}

const { default: worker, Registry, Ledger } = await load();
const request = { method: "GET", url: "http://h/a" };
/** An answer of an upstream; the tests compare its text. */
const answer = (text) => ({ status: 200, toString: () => text });
const trap = () => {
  throw new WebAssembly.RuntimeError("unreachable");
};

beforeEach((context) => {
  context.mock.method(console, "error", () => {});
  globalThis.fake = {
    calls: [],
    route: () => undefined,
    fetch: async () => "long way",
    administer: async () => "administration",
    failed: () => "failed",
    place: () => 7,
    answered: () => false,
    due: () => false,
    forward: async (_request, _url, target) => answer(`sent to ${target}`),
    object: async () => "object",
  };
});

test("a request with a route takes the short way, every other one the long way", async () => {
  fake.route = (method, url) => `${method} ${url}`;
  assert.equal(`${await worker.fetch(request, {}, {})}`, "sent to GET http://h/a");
  fake.route = () => undefined;
  assert.equal(await worker.fetch(request, {}, {}), "long way");
});

test("the control plane is instantiated by its first event, and once", async () => {
  assert.equal(await worker.fetch(request, {}, {}), "long way");
  assert.equal(instantiated, 0);
  const administrative = { ...request, url: "http://h/gateway/apis" };
  for (const _ of [1, 2]) {
    assert.equal(await worker.fetch(administrative, {}, {}), "administration");
    assert.equal(instantiated, 1);
  }
  assert.deepEqual(fake.calls, []);
});

test("what was counted is reported behind an administrative answer too", async () => {
  fake.due = () => true;
  fake.report = (env, ctx) => fake.calls.push(`report ${env} ${ctx}`);
  await worker.fetch({ ...request, url: "http://h/gateway/apis" }, "env", "ctx");
  assert.deepEqual(fake.calls, ["report env ctx"]);
});

test("an upstream that can't be reached is answered by the gateway", async () => {
  fake.route = () => "http://up/";
  fake.forward = async () => {
    throw new Error("connection refused");
  };
  fake.failed = (_request, error) => `failed: ${error.message}`;
  assert.equal(await worker.fetch(request, {}, {}), "failed: connection refused");
  assert.deepEqual(fake.calls, []);
});

for (const [name, told, outcome, calls] of [
  ["admits", { settle: () => "name\nvalue\n" }, "sent to http://up/ with name\nvalue\n", ["key:a consume asked\nfor"]],
  ["refuses", { settle: () => undefined, refuse: () => "refusal" }, "refusal", ["key:a consume asked\nfor"]],
  ["has another session", { settle: () => undefined, refuse: () => undefined }, "long way", ["key:a consume asked\nfor"]],
  ["can't be asked", { ledger: async () => { throw new Error("gone"); } }, "long way", []],
  ["is not known", { question: () => undefined }, "long way", []],
]) {
  test(`a request whose Ledger ${name} asks it once at most`, async () => {
    fake.route = () => "?x-key";
    fake.question = (method, url, token) => (token === "token" ? "key:a\nhttp://up/\nasked\nfor" : undefined);
    fake.ledger = async (...call) => {
      fake.calls.push(call.join(" "));
      return "answer";
    };
    fake.forward = async (_request, _url, target, _address, _replaced, added) => answer(`sent to ${target} with ${added}`);
    Object.assign(fake, told);
    const headers = new Map([["x-key", "token"]]);
    assert.equal(`${await worker.fetch({ ...request, headers }, {}, {})}`, outcome);
    assert.deepEqual(fake.calls, calls);
    fake.calls.length = 0;
    assert.equal(await worker.fetch({ ...request, headers: { get: () => null } }, {}, {}), "long way");
    assert.deepEqual(fake.calls, []);
  });
}

test("an answer is counted once, and what was counted is reported when it is due", async () => {
  fake.route = () => "http://up/";
  let due = true;
  fake.answered = (...counted) => {
    fake.calls.push(counted.slice(0, 2).join(" "));
    return due;
  };
  fake.due = () => due;
  fake.report = (env, ctx) => fake.calls.push(`report ${env} ${ctx}`);
  await worker.fetch(request, "env", "ctx");
  due = false;
  await worker.fetch(request, "env", "ctx");
  assert.deepEqual(fake.calls, ["7 200", "report env ctx", "7 200"]);
  // What the gateway answers is counted where the answer is made.
  due = true;
  fake.calls.length = 0;
  fake.forward = async () => {
    throw new Error("gone");
  };
  fake.failed = (_request, _error, place) => `failed ${place}`;
  assert.equal(await worker.fetch(request, "env", "ctx"), "failed 7");
  assert.deepEqual(fake.calls, ["report env ctx"]);
});

for (const [name, break_] of [
  ["the short way", () => { fake.route = trap; }],
  ["the long way", () => { fake.fetch = async () => trap(); }],
]) {
  test(`after a trap on ${name} the next request gets a fresh instance`, async () => {
    const whole = { ...fake };
    break_();
    await assert.rejects(worker.fetch(request, {}, {}), WebAssembly.RuntimeError);
    Object.assign(fake, { route: whole.route, fetch: whole.fetch });
    assert.equal(await worker.fetch(request, {}, {}), "long way");
    assert.equal(await worker.fetch(request, {}, {}), "long way");
    assert.deepEqual(fake.calls, ["reset dataplane"]);
  });
}

test("after a trap in one module the other one goes on", async () => {
  const administrative = { ...request, url: "http://h/gateway/apis" };
  fake.administer = async () => trap();
  await assert.rejects(worker.fetch(administrative, {}, {}), WebAssembly.RuntimeError);
  assert.equal(await worker.fetch(request, {}, {}), "long way");
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
  test(`a trap in a promise job resets ${resets.length} of two modules (${stack})`, async () => {
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
  await assert.rejects(worker.fetch(request, {}, {}), TypeError);
  fake.fetch = async () => "long way";
  assert.equal(await worker.fetch(request, {}, {}), "long way");
  assert.deepEqual(fake.calls, []);
});

test("a Durable Object is made anew in the fresh instance and not before", async () => {
  const object = new Registry({}, {});
  assert.equal(await object.call("command"), "object");
  assert.equal(await object.call("command"), "object");
  assert.deepEqual(fake.calls, ["new Registry"]);
  for (const event of [() => object.alarm(), async () => object.call("command")]) {
    fake.calls.length = 0;
    fake.object = () => trap();
    await assert.rejects(event(), WebAssembly.RuntimeError);
    fake.object = async () => "object";
    assert.equal(await object.call("command"), "object");
    assert.deepEqual(fake.calls, ["reset controlplane", "new Registry"]);
  }
});

test("a Ledger begins anew from what it has stored when its module was trapped", async () => {
  const stored = new Map();
  const kv = { get: (name) => stored.get(name), put: (name, value) => stored.set(name, value) };
  const object = new Ledger({ storage: { kv } }, {});
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

test("a Ledger asks the Registry for a session that it has not", async () => {
  const object = new Ledger({ storage: { kv: { get: () => undefined } } }, {});
  fake.object = (message) => (message === "question" ? "answer" : undefined);
  assert.equal(await object.consume("key:a", "1"), "answer");
});
