// The measures of the benchmark. Each returns rows for the table: the figures of both sides, their ratio, and the goal
// it is compared with.

import { apiUrl, check, create, definition, reload, rest } from "./gateway.mjs";
import { client, compare, createKeys, inParallel, median, timed } from "./load.mjs";
import { against } from "./report.mjs";
import { SECRET, listens, residentMb, startBare, startForwarding, startGateway, startHono, startLimits, startServe, startUpstream, stop } from "./services.mjs";

const WRITERS = 16;
// Far above what a machine can do: this measures counting, not refusing.
const RATE = 1_000_000;
const QUOTA = 1_000_000_000;
const MANY = 10_000;
const FEW = 10;
const COLD = 1_000;
const KEYS_PER_SECOND = 1_500;
const BATCH = 50;
const BROWSER_CONNECTIONS = 6;

/** Ten path rules, of which each request matches one, and header rules in both directions. */
const RULES = {
  extended_paths: {
    transform_headers: Array.from({ length: 10 }, (_, n) => ({ path: `/item${n || ""}$`, method: "GET", add_headers: { "X-Rule": `${n}` }, delete_headers: ["X-Gone"] })),
    transform_response_headers: [{ path: "/item$", method: "GET", add_headers: { "X-Answer": "1" }, delete_headers: ["X-Powered-By"] }],
  },
  global_headers: { "X-Gateway": "bench" },
};

/** An API whose only version has these rules, plus further members. */
function ruled(number, upstream, version, more = {}) {
  const base = JSON.parse(definition(number, upstream.url));
  const versions = { Default: { name: "Default", use_extended_paths: true, ...version } };
  return JSON.stringify({ ...base, version_data: { not_versioned: true, versions }, ...more });
}

/**
 * Pass-through of 1 kB, plain and with rules: against a worker that does nothing else, and against one that does by
 * hand what forwarding a request requires.
 */
export async function plane({ pace, say }) {
  const upstream = await startUpstream();
  const [gateway, bare, byHand] = [await startGateway("plane"), await startBare(upstream), await startForwarding(upstream)];
  const http = client(1);
  await create(http, gateway, upstream, 0, FEW, 1);
  await http.call("POST", `${gateway.url}/gateway/apis`, ruled(100, upstream, RULES, { CORS: { enable: true } }));
  await reload(http, gateway);
  await check(http, gateway, 5);
  const url = (service, number) => ({ service, url: `${service.url}/bench-${number}/item` });
  say("gateway and bare worker in turns");
  const found = await compare(url(gateway, 5), url(bare, 5), pace);
  say("gateway with rules and bare worker in turns");
  const rules = await compare(url(gateway, 100), url(bare, 5), pace);
  say("gateway and hand-written worker in turns");
  const forwarded = await compare(url(gateway, 5), url(byHand, 5), pace);
  say("gateway and hand-written worker, both with rules, in turns");
  const ruledByHand = await compare(url(gateway, 100), { service: byHand, url: `${byHand.url}/ruled/item` }, pace);
  http.close();
  await Promise.all([gateway, bare, byHand, upstream].map(stop));
  return [
    against("keyless, 1 kB, against a bare JS worker", found, { goal: 0.92, least: 0.6 }),
    against("ten path rules, header transforms and CORS, against a bare JS worker", rules, { goal: 0.75, least: 0.4 }),
    against("keyless, 1 kB, against a hand-written JS worker", forwarded, { goal: 0.92, least: 0.75 }),
    against("the ten rules, against a hand-written JS worker", ruledByHand, { goal: 0.75, least: 0.55 }),
  ];
}

/**
 * A key with a rate and a quota: against no gateway at all, against a Hono worker that does the same, and against one
 * that forwards by hand and counts in memory only.
 */
