// The framework of the demonstrations that members which the support table calls enforced have an effect. The members
// come from the schemas that the worker serves, which are generated from the same table; a member without a
// demonstration fails, and vice versa.

import assert from "node:assert/strict";
import { test } from "node:test";

/** Kinds of documents by the file that demonstrates them; the rest belong to enforced-apis.mjs. */
const ELSEWHERE = { keys: ["session", "organisation", "access_definition"], policies: ["policy"], calls: ["batch_request", "webhook"] };

/**
 * Returns the enforced members that a file has to demonstrate. A type shared by several documents belongs to the first.
 */
async function enforced(gateway, subject) {
  const read = async (path) => (await gateway.admin("GET", path)).text;
  const { paths } = JSON.parse(await read("/openapi/gateway.json"));
  const roots = new Set(paths["/openapi/schemas/{root}.json"].get.parameters[0].schema.enum);
  const elsewhere = Object.values(ELSEWHERE).flat();
  assert.ok(roots.has("api_definition") && elsewhere.every((root) => roots.has(root)), [...roots].join());
  const subjects = { apis: [...roots].filter((root) => !elsewhere.includes(root)), ...ELSEWHERE };
  const [types, members] = [new Set(), []];
  for (const [owner, root] of Object.entries(subjects).flatMap(([owner, roots]) => roots.map((root) => [owner, root]))) {
    const { $defs } = JSON.parse(await read(`/openapi/schemas/${root}.json`));
    for (const { title, properties } of Object.values($defs).filter(({ title }) => !types.has(title))) {
      types.add(title);
      const marked = Object.entries(properties).filter(([, schema]) => schema["x-gatewright-support"] === "enforced");
      if (owner === subject) members.push(...marked.map(([name]) => `${title}.${name}`));
    }
  }
  return members;
}

/**
 * Runs demonstrations, by the titles of the types in the schemas and the names of their members. `gateway` is a
 * function that returns the running one. With `half` (0 or 1), half of them: two files then run at once, and neither
 * gateway has to load the APIs of all.
 */
export function demonstrate(subject, demonstrations, gateway, half) {
  const all = Object.entries(demonstrations).flatMap(([type, members]) => Object.entries(members).map(([name, run]) => [`${type}.${name}`, run]));
  const middle = Math.ceil(all.length / 2);
  const chosen = [all.slice(0, middle), all.slice(middle)][half] ?? all;
  for (const [member, run] of chosen) test(`${member} is enforced`, run);
  test("every member that the schemas call enforced is demonstrated, and no other", async () => {
    const shown = all.map(([member]) => member);
    assert.deepEqual(shown.sort(), (await enforced(gateway(), subject)).sort());
  });
}

/** Merges groups of demonstrations. Groups may share types, but no member is demonstrated twice. */
export function merged(groups) {
  const all = {};
  for (const [type, members] of groups.flatMap((group) => Object.entries(group))) {
    const known = (all[type] ??= {});
    const duplicates = Object.keys(members).filter((name) => name in known);
    assert.deepEqual(duplicates, [], `${type} is demonstrated twice`);
    Object.assign(known, members);
  }
  return all;
}

/**
 * Demonstrations of limits, wherever they appear. `answers(limit, times)` sends this many requests with a new key that
 * has the limit, one after another, and returns the responses.
 */
export function limits(answers) {
  const statuses = async (limit, times) => (await answers(limit, times)).map(({ status }) => status);
  const policy = async (limit) => (await answers(limit, 1))[0].headers["ratelimit-policy"];
  // Retried every quarter of a second, a request passes once the first one's second is over.
  const throttled = (limit) => statuses({ rate: 1, per: 1, throttle_interval: 0.25, throttle_retry_limit: 7, ...limit }, 2);
  const hour = 3600;
  return {
    async rate() {
      assert.deepEqual(await statuses({ rate: 1, per: hour }, 3), [200, 429, 429]);
      assert.deepEqual(await statuses({ rate: 2, per: hour }, 3), [200, 200, 429]);
    },
    async per() {
      assert.equal(await policy({ rate: 7, per: hour }), `"rate";q=7;w=${hour}`);
      assert.equal(await policy({ rate: 7, per: 60 }), '"rate";q=7;w=60');
    },
    async smoothing() {
      const smoothed = (smoothing) => statuses({ rate: 5, per: hour, smoothing }, 4);
      assert.deepEqual(await smoothed({ enabled: true, threshold: 1, trigger: 0, step: 1, delay: hour }), [200, 200, 429, 429]);
      assert.deepEqual(await smoothed(null), [200, 200, 200, 200]);
    },
    async throttle_interval() {
      assert.deepEqual(await throttled({}), [200, 200]);
      assert.deepEqual(await throttled({ throttle_interval: -1, per: hour }), [200, 429]);
    },
    async throttle_retry_limit() {
      assert.deepEqual(await throttled({}), [200, 200]);
      assert.deepEqual(await throttled({ throttle_retry_limit: 1, per: hour }), [200, 429]);
    },
    async quota_max() {
      assert.deepEqual(await statuses({ quota_max: 1, quota_renewal_rate: hour }, 2), [200, 403]);
      assert.deepEqual(await statuses({ quota_max: -1, quota_renewal_rate: hour }, 2), [200, 200]);
    },
    async quota_renewal_rate() {
      assert.equal(await policy({ quota_max: 7, quota_renewal_rate: hour }), `"quota";q=7;w=${hour}`);
      assert.equal(await policy({ quota_max: 7, quota_renewal_rate: 60 }), '"quota";q=7;w=60');
    },
  };
}
