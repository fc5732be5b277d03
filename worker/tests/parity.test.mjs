// The third runtime of the shared cases. Natively (crates/model/tests/cases.rs) and in a browser (…/browser.rs) they
// call the model's functions; here every case goes through the running worker, and the response has to equal the
// expected result byte for byte.
//
// Functions that the worker doesn't contain, because only an editor needs them, are left out: see EDITOR.

import assert from "node:assert/strict";
import http from "node:http";
import { after, before, describe, test } from "node:test";
import { CASES, rootOf } from "./cases.mjs";
import { start } from "./harness.mjs";

const AT_ONCE = 16;
/** Functions of the console's editor and import page; none of them returns issues. */
const EDITOR = ["complete", "fixes", "hover", "lines", "remove", "set", "update_definition"];

const agent = new http.Agent({ keepAlive: true, maxSockets: AT_ONCE });
let gateway;
before(async () => (gateway = await start()));
after(async () => {
  agent.destroy();
  await gateway.stop();
});

const of = (...runs) => CASES.filter(({ run }) => runs.includes(run));
const post = (path, options) => gateway.admin("POST", path, { agent, ...options });
/** Serialises JSON as the gateway does. */
const line = (value) => `${JSON.stringify(value)}\n`;

/** Runs cases, several at once, and reports all failures together. */
async function all(cases, run) {
  const failed = [];
  const waiting = [...cases];
  const worker = async () => {
    for (let one = waiting.shift(); one; one = waiting.shift()) {
      await run(one).catch((error) => failed.push(`${one.name}: ${error.message}`));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  assert.equal(failed.length, 0, `${failed.length} failed\n${failed.slice(0, 5).join("\n")}`);
}

/** Asserts status and body, byte for byte. */
function assertAnswer(answer, status, text) {
  assert.equal(answer.text, text);
  assert.equal(answer.status, status);
}

/** Asserts a refusal with exactly these issues, and with this message if one is given. */
function assertRefusal(answer, issues, message, status = 400) {
  const { request_id: id, message: sent } = answer.json;
  const expected = { status: "error", message: message ?? sent, issues, request_id: id };
  assertAnswer(answer, status, line(expected));
}

test("every function of the cases is either checked here or only used by the editor", () => {
  const here = ["apply", "changes", "check", "import", "merge", "merge_patch", "unservable", "validate"];
  const found = [...new Set(CASES.map(({ run }) => run))].sort();
  assert.deepEqual(found, [...here, ...EDITOR].sort());
  assert.ok(of(...EDITOR).every(({ expect }) => expect.issues === undefined));
  assert.ok(CASES.length - of(...EDITOR).length > 2200);
});

describe("POST /gateway/apis?dry_run=true", () => {
  test("reports the issues of every case of an API definition", async () => {
    let answered = 0;
    await all(of("validate"), async ({ input, expect: { issues } }) => {
      const answer = await post("/gateway/apis", { query: { dry_run: "true" }, body: input });
      const errors = issues.filter(({ severity }) => severity === "error");
      // A path of the gateway's own is a conflict (specification, *Errors*) if nothing else is wrong.
      const isConflict = errors.every(({ code, pointer }) => code === "conflict" && pointer === "/proxy/listen_path");
      if (errors.length > 0) return assertRefusal(answer, issues, undefined, isConflict ? 409 : 400);
      const { key } = answer.json;
      // Only the gateway knows which webhooks, certificates and APIs exist, and only the modules that run filters and
      // templates know what these mean.
      const isLost = ({ code, pointer, message }) =>
        code === "conflict" && (/\/handler_meta\/id$|certificate/.test(pointer) || message.startsWith("no stored API has the id "));
      const isRead = ({ code, message }) => code === "format" && /^the (filter|template) is wrong in line /.test(message);
      const lost = (answer.json.issues ?? []).filter((issue) => isLost(issue) || isRead(issue));
      const all = [...issues, ...lost].sort((a, b) => a.line - b.line || a.column - b.column);
      const warnings = all.length > 0 ? { issues: all } : {};
      assertAnswer(answer, 200, line({ key, status: "ok", action: "added", ...warnings, dry_run: true }));
      answered += 1;
    });
    assert.ok(answered > 900, `${answered}`);
  });
});

describe("POST /gateway/validate/{root}", () => {
  test("reports the issues of every case of every kind of document", async () => {
    await all(of("validate", "check"), async (one) => {
      const answer = await post(`/gateway/validate/${rootOf(one)}`, { body: one.input });
      const { issues } = one.expect;
      // A kind that doesn't exist, to show that the cases name the ones that do.
      if (!issues) return assert.equal(answer.status, 404);
      const status = issues.some(({ severity }) => severity === "error") ? "error" : "ok";
      assertAnswer(answer, 200, line({ status, issues }));
    });
  });
});

test("a reload skips APIs that would be served unprotected, with the issues of every such case", async () => {
  // They share a listen path, so they take turns. Those whose members the operator allows need another gateway.
  for (const { name, input, expect } of of("unservable").filter(({ allowed }) => allowed === undefined)) {
    const stored = await post("/gateway/apis", { body: input });
    assert.equal(stored.status, 200, name);
    await gateway.admin("GET", "/gateway/reload", { query: { block: "true" }, agent });
    const { text, json } = await gateway.admin("GET", "/gateway/reload/status", { agent });
    assert.equal(json.skipped.length, expect.issues.length > 0 ? 1 : 0, name);
    if (expect.issues.length > 0) assert.ok(text.includes(`"issues":${JSON.stringify(expect.issues)}}`), `${name}: ${text}`);
    await gateway.admin("DELETE", `/gateway/apis/${stored.json.key}`, { agent });
  }
});

/** Adds a member in front of a JSON object's others, whose bytes stay, unless the object has that member. */
function within(text, name, value) {
  if (text.includes(`"${name}":`)) return text;
  const [, open, rest] = /^(\s*\{)([^]*)$/.exec(text);
  return `${open}${JSON.stringify(name)}:${JSON.stringify(value)}${rest.trim() === "}" ? "" : ","}${rest}`;
}

/** Cases whose session or policy is refused before policies are applied. */
const REFUSED = ["a session that is no object", "a session that is no JSON", "a policy that is no JSON", "values of another type count as absent"];

/** Members that a session shows only if no policy produced it, and unknown ones. */
const NOT_SHOWN = ["api_id", "api_name", "unknown", "mine", "own", "both", "future", "conditions"];

/** Orders endpoints and their methods, as those of several policies are shown; other lists keep their order. */
const byName = (one, other) => {
  const [name, than] = [one, other].map(({ path = "", name = "" }) => `${path}${name}`);
  return Number(name > than) - Number(name < than);
};

/**
 * Returns a value as keys are shown: without empty members, except for an API's rights, and without members that are
 * never shown.
 */
function shown(value, isRight = false) {
  if (Array.isArray(value)) return value.length > 0 ? value.map((item) => shown(item) ?? item).toSorted(byName) : undefined;
  if (value === null || typeof value !== "object") return value || undefined;
  const members = Object.entries(value).filter(([name]) => !NOT_SHOWN.includes(name));
  const left = members.map(([name, member]) => [name, name === "access_rights" ? rights(member) : shown(member)]).filter(([, member]) => member !== undefined);
  return left.length > 0 || isRight ? Object.fromEntries(left) : undefined;
}

const rights = (value) => Object.fromEntries(Object.entries(value ?? {}).map(([id, right]) => [id, shown(right, true)]));

test("POST /gateway/keys/preview matches every policy case", async () => {
  const cases = of("apply");
  assert.ok(REFUSED.every((comment) => cases.some((one) => one.comment === comment)));
  // The policies of the cases share their ids, so they take turns.
  for (const { name, input, policies, expect } of cases.filter(({ comment }) => !REFUSED.includes(comment))) {
    const ids = policies.map(([id]) => id);
    const stored = new Map(policies.filter(([, text]) => text !== null));
    for (const [id, text] of stored) {
      const answer = await post("/gateway/policies", { body: within(text, "id", id) });
      assert.equal(answer.status, 200, `${name}: ${answer.text}`);
    }
    const named = (text) => (ids.length > 0 ? within(text, "apply_policies", ids) : text);
    const answer = await post("/gateway/keys/preview", { body: named(input) });
    assert.equal(answer.status, 200, name);
    // The result is shown as keys are. Of policies that can't be applied, some limits and data may be in it, but no
    // rights.
    const compared = ({ access_rights, apply_policies, ...rest } = {}) => (expect.error ? { access_rights, apply_policies } : { access_rights, apply_policies, ...rest });
    const wanted = compared(shown(JSON.parse(named(expect.error ? input : expect.text))));
    const found = compared(shown(answer.json));
    // Every preview has the times of a new key.
    for (const time of ["date_created", "last_updated"]) if (wanted[time] === undefined) delete found[time];
    assert.deepEqual(found, wanted, name);
    for (const id of stored.keys()) await gateway.admin("DELETE", `/gateway/policies/${id}`, { agent });
  }
});

test("POST /gateway/merge matches every merge case", async () => {
  await all(of("merge"), async ({ input, patch, expect }) => {
    const answer = await post("/gateway/merge", { body: { target: input, patch } });
    if (expect.target) return assertRefusal(answer, expect.target, "The target is no JSON");
    if (expect.patch) return assertRefusal(answer, expect.patch, "The patch is no JSON");
    assertAnswer(answer, 200, line({ status: "ok", text: expect.text }));
  });
});

test("POST /gateway/diff matches every merge patch and list of changes", async () => {
  await all(of("merge_patch", "changes"), async ({ input, after: next, expect }) => {
    const answer = await post("/gateway/diff", { body: { before: input, after: next } });
    if (expect.issues) return assertRefusal(answer, expect.issues);
    if (expect.error) return assertRefusal(answer, answer.json.issues, expect.error);
    assert.equal(answer.status, 200);
    // One response has the results of two functions, a case that of one.
    const { status, changes, patch, null_at: at } = answer.json;
    const byKind = { changes: JSON.stringify({ changes }), text: JSON.stringify({ text: patch }), null: JSON.stringify({ null: at }) };
    assert.equal(byKind[Object.keys(expect)[0]], JSON.stringify(expect));
    const rest = { status, ...(patch === undefined ? {} : { patch }), ...(at === undefined ? {} : { null_at: at }), changes };
    assert.equal(answer.text, line(rest));
  });
});

test("POST /gateway/openapi/import matches every definition and its report", async () => {
  await all(of("import"), async ({ input, options = {}, expect }) => {
    const answer = await post("/gateway/openapi/import", { query: options, body: input });
    if (expect.issues) return assertRefusal(answer, expect.issues, "Request malformed");
    const { definition, report, summary } = expect;
    const rest = `"report":${JSON.stringify(report)},"summary":${JSON.stringify(summary)}}\n`;
    assertAnswer(answer, 200, `{"status":"ok","definition":${definition.trimEnd()},${rest}`);
  });
});
