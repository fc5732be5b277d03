// A KV that fails on demand, between the worker and the real one (tests only).
//
// A rule is `{ method, key, action, skip, times }`: requests with this method whose key starts with `key` get the
// action, after the first `skip` of them have passed and until `times` of them have got it. Lists have the key "".
// Actions:
//   fail     500, and nothing is done
//   late     the request is carried out, then 500: a response that got lost
//   garble   a value that isn't JSON
//   missing  404
//   hold     the request waits until the rules change
//   stale    the first response is repeated until the rules change, even that there was nothing
//   throttle a key that was written less than a second ago is not written again: 429
//
// The variable RULES holds the initial rules.

import { WorkerEntrypoint } from "cloudflare:workers";

let rules;
let seen = [];
/** When each key was last written, and the first response to reading each. */
let written = new Map();
let read = new Map();

export default {
  async fetch(request, env) {
    rules ??= env.RULES ? parse(JSON.parse(env.RULES)) : [];
    const url = new URL(request.url);
    const key = decodeURIComponent(url.pathname.slice(1));
    seen.push(`${request.method} ${key}`);
    const rule = rules.find(({ method, key: start }) => method === request.method && (start === "" ? key === "" : key.startsWith(start)));
    if (!rule || rule.skip-- > 0 || rule.times-- <= 0) return env.STORE.fetch(request);
    switch (rule.action) {
      case "fail":
        // The other side waits until its body has been read.
        await request.arrayBuffer();
        return new Response("fault", { status: 500 });
      case "late":
        await env.STORE.fetch(request);
        return new Response("fault", { status: 500 });
      case "garble":
        return new Response('{"generation":{]');
      case "missing":
        return new Response(null, { status: 404 });
      case "stale":
        if (!read.has(key)) read.set(key, await keep(await env.STORE.fetch(request)));
        return new Response(...read.get(key));
      case "throttle":
        if (Date.now() - (written.get(key) ?? 0) < 1000) {
          await request.arrayBuffer();
          return new Response("Too Many Requests", { status: 429 });
        }
        written.set(key, Date.now());
        return env.STORE.fetch(request);
      case "hold":
        while (rules.includes(rule)) await scheduler.wait(2);
        return env.STORE.fetch(request);
    }
  },
};

/** Returns a function that reproduces the same response. */
async function keep(answer) {
  const { status, headers } = answer;
  const body = await answer.arrayBuffer();
  return [status === 404 ? null : body, { status, headers: [...headers] }];
}

function parse(rules) {
  read = new Map();
  return rules.map((rule) => ({ skip: 0, times: Infinity, ...rule }));
}

/** `PUT /rules` replaces the rules; `GET /seen` returns the requests so far and clears them; `/kv/…` is the real KV. */
export class Control extends WorkerEntrypoint {
  async fetch(request) {
    const url = new URL(request.url);
    if (url.pathname === "/rules") {
      rules = parse(await request.json());
      return new Response();
    }
    if (url.pathname === "/seen") {
      const answer = Response.json(seen);
      seen = [];
      return answer;
    }
    return this.env.STORE.fetch(`http://kv${url.pathname.slice("/kv".length)}${url.search}`, request);
  }
}
