// Requests to the administration and to OAuth servers whose bodies break off or can't be read: the fault is the client's,
// so the response is no 500 and nothing is logged.

import assert from "node:assert/strict";
import { before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { begin, send, sendLine } from "./http.mjs";

const CHUNKED = ["Transfer-Encoding: chunked"];
const ofLength = (length) => [`Content-Length: ${length}`];
const FORM = "Content-Type: application/x-www-form-urlencoded";

let gateway;
let oauth;
let logged;
before(async () => {
  gateway = await start();
  oauth = api({ use_keyless: false, use_oauth2: true, oauth_meta: { allowed_access_types: ["client_credentials"], allowed_authorize_types: ["token"] } });
  await publish(gateway, oauth);
  logged = gateway.log().length;
});

/** Returns requests that read their body: the socket, the request line, header fields, and the key of the message. */
function requests() {
  const { listen_path: base } = oauth.proxy;
  const secret = `X-Gateway-Authorization: ${gateway.secret}`;
  const token = `Authorization: Bearer ${gateway.dashboardToken}`;
  const administer = (line, ...fields) => ["gateway", line, [secret, ...fields], "message"];
  const dashboard = (line) => ["console", line, [token], "Message"];
  const authorise = (path) => ["gateway", `POST ${base}oauth/${path}`, [FORM], "message"];
  return [
    ...["apis", "apis/oas", "keys", "keys/create", "policies", "certs", "reload", "debug", "import"].map((path) => administer(`POST /gateway/${path}`)),
    administer("PUT /gateway/apis/a"),
    administer("POST /gateway/oauth/revoke", FORM),
    administer(`POST /gateway/apis/${oauth.api_id}/batch`),
    ...["POST /api/hooks", "POST /api/rulesets", "PUT /api/clientidps/a"].map(dashboard),
    ...["token", "revoke", "authorize"].map(authorise),
  ];
}

test("a body that breaks off is answered with 400", async () => {
  for (const [socket, line, fields, key] of requests()) {
    const port = gateway.ports[socket];
    const invalid = await sendLine(port, `${line} HTTP/1.1`, [...fields, ...CHUNKED], "5\r\nhello\r\nZZZ\r\n");
    assert.equal(invalid.status, 400, `${line}: ${invalid.text}`);
    assert.match(invalid.json[key], /body .*broke off/i, line);
    for (const [framing, sent] of [[ofLength(50), "{}"], [CHUNKED, "2\r\n{}\r\n"], [CHUNKED, ""]]) {
      const part = [...fields, ...framing];
      assert.equal(await begin(port, `${line} HTTP/1.1`, part, sent, (opened) => opened.end()), 400, line);
      await begin(port, `${line} HTTP/1.1`, part, sent, (opened) => setTimeout(() => opened.resetAndDestroy(), 20));
    }
  }
  assert.equal((await send(gateway.ports.gateway, { path: "/ready" })).status, 200);
});

test("a body that is no UTF-8 is answered as one that is malformed", async () => {
  for (const [socket, line, fields] of requests()) {
    const sent = '{"a":"\xff"}';
    const { status, text } = await sendLine(gateway.ports[socket], `${line} HTTP/1.1`, [...fields, ...ofLength(sent.length)], sent);
    assert.ok(status >= 400 && status < 500, `${line}: ${status} ${text}`);
  }
});

test("none of this was logged", async () => {
  // What is logged about a connection may appear after its end, but not after the end of the process.
  await gateway.stop();
  const lines = gateway.log().slice(logged).split("\n");
  // The runtime's own remarks about its clock.
  assert.deepEqual(lines.filter((line) => line !== "" && !line.includes("warning: NOSENTRY SQLite alarm overdue")), []);
});