export async function limits({ pace, say }) {
  const upstream = await startUpstream();
  const [gateway, bare, byHand] = [await startGateway("limits"), await startBare(upstream), await startForwarding(upstream)];
  const http = client(1);
  const guarded = { ...JSON.parse(definition(1, upstream.url)), use_keyless: false, org_id: "" };
  await http.call("POST", `${gateway.url}/gateway/apis`, JSON.stringify(guarded));
  const url_rewrites = [{ path: "/item$", method: "GET", match_pattern: "/bench-2/(.*)", rewrite_to: "/new/$1" }];
  const extended_paths = { ...RULES.extended_paths, url_rewrites };
  const changed = ruled(2, upstream, { ...RULES, extended_paths }, { use_keyless: false, org_id: "" });
  await http.call("POST", `${gateway.url}/gateway/apis`, changed);
  await reload(http, gateway);
  const session = { rate: RATE, per: 1, quota_max: QUOTA, quota_renewal_rate: 3600, access_rights: { "bench-1": { api_id: "bench-1" }, "bench-2": { api_id: "bench-2" } } };
  const { key } = JSON.parse((await http.call("POST", `${gateway.url}/gateway/keys`, JSON.stringify(session))).text);
  const hono = await startLimits(upstream, key, RATE, QUOTA);
  const side = (service, number = 1) => ({ service, url: `${service.url}/bench-${number}/item`, headers: { Authorization: key } });
  say("gateway with rewrites and bare worker in turns");
  const rewritten = await compare(side(gateway, 2), side(bare), pace);
  say("gateway and bare worker in turns");
  const alone = await compare(side(gateway), side(bare), pace);
  say("gateway and Hono in turns");
  const same = await compare(side(gateway), side(hono), pace);
  say("gateway and hand-written worker in turns");
  const keyedByHand = { service: byHand, url: `${byHand.url}/keyed/item`, headers: { Authorization: key } };
  const inMemory = await compare(side(gateway), keyedByHand, pace);
  say("hand-written worker with a key and bare worker in turns");
  const floor = await compare(keyedByHand, side(bare), pace);
  http.close();
  await Promise.all([gateway, bare, byHand, hono, upstream].map(stop));
  return [
    against("key, rate and quota, against a bare JS worker", alone, { goal: 0.6, least: 0.45 }),
    against("the same with a URL rewrite and ten header rules", rewritten, { goal: 0.45, least: 0.3 }),
    against("key, rate and quota, against Hono + Durable Object", same, { goal: 1 }),
    against("key, rate and quota, against a hand-written JS worker", inMemory),
    against("that hand-written worker, against a bare JS worker", floor),
  ];
}

/** Two serving processes against one, with a key and without, and against the bare worker. */
export async function workers({ pace, say }) {
  const upstream = await startUpstream();
  const bare = await startBare(upstream);
  const http = client(1);
  const filled = async (count) => {
    const gateway = await startServe(`workers-${count}`, count);
    await create(http, gateway, upstream, 0, 1, 1);
    const guarded = { ...JSON.parse(definition(1, upstream.url)), use_keyless: false, org_id: "" };
    await http.call("POST", `${gateway.url}/gateway/apis`, JSON.stringify(guarded));
    await reload(http, gateway);
    const session = { rate: RATE, per: 1, quota_max: QUOTA, quota_renewal_rate: 3600, access_rights: { "bench-1": { api_id: "bench-1" } } };
    const { key } = JSON.parse((await http.call("POST", `${gateway.url}/gateway/keys`, JSON.stringify(session))).text);
    const side = (number, headers) => ({ service: gateway, url: `${gateway.url}/bench-${number}/item`, headers });
    return { gateway, keyless: side(0), keyed: side(1, { Authorization: key }) };
  };
  const [one, two] = [await filled(1), await filled(2)];
  say("one and two processes in turns");
  const keyless = await compare(two.keyless, one.keyless, pace);
  say("the same with a key");
  const keyed = await compare(two.keyed, one.keyed, pace);
  say("two processes with a key and the bare worker in turns");
  const beside = await compare(two.keyed, { service: bare, url: `${bare.url}/bench-1/item` }, pace);
  http.close();
  await Promise.all([one.gateway, two.gateway, bare, upstream].map(stop));
  return [
    against("two processes against one, keyless", keyless, { goal: 1.5 }),
    against("two processes against one, key, rate and quota", keyed, { goal: 1.5 }),
    against("two processes with a key, against a bare JS worker", beside, { goal: 1 }),
  ];
}

