// The servers behind the example: a shop's orders in two versions, a weather service that is sometimes slow or fails,
// and an MCP server with two tools.

import http from "node:http";

const ORDERS = [
  { id: 1, item: "tea", amount: 3, status: "sent" },
  { id: 2, item: "coffee", amount: 1, status: "packed" },
];
const TOOLS = [
  { name: "stock", description: "How many of an item there are", inputSchema: { type: "object", required: ["item"], properties: { item: { type: "string" } } } },
  { name: "discard", description: "Throw an item away", inputSchema: { type: "object", required: ["item"], properties: { item: { type: "string" } } } },
];

/** Answers a message of the Model Context Protocol (revision 2025-11-25); undefined for a notification. */
function mcp({ id, method, params = {} }) {
  if (id === undefined) return undefined;
  const results = {
    initialize: () => ({ protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "warehouse", version: "1.0" } }),
    "tools/list": () => ({ tools: TOOLS }),
    "tools/call": () => ({ content: [{ type: "text", text: `${params.arguments?.item}: 12 in stock` }] }),
  };
  const answer = results[method];
  return answer ? { jsonrpc: "2.0", id, result: answer() } : { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } };
}

async function body(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Starts the servers on one free port of this machine: `{ url, close() }`. */
export async function listen() {
  let asked = 0;
  const routes = {
    "/orders": (url) => [200, url.searchParams.get("version") === "2" ? { orders: ORDERS, total: ORDERS.length } : ORDERS],
    "/weather/forecast": (url) => {
      asked += 1;
      if (asked % 23 === 0) return [503, { error: "no station answers" }];
      return [200, { city: url.searchParams.get("city") ?? "Bern", celsius: 18, asked }];
    },
  };
  const server = http.createServer(async (request, response) => {
    const url = new URL(request.url, "http://upstream");
    const answer = (status, json) => response.writeHead(status, { "Content-Type": "application/json" }).end(json && JSON.stringify(json));
    if (url.pathname === "/mcp" && request.method === "POST") {
      const reply = mcp(JSON.parse(await body(request)));
      return reply ? answer(200, reply) : answer(202);
    }
    const route = routes[url.pathname];
    return route ? answer(...route(url)) : answer(404, { error: "not found" });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => new Promise((resolve) => (server.close(resolve), server.closeAllConnections())) };
}
