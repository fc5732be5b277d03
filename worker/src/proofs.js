// Carries out what the extra `auth` wishes for a proof (`extras/auth/src/wishes.rs`): a signature checked, a server
// asked, a certificate looked for. It decides nothing: the extra is called again with all that came of its wishes, until it reports.

import { publicKey } from "./certificates.js";
import { callExtra } from "./extras.js";
import { callAnswers } from "./glue.js";
import { keep } from "./kept.js";
import { getAnswer } from "./objects/answers.js";
import { verify } from "./verify.js";

/** No proof has more wishes than this. */
const MOST_WISHES = 64;

/** What servers have answered. No promise is kept: each belongs to its request. */
const answers = new Map();

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
