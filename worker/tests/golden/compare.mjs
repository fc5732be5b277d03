// Which parts of a response are compared, and which no two gateways share.

import { isDeepStrictEqual } from "node:util";
import { parsed } from "./text.mjs";

const words = (text) => text.trim().split(/\s+/);

/** Response headers that say nothing about the family: clocks, lengths, ids, the server's own. */
export const IGNORED_ANSWER = new Set(words(`
  date content-length server x-generator connection transfer-encoding etag ratelimit ratelimit-policy retry-after x-request-id
  keep-alive via strict-transport-security x-content-type-options traceparent x-gateway-trace-id x-gateway-request-id
  x-ratelimit-reset`));
/** Headers that each gateway's HTTP client sets in its own manner. */
export const IGNORED_UPSTREAM = new Set(words(`
  host user-agent accept-encoding x-forwarded-for x-forwarded-proto x-forwarded-host x-real-ip x-request-id connection
  content-length transfer-encoding accept traceparent cf-connecting-ip cf-worker via x-forwarded-port`));

const QUOTA = new Set(["x-ratelimit-limit", "x-ratelimit-remaining"]);
/** The absence of a quota has three spellings. */
const isNoQuota = (value) => value === undefined || value === "0" || value === "-1";
const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** Timestamps in seconds, from 2020 to 2042. */
const isTimestamp = (number) => number > 1.6e9 && number < 2.3e9;
const TIME = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?/g;

/** Returns a value without timestamps, and without what is not compared in the responses of a batch. */
export function lean(value) {
  if (Array.isArray(value)) return value.map(lean);
  if (typeof value === "number") return isTimestamp(value) ? "<unix time>" : value;
  // With the full stop in the specification, without it in the recordings.
  if (value === "API not found.") return "API not found";
  if (typeof value === "string") return value.replace(TIME, "<time>");
  if (!isObject(value)) return value;
  const unit = "relative_url" in value;
  const members = Object.entries(value).filter(([name]) => !(unit && (name === "error" || name === "body_encoding")));
  return Object.fromEntries(members.map(([name, member]) => {
    if (name === "headers" && isObject(member)) return [name, lean(leanHeaders(member))];
    return [name, lean(unit && name === "body" && typeof member === "string" ? comparable(member) : member)];
  }));
}

function leanHeaders(headers) {
  const first = (value) => (Array.isArray(value) ? value[0] : value);
  const kept = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value])
    .filter(([name]) => !IGNORED_ANSWER.has(name) && !IGNORED_UPSTREAM.has(name))
    .filter(([name, value]) => !(QUOTA.has(name) && isNoQuota(first(value))));
  return Object.fromEntries(kept);
}

/** Returns a body in comparable form: JSON as a value, else its text with normalised white space. */
export function comparable(text) {
  // The recorded gateway escapes apostrophes in a manner that no JSON parser accepts.
  for (const one of [text, text.replaceAll("\\'", "'")]) {
    const value = parsed(one);
    if (value !== undefined) return lean(value);
  }
  return text.replace(/\s+/g, " ").trim();
}

const shown = (value) => (value === undefined ? "none" : JSON.stringify(value).slice(0, 240));
const versus = (what, got, want) => `${what}: ${shown(got)}, recorded ${shown(want)}`;

/** Describes the differences of a response from the recorded one; empty if there are none. */
export function differences(want, got, step) {
  if (want.failed || got.failed) {
    const [ours, theirs] = [got.failed ?? got.status, want.failed ?? want.status];
    return ours === theirs ? [] : [`${ours}, recorded ${theirs}`];
  }
  return [
    ...(want.status === got.status ? [] : [`status ${got.status}, recorded ${want.status}`]),
    ...bodyDifferences(want, got, step),
    ...headerDifferences(want.headers ?? {}, got.headers ?? {}, step),
    ...callDifferences(want.upstream ?? [], got.upstream ?? [], step),
  ];
}

function bodyDifferences(want, got, step) {
  const [theirs, ours] = [comparable(want.body), comparable(got.body)];
  if (isObject(theirs) && isObject(ours)) {
    for (const extra of ["request_id", "issues", "details"]) {
      delete theirs[extra];
      delete ours[extra];
    }
  }
  return step.any_body || isDeepStrictEqual(theirs, ours) ? [] : [`body ${shown(ours)}, recorded ${shown(theirs)}`];
}

const plain = (value = "") => value.replace(/; ?charset=utf-8/g, "").replaceAll(" ", "").toLowerCase();
const namesOf = (...objects) => [...new Set(objects.flatMap(Object.keys))].sort();

function headerDifferences(want, got, step) {
  return namesOf(want, got)
    .filter((name) => !(step.ignore_headers ?? []).includes(name))
    .filter((name) => !(QUOTA.has(name) && isNoQuota(want[name]) && isNoQuota(got[name])))
    .filter((name) => plain(want[name]) !== plain(got[name]))
    .map((name) => versus(`header ${name}`, got[name], want[name]));
}

/** Sorts calls, because simultaneous ones have no order. */
export const inOrder = (calls) => calls.toSorted((a, b) => compare(a.method, b.method) || compare(a.path, b.path) || compare(a.body, b.body));
const compare = (a, b) => (a < b ? -1 : Number(a > b));

function callDifferences(want, got, step) {
  const count = want.length === got.length ? [] : [`${got.length} upstream calls, recorded ${want.length}`];
  const ours = inOrder(got);
  const pairs = inOrder(want).slice(0, ours.length).map((theirs, at) => [theirs, ours[at]]);
  return [...count, ...pairs.flatMap(([theirs, one]) => callDifference(theirs, one, step))];
}

function callDifference(want, got, step) {
  const members = ["upstream", "method", "path"].filter((name) => !(name === "upstream" && step.any_upstream));
  return [
    ...members.filter((name) => want[name] !== got[name]).map((name) => `upstream ${name} ${shown(got[name])}, recorded ${shown(want[name])}`),
    ...(isDeepStrictEqual(comparable(want.body), comparable(got.body)) ? [] : [`upstream body ${shown(got.body)}, recorded ${shown(want.body)}`]),
    ...namesOf(want.headers, got.headers)
      .filter((name) => want.headers[name] !== got.headers[name])
      .map((name) => versus(`upstream header ${name}`, got.headers[name], want.headers[name])),
  ];
}

/**
 * Describes where a response doesn't meet `instead`. Only what `instead` names is checked: members of objects, each
 * item of a list, texts exactly; null requires an absent member, `{"match": "…"}` a regular expression, `{"any": […]}`
 * one of several.
 */
export function deviations(instead, got) {
  const seen = got.failed ? got : { ...got, body: comparable(got.body), upstream: inOrder(got.upstream ?? []) };
  return mismatches(instead, seen, "");
}

function mismatches(want, got, path) {
  const wrong = [`${path.trim() || "answer"} ${shown(got)}, asked for ${shown(want)}`];
  if (want === null) return got === undefined ? [] : wrong;
  if (isObject(want) && "match" in want) return typeof got === "string" && new RegExp(want.match).test(got) ? [] : wrong;
  if (isObject(want) && "any" in want) return want.any.some((one) => mismatches(one, got, path).length === 0) ? [] : wrong;
  if (Array.isArray(want)) {
    if (!Array.isArray(got) || got.length !== want.length) return wrong;
    return want.flatMap((item, index) => mismatches(item, got[index], `${path} ${index}`));
  }
  if (isObject(want)) {
    if (!isObject(got)) return wrong;
    return Object.entries(want).flatMap(([name, member]) => mismatches(member, got[name], `${path} ${name}`));
  }
  return want === got ? [] : wrong;
}
