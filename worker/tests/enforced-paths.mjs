// Demonstrations of what the support table calls enforced: rules for single paths. Run by enforced-apis.mjs.

import assert from "node:assert/strict";
import { extended, version } from "./enforced-stage.mjs";
import { rights } from "./keyring.mjs";
import { values } from "./upstream.mjs";

const [FITS, ELSE, OFF] = ["fits", "else", "off"];

/**
 * Lists by their names: the `type` of their rows if the list demonstrates it, members of such a row, and whether the
 * response shows that it acted (`acts`). `method` is that of the row, `other` one that it doesn't apply to.
 */
const LISTS = {
  black_list: { type: "EndPointMeta", acts: refused },
  internal: { type: "InternalMeta", acts: refused },
  method_transforms: { type: "MethodTransformMeta", row: { to_method: "PATCH" }, acts: ({ json }) => json.method === "PATCH" },
  mock_response: { type: "MockResponseMeta", row: { code: 201 }, acts: ({ status }) => status === 201 },
  size_limits: { type: "RequestSizeMeta", row: { size_limit: 3 }, method: "POST", other: "PUT", body: "four", acts: ({ status }) => status === 400 },
  transform: {
    type: "TemplateMeta",
    row: template('{"own":{{ .n }}}'),
    method: "POST",
    other: "PUT",
    body: '{"n":1}',
    acts: ({ json }) => json.body === '{"own":1}',
  },
  transform_response: { row: template('{"own":"{{ .method }}"}'), acts: ({ json }) => json.own === "GET" },
  transform_jq: {
    type: "TransformJQMeta",
    row: { filter: '{body: (.body + {own: 1})}' },
    method: "POST",
    other: "PUT",
    body: "{}",
    acts: ({ json }) => json.body === '{"own":1}',
  },
  transform_jq_response: { row: { filter: "{body: {own: .body.method}}" }, acts: ({ json }) => json.own === "GET" },
  transform_headers: { type: "HeaderInjectionMeta", row: { add_headers: { "X-Own": "1" } }, acts: ({ json }) => values(json, "x-own")[0] === "1" },
  transform_response_headers: { row: { add_headers: { "X-Own": "1" } }, acts: ({ headers }) => headers["x-own"] === "1" },
  validate_json: {
    type: "ValidatePathMeta",
    row: { schema: { type: "object" } },
    method: "POST",
    other: "PUT",
    body: "[]",
    acts: ({ status }) => status === 422,
  },
  url_rewrites: { type: "URLRewriteMeta", row: { match_pattern: ".*", rewrite_to: "/new" }, acts: ({ json }) => json.url === "/up/new" },
};

function template(text, more) {
  return { template_data: { template_mode: "blob", template_source: btoa(text), input_type: "json", ...more } };
}

/** What schemas may be, and how their refusals respond. */
function schemas({ loaded, call }) {
  const sent = async (row, body) => {
    const definition = await loaded(extended({ validate_json: [{ path: `/${FITS}`, method: "POST", ...row }] }));
    return (await call(definition, FITS, { method: "POST", body })).status;
  };
  const [list, object] = [{ type: "array" }, { type: "object" }];
  return {
    ValidatePathMeta: {
      schema: async () => assert.deepEqual([await sent({ schema: list }, "[]"), await sent({ schema: object }, "[]")], [200, 422]),
      async schema_b64() {
        const row = (schema) => ({ schema_b64: btoa(JSON.stringify(schema)) });
        assert.deepEqual([await sent(row(list), "[]"), await sent(row(object), "[]")], [200, 422]);
      },
      async error_response_code() {
        const row = (error_response_code) => ({ schema: object, error_response_code });
        assert.deepEqual([await sent(row(400), "[]"), await sent(row(0), "[]")], [400, 422]);
      },
    },
  };
}

/** What templates are and can read. */
function templates({ loaded, call, keys }) {
  const sent = async (row, body) => {
    const definition = await loaded(extended({ transform: [{ path: `/${FITS}`, method: "POST", ...row }] }));
    return (await call(definition, FITS, { method: "POST", body })).json.body;
  };
  /** Returns a template's output for the metadata of a key. */
  const planned = async (enable_session) => {
    const transform = [{ path: `/${FITS}`, method: "POST", ...template("<{{ ._gateway_meta.plan }}>", { enable_session }) }];
    const definition = await loaded({ use_keyless: false, ...extended({ transform }) });
    const { key } = await keys.issue({ access_rights: rights(definition), meta_data: { plan: "gold" } });
    return (await keys.call(key, definition, { rest: FITS, method: "POST", body: "{}" })).json.body;
  };
  const source = async () => assert.equal(await sent(template("<{{ .n }}>"), '{"n":1}'), "<1>");
  return {
    TemplateMeta: { template_data: source },
    TemplateData: {
      template_source: source,
      template_mode: async () => assert.equal(await sent(template("<{{ .n }}>", { template_mode: "file" }), '{"n":1}'), '{"n":1}'),
      enable_session: async () => assert.deepEqual([await planned(true), await planned(false)], ["<gold>", "<<no value>>"]),
      input_type: async () => assert.equal(await sent(template("<{{ .n }}>", { input_type: "xml" }), "<n>2</n>"), "<2>"),
    },
  };
}

