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

function local(env) {
  start ??= crypto.randomUUID();
  return (memory ??= new Memory(env.PROCESS ? NEAR_BYTES : SHARED_BYTES));
}

const keyOf = ({ api, url, key }) => ({ api, url, key });

/**
 * Returns the entry in a slot, or a promise of it. Records in the slot when the lookup happened (`stamp`, `shared`).
 */
export function find(env, slot) {
  const near = local(env);
  slot.stamp ??= near.stamp;
  const entry = near.find(slot);
  return entry === undefined && env.PROCESS ? findShared(env, slot) : entry;
}

async function findShared(env, slot) {
  const response = await callObjects(env, "find", JSON.stringify(keyOf(slot)));
  slot.shared ??= response.headers.get(STAMP);
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (response.status !== 200) return undefined;
  const { entry } = unpack(bytes);
  local(env).store(slot, slot.stamp, entry);
  return entry;
}

/** Stores a response, unless it was invalidated after it was requested. */
export async function store(env, slot, entry) {
  const near = local(env);
  if (!env.PROCESS) {
    near.store(slot, slot.stamp ?? near.stamp, entry);
    return;
  }
  const response = await callObjects(env, "keep", pack({ place: keyOf(slot), stamp: slot.shared ?? "" }, entry));
  await response.body?.cancel();
  if (response.status === 200) near.store(slot, slot.stamp, entry);
}

/** Deletes the entries of a scope, in all processes. Responses requested from now on are current. */
export async function forget(env, slot, scope) {
  const near = local(env);
  near.forget(scope);
  slot.stamp = near.stamp;
  if (env.PROCESS) {
    const response = await callObjects(env, "forget", JSON.stringify(scope));
    slot.shared = response.headers.get(STAMP);
    await response.body?.cancel();
    if (!response.ok) throw new Error(`forget: ${response.status}`);
  } else await notifyProcesses(env, scope);
}

/** Deletes the entries of a scope in this process. */
export function forgetHere(env, scope) {
  local(env).forget(scope);
}

const notifyProcesses = (env, scope) => env.PROCESSES.fetch("http://processes/forget", { method: "POST", body: JSON.stringify(scope) });

const callObjects = (env, method, body) => env.OBJECTS.fetch(`http://objects/cache/${method}`, { method: "POST", body });

/** Answers another process, in the one with the objects. */
export async function answer(env, method, request) {
  const shared = local(env);
  const stamped = () => ({ [STAMP]: `${start} ${shared.stamp}` });
  if (method === "find") {
    const entry = shared.find(await request.json());
    if (entry === undefined) return new Response(null, { status: 204, headers: stamped() });
    return new Response(pack({}, entry), { headers: stamped() });
  }
  if (method === "keep") {
    const { place: slot, stamp, entry } = unpack(new Uint8Array(await request.arrayBuffer()));
    const [from, number] = stamp.split(" ");
    const isStored = from === start && shared.store(slot, Number(number), entry);
    return new Response(null, { status: isStored ? 200 : 204 });
  }
  if (method !== "forget") return new Response(null, { status: 404 });
  const scope = await request.json();
  shared.forget(scope);
  await notifyProcesses(env, scope);
  return new Response(null, { status: 200, headers: stamped() });
}

/** Serialises an entry: a line of JSON, then its body. */
function pack(head, { until, notes, status, headers, body }) {
  const line = new TextEncoder().encode(`${JSON.stringify({ ...head, until, noted: notes, status, headers, bare: body === null })}\n`);
  const bytes = new Uint8Array(line.length + (body?.length ?? 0));
  bytes.set(line);
  if (body !== null) bytes.set(body, line.length);
  return bytes;
}

function unpack(bytes) {
  const end = bytes.indexOf(10);
  const { bare, until, noted: notes, status, headers, ...head } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, end)));
  return { ...head, entry: { until, notes, status, headers, body: bare ? null : bytes.slice(end + 1) } };
}
