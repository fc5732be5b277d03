// The link that signs in a console on the operator's own machine: once, within a minute, and for nobody else.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { start } from "./harness.mjs";
import { begin, send } from "./http.mjs";

const CODE = "0123456789abcdef0123456789abcdef";
const HOUR_MS = 3_600_000;

const started = (until) => start({ env: { CONNECT_CODE: `${CODE} ${until}` } });
let gateway;
before(async () => {
  gateway = await started(Date.now() + HOUR_MS);
});
after(() => gateway.stop());

const connect = (to, body, headers) => send(to.ports.console, { method: "POST", path: "/console/connect", body, headers });

test("the code signs in once, and not from a cross-site page", async () => {
  for (const body of ["", "guess", CODE.slice(1), `${CODE} `, "x".repeat(4096)]) {
    assert.equal((await connect(gateway, body)).status, 403, body.slice(0, 40));
  }
  const length = ["Content-Length: 32"];
  assert.equal(await begin(gateway.ports.console, "POST /console/connect HTTP/1.1", length, "012", (socket) => socket.end()), 403);
  assert.doesNotMatch(gateway.log(), /error/i);
  for (const site of ["cross-site", "same-site"]) {
    assert.equal((await connect(gateway, CODE, { "sec-fetch-site": site })).status, 403, site);
  }
  const answer = await connect(gateway, CODE, { "sec-fetch-site": "same-origin" });
  assert.equal(answer.status, 200);
  assert.deepEqual([answer.json.gateway, answer.json.dashboard], [true, true]);
  assert.match(answer.headers["set-cookie"], /^gateway-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
  for (const key of [gateway.secret, gateway.token]) assert.ok(!answer.text.includes(key));
  assert.equal(answer.headers["cache-control"], "no-store");
  const again = await connect(gateway, CODE);
  assert.equal(again.status, 403);
  assert.ok(!again.text.includes(gateway.secret));
  assert.ok(!gateway.log().includes(CODE));
});

test("it works on the console's origin only, and is not a page", async () => {
  const onGateway = await send(gateway.ports.gateway, { method: "POST", path: "/console/connect", body: CODE });
  assert.equal(onGateway.status, 404);
  assert.equal((await send(gateway.ports.console, { path: "/console/connect" })).headers["content-type"], "text/html; charset=utf-8");
});

test("the code expires, and without a code the path doesn't exist", async () => {
  const [late, without] = await Promise.all([started(Date.now() - 1), start()]);
  try {
    assert.equal((await connect(late, CODE)).status, 403);
    assert.equal((await connect(without, CODE)).status, 405);
  } finally {
    await Promise.all([late.stop(), without.stop()]);
  }
});
