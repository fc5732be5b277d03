// Batches: several requests to one API in one call (specification, *Batch request*; reference 4).

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { send } from "./http.mjs";
import { BINARY, body as bodyOf, DEFLATE, gate, listen, PLAIN, values } from "./upstream.mjs";

let gateway;
let upstream;
let definition;
let base;
/** Set by the test that uses the route. */
let handler;
before(async () => {
  const use = (request, response, url) => handler(request, response, url);
  [gateway, upstream] = await Promise.all([start(), listen({ "/use": use })]);
  definition = api({ enable_batch_request_support: true }, { target_url: upstream.url });
  base = definition.proxy.listen_path;
  await publish(gateway, definition);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

const post = (body, { path = `${base}gateway/batch/`, ...options } = {}) => send(gateway.ports.gateway, { method: "POST", path, body, ...options });

/** Returns the responses to some items. */
async function batch(items, options, more) {
  const answer = await post({ requests: items, ...more }, options);
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}
/** Returns what the upstream received from one item. */
const echo = async (item, options) => JSON.parse((await batch([{ relative_url: "echo", ...item }], options))[0].body);

test("a response has one unit per item, in the specified form", async () => {
  const answer = await post({ requests: [{ method: "GET", headers: { "X-Test": "1" }, body: "", relative_url: "echo/?a=b" }] });
  assert.equal(answer.status, 200);
  assert.equal(answer.headers["content-type"], "application/json");
  assert.ok(answer.headers["x-request-id"]);
  const [unit] = answer.json;
  assert.deepEqual(Object.keys(unit), ["relative_url", "code", "headers", "body"]);
  assert.equal(unit.relative_url, "echo/?a=b");
  assert.equal(unit.code, 200);
  assert.deepEqual(unit.headers["Content-Type"], ["application/json"]);
  const echoed = JSON.parse(unit.body);
  assert.equal(echoed.method, "GET");
  assert.equal(echoed.url, "/echo/?a=b");
  assert.deepEqual(values(echoed, "x-test"), ["1"]);
});

test("the endpoint works with a trailing slash, and under the API's id", async () => {
  const id = `/${definition.api_id}`;
  // Either way, its items are below the listen path.
  for (const path of [`${base}gateway/batch/`, `${id}/gateway/batch/`]) {
    const [unit] = await batch([{ relative_url: "echo" }], { path });
    assert.equal(unit.code, 200, path);
    assert.equal(JSON.parse(unit.body).url, "/echo", path);
  }
  assert.equal((await post({ requests: [] }, { path: `${base}/gateway//batch/` })).status, 301);
  const passed = await post({ requests: [] }, { path: `${base}gateway/batch` });
  assert.equal(JSON.parse(passed.body ?? passed.text).url, "/gateway/batch", "without the trailing slash the upstream is called");
});

test("the console runs batches through the administration API, on both origins", async () => {
  for (const port of [gateway.ports.gateway, gateway.ports.console]) {
    const run = (id, body) => gateway.admin("POST", `/gateway/apis/${id}/batch`, { body, port });
    const answer = await run(definition.api_id, { requests: [{ relative_url: "echo" }, { relative_url: "204" }] });
    assert.deepEqual(answer.json.map(({ code }) => code), [200, 204]);
    const refused = await run(definition.api_id, { requests: [{ relative_url: "../x" }] });
    assert.equal(refused.status, 400);
    assert.equal(refused.json.message, "Batch request creation failed , request structure malformed");
    const unknown = await run(api().api_id, { requests: [] });
    assert.equal(unknown.status, 404);
    assert.equal(unknown.json.message, "API not found.");
    const off = api();
    await publish(gateway, off);
    assert.equal((await run(off.api_id, { requests: [] })).status, 400);
  }
});

test("methods and bodies are forwarded, and an empty method means GET", async () => {
  for (const [method, expected] of [["", "GET"], [undefined, "GET"], [null, "GET"], ["POST", "POST"], ["PUT", "PUT"], ["DELETE", "DELETE"], ["PATCH", "PATCH"], ["OPTIONS", "OPTIONS"]]) {
    const body = expected === "GET" ? "" : `body of ${expected} ä`;
    const echoed = await echo({ method, body });
    assert.equal(echoed.method, expected);
    assert.equal(echoed.body, body);
  }
  const [head] = await batch([{ method: "HEAD", relative_url: "echo" }]);
  assert.equal(upstream.seen.at(-1).method, "HEAD");
  assert.deepEqual([head.code, head.body], [200, ""]);
});

test("an empty or missing list gives an empty response", async () => {
  for (const body of ["{}", "null", '{"requests":[]}', '{"requests":null}', '{"suppress_parallel_execution":true}', '{"unknown":1}']) {
    const answer = await post(body);
    assert.equal(answer.status, 200, body);
    assert.deepEqual(answer.json, []);
  }
});

test("unknown members are ignored", async () => {
  const [unit] = await batch([{ relative_url: "echo", name: "x", depends_on: [1] }], {}, { other: true });
  assert.equal(unit.code, 200);
});

test("an item has only its own headers, none of the batch's", async () => {
  const headers = { Authorization: "Bearer outer", Cookie: "outer=1", "X-Outer": "1", "X-Gateway-Authorization": gateway.secret, "Content-Type": "text/x" };
  const echoed = await echo({ method: "POST", headers: { "X-Inner": "1", Authorization: "Bearer inner" } }, { headers });
  assert.deepEqual(values(echoed, "authorization"), ["Bearer inner"]);
  assert.deepEqual(values(echoed, "x-inner"), ["1"]);
  for (const name of ["cookie", "x-outer", "x-gateway-authorization"]) assert.deepEqual(values(echoed, name), [], name);
  assert.ok(!values(echoed, "content-type").includes("text/x"));
});

const CLIENT = ["X-Real-IP", "X-Forwarded-For", "Forwarded", "CF-Connecting-IP", "True-Client-IP", "X_Real-IP", "True_Client_IP"];

test("an item can't forge its origin, in any letter case", async () => {
  for (const name of CLIENT) {
    for (const spelled of [name, name.toLowerCase(), name.toUpperCase(), name.replace(/./g, (letter, at) => (at % 2 ? letter.toUpperCase() : letter.toLowerCase()))]) {
      const echoed = await echo({ headers: { [spelled]: "10.9.8.7" } });
      assert.ok(!JSON.stringify(echoed).includes("10.9.8.7"), `${spelled}: ${JSON.stringify(echoed.headers)}`);
      assert.deepEqual(values(echoed, "x-forwarded-for"), ["127.0.0.1"], spelled);
      assert.deepEqual(values(echoed, "x-real-ip"), ["127.0.0.1"], spelled);
    }
  }
  const both = Object.fromEntries(CLIENT.flatMap((name) => [[name, "10.9.8.7"], [name.toLowerCase(), "10.9.8.7"]]));
  assert.ok(!JSON.stringify(await echo({ headers: both })).includes("10.9.8.7"));
});

test("an item can't set connection headers or another host", async () => {
  const headers = { Host: "evil.test", Connection: "X-Kept", "Transfer-Encoding": "chunked", "Content-Length": "1", TE: "trailers", Upgrade: "websocket", "Proxy-Authorization": "x", "X-Forwarded-Host": "evil.test", "X-Forwarded-Proto": "evil", "X-Gateway-Authorization": gateway.secret, "X-Kept": "1" };
  const echoed = await echo({ method: "POST", body: "whole body", headers });
  assert.deepEqual(values(echoed, "host"), [`127.0.0.1:${upstream.port}`]);
  assert.equal(echoed.body, "whole body");
  assert.deepEqual(values(echoed, "x-kept"), ["1"]);
  const text = JSON.stringify(echoed);
  for (const bad of ["evil", "trailers", "websocket", gateway.secret]) assert.ok(!text.includes(bad), text);
});

test("responses have the order of the items, whatever the upstream's order", async () => {
  const gates = Array.from({ length: 5 }, gate);
  // Each item except the last gets its response only after the next one: that works only if all are sent at once.
  handler = async (request, response, url) => {
    const n = Number(url.searchParams.get("n"));
    if (n < 4) await gates[n + 1].opened;
    response.end(String(n), () => gates[n].open());
  };
  const units = await batch(gates.map((_, n) => ({ relative_url: `use?n=${n}` })));
  assert.deepEqual(units.map(({ body }) => body), ["0", "1", "2", "3", "4"]);
  assert.deepEqual(units.map(({ relative_url }) => relative_url), ["use?n=0", "use?n=1", "use?n=2", "use?n=3", "use?n=4"]);
});

test("a sequential batch sends items one after the other, and continues after an error", async () => {
  const order = [];
  let running = 0;
  handler = (request, response, url) => {
    running += 1;
    order.push([url.searchParams.get("n"), running]);
    // A turn of the event loop and a separate request: enough time for another item to arrive.
    send(gateway.ports.gateway, { path: "/hello" }).then(() => {
      running -= 1;
      if (url.searchParams.get("n") === "1") request.socket.resetAndDestroy();
      else response.writeHead(url.searchParams.get("n") === "2" ? 503 : 200).end();
    });
  };
  const items = ["0", "1", "2", "3"].map((n) => ({ relative_url: `use?n=${n}`, method: "POST" }));
  const units = await batch(items, {}, { suppress_parallel_execution: true });
  assert.deepEqual(order, [["0", 1], ["1", 1], ["2", 1], ["3", 1]]);
  assert.deepEqual(units.map(({ code }) => code), [200, 500, 503, 200]);
});

test("an item that could not be sent keeps its URL and the reason", async () => {
  const units = await batch([{ relative_url: "echo" }, { relative_url: "reset" }, { relative_url: "204" }]);
  assert.deepEqual(units.map(({ relative_url }) => relative_url), ["echo", "reset", "204"]);
  const { headers, ...unit } = units[1];
  const message = "There was a problem proxying the request";
  assert.deepEqual(unit, { relative_url: "reset", code: 500, body: `{\n    "error": "${message}"\n}`, error: message });
  assert.deepEqual(headers["Content-Type"], ["application/json"]);
  for (const other of [units[0], units[2]]) assert.equal(other.error, undefined);
});

test("statuses and redirects are those of the items, the batch itself is a 200", async () => {
  const units = await batch(["503", "redirect", "304", "204"].map((relative_url) => ({ relative_url })));
  assert.deepEqual(units.map(({ code }) => code), [503, 302, 304, 204]);
  assert.deepEqual(units[0].headers["Retry-After"], ["7"]);
  assert.deepEqual(units[1].headers.Location, ["http://127.0.0.1:9/elsewhere"]);
});

test("binary bodies, repeated headers and compressed bodies are returned correctly", async () => {
  const [binary, cookies, gzip, br, deflate, plain] = await batch(["binary", "cookies", "gzip", "br", "deflate", "echo"].map((relative_url) => ({ relative_url })));
  assert.equal(binary.body_encoding, "base64");
  assert.ok(Buffer.from(binary.body, "base64").equals(BINARY));
  assert.deepEqual(cookies.headers["Set-Cookie"], ["a=1; Path=/", "b=2, with comma"]);
  for (const unit of [gzip, br]) {
    assert.equal(unit.body, PLAIN.toString());
    assert.equal(unit.headers["Content-Encoding"], undefined, "headers that no longer apply are dropped");
    assert.notDeepEqual(unit.headers["Content-Length"], ["1"]);
  }
  assert.ok(Buffer.from(deflate.body, "base64").equals(DEFLATE));
  assert.deepEqual(deflate.headers["Content-Encoding"], ["deflate"], "bytes that stay encoded are labelled");
  assert.equal(plain.body_encoding, undefined);
});

test("items are sent to the target, with the listen path stripped or kept", async () => {
  const kept = api({ enable_batch_request_support: true, domain: "batch.example.com" }, { target_url: `${upstream.url}/target?k=v`, strip_listen_path: false });
  const template = api({ enable_batch_request_support: true }, { listen_path: "/batch-template/{name}/", target_url: upstream.url });
  await publish(gateway, kept, template);
  const path = `${kept.proxy.listen_path}gateway/batch/`;
  assert.equal((await post("{}", { path })).status, 404, "the domain applies to the batch");
  const [unit] = await batch([{ relative_url: "echo?q=1" }], { path, headers: { Host: "batch.example.com" } });
  assert.equal(JSON.parse(unit.body).url, `/target${kept.proxy.listen_path}echo?k=v&q=1`);
  const [inner] = await batch([{ relative_url: "x/y" }], { path: "/batch-template/abc/gateway/batch/" });
  assert.equal(JSON.parse(inner.body).url, "/x/y");
});

test("each item needs its own key, the batch itself needs none", async () => {
  const closed = api({ enable_batch_request_support: true, use_keyless: false }, { target_url: upstream.url });
  await publish(gateway, closed);
  const before = upstream.seen.length;
  const items = [{ relative_url: "echo" }, { relative_url: "echo", headers: { Authorization: "unknown" } }];
  const units = await batch(items, { path: `${closed.proxy.listen_path}gateway/batch/`, headers: { Authorization: "outer" } });
  assert.deepEqual(units.map(({ code, body }) => [code, JSON.parse(body).error]), [[401, "Authorization field missing"], [403, "Access to this API has been disallowed"]]);
  assert.equal(upstream.seen.length, before);
});

test("APIs below the listen path can't be reached", async () => {
  const outer = api({ enable_batch_request_support: true }, { target_url: upstream.url });
  const inner = api({ use_keyless: false }, { listen_path: `${outer.proxy.listen_path}inner/`, target_url: upstream.url });
  await publish(gateway, outer, inner);
  const before = upstream.seen.length;
  const urls = ["inner/x", "inner/", "./inner/x", "x/../inner/x", "i%6ener/x", "inner%2fx"];
  const units = await batch(urls.map((relative_url) => ({ relative_url })), { path: `${outer.proxy.listen_path}gateway/batch/` });
  assert.deepEqual(units.map(({ code }) => code), urls.map(() => 404));
  assert.equal(upstream.seen.length, before);
});

test("without batches the path belongs to the upstream", async () => {
  const off = api({}, { target_url: upstream.url });
  await publish(gateway, off);
  const answer = await post({ requests: [{ relative_url: "echo" }] }, { path: `${off.proxy.listen_path}gateway/batch/` });
  assert.equal(answer.json.url, "/gateway/batch/");
});

test("only POST is treated as a batch", async () => {
  for (const method of ["GET", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
    const before = upstream.seen.length;
    const answer = await send(gateway.ports.gateway, { method, path: `${base}gateway/batch/`, headers: { "X-HTTP-Method-Override": "POST" } });
    assert.equal(answer.status, 405, method);
    assert.equal(answer.headers.allow, "POST");
    assert.equal(upstream.seen.length, before);
  }
});

test("a large body is forwarded intact", async () => {
  handler = async (request, response) => response.end(String((await bodyOf(request)).length));
  const [unit] = await batch([{ relative_url: "use", method: "POST", body: "x".repeat(900_000) }]);
  assert.equal(unit.body, "900000");
});

test("an item is treated like a single request: the gateway's own endpoints, and rate limit headers", async () => {
  const closed = api({ enable_batch_request_support: true, use_keyless: false, global_rate_limit: { rate: 2, per: 3600 } }, { target_url: upstream.url });
  await publish(gateway, closed);
  const access_rights = { [closed.api_id]: { api_id: closed.api_id, versions: ["Default"] } };
  const { key } = (await gateway.admin("POST", "/gateway/keys", { body: { rate: 1, per: 3600, access_rights } })).json;
  const headers = { Authorization: key };
  const before = upstream.seen.length;
  const run = (relative_url) => batch([{ relative_url, headers }], { path: `${closed.proxy.listen_path}gateway/batch/` });
  const [standing] = await run("gateway/rate-limits/");
  assert.equal(standing.code, 200);
  assert.equal(upstream.seen.length, before, "the gateway's own endpoint responds");
  assert.equal((await run("x"))[0].code, 200);
  const [refused] = await run("x");
  assert.equal(refused.code, 429);
  assert.match(refused.headers["Retry-After"]?.[0], /^\d+$/);
});

test("pages of the origins that CORS allows can send batches", async () => {
  const headers = { Origin: "https://page.example" };
  const open = api({ enable_batch_request_support: true, CORS: { enable: true, allowed_origins: [headers.Origin] } }, { target_url: upstream.url });
  await publish(gateway, open);
  const path = `${open.proxy.listen_path}gateway/batch/`;
  const granted = async (method, more) => {
    const answer = await post({ requests: [] }, { path, method, headers: { ...headers, ...more } });
    return [answer.status, answer.headers["access-control-allow-origin"]];
  };
  assert.deepEqual(await granted("POST"), [200, headers.Origin]);
  assert.deepEqual(await granted("PUT"), [405, undefined]);
  assert.deepEqual(await granted("OPTIONS", { "Access-Control-Request-Method": "POST" }), [204, headers.Origin]);
});
