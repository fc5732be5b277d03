// Carries out what the extra `auth` wishes for a proof (`extras/auth/src/wishes.rs`): a signature checked, a server
// asked, a certificate looked for. It decides nothing: the extra is called again with all that came of its wishes, until it reports.

import { publicKey } from "./certificates.js";
import { callExtra } from "./extras.js";
import { callAnswers } from "./glue.js";
import { getAnswer } from "./objects/answers.js";

/** No proof has more wishes than this. */
const MOST_WISHES = 64;
/** So many answers of servers, and so many keys, are kept in the isolate. */
const MOST_KEPT = 500;

/** What servers have answered, and keys as the platform has them. No promise is kept: each belongs to its request. */
const answers = new Map();
const keys = new Map();

function keep(map, name, value) {
  if (map.size >= MOST_KEPT) map.delete(map.keys().next().value);
  map.set(name, value);
}

/** The report about a credential, a text; undefined if there is none. `client` is the request that came in. */
export async function prove(env, client, [name, settings, facts]) {
  const given = [];
  while (given.length < MOST_WISHES) {
    const body = new TextEncoder().encode(JSON.stringify(given));
    const [report] = callExtra("auth", name, settings, facts, body) ?? [];
    if (!report) return undefined;
    if (report.startsWith('{"verify":')) given.push(await verify(JSON.parse(report).verify));
    else if (report.startsWith('{"fetch":')) given.push(await get(env, JSON.parse(report).fetch));
    else if (report.startsWith('{"certificate":')) given.push(await publicKey(env, JSON.parse(report).certificate));
    else if (report.startsWith('{"client":')) given.push(client.cf?.tlsClientAuth ?? null);
    else return report;
  }
  console.error(`proof: more than ${MOST_WISHES} wishes`);
  return undefined;
}

/** Whether a signature was made with a key. A key that can't be used has made none. */
async function verify({ import: algorithm, by, format, key, signature, signed }) {
  try {
    const name = JSON.stringify([algorithm, format, key]);
    let known = keys.get(name);
    if (known === undefined) {
      const material = format === "jwk" ? key : Uint8Array.fromBase64(key);
      known = await crypto.subtle.importKey(format, material, algorithm, false, ["verify"]);
      keep(keys, name, known);
    }
    const bytes = Uint8Array.fromBase64(signature, { alphabet: "base64url" });
    return await crypto.subtle.verify(by, known, bytes, new TextEncoder().encode(signed));
  } catch (error) {
    console.error("verify", error?.name);
    return false;
  }
}

/** What a server says, or has said no more than so many seconds ago: `{ status, body }`, status 0 for nothing. */
async function get(env, { of, url, form, seconds, since }) {
  // Nobody else has a use for what is said about one token and not kept.
  if (seconds === 0 && form) return getAnswer(env, { url, form });
  const name = `${of}\n${since}\n${url}\n${form}`;
  const near = answers.get(name);
  if (near !== undefined && Date.now() < near.at + seconds * 1000) return near;
  try {
    const answer = JSON.parse(await callAnswers(env, of, "get", JSON.stringify({ url, form, seconds, since })));
    if (answer.status >= 200 && answer.status < 300) keep(answers, name, answer);
    if (answer.error) console.error(`fetch for a proof: ${answer.error}`);
    return answer;
  } catch (error) {
    console.error("fetch for a proof", error);
    return { status: 0, body: "" };
  }
}