function refused({ status }) {
  return status === 403;
}

/** The demonstrations of a list, and of the members that its rows share with others. */
function ofList({ once, bare, call }, name, { type, row, method = "GET", other = "POST", body, acts }) {
  const rows = [{ path: `/${FITS}`, method, ...row }, { path: `/${OFF}`, method, disabled: true, ...row }];
  const api = once(extended({ [name]: rows }));
  const shows = async (definition, path, by = method) => acts(await call(definition, path, { method: by, body }));
  const common = {
    path: async () => assert.deepEqual([await shows(await api(), FITS), await shows(await api(), ELSE)], [true, false]),
    method: async () => assert.deepEqual([await shows(await api(), FITS), await shows(await api(), FITS, other)], [true, false]),
    disabled: async () => assert.deepEqual([await shows(await api(), FITS), await shows(await api(), OFF)], [true, false]),
    // A row's effect is what its list shows.
    ...(row?.filter && { filter: async () => assert.ok(await shows(await api(), FITS)) }),
  };
  if (row?.filter) delete common.disabled;
  const list = { [name]: async () => assert.deepEqual([await shows(await api(), FITS), await shows(await bare(), FITS)], [true, false]) };
  return { ExtendedPathsSet: list, ...(type && { [type]: common }) };
}

/** Lists that open paths. */
function opening({ loaded, call }) {
  const row = { path: `/${FITS}`, method: "GET" };
  return {
    async white_list() {
      const definition = await loaded(extended({ white_list: [row] }));
      assert.deepEqual([(await call(definition, FITS)).status, (await call(definition, ELSE)).status], [200, 403]);
    },
    async ignored() {
      const definition = await loaded({ use_keyless: false, ...extended({ ignored: [row] }) });
      assert.deepEqual([(await call(definition, FITS)).status, (await call(definition, ELSE)).status], [200, 401]);
    },
  };
}

/** Letter case, and actions for methods. */
function endpoints({ once, call }) {
  const reply = (members) => ({ POST: { action: "reply", ...members } });
  const api = once(
    extended({
      black_list: [
        { path: "/any-case", ignore_case: true },
        { path: "/one-case", ignore_case: false },
        { path: "/answers", method_actions: reply({ code: 201, data: "own", headers: { "X-Own": "1" } }) },
        { path: "/plain", method_actions: reply({ code: 202 }) },
        { path: "/closed", method_actions: { POST: { action: "no_action", code: 201 } } },
      ],
    }),
  );
  const post = async (path) => call(await api(), path, { method: "POST" });
  return {
    EndPointMeta: {
      async ignore_case() {
        assert.deepEqual([(await post("ANY-CASE")).status, (await post("ONE-CASE")).status], [403, 200]);
      },
      async method_actions() {
        assert.deepEqual([(await post("closed")).status, (await call(await api(), "closed")).status], [403, 200]);
      },
    },
    EndpointMethodMeta: {
      async action() {
        assert.deepEqual([(await post("answers")).status, (await post("closed")).status], [201, 403]);
      },
      async code() {
        assert.deepEqual([(await post("answers")).status, (await post("plain")).status], [201, 202]);
      },
      async data() {
        assert.deepEqual([(await post("answers")).text, (await post("plain")).text], ["own", ""]);
      },
      async headers() {
        assert.deepEqual([(await post("answers")).headers["x-own"], (await post("plain")).headers["x-own"]], ["1", undefined]);
      },
    },
  };
}

function mocks({ once, call }) {
  const row = (path, members) => ({ path: `/${path}`, method: "GET", ...members });
  const rows = [
    row("answers", { code: 201, body: "own", headers: { "X-Own": "1" } }),
    row("plain", { code: 202, body: "", headers: {} }),
    row("any-case", { code: 201, ignore_case: true }),
    row("one-case", { code: 201, ignore_case: false }),
  ];
  const api = once(extended({ mock_response: rows }));
  const get = async (path) => call(await api(), path);
  return {
    MockResponseMeta: {
      async ignore_case() {
        assert.deepEqual([(await get("ANY-CASE")).status, (await get("ONE-CASE")).status], [201, 200]);
      },
      async code() {
        assert.deepEqual([(await get("answers")).status, (await get("plain")).status], [201, 202]);
      },
      async body() {
        assert.deepEqual([(await get("answers")).text, (await get("plain")).text], ["own", ""]);
      },
      async headers() {
        assert.deepEqual([(await get("answers")).headers["x-own"], (await get("plain")).headers["x-own"]], ["1", undefined]);
      },
    },
  };
}

