// No part of the administration is reachable without the secret (specification, *Authentication*; attacks A9, A10,
// A13). The routes come from the OpenAPI document, so none can be forgotten.

import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { api } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { send } from "./http.mjs";

const FORBIDDEN = {
  status: "error",
  message: "Attempted administrative access with invalid or missing key!",
  details: "Send the GATEWAY_SECRET of this gateway in the header X-Gateway-Authorization",
};

/** Returns every administrative route that needs the secret, with its variables filled in. */
async function routes(port) {
  const { paths } = (await send(port, { path: "/openapi/gateway.json" })).json;
  return Object.entries(paths).flatMap(([template, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => operation.security.length > 0)
      .map(([method]) => ({
        method: method.toUpperCase(),
        path: template.replace("{apiID}", "kept").replace("{revision}", "1"),
      })),
  );
}

function assertForbidden(answer, what) {
  assert.equal(answer.status, 403, what);
  const { request_id: id, ...message } = answer.json;
  assert.deepEqual(message, FORBIDDEN, what);
  assert.equal(id, answer.headers["x-request-id"], what);
  assert.match(answer.text, /^\{"status":"error","message":/, what);
  assert.equal(answer.headers["content-type"], "application/json", what);
}

describe("with a secret configured", () => {
  let gateway;
  let table;
  before(async () => {
    gateway = await start();
    await gateway.admin("POST", "/gateway/apis", { body: api({ api_id: "kept" }) });
    table = await routes(gateway.ports.gateway);
  });
  after(() => gateway.stop());

  test("the route table covers the entire administration API", () => {
    const lines = table.map(({ method, path }) => `${method} ${path}`);
    for (const line of ["GET /gateway/apis", "DELETE /gateway/apis/kept", "POST /gateway/apis/kept/revisions/1/restore", "POST /gateway/apis/kept/batch", "GET /gateway/reload/status"]) {
      assert.ok(lines.includes(line), line);
    }
    assert.ok(lines.length >= 16, `${lines.length} routes`);
  });

  const wrong = (secret) => [
    ["no secret", {}],
    ["an empty secret", { headers: { "X-Gateway-Authorization": "" } }],
    ["a wrong secret", { headers: { "X-Gateway-Authorization": "f".repeat(secret.length) } }],
    ["a prefix of the secret", { headers: { "X-Gateway-Authorization": secret.slice(0, -1) } }],
    ["the secret with an extra character", { headers: { "X-Gateway-Authorization": `${secret}0` } }],
    ["the secret in upper case", { headers: { "X-Gateway-Authorization": secret.toUpperCase().replace(/^\d+$/, "x") } }],
    ["the secret as a bearer token", { headers: { "X-Gateway-Authorization": `Bearer ${secret}` } }],
    ["the secret in another header", { headers: { Authorization: secret, "X-Tyk-Authorization": secret } }],
    ["the secret in the query", { query: { "X-Gateway-Authorization": secret, secret } }],
    ["the secret in a cookie", { headers: { Cookie: `X-Gateway-Authorization=${secret}` } }],
    ["the secret repeated", { headers: { "X-Gateway-Authorization": [secret, secret] } }],
    ["the secret from a cross-site page", { headers: { "X-Gateway-Authorization": secret, "Sec-Fetch-Site": "cross-site" } }],
  ];

  for (const origin of ["gateway", "console"]) {
    test(`no route of the ${origin} origin answers without the right secret`, async () => {
      const port = gateway.ports[origin];
      for (const { method, path } of table) {
        for (const [what, how] of wrong(gateway.secret)) {
          const body = method === "POST" || method === "PUT" ? api({ api_id: "kept", name: "overwritten" }) : undefined;
          const answer = await send(port, { method, path, body, ...how });
          assertForbidden(answer, `${method} ${path} with ${what}`);
        }
      }
    });
  }

  test("an unknown path or method reveals nothing without the secret", async () => {
    for (const [method, path] of [
      ["GET", "/gateway"],
      ["GET", "/gateway/"],
      ["GET", "/gateway/nothing"],
      ["GET", "/gateway/apis/..%2fx"],
      ["PATCH", "/gateway/apis"],
      ["OPTIONS", "/gateway/apis"],
      ["TRACE", "/gateway/apis"],
    ]) {
      const answer = await send(gateway.ports.gateway, { method, path });
      assertForbidden(answer, `${method} ${path}`);
    }
    const head = await send(gateway.ports.gateway, { method: "HEAD", path: "/gateway/apis" });
    assert.equal(head.status, 403);
  });

  test("a cross-site form can't change anything", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
      const headers = { "Content-Type": type, Origin: "http://evil.example", "Sec-Fetch-Site": "cross-site" };
      const answer = await send(gateway.ports.gateway, { method: "POST", path: "/gateway/apis", body: JSON.stringify(api()), headers });
      assertForbidden(answer, type);
    }
  });

  test("a cross-site page can't pass preflight to send the secret", async () => {
    const headers = { Origin: "http://evil.example", "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "x-gateway-authorization" };
    const answer = await send(gateway.ports.gateway, { method: "OPTIONS", path: "/gateway/apis", headers });
    assert.equal(answer.headers["access-control-allow-origin"], undefined);
    assert.equal(answer.headers["access-control-allow-headers"], undefined);
  });

  test("afterwards all documents are unchanged", async () => {
    const list = await gateway.admin("GET", "/gateway/apis");
    assert.deepEqual(list.json.map(({ api_id }) => api_id), ["kept"]);
    assert.notEqual(list.json[0].name, "overwritten");
    assert.equal((await gateway.admin("GET", "/gateway/apis/kept")).headers.etag, '"1"');
    assert.equal((await gateway.admin("GET", "/gateway/reload/status")).json.generation, 0);
  });

  test("the secret opens both origins, also for the console's own pages", async () => {
    for (const port of [gateway.ports.gateway, gateway.ports.console]) {
      for (const site of [undefined, "same-origin", "none"]) {
        const headers = site && { "Sec-Fetch-Site": site };
        assert.equal((await gateway.admin("GET", "/gateway/apis", { port, headers })).status, 200, site);
      }
    }
  });

  test("the secret appears in no response and in no log", async () => {
    for (const path of ["/hello", "/ready", "/openapi/gateway.json", "/nothing"]) {
      const answer = await gateway.admin("GET", path);
      assert.ok(!answer.text.includes(gateway.secret), path);
      assert.ok(!JSON.stringify(answer.raw).includes(gateway.secret), path);
    }
    assert.ok(!gateway.log().includes(gateway.secret));
  });
});

for (const [what, secret] of [["no secret", undefined], ["an empty secret", ""], ["a short secret", "0123456789abcde"]]) {
  test(`with ${what} configured every call is refused`, async () => {
    const gateway = await start({ env: { GATEWAY_SECRET: secret } });
    try {
      for (const sent of [undefined, "", secret ?? "undefined", "null"]) {
        const headers = sent === undefined ? {} : { "X-Gateway-Authorization": sent };
        for (const { method, path } of await routes(gateway.ports.gateway)) {
          assertForbidden(await send(gateway.ports.gateway, { method, path, headers }), `${method} ${path} with ${sent}`);
        }
      }
    } finally {
      await gateway.stop();
    }
  });
}
