// Keys for tests: issued by the administration, and sent with requests.

import { send } from "./http.mjs";

/** Returns access rights to APIs, from their definitions; `members` go into each. */
export const rights = (definitions, members = {}) =>
  Object.fromEntries([definitions].flat().map(({ api_id }) => [api_id, { api_id, ...members }]));

const GONE_WITHIN_MS = 20_000;
const POLL_MS = 20;

/** Returns what tests do with keys; `gateway` is a function that returns the running one. */
export function keyring(gateway) {
  /** Calls the administration below /gateway/. */
  const admin = (method, path, body, query) => gateway().admin(method, `/gateway/${path}`, { body, query });

  /** Stores a session under a new key: `{ key, key_hash, … }`. */
  async function issue(session) {
    const made = await admin("POST", "keys", session);
    if (made.status !== 200) throw new Error(made.text);
    return made.json;
  }

  /** Reads the session of a key. */
  const stored = async ({ key_hash }) => (await admin("GET", `keys/${key_hash}`)).json;

  /** Sends a request to an API, to `rest` below its listen path; without a token if that is undefined. */
  const call = (token, definition, { rest = "x", headers, ...options } = {}) => {
    const credential = token === undefined ? {} : { Authorization: token };
    return send(gateway().ports.gateway, { path: definition.proxy.listen_path + rest, ...options, headers: { ...credential, ...headers } });
  };

  /** Returns the responses to several requests, sent one after another. */
  async function calls(token, definition, times, options) {
    const answers = [];
    for (let sent = 0; sent < times; sent += 1) answers.push(await call(token, definition, options));
    return answers;
  }

  /** Returns the statuses of such responses. */
  const statuses = async (...of) => (await calls(...of)).map(({ status }) => status);

  /** Waits until a key is gone. */
  async function waitUntilGone({ key_hash }) {
    const deadline = Date.now() + GONE_WITHIN_MS;
    while ((await admin("GET", `keys/${key_hash}`)).status !== 404) {
      if (Date.now() > deadline) throw new Error(`${key_hash} is still there`);
      await new Promise((resume) => setTimeout(resume, POLL_MS));
    }
  }

  /** Asserts that a key disappears by itself while another one, created before it, still exists. */
  async function outlived(short, long) {
    await waitUntilGone(short);
    const { status, text } = await admin("GET", `keys/${long.key_hash}`);
    if (status !== 200) throw new Error(text);
  }

  return { waitUntilGone, outlived, admin, issue, stored, call, calls, statuses };
}
