// The cost that an OpenAPI document adds to a request: a body that must match its schema, and a tool call that must be
// allowed.

import { reload } from "./gateway.mjs";
import { client, compare } from "./load.mjs";
import { ORDER, ORDER_SCHEMA } from "./order-schema.mjs";
import { against } from "./report.mjs";
import { bodyFile, startAjv, startBare, startGateway, startUpstream, stop } from "./services.mjs";

const CALL = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "get_weather", arguments: { city: "Oslo" } } };

const EXTENSION = "x-gateway-api-gateway";

function described(id, upstream, paths, middleware) {
  const extension = {
    info: { id, name: id, state: { active: true } },
    upstream: { url: upstream.url },
    server: { listenPath: { value: `/${id}/`, strip: true } },
    middleware,
  };
  return JSON.stringify({ openapi: "3.0.3", info: { title: id, version: "1" }, paths, [EXTENSION]: extension });
}

/** A validated body against Hono with ajv, and a tool call against no gateway at all. */
export async function openapi({ pace, say }) {
  const upstream = await startUpstream();
  const [gateway, bare, ajv] = [await startGateway("openapi"), await startBare(upstream), await startAjv(upstream)];
  const http = client(1);
  const requestBody = { required: true, content: { "application/json": { schema: ORDER_SCHEMA } } };
  const paths = { "/orders": { post: { operationId: "order", requestBody, responses: { 200: { description: "Stored" } } } } };
  await http.call("POST", `${gateway.url}/gateway/apis/oas`, described("bench-orders", upstream, paths, { operations: { order: { validateRequest: { enabled: true } } } }));
  const tools = { get_weather: { allow: { enabled: true } } };
  await http.call("POST", `${gateway.url}/gateway/mcps`, described("bench-tools", upstream, {}, { mcpTools: tools }));
  await reload(http, gateway);
  const [order, call] = [bodyFile("order.json", ORDER), bodyFile("call.json", CALL)];
  const side = (service, path, body) => ({ service, url: `${service.url}/${path}`, body });
  say("validated bodies, gateway and Hono with ajv in turns");
  const validated = await compare(side(gateway, "bench-orders/orders", order), side(ajv, "bench-orders/orders", order), pace);
  say("validated bodies, gateway and bare worker in turns");
  const beside = await compare(side(gateway, "bench-orders/orders", order), side(bare, "bench-orders/orders", order), pace);
  say("validated bodies, gateway and Hono with ajv that forwards by hand in turns");
  const forwarded = await compare(side(gateway, "bench-orders/orders", order), side(ajv, "forwarded/orders", order), pace);
  say("tool calls, gateway and bare worker in turns");
  const called = await compare(side(gateway, "bench-tools/", call), side(bare, "bench-tools/", call), pace);
  http.close();
  await Promise.all([gateway, bare, ajv, upstream].map(stop));
  return [
    against("a valid 2 kB body for an OpenAPI schema, against Hono + ajv", validated, { goal: 1 }),
    against("the same, against Hono + ajv that forwards by hand", forwarded),
    against("the same, against a bare JS worker", beside),
    against("an allowed MCP tool call, against a bare JS worker", called, { goal: 0.6, least: 0.3 }),
  ];
}
