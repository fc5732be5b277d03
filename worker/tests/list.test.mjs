// The summary list: search, filters, sorting and paging over two hundred APIs.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";

const COUNT = 200;
const padded = (n) => String(n).padStart(3, "0");

let gateway;
before(async () => {
  gateway = await start();
  const definitions = Array.from({ length: COUNT }, (_, n) =>
    api(
      {
        api_id: `id-${padded(n)}`,
        // Names are in the reverse order of the ids, and half of them are capitalised.
        name: n % 2 ? `Name ${padded(COUNT - n)}` : `name ${padded(COUNT - n)}`,
        org_id: `org-${n % 3}`,
        tags: n % 10 === 0 ? ["Tenth", `tag-${n}`] : [],
        domain: n < 5 ? `d${n}.Example.com` : "",
        enable_batch_request_support: n === 7,
        use_keyless: n !== 8,
      },
      { listen_path: `/list/${padded((n * 7) % COUNT)}/`, target_url: n === 9 ? "http://Ninth.Upstream.test/x" : "http://127.0.0.1:9/" },
    ),
  );
  for (const body of definitions) {
    const stored = await gateway.admin("POST", "/gateway/apis", { body });
    assert.equal(stored.status, 200, stored.text);
  }
});
after(() => gateway.stop());

async function summaries(query) {
  const answer = await gateway.admin("GET", "/gateway/apis", { query: { view: "summary", ...query } });
  assert.equal(answer.status, 200, answer.text);
  return answer.json;
}
const ids = async (query) => (await summaries({ per_page: 500, ...query })).apis.map(({ api_id }) => api_id);

