// Plays scenarios against a gateway: stores their definitions, policies and keys, sends their steps, and records the
// responses to the client and the requests that reached the upstream.
//
// A scenario: { name, apis, oas, mcps, policies, keys, steps }. `apis` are fragments that override a keyless API on
// /{name}/. A step is a `request` to the data plane or an `admin` call; `wait` seconds before it, `repeat` it, `reload`
// after it, `keep` members of its response. Texts may contain {upstream} {upstream2} {upstream3} {dead} {gateway}
// {base} {base:N} {api} {api:N} {key:K} {hash:K} {var:V}.

import { setTimeout as wait } from "node:timers/promises";
import { gunzipSync } from "node:zlib";
import { sendLine } from "../http.mjs";
import { IGNORED_ANSWER, IGNORED_UPSTREAM } from "./compare.mjs";
import { parsed, spaced } from "./text.mjs";

const ANSWER_WITHIN_MS = 30_000;
/** Nothing listens there. */
const DEAD = "http://127.0.0.1:9";
const PLACEHOLDER = /\{(upstream[23]?|dead|gateway|base(?::\d+)?|api(?::\d+)?|(?:key|hash|client|secret|cert|var):[A-Za-z0-9_.-]+)\}/g;
/** The number of names for APIs that a scenario may use beyond those it brings. */
const MORE_APIS = 8;
/** Shorter texts occur in responses by chance. */
const SHORTEST_MASKED = 6;

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);

/** Returns `base` overridden by the members of `over`, recursively for objects. */
function merged(base, over) {
  const members = Object.entries(over).map(([name, value]) => [name, isObject(value) && isObject(base[name]) ? merged(base[name], value) : value]);
  return { ...base, ...Object.fromEntries(members) };
}

/** Returns the step of each response that a scenario counts. */
export const flat = (scenario) => scenario.steps.flatMap((step) => Array(step.admin ? 1 : step.repeat ?? 1).fill(step));

/** A gateway, its upstreams (`listen` in upstream.mjs), and what scenarios have stored in it. */
export class Player {
  #gateway;
  #port;
  #secret;
  #upstreams;
  #texts = new Map();

  /** `gateway` is its base URL on this machine, without a trailing slash. */
  constructor({ gateway, secret, upstreams }) {
    this.#gateway = gateway;
    this.#port = Number(new URL(gateway).port);
    this.#secret = secret;
    this.#upstreams = upstreams;
  }

