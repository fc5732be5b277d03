// The upstreams of the recorded scenarios: their path determines the response, and each call is recorded. A scenario's
// name is the first segment, so that scenarios share them without mixing calls.
//
// Below /{scenario}/:
//   anything            200, JSON {upstream, method, path, query, headers, body}
//   status/{code}       that status, JSON {"status": code}
//   delay/{ms}          waits first
//   body                from the query: b=<text> ct=<content type> code=<status>
//   headers             headers from the query: h=Name:Value (repeatable), then the echo
//   redirect            302 to the query's `to`
//   gzip                a gzip-encoded echo
//   flaky/{n}/{key}     the first n calls with that key get 503, then 200
//   count/{key}         JSON {"n": how often it was called}

import http from "node:http";
import { setTimeout as wait } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { spaced } from "./text.mjs";
import { body } from "../upstream.mjs";

/** Keys are the placeholders of their addresses; an upstream identifies itself by the value. */
const NAMES = { upstream: "one", upstream2: "two", upstream3: "three" };
const JSON_TYPE = "application/json";
/** The echo omits what gateways add on their own. */
const SHOWN = (name) => name.startsWith("x-") && !name.startsWith("x-forwarded") && !["x-real-ip", "x-request-id"].includes(name);

/**
 * Starts all three. Returns `{ urls, drain(scenario), close() }`: `urls` by placeholder, and `drain` removes and
 * returns the calls of a scenario: `{ upstream, method, path, headers, body }`, in order.
 */
export async function listen() {
  const state = { calls: new Map(), counts: new Map() };
  const servers = await Promise.all(Object.values(NAMES).map((name) => serve(name, state)));
  const urls = Object.keys(NAMES).map((name, at) => [name, `http://127.0.0.1:${servers[at].address().port}`]);
  return {
    urls: Object.fromEntries(urls),
    drain: (scenario) => {
      const calls = state.calls.get(scenario) ?? [];
      state.calls.delete(scenario);
      return calls;
    },
    close: () => Promise.all(servers.map(closed)),
  };
}

async function serve(name, state) {
  const server = http.createServer({ maxHeaderSize: 256 * 1024 }, (request, response) => {
    // A gateway that closes the connection midway is the test, not a fault on this side.
    answer(name, state, request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 0;
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

const closed = (server) => new Promise((resolve) => {
  server.close(resolve);
  server.closeAllConnections();
});

async function answer(name, state, request, response) {
  const sent = (await body(request)).toString();
  const { scenario, call, query } = recorded(name, request, sent);
  state.calls.set(scenario, [...(state.calls.get(scenario) ?? []), call]);
  const { code = 200, type = JSON_TYPE, fields = [], text, packed } = await asked(call, new URLSearchParams(query), state);
  const content = Buffer.from(text ?? echo(call, query));
  const bytes = packed ? gzipSync(content) : content;
  const bodiless = code === 204 || code === 304;
  const own = bodiless ? [] : ["Content-Type", type, "Content-Length", String(bytes.length)];
  response.writeHead(code, [...own, ...fields.flat()]);
  response.end(bodiless || request.method === "HEAD" ? undefined : bytes);
}

function recorded(name, request, sent) {
  const [path, query] = split(request.url, "?");
  const [scenario, rest] = split(path.replace(/^\/+/, ""), "/");
  const headers = {};
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const [field, value] = [request.rawHeaders[at].toLowerCase(), request.rawHeaders[at + 1]];
    headers[field] = headers[field] === undefined ? value : `${headers[field]}, ${value}`;
  }
  const call = { upstream: name, method: request.method, path: `/${rest}${query && `?${query}`}`, headers, body: sent };
  return { scenario, call, query };
}

/** Splits a text at the first separator. */
function split(text, separator) {
  const at = text.indexOf(separator);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)];
}

/** Returns the response that the path of a call asks for; without a `text` it is the echo. */
async function asked(call, query, { counts }) {
  const [what, first = "", second = ""] = split(call.path, "?")[0].slice(1).split("/");
  const counted = (key) => {
    counts.set(key, (counts.get(key) ?? 0) + 1);
    return counts.get(key);
  };
  const status = (code) => ({ code, text: spaced({ status: code }) });
  switch (what) {
    case "status": return /^\d+$/.test(first) ? status(Number(first)) : {};
    case "delay": return wait(Number(first), {});
    case "body": return { code: Number(query.get("code") ?? 200), type: query.get("ct") ?? JSON_TYPE, text: query.get("b") ?? "" };
    case "headers": return { fields: query.getAll("h").map((field) => split(field, ":").map((part) => part.trim())) };
    case "redirect": return { code: 302, text: "", fields: [["Location", query.get("to") ?? "/"]] };
    case "gzip": return { packed: true, fields: [["Content-Encoding", "gzip"]] };
    case "flaky": return counted(`flaky/${second}`) <= Number(first) ? status(503) : {};
    case "count": return { text: spaced({ n: counted(first) }) };
    default: return {};
  }
}

function echo(call, query) {
  const headers = Object.fromEntries(Object.entries(call.headers).filter(([name]) => SHOWN(name)));
  const { upstream, method, body: text } = call;
  return spaced({ upstream, method, path: split(call.path, "?")[0], query, headers, body: text });
}
