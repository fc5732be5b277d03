// The live stream of notifications.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { open, send } from "./http.mjs";

let gateway;
const MOST = 14;
const EACH = 12;
before(async () => (gateway = await start({ env: { NOTIFICATION_STREAMS_MAX: String(MOST), NOTIFICATION_STREAMS_PER_CREDENTIAL: String(EACH) } })));
after(() => gateway.stop());

const bearer = (token = gateway.dashboardToken) => ({ Authorization: `Bearer ${token}` });
const notify = async () => assert.equal((await gateway.admin("POST", "/gateway/apis", { body: api() })).status, 200);
const last = async () => (await send(gateway.ports.console, { path: "/api/notifications", headers: bearer() })).json.last;

/** Opens a stream. `next()` returns the next event, or undefined once the stream has ended. */
async function listen({ query = "", headers = bearer() } = {}) {
  const { request, response } = await open(gateway.ports.console, { path: `/api/notifications/stream${query}`, headers });
  response.setEncoding("utf8");
  const chunks = response[Symbol.asyncIterator]();
  let text = "";
  const comments = [];
  const next = async () => {
    for (;;) {
      const end = text.indexOf("\n\n");
      if (end >= 0) {
        const block = text.slice(0, end);
        text = text.slice(end + 2);
        if (!block.startsWith(":")) return Object.fromEntries(block.split("\n").map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]));
        comments.push(block);
        continue;
      }
      const { done, value } = await chunks.next();
      if (done) return undefined;
      text += value;
    }
  };
  /** Waits for this many comments. */
  const quiet = async (count) => {
    while (comments.length < count) {
      const { value } = await chunks.next();
      text += value;
      while (text.startsWith(":")) {
        const end = text.indexOf("\n\n");
        comments.push(text.slice(0, end));
        text = text.slice(end + 2);
      }
    }
  };
  return { response, next, quiet, close: () => request.destroy() };
}

async function issue(permissions, expires_at) {
  const answer = await gateway.admin("POST", "/gateway/dashboard/credentials", { body: { name: "reader", permissions, expires_at }, port: gateway.ports.console });
  assert.equal(answer.status, 200, answer.text);
  return { token: answer.json.token, id: answer.json.credential.id };
}

test("the stream starts now, or resumes after the reader's position", async () => {
  await notify();
  const before = await last();
  const stream = await listen();
  const { headers } = stream.response;
  assert.deepEqual([stream.response.statusCode, headers["content-type"], headers["cache-control"]], [200, "text/event-stream", "no-store"]);
  for (let n = 0; n < 3; n += 1) await notify();
  const events = [await stream.next(), await stream.next(), await stream.next()];
  assert.deepEqual(events.map(({ id }) => Number(id)), [before + 1, before + 2, before + 3]);
  assert.ok(events.every(({ event }) => event === "ApiAdded"));
  const listed = (await send(gateway.ports.console, { path: `/api/notifications?after=${before}`, headers: bearer() })).json.notifications;
  assert.deepEqual(events.map(({ data }) => JSON.parse(data)), listed);
  stream.close();
  for (const options of [{ headers: { ...bearer(), "Last-Event-ID": String(before + 2) } }, { query: `?after=${before + 2}` }, { query: "?after=0", headers: { ...bearer(), "Last-Event-ID": String(before + 2) } }]) {
    const again = await listen(options);
    assert.equal(Number((await again.next()).id), before + 3);
    again.close();
  }
});

test("many readers receive everything in order, including slow ones", async () => {
  const from = await last();
  const streams = await Promise.all(Array.from({ length: 8 }, () => listen()));
  await Promise.all(Array.from({ length: 60 }, notify));
  for (const stream of streams) {
    for (let n = 1; n <= 60; n += 1) assert.equal(Number((await stream.next()).id), from + n);
    stream.close();
  }
});

test("a long history is read in parts without gaps", async () => {
  for (let n = 0; n < 260; n += 1) await notify();
  const end = await last();
  const stream = await listen({ query: "?after=0" });
  for (let n = 1; n <= end; n += 1) assert.equal(Number((await stream.next()).id), n);
  stream.close();
});

test("a credential sees the groups it may read, in its organisation", async () => {
  const hooks = await issue({ hooks: "read" });
  const stream = await listen({ headers: bearer(hooks.token) });
  const idp = { name: "p", jwks_uri: "https://idp.example.com/jwks" };
  const idps = await issue({ clientidps: "write" });
  const own = await listen({ headers: bearer(idps.token) });
  await notify();
  const made = await send(gateway.ports.console, { method: "POST", path: "/api/clientidps", headers: bearer(idps.token), body: idp });
  assert.equal(made.status, 201);
  assert.equal((await own.next()).event, "NoticeClientIdPChanged", "the API's notification is skipped");
  await gateway.admin("DELETE", `/gateway/dashboard/credentials/${hooks.id}`, { port: gateway.ports.console });
  assert.equal(await stream.next(), undefined, "nothing arrives before the end");
  own.close();
});

