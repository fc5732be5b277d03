// Grants the wishes of the extra `auth` for a proof (`extras/auth/src/wishes.rs`): a signature to check, a server to
// call, a certificate to look up. It decides nothing: the extra is called again with all results so far, until it
// reports. Only what it reports if a signature is right comes with the wish to verify it.

import { publicKey } from "./certificates.js";
import { callExtra } from "./extras.js";
import { callAnswers } from "./glue.js";
import { Kept, Responses } from "./kept.js";
import { getAnswer } from "./objects/answers.js";
import { verify } from "./verify.js";

/** A proof never needs more wishes than this. */
const MAX_WISHES = 64;

const responses = new Responses();

/**
 * The first wish of the latest proof with some settings, if it was to fetch something. The next proof with them, which
 * is likely to have the same one, gets a response that may still be used along with the question: one call less.
 */
const firstFetches = new Kept();

const encoder = new TextEncoder();

/** An empty list. */
const NOTHING = encoder.encode("[]");

/**
 * Resolves to the report about a credential, a text; undefined if there is none. `client` is the request that arrived.
 */
export async function prove(env, client, [name, facts], settings) {
  const results = [];
  const ahead = ofFirst(settings);
  while (results.length < MAX_WISHES) {
    const given = results.length === 0 ? (ahead?.alone ?? NOTHING) : listed(ahead, results);
    const [report, signature, signed, ifSigned] = callExtra("auth", name, settings, facts, given) ?? [];
    if (!report) return undefined;
    if (signature !== undefined) {
      const isSigned = await verify(report, signature, signed);
      if (isSigned && ifSigned !== undefined) return ifSigned;
      results.push(isSigned);
    } else if (report.startsWith('{"fetch":')) {
      const { fetch } = JSON.parse(report);
      if (results.length === 0 && !fetch.form) firstFetches.put(settings, { fetch });
      results.push(await get(env, fetch));
    } else if (report.startsWith('{"certificate":')) results.push(await publicKey(env, JSON.parse(report).certificate));
    else if (report.startsWith('{"client":')) results.push(client.cf?.tlsClientAuth ?? null);
    else return report;
  }
  console.error(`proof: more than ${MAX_WISHES} wishes`);
  return undefined;
}

/** Returns the results of the wishes so far as a list in JSON, after the response to the first one, if there is one. */
function listed(ahead, results) {
  const texts = results.map((result) => JSON.stringify(result));
  if (ahead !== undefined) texts.unshift(ahead.text);
  return encoder.encode(`[${texts.join(",")}]`);
}

/**
 * Returns the response to the first wish with these settings, if there is one that may be used: as JSON in `text`, and in
 * `alone` as a list of only this.
 */
function ofFirst(settings) {
  const first = firstFetches.get(settings);
  const response = first && cachedResponse(first.fetch);
  if (response === undefined) return undefined;
  if (response === first.response) return first;
  const { fetch } = first;
  const text = JSON.stringify({ ...response, to: fetch });
  // A new object, because a proof that has begun goes on with the response it began with.
  const fresh = { fetch, response, text, alone: encoder.encode(`[${text}]`) };
  firstFetches.put(settings, fresh, 2 * text.length);
  return fresh;
}

/** The name of a response in the cache. */
const nameOf = ({ of, url, form, since }) => `${of}\n${since}\n${url}\n${form}`;

/** Returns a response at most `seconds` old; undefined if there is none. */
function cachedResponse(fetch) {
  const cached = responses.to(fetch.form).get(nameOf(fetch));
  return cached !== undefined && Date.now() < cached.at + fetch.seconds * 1000 ? cached : undefined;
}

/**
 * Calls a server, or returns a response at most `seconds` old: `{ status, body }`, with status 0 if the call failed.
 * Promises are not cached: each belongs to its request.
 */
async function get(env, fetch) {
  const { of, url, form, seconds, since } = fetch;
  // An uncached response about a single token is of no use to other isolates.
  if (seconds === 0 && form) return getAnswer(env, { url, form });
  const cached = cachedResponse(fetch);
  if (cached !== undefined) return cached;
  try {
    const answer = JSON.parse(await callAnswers(env, of, "get", JSON.stringify({ url, form, seconds, since })));
    if (answer.status >= 200 && answer.status < 300) responses.to(form).put(nameOf(fetch), answer, answer.body.length);
    if (answer.error) console.error(`fetch for a proof: ${answer.error}`);
    return answer;
  } catch (error) {
    console.error("fetch for a proof", error);
    return { status: 0, body: "" };
  }
}
