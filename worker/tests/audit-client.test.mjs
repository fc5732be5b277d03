// What the audit trail records of the client: its address, its user agent and the id of its request, for every kind of
// write through either origin. What a client claims about its address is not recorded.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { caller } from "./dashboard.mjs";
import { api } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { send } from "./http.mjs";

const FORGED = { "X-Forwarded-For": "203.0.113.1", "X-Real-IP": "203.0.113.2", "True-Client-IP": "203.0.113.3", "CF-Connecting-IP": "203.0.113.4", "Cf-Blob": JSON.stringify({ clientIp: "203.0.113.5:1" }) };

let gateway;
before(async () => (gateway = await start()));
after(() => gateway.stop());

const entries = async (query, at = gateway) => (await caller(at)("GET", "/api/audit", { query })).json.entries;
const client = ({ ip_address: address, user_agent: agent, request_id: id }) => [address, agent, id];

test("every write has the client's address, user agent and request id, whatever the client claims", async () => {
  const definition = api();
  const agent = "deploy/1.0 (ci)";
  const headers = { ...FORGED, "User-Agent": agent };
  const secret = { "X-Gateway-Authorization": gateway.secret };
  const page = { "X-Gateway-Console": "1", "Sec-Fetch-Site": "same-origin" };
  const part = { apis: [definition.api_id] };
  const key = { access_rights: { [definition.api_id]: { api_id: definition.api_id, versions: ["Default"] } } };
  const { gateway: ours, console: theirs } = gateway.ports;
  const signIn = await send(theirs, { method: "POST", path: "/console/session", headers: { ...headers, ...page, ...secret } });
  const cookie = { Cookie: signIn.headers["set-cookie"].split(";")[0], ...page };
  const exported = await gateway.admin("GET", "/gateway/export");
  const sent = [
    // Only a gateway without documents imports any.
    ["import", await send(ours, { method: "POST", path: "/gateway/import", headers: { ...headers, ...secret, "Content-Type": "application/x-ndjson" }, body: exported.text })],
    ["sign_in", signIn],
    ["api", await send(ours, { method: "POST", path: "/gateway/apis", headers: { ...headers, ...secret }, body: definition })],
    ["api", await send(theirs, { method: "PUT", path: `/gateway/apis/${definition.api_id}`, headers: { ...headers, ...cookie }, body: { ...definition, name: "new" } })],
    ["reload", await send(ours, { path: "/gateway/reload?block=true", headers: { ...headers, ...secret } })],
    ["key", await send(ours, { method: "POST", path: "/gateway/keys", headers: { ...headers, ...secret }, body: key })],
    ["api", await send(ours, { method: "PUT", path: `/gateway/apis/${definition.api_id}`, headers: { ...headers, ...secret }, body: { ...definition, name: "newer" } })],
    ["reload", await send(theirs, { method: "POST", path: "/gateway/reload?block=true", headers: { ...headers, ...cookie }, body: part })],
    ["ruleset", await caller(gateway)("POST", "/api/rulesets", { headers, body: { name: "r" } })],
    ["sign_in", await send(theirs, { method: "DELETE", path: "/console/session", headers: { ...headers, ...cookie } })],
  ];
  for (const [subject, answer] of sent) {
    assert.ok(answer.status < 300, `${subject}: ${answer.status} ${answer.text}`);
    const id = answer.headers["x-request-id"];
    const found = await entries({ request_id: id });
    assert.ok(found.some((entry) => entry.subject === subject), `${subject} ${id}: ${JSON.stringify(found)}`);
    for (const entry of found) {
      assert.deepEqual(client(entry), ["127.0.0.1", agent, id], subject);
      assert.deepEqual((await caller(gateway)("GET", `/api/audit/${entry.seq}`)).json.entry, entry);
    }
  }
  assert.deepEqual(await entries({ q: "203.0.113" }), []);
  assert.deepEqual(await entries({ ip_address: "203.0.113.1" }), []);
  const all = await entries({ limit: 1000 });
  assert.deepEqual(await entries({ ip_address: "127.0.0.1", limit: 1000 }), all);
});

test("the request's own id is recorded, and a long user agent is cut", async () => {
  const headers = { "X-Request-Id": "deploy-42", "User-Agent": `a${"\t".repeat(3)}${"b".repeat(400)}` };
  const made = await caller(gateway)("POST", "/api/rulesets", { headers, body: { name: "own" } });
  assert.equal(made.status, 201, made.text);
  const [entry] = await entries({ request_id: "deploy-42" });
  assert.deepEqual(client(entry), ["127.0.0.1", `a${"b".repeat(255)}`, "deploy-42"]);
  assert.equal((await caller(gateway)("GET", "/api/audit", { query: { ip_address: "somewhere" } })).status, 400);
});

test("behind a trusted proxy, its header is the address", async () => {
  const behind = await start({ env: { CLIENT_IP_HEADER: "CF-Connecting-IP" } });
  try {
    const write = async (address) => {
      const headers = { "X-Forwarded-For": "203.0.113.1", ...(address && { "CF-Connecting-IP": address }) };
      assert.equal((await behind.admin("POST", "/gateway/apis", { headers: { ...headers }, body: api() })).status, 200);
      assert.equal((await caller(behind)("POST", "/api/rulesets", { headers, body: { name: String(address) } })).status, 201);
      return (await entries({ limit: 2 }, behind)).map(({ ip_address: recorded }) => recorded);
    };
    assert.deepEqual(await write("2001:DB8::7"), ["2001:db8::7", "2001:db8::7"]);
    assert.deepEqual(await write("not an address"), [null, null]);
    assert.deepEqual(await write(undefined), [null, null]);
  } finally {
    await behind.stop();
  }
});
