// Demonstrations of what the support table calls enforced: responses that replace errors. Run by enforced-apis.mjs.

import assert from "node:assert/strict";
import { BROKEN } from "./enforced-stage.mjs";

const STATUS = 202;

export function errors({ loaded, call }) {
  /** Returns the response to a request without a key, under this rule. */
  const refused = async (rule, members) => {
    const error_overrides = rule && { 401: [rule] };
    return call(await loaded({ use_keyless: false, error_overrides, ...members }));
  };
  /** Returns the status of an error of the gateway, and of one of the upstream, under this condition. */
  const own = async (match) => (await refused({ match, response: { status_code: STATUS } })).status;
  const theirs = async (match) => {
    const error_overrides = { [BROKEN.status]: [{ match, response: { status_code: STATUS } }] };
    return (await call(await loaded({ error_overrides }), "broken")).status;
  };
  const answered = (response) => refused({ response });
  const accepted = { response: { status_code: STATUS } };

  const ApiDefinition = {
    async error_overrides() {
      assert.deepEqual([(await refused(accepted)).status, (await refused()).status], [STATUS, 401]);
    },
    async error_overrides_disabled() {
      const off = await refused(accepted, { error_overrides_disabled: true });
      assert.deepEqual([(await refused(accepted)).status, off.status], [STATUS, 401]);
    },
  };
  const ErrorOverride = {
    async match() {
      assert.deepEqual([await own({ flag: "AMF" }), await own({ flag: "QEX" }), await own()], [STATUS, 401, STATUS]);
    },
    async response() {
      assert.deepEqual([(await answered({ body: "one" })).text, (await answered({ body: "two" })).text], ["one", "two"]);
    },
  };
  const ErrorMatcher = {
    async flag() {
      assert.deepEqual([await own({ flag: "AMF" }), await own({ flag: "AKI" })], [STATUS, 401]);
    },
    async message_pattern() {
      const patterns = ["field missing$", "^missing"].map((message_pattern) => ({ message_pattern }));
      assert.deepEqual([await own(patterns[0]), await own(patterns[1])], [STATUS, 401]);
    },
    async body_field() {
      const fields = ["code", "text"].map((body_field) => ({ body_field, body_value: "^DB$" }));
      assert.deepEqual([await theirs(fields[0]), await theirs(fields[1])], [STATUS, BROKEN.status]);
    },
    async body_value() {
      const values = ["^DB$", "^XY$"].map((body_value) => ({ body_field: "code", body_value }));
      assert.deepEqual([await theirs(values[0]), await theirs(values[1])], [STATUS, BROKEN.status]);
    },
  };
  const ErrorResponse = {
    async status_code() {
      assert.deepEqual([(await answered({ status_code: STATUS })).status, (await answered({ status_code: 0, body: "own" })).status], [STATUS, 401]);
    },
    async headers() {
      const header = async (headers) => (await answered({ body: "own", headers })).headers["x-own"];
      assert.deepEqual([await header({ "X-Own": "1" }), await header({})], ["1", undefined]);
    },
    async body() {
      assert.deepEqual([(await answered({ body: "{{.StatusCode}} own" })).text, (await answered({})).json.error], ["401 own", "Authorization field missing"]);
    },
    async message() {
      assert.deepEqual([(await answered({ message: "own" })).json.error, (await answered({})).json.error], ["own", "Authorization field missing"]);
    },
  };
  return [{ ApiDefinition, ErrorOverride, ErrorMatcher, ErrorResponse }];
}
