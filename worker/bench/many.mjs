// Very many keys: how long creating, listing and searching them takes, and how much memory the process needs.

import { imported, keyId as id } from "./filled.mjs";
import { create, reload } from "./gateway.mjs";
import { client, median, timed } from "./load.mjs";
import { SECRET, cpuMs, residentMb, startGateway, stop } from "./services.mjs";

/** Lists, searches and memory with this many keys. */
export async function many({ say, keys }) {
  const gateway = await startGateway("many-keys");
  const empty = residentMb(gateway);
  const http = client(1);
  const rows = [];
  const name = keys.toLocaleString("en");
  const row = (measure, ours, value = "") => rows.push({ measure, ours, other: "", value });
  say(`importing ${name} keys`);
  const before = cpuMs(gateway);
  const took = await timed(() => imported(gateway.url, SECRET, { keys }));
  const cpu = cpuMs(gateway) - before;
  row(`import ${name} keys`, `${(took / 1000).toFixed(0)} s`, `${Math.round((keys / took) * 1000)}/s, ${Math.round((cpu * 1000) / keys)} µs each`);
  const full = residentMb(gateway);
  row("memory of the process after the import", `${Math.round(full)} MB`, `+${Math.round(full - empty)} MB`);
  await create(http, gateway, { url: "http://127.0.0.1:9" }, 0, 5, 1);
  await reload(http, gateway);

  say("lists");
  const list = (query) => http.call("GET", `${gateway.url}/gateway/keys?${query}`);
  const pages = {
    "newest first": "view=summary&sort=-updated_at",
    "1,000th page": "view=summary&sort=alias&p=1000",
    "of one API": "view=summary&api_id=bench-1",
    "with a tag": "view=summary&tag=tag-7",
    "of the organisation": "view=summary&filter=bench",
    "inactive": "view=summary&state=inactive",
    "search for an alias": "view=summary&q=customer+77",
    "search for a hash": `view=summary&q=${id(7)}`,
    "hashes by prefix": `filter=${id(7).slice(0, 8)}`,
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
  row("create one more key", `${median(found).toFixed(1)} ms`);
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
