// The failed requests of this isolate since its last report: the count of each kind, and each minute the first of each
// kind with details of the request, so that somebody can find the cause. The Meter stores them.
//
// Nothing in it is a credential: headers have their values only if no API takes credentials from them, and of the query
// only the names are included.

import { Kept } from "./kept.js";

/** How many kinds are counted between two reports; any further ones appear only in the figures. */
const MAX_KINDS = 100;
/** How many headers and parameters a sample has, and the length of each text. */
const MAX_NAMES = 40;
const MAX_LENGTH = 500;
const SAFE_HEADERS = new Set(
  "accept accept-encoding accept-language cache-control content-encoding content-length content-type expect host if-match if-modified-since if-none-match if-range if-unmodified-since mcp-method mcp-name mcp-protocol-version origin range transfer-encoding user-agent x-request-id".split(" "),
);

const kinds = new Map();
/** The minute of each kind's latest sample. */
const sampled = new Kept();

/**
 * Counts a failed request. `failed` gives the cause (`crates/dataplane/src/driver/failed.rs`); `sent` describes the
 * call to the upstream, if there was one: address, milliseconds, time limit, and the platform's error.
 */
export function noteFailure(failed, status, request, sent) {
  const { api, version = "" } = failed;
  const reason = reasonOf(failed, status, sent);
  const kind = JSON.stringify([api, version, status, reason]);
  const known = kinds.get(kind);
  if (known !== undefined) {
    known.count += 1;
    return;
  }
  if (kinds.size >= MAX_KINDS) return;
  const now = Date.now();
  const minute = Math.floor(now / 60_000);
  const isFirst = sampled.get(kind) !== minute;
  if (isFirst) sampled.put(kind, minute);
  kinds.set(kind, { api, version, status, reason, count: 1, sample: isFirst ? sample(failed, request, sent, now) : undefined });
}

function reasonOf({ reason }, status, sent) {
  if (reason === undefined) return `Upstream: it answered ${status}`;
  return sent?.error ? `Upstream: ${reason}` : reason;
}

/** Returns the lines of a report about the failures, and resets the counts. */
export function takeFailures() {
  let lines = "";
  for (const kind of kinds.values()) lines += `f ${JSON.stringify(kind)}\n`;
  kinds.clear();
  return lines;
}

const cut = (text) => text.slice(0, MAX_LENGTH);

function sample({ link, key }, request, sent, now) {
  const { pathname, searchParams } = new URL(request.url);
  const headers = [...request.headers].slice(0, MAX_NAMES);
  return {
    at: Math.floor(now / 1000),
    method: request.method,
    path: cut(pathname),
    query: [...new Set(searchParams.keys())].slice(0, MAX_NAMES).map(cut),
    headers: headers.map(([name, value]) => [name, SAFE_HEADERS.has(name) ? cut(value) : null]),
    link,
    key_hash: key,
    upstream: sent && {
      // Rules can produce an address that isn't a URL.
      host: URL.canParse(sent.url) ? new URL(sent.url).host : "",
      ms: sent.ms,
      timeout_ms: sent.timeout || undefined,
      error: sent.error && cut(sent.error),
    },
  };
}
