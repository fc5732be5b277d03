// Grants the wishes of the extra `auth` for a proof (`extras/auth/src/wishes.rs`): a signature to check, a server to
// call, a certificate to look up. It decides nothing: the extra is called again with all results so far, until it
// reports. Only what it reports if a signature is right comes with the wish to verify it.

import { publicKey } from "./certificates.js";
import { callExtra } from "./extras.js";
import { callAnswers } from "./glue.js";
import { Responses } from "./kept.js";
import { getAnswer } from "./objects/answers.js";
import { verify } from "./verify.js";

/** A proof never needs more wishes than this. */
const MAX_WISHES = 64;

const responses = new Responses();

/**
 * Resolves to the report about a credential, a text; undefined if there is none. `client` is the request that arrived.
 */
export async function prove(env, client, [name, facts], settings) {
  const results = [];
  while (results.length < MAX_WISHES) {
    const body = new TextEncoder().encode(JSON.stringify(results));
    const [report] = callExtra("auth", name, settings, facts, body) ?? [];
    if (!report) return undefined;
    if (report.startsWith('{"verify":')) {
      const { verify: check, report: ifSigned } = JSON.parse(report);
      const isSigned = await verify(check);
      if (isSigned && ifSigned !== undefined) return ifSigned;
      results.push(isSigned);
    } else if (report.startsWith('{"fetch":')) results.push(await get(env, JSON.parse(report).fetch));
    else if (report.startsWith('{"certificate":')) results.push(await publicKey(env, JSON.parse(report).certificate));
    else if (report.startsWith('{"client":')) results.push(client.cf?.tlsClientAuth ?? null);
    else return report;
  }
  console.error(`proof: more than ${MAX_WISHES} wishes`);
  return undefined;
}

/**
 * Calls a server, or returns a response at most `seconds` old: `{ status, body }`, with status 0 if the call failed.
 * Promises are not cached: each belongs to its request.
 */
async function get(env, { of, url, form, seconds, since }) {
  // An uncached response about a single token is of no use to other isolates.
  if (seconds === 0 && form) return getAnswer(env, { url, form });
  const name = `${of}\n${since}\n${url}\n${form}`;
  const answers = responses.to(form);
  const cached = answers.get(name);
  if (cached !== undefined && Date.now() < cached.at + seconds * 1000) return cached;
  try {
    const answer = JSON.parse(await callAnswers(env, of, "get", JSON.stringify({ url, form, seconds, since })));
    if (answer.status >= 200 && answer.status < 300) answers.put(name, answer, answer.body.length);
    if (answer.error) console.error(`fetch for a proof: ${answer.error}`);
    return answer;
  } catch (error) {
    console.error("fetch for a proof", error);
    return { status: 0, body: "" };
  }
}
