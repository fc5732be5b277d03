// Fills a gateway with the example and runs it: the servers behind it, and some traffic.
//
//     node worker/example/run.mjs GATEWAY CONSOLE
//
// takes the base URLs, and GATEWAY_SECRET and DASHBOARD_TOKEN from the environment. `cargo xtask serve --example` runs
// it. A gateway that has APIs, but not those of the example, is left unchanged.

import { listen } from "./upstream.mjs";
import { KEYS, isForeign, store } from "./setup.mjs";

/** The number of initial requests, so that there is something to see at once, and the interval of later ones. */
const FIRST = 120;
const PAUSE_MS = 2_000;

const [gateway, console_] = process.argv.slice(2);
const { GATEWAY_SECRET: secret, DASHBOARD_TOKEN: token } = process.env;
if (!console_ || !secret || !token) throw new Error("usage: GATEWAY_SECRET=… DASHBOARD_TOKEN=… node worker/example/run.mjs GATEWAY CONSOLE");

async function call(administration, method, path, body) {
  const isGateway = administration === "gateway";
  const headers = isGateway ? { "X-Gateway-Authorization": secret } : { Authorization: `Bearer ${token}` };
  const answer = await fetch(`${isGateway ? gateway : console_}${path}`, { method, headers, body: body && JSON.stringify(body) });
  return { status: answer.status, text: await answer.text() };
}

const mcp = (method, params) => ["POST", "/example/warehouse/", { "Content-Type": "application/json", Accept: "application/json, text/event-stream" }, { jsonrpc: "2.0", id: 1, method, params }];

/** The clients' requests, sent in turn: most are served, some are refused. */
const REQUESTS = [
  ["GET", "/example/orders/all", { Authorization: KEYS.shop }],
  ["GET", "/example/weather/forecast?city=Bern", { Origin: "https://shop.example" }],
  ["GET", "/example/orders/orders", { Authorization: KEYS.trial }],
  ["GET", "/example/catalogue/articles/tea", {}],
  ["GET", "/example/orders/all", { Authorization: KEYS.shop, "X-Api-Version": "v2" }],
  mcp("tools/list"),
  ["GET", "/example/weather/forecast?city=Oslo", {}],
  mcp("tools/call", { name: "stock", arguments: { item: "tea" } }),
  ["POST", "/example/catalogue/articles", { "Content-Type": "application/json" }, { name: "", price: -1 }],
  ["GET", "/example/orders/orders", {}],
  mcp("tools/call", { name: "discard", arguments: { item: "tea" } }),
  ["POST", "/example/orders/orders/purge", { Authorization: KEYS.shop }],
];

async function send(turn) {
  const [method, path, headers, body] = REQUESTS[turn % REQUESTS.length];
  const answer = await fetch(`${gateway}${path}`, { method, headers, body: body && JSON.stringify(body) });
  await answer.arrayBuffer();
}

if (await isForeign(call)) {
  console.error("the gateway has other APIs: the example wants a data folder of its own");
  process.exit(1);
}
const upstream = await listen();
await store(call, upstream.url);
for (let turn = 0; turn < FIRST; turn += 1) await send(turn);
console.log("example  stored, and asked for every two seconds");
let turn = FIRST;
setInterval(() => send(turn++).catch(() => undefined), PAUSE_MS);