  /**
   * Stores what the scenarios bring: definitions and policies, one reload for all, then keys. Returns the gateway's
   * responses by scenario name: `{ what, status, body }`, with the body if it was refused.
   */
  async load(scenarios) {
    const stored = new Map();
    for (const scenario of scenarios) {
      this.#texts.set(scenario.name, this.#textsOf(scenario));
      stored.set(scenario.name, await this.#store(scenario));
    }
    await this.#reload();
    for (const scenario of scenarios) stored.get(scenario.name).push(...(await this.#createKeys(scenario)));
    return stored;
  }

  /** Plays a loaded scenario; returns its responses, in the form of the recorded ones. */
  async play(scenario) {
    const texts = this.#texts.get(scenario.name);
    const answers = [];
    this.#upstreams.drain(scenario.name);
    for (const step of scenario.steps) {
      if (step.wait) await wait(step.wait * 1000);
      if (step.admin) {
        answers.push(await this.#adminStep(step, texts));
        continue;
      }
      const request = filled(step.request, texts);
      for (let turn = 0; turn < (step.repeat ?? 1); turn += 1) answers.push(await this.#requestStep(scenario, step, request, texts));
    }
    return answers;
  }

  /** Returns the value of each placeholder of a scenario. */
  #textsOf({ name, apis = [], oas = [], mcps = [] }) {
    const texts = new Map([["dead", DEAD], ["gateway", this.#gateway]]);
    for (const [upstream, url] of Object.entries(this.#upstreams.urls)) texts.set(upstream, `${url}/${name}`);
    const apart = (at) => (at === 0 ? "" : `-${at}`);
    for (let at = 0; at < Math.max(apis.length, oas.length + mcps.length, 1) + MORE_APIS; at += 1) {
      texts.set(`base:${at}`, `/${name}${apart(at)}/`).set(`api:${at}`, `${name}${apart(at)}`);
    }
    return texts.set("base", texts.get("base:0")).set("api", texts.get("api:0"));
  }

  async #store(scenario) {
    const texts = this.#texts.get(scenario.name);
    const documents = [
      ...(scenario.apis ?? []).map((fragment, at) => [`api ${at}`, "/gateway/apis", merged(classic(texts, at), fragment)]),
      ...(scenario.oas ?? []).map((document, at) => [`oas ${at}`, "/gateway/apis/oas", document]),
      ...(scenario.mcps ?? []).map((document, at) => [`mcp ${at}`, "/gateway/mcps", document]),
      ...(scenario.policies ?? []).map((policy) => [`policy ${policy.id}`, "/gateway/policies", merged({ org_id: "default", active: true }, policy)]),
    ];
    const stored = [];
    for (const [what, path, body] of documents) {
      stored.push(outcome(what, await this.#admin({ method: "POST", path, body: filled(body, texts) })));
    }
    return stored;
  }

  async #createKeys(scenario) {
    const texts = this.#texts.get(scenario.name);
    const created = [];
    for (const [name, { custom_id: custom, ...session }] of Object.entries(scenario.keys ?? {})) {
      const path = `/gateway/keys${custom ? `/${custom}` : ""}`;
      const answer = await this.#admin({ method: "POST", path, body: filled(merged({ org_id: "default" }, session), texts) });
      const { key, key_hash: hash = "" } = parsed(answer.text ?? "") ?? {};
      // Creating a user of basic authentication returns no key, so placeholders stand for its name.
      texts.set(`key:${name}`, key || custom || "").set(`hash:${name}`, hash);
      created.push(outcome(`key ${name}`, answer));
    }
    return created;
  }

  async #adminStep(step, texts) {
    const answer = await this.#admin(filled(step.admin, texts));
    if (answer.failed) return answer;
    keep(step, answer.text, texts);
    const played = { status: answer.status, body: this.#masked(answer.text, texts) };
    if (step.reload) await this.#reload();
    return played;
  }

  async #requestStep(scenario, step, request, texts) {
    const answer = await this.#call(request);
    if (answer.failed) return answer;
    const masked = (entries) => Object.fromEntries(entries.map(([name, value]) => [name, this.#masked(value, texts)]));
    const played = {
      status: answer.status,
      headers: masked(Object.entries(answer.headers).filter(([name]) => !IGNORED_ANSWER.has(name))),
      body: this.#masked(answer.text, texts),
      upstream: this.#upstreams.drain(scenario.name).map((call) => ({
        ...call,
        path: this.#masked(call.path, texts),
        headers: masked(Object.entries(call.headers).filter(([name]) => !IGNORED_UPSTREAM.has(name))),
        body: this.#masked(call.body, texts),
      })),
    };
    keep(step, answer.text, texts);
    return played;
  }

  async #reload() {
    const answer = await this.#admin({ method: "GET", path: "/gateway/reload?block=true" });
    if (answer.status !== 200) throw new Error(`reload: ${answer.failed ?? answer.text}`);
  }

  #admin({ headers, ...request }) {
    return this.#call({ ...request, headers: { "X-Gateway-Authorization": this.#secret, ...headers } });
  }

  /** Sends a request exactly as given; `{ failed }` says why there is no response. */
  async #call({ method = "GET", path, headers = {}, body }) {
    const isValue = body !== undefined && body !== null && typeof body === "object";
    const has = (...names) => Object.keys(headers).some((name) => names.includes(name.toLowerCase()));
    const type = isValue && !has("content-type") ? { "Content-Type": "application/json" } : {};
    const bytes = Buffer.from(isValue ? spaced(body) : body ?? "");
    const length = body != null && !has("content-length", "transfer-encoding") ? { "Content-Length": String(bytes.length) } : {};
    const fields = Object.entries({ ...length, ...headers, ...type }).flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}`));
    const answer = await sendLine(this.#port, `${method} ${path} HTTP/1.1`, fields, bytes.toString("latin1"), AbortSignal.timeout(ANSWER_WITHIN_MS));
    if (answer.status === undefined) return { failed: "no answer" };
    return { status: answer.status, headers: answer.headers, text: unpacked(answer).toString() };
  }

  /** Returns a text with placeholders for whatever differs between runs. */
  #masked(text, texts) {
    const hosts = [...Object.entries(this.#upstreams.urls), ["gateway", this.#gateway]];
    const kept = [...texts].filter(([name, value]) => /^(key|hash|var|client|secret):/.test(name) && typeof value === "string" && value.length >= SHORTEST_MASKED);
    const masks = [
      ...hosts.flatMap(([name, url]) => [[url, `{${name}}`], [new URL(url).host, `{${name} host}`]]),
      ...kept.map(([name, value]) => [value, `{${name}}`]),
    ];
    return masks.reduce((masked, [value, name]) => masked.replaceAll(value, name), text);
  }
}

/** The definition that a scenario's fragments override. */
const classic = (texts, at) => ({
  name: texts.get(`api:${at}`),
  api_id: texts.get(`api:${at}`),
  org_id: "default",
  active: true,
  use_keyless: true,
  version_data: { not_versioned: true, default_version: "", versions: { Default: { name: "Default", use_extended_paths: true } } },
  proxy: { listen_path: texts.get(`base:${at}`), target_url: "{upstream}/", strip_listen_path: true },
});

const outcome = (what, { status, failed, text }) => ({ what, status: failed ?? status, ...(status !== 200 && { body: text?.slice(0, 400) }) });

/** Returns a value with its placeholders filled in, including those in names of members. */
function filled(value, texts) {
  if (typeof value === "string") return value.replace(PLACEHOLDER, (all, name) => String(texts.get(name) ?? all));
  if (Array.isArray(value)) return value.map((item) => filled(item, texts));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [filled(name, texts), filled(member, texts)]));
}

/**
 * Remembers members of a response for later steps: `keep: {"var:x": "path.to.member"}`. Booleans are written as they
 * were where the responses were recorded.
 */
function keep(step, text, texts) {
  const written = (value) => ({ true: "True", false: "False" })[value] ?? value;
  for (const [name, path] of Object.entries(step.keep ?? {})) {
    const member = path.split(".").reduce((value, part) => value?.[part], parsed(text)) ?? "";
    texts.set(name, typeof member === "boolean" ? written(member) : member);
  }
}

function unpacked({ headers, bytes }) {
  if (headers["content-encoding"] !== "gzip") return bytes;
  try {
    return gunzipSync(bytes);
  } catch {
    // The header promises an encoding that the body doesn't have; the comparison will show it.
    return bytes;
  }
}