/** Reading a definition, against Hono and a Durable Object. */
export async function read({ pace, say }) {
  const [gateway, hono] = [await startGateway("read"), await startHono()];
  const http = client(1);
  const target = { url: "http://127.0.0.1:9" };
  await create(http, gateway, target, 0, FEW, 1);
  await reload(http, gateway);
  // The gateway adds the members that are missing, so the other side stores what it answers: both send the same bytes.
  const { text } = await http.call("GET", apiUrl(gateway, 5));
  if (JSON.parse(text).api_id !== "bench-5") throw new Error("the gateway does not answer the definition");
  await http.call("POST", apiUrl(hono, 5), text);
  const copy = await http.call("GET", apiUrl(hono, 5));
  if (copy.text !== text) throw new Error("Hono does not answer the document");
  say("gateway and Hono in turns");
  const side = (service) => ({ service, url: apiUrl(service, 5), headers: { "X-Gateway-Authorization": SECRET } });
  const found = await compare(side(gateway), side(hono), pace);
  http.close();
  await Promise.all([gateway, hono].map(stop));
  return [against("GET /gateway/apis/{id} against Hono + Durable Object", found, { goal: 1 })];
}

/** One batch of 50 against 50 single calls, as a client sees it. */
export async function batch({ pace, say }) {
  const upstream = await startUpstream();
  const gateway = await startGateway("batch");
  const [one, six] = [client(1), client(BROWSER_CONNECTIONS)];
  await create(one, gateway, upstream, 0, FEW, 1);
  await reload(one, gateway);
  const item = (n) => `${gateway.url}/bench-5/item/${n}`;
  const requests = Array.from({ length: BATCH }, (_, n) => ({ method: "GET", relative_url: `item/${n}` }));
  const body = JSON.stringify({ requests });
  const sendBatch = async () => {
    const { text } = await one.call("POST", `${gateway.url}/bench-5/gateway/batch/`, body);
    if (JSON.parse(text).some(({ code }) => code !== 200)) throw new Error("an item of the batch failed");
  };
  const variants = [sendBatch, ...[[one, 1], [six, BROWSER_CONNECTIONS]].map(
    ([http, width]) => () => inParallel(BATCH, width, (n) => http.call("GET", item(n))),
  )];
  say("a batch and single calls in turns");
  const [batched, single, spread] = await inTurns(variants, pace.rounds * 20);
  one.close();
  six.close();
  await Promise.all([gateway, upstream].map(stop));
  const row = (name, other, goal) => ({
    measure: `batch of ${BATCH} against ${name}`,
    ours: ms(batched), other: ms(other), value: `${(other / batched).toFixed(2)}x faster`, ratio: other / batched, goal,
  });
  return [
    row(`${BATCH} calls, one connection`, single, { text: "≥ 3x", met: single / batched >= 3 }),
    row(`${BATCH} calls, ${BROWSER_CONNECTIONS} connections`, spread, { text: "≥ 3x", met: spread / batched >= 3 }),
  ];
}

/** Creation of keys, each of which is durable before its response. */
export async function keys({ pace, say }) {
  const gateway = await startGateway("keys");
  const http = client(1);
  await create(http, gateway, { url: "http://127.0.0.1:9" }, 1, 2, 1);
  await reload(http, gateway);
  const rows = [];
  for (const writers of [1, WRITERS]) {
    say(`${writers} at a time`);
    const { rate, p50, p99, cpu, best } = await createKeys(gateway, writers, pace);
    rows.push({
      measure: `create keys, ${writers} at a time`, other: "", value: `${Math.round(best)}/s at best`,
      ours: `${Math.round(rate)}/s (${p50.toFixed(1)} / ${p99.toFixed(1)} ms, ${Math.round(cpu)} µs)`,
      goal: writers === WRITERS ? { text: `≥ ${KEYS_PER_SECOND}/s`, met: rate >= KEYS_PER_SECOND } : undefined,
    });
  }
  const { total } = JSON.parse((await http.call("GET", `${gateway.url}/gateway/keys?view=summary&per_page=1`)).text);
  say(`${total} keys are stored`);
  http.close();
  await stop(gateway);
  return rows;
}

/** Returns medians in milliseconds, running every variant once per turn. The first tenth is a warm-up. */
async function inTurns(variants, turns) {
  const found = variants.map(() => []);
  const warm = Math.ceil(turns / 10);
  for (let turn = 0; turn < turns + warm; turn++) {
    for (const [index, variant] of variants.entries()) {
      const took = await timed(variant);
      if (turn >= warm) found[index].push(took);
    }
  }
  return found.map(median);
}

