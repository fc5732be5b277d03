// The cache of one machine: in the memory of the process with the objects, and in front of it in that of each process
// that serves. Deleting entries completes only when all processes have deleted them. The cache starts empty whenever
// the process with the objects starts.

import { Memory } from "./memory.js";

const NEAR_BYTES = 32 * 1024 * 1024;
const SHARED_BYTES = 64 * 1024 * 1024;
const STAMP = "x-stamp";

let memory;
// Identifies this start of the process: stamps of an earlier one are void.
let start;

function own(env) {
  start ??= crypto.randomUUID();
  return (memory ??= new Memory(env.PROCESS ? NEAR_BYTES : SHARED_BYTES));
}

const names = ({ api, url, key }) => ({ api, url, key });

/**
 * Returns the entry at a place, or a promise of it. Records in the place when the lookup happened (`stamp`, `shared`).
 */
export function find(env, place) {
  const near = own(env);
  place.stamp ??= near.stamp;
  const entry = near.find(place);
  return entry === undefined && env.PROCESS ? findShared(env, place) : entry;
}

async function findShared(env, place) {
  const response = await ask(env, "find", JSON.stringify(names(place)));
  place.shared ??= response.headers.get(STAMP);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (response.status !== 200) return undefined;
  const { entry } = unpack(bytes);
  own(env).keep(place, place.stamp, entry);
  return entry;
}

/** Stores a response, unless it was invalidated after it was requested. */
export async function keep(env, place, entry) {
  const near = own(env);
  if (!env.PROCESS) {
    near.keep(place, place.stamp ?? near.stamp, entry);
    return;
  }
  const response = await ask(env, "keep", pack({ place: names(place), stamp: place.shared ?? "" }, entry));
  await response.body?.cancel();
  if (response.status === 200) near.keep(place, place.stamp, entry);
}

/** Deletes the entries of a scope, in all processes. Responses requested from now on are current. */
export async function forget(env, place, scope) {
  const near = own(env);
  near.forget(scope);
  place.stamp = near.stamp;
  if (env.PROCESS) {
    const response = await ask(env, "forget", JSON.stringify(scope));
    place.shared = response.headers.get(STAMP);
    await response.body?.cancel();
    if (!response.ok) throw new Error(`forget: ${response.status}`);
  } else await tell(env, scope);
}

/** Deletes the entries of a scope in this process. */
export function forgetHere(env, scope) {
  own(env).forget(scope);
}

const tell = (env, scope) => env.PROCESSES.fetch("http://processes/forget", { method: "POST", body: JSON.stringify(scope) });

const ask = (env, method, body) => env.OBJECTS.fetch(`http://objects/cache/${method}`, { method: "POST", body });

/** Answers another process, in the one with the objects. */
export async function answer(env, method, request) {
  const shared = own(env);
  const stamped = () => ({ [STAMP]: `${start} ${shared.stamp}` });
  if (method === "find") {
    const entry = shared.find(await request.json());
    if (entry === undefined) return new Response(null, { status: 204, headers: stamped() });
    return new Response(pack({}, entry), { headers: stamped() });
  }
  if (method === "keep") {
    const { place, stamp, entry } = unpack(new Uint8Array(await request.arrayBuffer()));
    const [from, number] = stamp.split(" ");
    const kept = from === start && shared.keep(place, Number(number), entry);
    return new Response(null, { status: kept ? 200 : 204 });
  }
  if (method !== "forget") return new Response(null, { status: 404 });
  const scope = await request.json();
  shared.forget(scope);
  await tell(env, scope);
  return new Response(null, { status: 200, headers: stamped() });
}

/** Serialises an entry: a line of JSON, then its body. */
function pack(head, { until, noted, status, headers, body }) {
  const line = new TextEncoder().encode(`${JSON.stringify({ ...head, until, noted, status, headers, bare: body === null })}\n`);
  const bytes = new Uint8Array(line.length + (body?.length ?? 0));
  bytes.set(line);
  if (body !== null) bytes.set(body, line.length);
  return bytes;
}

function unpack(bytes) {
  const end = bytes.indexOf(10);
  const { bare, until, noted, status, headers, ...head } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  return { ...head, entry: { until, noted, status, headers, body: bare ? null : bytes.slice(end + 1) } };
}