/** Members that only rows of one list have, besides path and method. */
function own({ once, call }) {
  const rows = {
    method_transforms: ["PUT", "DELETE"].map((to_method) => ({ path: `/to-${to_method}`, method: "GET", to_method })),
    size_limits: [3, 4].map((size_limit) => ({ path: `/size-${size_limit}`, method: "POST", size_limit })),
    transform_headers: [
      { path: "/adds", method: "GET", add_headers: { "X-Own": "1" } },
      { path: "/deletes", method: "GET", delete_headers: ["X-Own"] },
    ],
  };
  const api = once(extended(rows));
  const echo = async (path, headers) => (await call(await api(), path, { headers })).json;
  const status = async (path) => (await call(await api(), path, { method: "POST", body: "four" })).status;
  const theirs = { "X-Own": "theirs" };
  return {
    MethodTransformMeta: {
      async to_method() {
        assert.deepEqual([(await echo("to-PUT")).method, (await echo("to-DELETE")).method], ["PUT", "DELETE"]);
      },
    },
    RequestSizeMeta: {
      async size_limit() {
        assert.deepEqual([await status("size-3"), await status("size-4")], [400, 200]);
      },
    },
    HeaderInjectionMeta: {
      async add_headers() {
        assert.deepEqual([values(await echo("adds"), "x-own"), values(await echo(ELSE), "x-own")], [["1"], []]);
      },
      async delete_headers() {
        assert.deepEqual([values(await echo("deletes", theirs), "x-own"), values(await echo(ELSE, theirs), "x-own")], [[], ["theirs"]]);
      },
    },
  };
}

/** Time limits: a request without one is released after a later one was given up. */
function timeouts({ once, bare, patient, impatient }) {
  const row = (path, members) => ({ path: `/${path}`, method: "GET", ...members });
  const rows = (members) => once(extended({ hard_timeouts: [row("held", members)] }));
  const [limited, off, unlimited, seconds] = [{ duration: "100ms" }, { duration: "100ms", disabled: true }, { timeout: 0 }, { timeout: 1 }].map(rows);
  const given = async () => assert.equal(await impatient(await limited(), "held"), 504);
  return {
    ExtendedPathsSet: {
      async hard_timeouts() {
        await given();
        assert.equal(await patient(await bare(), "held"), 200);
      },
    },
    HardTimeoutMeta: {
      async path() {
        await given();
        assert.equal(await patient(await limited(), "waits"), 200);
      },
      async method() {
        await given();
        assert.equal(await patient(await limited(), "held", { method: "POST" }), 200);
      },
      async disabled() {
        await given();
        assert.equal(await patient(await off(), "held"), 200);
      },
      async timeout() {
        assert.equal(await impatient(await seconds(), "held"), 504);
        assert.equal(await patient(await unlimited(), "held"), 200);
      },
      async duration() {
        await given();
        assert.equal(await patient(await seconds(), "held"), 200);
      },
    },
  };
}

/** Rates: each request is sent twice. */
function rates({ once, bare, call }) {
  const row = (path, members) => ({ path: `/${path}`, method: "GET", rate: 1, per: 3600, ...members });
  const rows = [row("one"), row("two", { rate: 2 }), row("minute", { per: 60 }), row("off", { disabled: true })];
  const api = once(extended({ rate_limit: rows }));
  const twice = async (definition, path, method = "GET") => {
    await call(definition, path, { method });
    return call(definition, path, { method });
  };
  const status = async (...of) => (await twice(...of)).status;
  const wait = async (path) => Number((await twice(await api(), path)).headers["retry-after"]);
  const one = async () => status(await api(), "one");
  return {
    ExtendedPathsSet: { rate_limit: async () => assert.deepEqual([await one(), await status(await bare(), "one")], [429, 200]) },
    RateLimitMeta: {
      path: async () => assert.deepEqual([await one(), await status(await api(), "else")], [429, 200]),
      method: async () => assert.deepEqual([await one(), await status(await api(), "one", "POST")], [429, 200]),
      disabled: async () => assert.deepEqual([await one(), await status(await api(), "off")], [429, 200]),
      rate: async () => assert.deepEqual([await one(), await status(await api(), "two")], [429, 200]),
      async per() {
        assert.ok((await wait("one")) > 600);
        assert.ok((await wait("minute")) < 600);
      },
    },
  };
}

/** The simple lists, which apply only without the extended ones. */
function simple({ loaded, call }) {
  const statuses = async (paths, members) => {
    const definition = await loaded({ ...members, ...version({ use_extended_paths: false, paths }) });
    return [(await call(definition, FITS)).status, (await call(definition, ELSE)).status];
  };
  return {
    "VersionInfo.paths": {
      black_list: async () => assert.deepEqual(await statuses({ black_list: [`/${FITS}`] }), [403, 200]),
      white_list: async () => assert.deepEqual(await statuses({ white_list: [`/${FITS}`] }), [200, 403]),
      ignored: async () => assert.deepEqual(await statuses({ ignored: [`/${FITS}`] }, { use_keyless: false }), [200, 401]),
    },
  };
}

/** The demonstrations on a stage, in groups that may share types. */
export const paths = (stage) => [
  ...Object.entries(LISTS).map(([name, list]) => ofList(stage, name, list)),
  { ExtendedPathsSet: opening(stage) },
  endpoints(stage),
  mocks(stage),
  own(stage),
  timeouts(stage),
  rates(stage),
  simple(stage),
  templates(stage),
  schemas(stage),
];