test("the stream ends when its credential is revoked, and is then refused", async () => {
  const { token, id } = await issue({ apis: "read" });
  const stream = await listen({ headers: bearer(token) });
  await notify();
  assert.equal((await stream.next()).event, "ApiAdded");
  await gateway.admin("DELETE", `/gateway/dashboard/credentials/${id}`, { port: gateway.ports.console });
  await notify();
  assert.equal(await stream.next(), undefined);
  assert.equal((await send(gateway.ports.console, { path: "/api/notifications/stream", headers: bearer(token) })).status, 401);
});

test("the stream ends when its credential expires", async () => {
  const { token } = await issue({ apis: "read" }, new Date(Date.now() + 1500).toISOString());
  const stream = await listen({ headers: bearer(token) });
  assert.equal(await stream.next(), undefined);
});

test("an idle stream sends keep-alives", async () => {
  const stream = await listen();
  const begun = Date.now();
  await stream.quiet(2);
  assert.ok(Date.now() - begun > 10_000);
  stream.close();
});

test("callers without permission are refused", async () => {
  for (const [headers, status] of [[{}, 401], [bearer("wrong"), 401], [{ ...bearer(), "Sec-Fetch-Site": "cross-site" }, 401], [{ ...bearer(), "Last-Event-ID": "x" }, 400]]) {
    const answer = await send(gateway.ports.console, { path: "/api/notifications/stream", headers });
    assert.equal(answer.status, status);
    assert.equal(answer.json.Status, "Error");
  }
  assert.equal((await send(gateway.ports.console, { path: "/api/notifications/stream?after=-1", headers: bearer() })).status, 400);
  assert.equal((await send(gateway.ports.console, { method: "POST", path: "/api/notifications/stream", headers: bearer() })).status, 405);
  assert.equal((await send(gateway.ports.gateway, { path: "/api/notifications/stream", headers: bearer() })).status, 404, "the gateway's origin has no dashboard");
});

test("notifications missed during a restart follow after it", async () => {
  const stream = await listen();
  await notify();
  const { id } = await stream.next();
  await notify();
  await gateway.restart();
  const again = await listen({ headers: { ...bearer(), "Last-Event-ID": id } });
  assert.equal(Number((await again.next()).id), Number(id) + 1);
  await notify();
  assert.equal(Number((await again.next()).id), Number(id) + 2);
  again.close();
});

/** Opens a stream; returns how to close it, or how it was refused. */
async function tried(headers) {
  const { request, response } = await open(gateway.ports.console, { path: "/api/notifications/stream", headers });
  if (response.statusCode === 200) return { close: () => request.destroy() };
  let text = "";
  for await (const part of response.setEncoding("utf8")) text += part;
  return { status: response.statusCode, retry: response.headers["retry-after"], message: JSON.parse(text).Message };
}

/** Opens this many streams, and returns how to close them. Streams of earlier tests end once their disconnection is noticed. */
async function fill(headers, count) {
  const opened = [];
  while (opened.length < count) {
    const { close } = await tried(headers);
    if (close) opened.push(close);
    else await new Promise((resume) => setTimeout(resume, 50));
  }
  return opened;
}

test("the number of streams is limited, of a credential and in total, and closing one frees its slot", async () => {
  const { token } = await issue({ apis: "read" });
  const { token: third } = await issue({ apis: "read" });
  const opened = await fill(bearer(), EACH);
  const refused = await tried(bearer());
  assert.deepEqual([refused.status, refused.retry], [429, "15"]);
  assert.match(refused.message, new RegExp(`NOTIFICATION_STREAMS_PER_CREDENTIAL=${EACH} .*raise that setting`));
  // Another credential has its own share, until the total is reached.
  opened.push(...(await fill(bearer(token), MOST - EACH)));
  const full = await tried(bearer(third));
  assert.deepEqual([full.status, full.retry], [503, "15"]);
  assert.match(full.message, new RegExp(`NOTIFICATION_STREAMS_MAX=${MOST}`));
  // Everything else is answered as usual.
  assert.equal(typeof (await last()), "number");
  opened.shift()();
  opened.push(...(await fill(bearer(), 1)));
  for (const close of opened) close();
});