test("a summary has what a list shows of an API", async () => {
  const { apis } = await summaries({ q: "id-000" });
  const { updated_at, ...summary } = apis[0];
  assert.deepEqual(summary, {
    api_id: "id-000",
    name: "name 200",
    org_id: "org-0",
    listen_path: "/list/000/",
    domain: "d0.example.com",
    target_url: "http://127.0.0.1:9/",
    tags: ["Tenth", "tag-0"],
    active: true,
    internal: false,
    keyless: true,
    batch: false,
    state: "pending",
    pending: "added",
    problem: null,
    warnings: 0,
    revision: 1,
  });
  assert.match(updated_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  assert.equal((await summaries({ q: "id-007" })).apis[0].batch, true);
  assert.equal((await summaries({ q: "id-008" })).apis[0].keyless, false);
});

test("the pages of the list together are complete", async () => {
  const first = await summaries();
  assert.deepEqual([first.page, first.pages, first.total, first.apis.length], [1, 4, COUNT, 50]);
  const paged = [];
  for (let p = 1; p <= 7; p += 1) {
    const page = await summaries({ p, per_page: 30, sort: "api_id" });
    assert.deepEqual([page.page, page.pages, page.total], [p, 7, COUNT]);
    paged.push(...page.apis.map(({ api_id }) => api_id));
  }
  assert.deepEqual(paged, Array.from({ length: COUNT }, (_, n) => `id-${padded(n)}`));
});

test("an out-of-range page or page size is clamped", async () => {
  assert.equal((await summaries({ p: 999 })).page, 4);
  assert.equal((await summaries({ p: 0 })).page, 1);
  assert.equal((await summaries({ per_page: 0 })).apis.length, 1);
  assert.equal((await summaries({ per_page: 100_000 })).apis.length, COUNT);
  const none = await summaries({ q: "no such thing" });
  assert.deepEqual(none, { apis: [], page: 1, pages: 1, total: 0 });
});

test("search covers name, id, listen path, domain, tags and target, ignoring case", async () => {
  for (const [q, expected] of [
    ["NAME 199", ["id-001"]],
    ["Id-123", ["id-123"]],
    ["/LIST/007", ["id-001"]],
    ["D3.EXAMPLE", ["id-003"]],
    ["TAG-120", ["id-120"]],
    ["ninth.upstream", ["id-009"]],
    ["  id-123  ", ["id-123"]],
    ["%", []],
    ["id-12*", []],
  ]) assert.deepEqual(await ids({ q }), expected, q);
  assert.equal((await summaries({ q: "tenth" })).total, COUNT / 10);
});

test("tags are matched exactly", async () => {
  assert.equal((await summaries({ tag: "Tenth" })).total, COUNT / 10);
  assert.equal((await summaries({ tag: "Tent" })).total, 0);
  assert.deepEqual(await ids({ tag: "tag-50" }), ["id-050"]);
  assert.deepEqual(await ids({ tag: "Tenth", q: "id-05" }), ["id-050"]);
});

test("every column sorts in both directions, with ties in id order", async () => {
  const columns = {
    api_id: (api) => api.api_id,
    name: (api) => api.name.toLowerCase(),
    listen_path: (api) => api.listen_path,
    domain: (api) => api.domain,
    updated_at: (api) => api.updated_at,
    state: (api) => api.state,
  };
  for (const [sort, column] of Object.entries(columns)) {
    const rows = (await summaries({ sort, per_page: 500 })).apis;
    const order = (a, b) => (column(a) < column(b) ? -1 : column(a) > column(b) ? 1 : a.api_id < b.api_id ? -1 : 1);
    assert.deepEqual(rows, [...rows].sort(order), sort);
    const turned = await ids({ sort: `-${sort}` });
    const keys = new Map(rows.map((row) => [row.api_id, column(row)]));
    const values = turned.map((id) => keys.get(id));
    assert.deepEqual(values, [...values].sort((a, b) => (a < b ? 1 : a > b ? -1 : 0)), `-${sort}`);
  }
  assert.deepEqual(await ids(), await ids({ sort: "name" }), "by name by default");
});

test("a meaningless parameter is refused", async () => {
  for (const query of [{ sort: "colour" }, { sort: "--name" }, { state: "broken" }, { p: "x" }, { per_page: "-1" }, { p: "1e3" }]) {
    const answer = await gateway.admin("GET", "/gateway/apis", { query: { view: "summary", ...query } });
    assert.equal(answer.status, 400, JSON.stringify(query));
    assert.ok(answer.json.message.includes(Object.keys(query)[0]), answer.text);
  }
});

test("the list can include the state of each API", async () => {
  const made = {
    pending: api(),
    inactive: api({ active: false }),
    internal: api({ internal: true }),
    live: api(),
    modified: api(),
    // It is stored, but serving it would leave it open, so the reload skips it.
    invalid: api({ enable_coprocess_auth: true }),
    deleted: api(),
    gone: api(),
  };
  const { pending, ...early } = made;
  await publish(gateway, ...Object.values(early));
  await gateway.admin("POST", "/gateway/apis", { body: pending });
  await gateway.admin("PUT", `/gateway/apis/${made.modified.api_id}`, { body: made.modified });
  await gateway.admin("DELETE", `/gateway/apis/${made.deleted.api_id}`);

  const states = { pending: ["pending", "modified"], inactive: ["inactive"], internal: ["internal"], live: ["live", "gone"], invalid: ["invalid"], deleted: ["deleted"] };
  for (const [state, names] of Object.entries(states)) {
    const found = (await summaries({ state, per_page: 500, sort: "-updated_at" })).apis;
    for (const [name, { api_id }] of Object.entries(made)) {
      assert.equal(found.some((row) => row.api_id === api_id), names.includes(name), `${name} among ${state}`);
    }
    for (const row of found) assert.equal(row.state, state);
  }

  const row = async (name, query) => (await summaries({ q: made[name].api_id, ...query })).apis.find(({ api_id }) => api_id === made[name].api_id);
  assert.equal((await row("pending")).pending, "added");
  assert.equal((await row("modified")).pending, "modified");
  assert.equal((await row("live")).pending, null);
  assert.ok((await row("invalid")).problem);
  assert.equal(await row("deleted"), undefined, "deleted ones are listed only on request");
  assert.equal((await row("deleted", { state: "deleted" })).pending, "deleted");
});

test("the full list is consistent, whatever its length", async () => {
  const before = await gateway.admin("GET", "/gateway/apis");
  assert.ok(before.json.length >= COUNT);
  const filler = "x".repeat(100_000);
  for (let n = 0; n < 20; n += 1) {
    const body = api({ api_id: `long-${padded(n)}`, filler }, { listen_path: `/long/${n}/`, target_url: "http://127.0.0.1:9/" });
    assert.equal((await gateway.admin("POST", "/gateway/apis", { body })).status, 200);
  }
  const after = await gateway.admin("GET", "/gateway/apis");
  assert.equal(after.status, 200);
  for (const name of ["content-type", "cache-control", "x-content-type-options", "content-security-policy"]) {
    assert.equal(after.headers[name], before.headers[name], name);
  }
  assert.ok(after.headers["x-request-id"]);
  const isLong = ({ api_id }) => api_id.startsWith("long-");
  assert.deepEqual(after.json.filter((found) => !isLong(found)), before.json);
  assert.deepEqual(after.json.filter(isLong).map(({ api_id, filler }) => [api_id, filler.length]), Array.from({ length: 20 }, (_, n) => [`long-${padded(n)}`, 100_000]));
  const alone = await gateway.admin("GET", "/gateway/apis/long-007?complete=false");
  assert.ok(after.text.includes(alone.text.trim()));
});
