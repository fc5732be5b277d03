// The upstream of every measure: the least a service on workerd can do, with 1 kB, or 10 kB of JSON. It counts requests
// to a path that should not be called.

const BODY = "x".repeat(1024);
const item = (_, n) => ({ id: n, name: `item ${n}`, tags: ["a", "b"], price: n * 1.5, note: "x".repeat(24) });
const JSON_BODY = JSON.stringify({ items: Array.from({ length: 100 }, item) });
const JSON_HEADERS = { "content-type": "application/json" };

let counted = 0;

export default {
  fetch(request) {
    if (request.url.includes("/counted/")) counted += 1;
    if (request.url.endsWith("/count")) return Response.json(counted);
    if (request.url.endsWith("/json")) return new Response(JSON_BODY, { headers: JSON_HEADERS });
    return new Response(BODY);
  },
};
