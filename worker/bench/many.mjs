// Very many keys: how they get there, what lists and searches take, and how much memory the process needs.

import { createHash } from "node:crypto";
import { request } from "node:http";
import { Readable } from "node:stream";
import { create, reload } from "./gateway.mjs";
import { client, median, timed } from "./load.mjs";
import { SECRET, cpuMs, residentMb, startGateway, stop } from "./services.mjs";

/** The hash of a key, as long as one of murmur128 is. */
const id = (at) => createHash("md5").update(`key ${at}`).digest("hex");

/** The lines of an export with so many keys, in the order of their hashes. */
function* lines(count) {
  const ids = Array.from({ length: count }, (_, at) => [id(at), at]).sort(([a], [b]) => (a < b ? -1 : 1));
  const digest = createHash("sha256");
  const line = (value) => {
    const text = `${JSON.stringify(value)}\n`;
    digest.update(text);
    return text;
  };
  const made = Date.parse("2026-01-01T00:00:00Z");
  yield line({ export: { format: 1, id: "0123456789abcdef0123456789abcdef", made_at: new Date(made).toISOString(), version: "bench", revisions: false, counters: false } });
  for (const [hash, at] of ids) {
    const alias = `customer ${at}`;
    const tags = [`tag-${at % 1000}`];
    const access_rights = { [`bench-${at % 5}`]: { api_id: `bench-${at % 5}`, versions: ["Default"] } };
    const text = JSON.stringify({ alias, org_id: "bench", rate: 1000, per: 1, tags, access_rights });
    const created_at = new Date(made + at).toISOString();
    yield line({ session: { owner: "key", id: hash, revision: at + 1, reset: at + 1, created_at, updated_at: created_at, ends: 0, org_id: "bench", text } });
  }
  const sha256 = digest.copy().digest("hex");
  yield `${JSON.stringify({ end: { number: count + 1, written_meanwhile: 0, counts: { session: count }, secrets_left_out: 0, sha256 } })}\n`;
}

/** The lines in pieces of a size that is worth sending. */
function* pieces(count) {
  let piece = "";
  for (const line of lines(count)) {
    piece += line;
    if (piece.length > 1 << 18) {
      yield piece;
      piece = "";
    }
  }
  yield piece;
}

/** Imports so many keys into an empty gateway. */
function imported(gateway, count) {
  return new Promise((done, failed) => {
    const headers = { "x-gateway-authorization": SECRET };
    const sent = request(`${gateway.url}/gateway/import`, { method: "POST", headers, timeout: 0 }, async (answer) => {
      let text = "";
      for await (const part of answer.setEncoding("utf8")) text += part;
      if (answer.statusCode === 200) done();
      else failed(new Error(`import: ${answer.statusCode} ${text.slice(0, 500)}`));
    });
    sent.on("error", failed);
    Readable.from(pieces(count)).pipe(sent);
  });
}

/** Lists, searches and memory with so many keys. */
export async function many({ say, keys }) {
  const gateway = await startGateway("many-keys");
  const empty = residentMb(gateway);
  const http = client(1);
  const rows = [];
  const name = keys.toLocaleString("en");
  const row = (measure, ours, value = "") => rows.push({ measure, ours, other: "", value });
  say(`importing ${name} keys`);
  const before = cpuMs(gateway);
  const took = await timed(() => imported(gateway, keys));
  const cpu = cpuMs(gateway) - before;
  row(`import ${name} keys`, `${(took / 1000).toFixed(0)} s`, `${Math.round((keys / took) * 1000)}/s, ${Math.round((cpu * 1000) / keys)} µs each`);
  const full = residentMb(gateway);
  row("memory of the process after the import", `${Math.round(full)} MB`, `+${Math.round(full - empty)} MB`);
  await create(http, gateway, { url: "http://127.0.0.1:9" }, 0, 5, 1);
  await reload(http, gateway);

  say("lists");
  const list = (query) => http.call("GET", `${gateway.url}/gateway/keys?${query}`);
  const pages = {
    "the newest": "view=summary&sort=-updated_at",
    "the 1,000th page": "view=summary&sort=alias&p=1000",
    "of one API": "view=summary&api_id=bench-1",
    "with a tag": "view=summary&tag=tag-7",
    "of the organisation": "view=summary&filter=bench",
    "inactive": "view=summary&state=inactive",
    "search for an alias": "view=summary&q=customer+77",
    "search for a hash": `view=summary&q=${id(7)}`,
    "hashes that begin so": `filter=${id(7).slice(0, 8)}`,
  };
  for (const [what, query] of Object.entries(pages)) {
    const found = [];
    for (let turn = 0; turn < 3; turn++) found.push(await timed(() => list(query)));
    const ms = median(found);
    row(`list of ${name} keys: ${what}`, `${ms.toFixed(ms < 10 ? 1 : 0)} ms`);
  }
  for (const [what, query, count] of [["all hashes", "", keys], ["all hashes of one API", "api_id=bench-1", keys / 5]]) {
    let found = [];
    const ms = await timed(async () => (found = JSON.parse((await list(query)).text).keys));
    if (found.length !== Math.floor(count)) throw new Error(`${what}: ${found.length} instead of ${count}`);
    row(`list of ${name} keys: ${what}, in pages`, `${(ms / 1000).toFixed(1)} s`, `${Math.round((found.length / ms) * 1000)}/s`);
  }
  const listed = residentMb(gateway);
  row("memory of the process after the lists", `${Math.round(listed)} MB`, `+${Math.round(listed - empty)} MB`);

  const session = JSON.stringify({ alias: "new", org_id: "bench", rate: 1000, per: 1, access_rights: { "bench-1": { api_id: "bench-1" } } });
  const found = [];
  for (let turn = 0; turn < 200; turn++) found.push(await timed(() => http.call("POST", `${gateway.url}/gateway/keys`, session)));
  row("create a key beside them", `${median(found).toFixed(1)} ms`);
  await stop(gateway);
  const again = await startGateway("many-keys");
  const start = await timed(() => http.call("GET", `${again.url}/gateway/keys/${id(7)}`));
  row("read a key in a fresh process", `${Math.round(start)} ms`);
  const fresh = residentMb(again);
  row("memory of a fresh process", `${Math.round(fresh)} MB`, `+${Math.round(fresh - empty)} MB`);
  http.close();
  await stop(again);
  return rows;
}