/** 10,000 APIs against 10: the effect on requests, reloads, lists and memory. */
export async function scale({ pace, say }) {
  const upstream = await startUpstream();
  const [few, many] = [await startGateway("few"), await startGateway("many")];
  const http = client(WRITERS);
  await create(http, few, upstream, 0, FEW, WRITERS);
  await reload(http, few);
  say(`creating ${MANY} APIs`);
  const created = await create(http, many, upstream, 0, MANY, WRITERS);
  const cold = await reload(http, many);
  await check(http, few, FEW - 1);
  await check(http, many, MANY - 1);
  const files = await rest(http, many, MANY - 1);
  const warm = await changeAndReload(http, many, upstream);
  await rest(http, many, MANY - 1);
  say("lists");
  const list = (query) => medianOf3(() => http.call("GET", `${many.url}/gateway/apis${query}`));
  const summary = await list("?view=summary&q=api+99&sort=-updated_at");
  const array = await list("");
  say(`${FEW} and ${MANY} APIs in turns`);
  const found = await compare({ service: many, url: many.url, paths: MANY }, { service: few, url: few.url, paths: FEW }, pace);
  const used = { few: residentMb(few), many: residentMb(many) };
  say("a restart with the stored APIs");
  const fresh = await freshMemory(http, [few, many]);
  http.close();
  await Promise.all([few, many, upstream].map(stop));
  return [
    against(`${MANY} loaded APIs against ${FEW}`, found, { goal: 0.9 }),
    fact(`create ${MANY} APIs, ${WRITERS} at a time`, `${(created / 1000).toFixed(1)} s`, `${Math.round((MANY / created) * 1000)}/s`),
    timeRow(`reload, ${MANY} new APIs`, cold, 2000),
    timeRow(`… until KV has all ${MANY} files`, files),
    timeRow(`reload, 1 of ${MANY} changed`, warm, 2000),
    timeRow(`search ${MANY} APIs, first page of summaries`, summary),
    timeRow(`all ${MANY} definitions as one array`, array),
    memoryRow("memory of the process after the load", used),
    memoryRow("memory of the process after a restart", fresh),
  ];
}

/** The first request to a fresh process with 1,000 APIs stored, next to the bare worker's first. */
export async function cold({ pace, say }) {
  const upstream = await startUpstream();
  const http = client(WRITERS);
  say(`creating ${COLD} APIs`);
  const filled = await startGateway("cold");
  await create(http, filled, upstream, 0, COLD, WRITERS);
  await reload(http, filled);
  await rest(http, filled, COLD - 1);
  await stop(filled);
  say("fresh processes in turns");
  const starts = [() => startGateway("cold", listens), () => startBare(upstream, listens)];
  const found = starts.map(() => []);
  for (let turn = 0; turn < pace.rounds * 2; turn++) {
    for (const [index, start] of starts.entries()) {
      const service = await start();
      found[index].push(await timed(() => check(http, service, COLD - 1)));
      await stop(service);
    }
  }
  http.close();
  await stop(upstream);
  const [ours, other] = found.map(median);
  return [{ measure: `first request of a fresh process, ${COLD} APIs stored`, ours: ms(ours), other: ms(other), value: `+${ms(ours - other)}` }];
}

async function changeAndReload(http, gateway, upstream) {
  let n = 0;
  return medianOf3(
    () => reload(http, gateway),
    () => http.call("PUT", apiUrl(gateway, 7), definition(7, upstream.url, `Changed ${n++}`)),
  );
}

async function medianOf3(work, before = async () => {}) {
  const found = [];
  for (let n = 0; n < 3; n++) {
    await before();
    found.push(await timed(work));
  }
  return median(found);
}

async function freshMemory(http, [few, many]) {
  const again = async (service, data, n) => {
    await stop(service);
    const fresh = await startGateway(data);
    await check(http, fresh, n);
    const used = residentMb(fresh);
    await stop(fresh);
    return used;
  };
  return { few: await again(few, "few", FEW - 1), many: await again(many, "many", MANY - 1) };
}

function timeRow(measure, took, most) {
  const goal = most === undefined ? undefined : { text: `< ${most / 1000} s`, met: took < most };
  return { measure, ours: ms(took), other: "", value: "", goal };
}

function memoryRow(measure, { few, many }) {
  const mb = (value) => `${Math.round(value)} MB`;
  return {
    measure, ours: mb(many), other: mb(few), value: `+${mb(many - few)}`,
    goal: { text: "< 128 MB more", met: many - few < 128 },
  };
}

const fact = (measure, ours, value) => ({ measure, ours, other: "", value });
const ms = (value) => (value < 10 ? `${value.toFixed(1)} ms` : `${Math.round(value)} ms`);
