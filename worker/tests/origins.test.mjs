// Two origins: responses of upstreams never share one with the console, which holds the secret. And a host name that
// isn't configured reaches the data plane only (attack A13, DNS rebinding).

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { send, sendLine } from "./http.mjs";
import { listen } from "./upstream.mjs";

const FILES = {
  "console/index.html": "<!doctype html><title>Console</title>",
  "console/gatewright-web-0123456789abcdef.js": "export {}",
  "console/gatewright-web-0123456789abcdef_bg.wasm": "\0asm",
  "console/style-0123456789abcdef.css": "body{}",
  "console/icon.svg": "<svg/>",
  "openapi/gateway.json": "{}\n",
  "outside.txt": "not for the console",
};

let assets;
let gateway;
let upstream;
let definition;
before(async () => {
  assets = mkdtempSync(join(tmpdir(), "gatewright-assets-"));
  for (const [name, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(assets, name)), { recursive: true });
    writeFileSync(join(assets, name), text);
  }
  [gateway, upstream] = await Promise.all([start({ assets }), listen()]);
  definition = api({ enable_batch_request_support: true }, { target_url: upstream.url });
  const root = api({}, { listen_path: "/console/", target_url: upstream.url });
  await publish(gateway, definition, root);
});
after(async () => {
  await Promise.all([gateway.stop(), upstream.close()]);
  rmSync(assets, { recursive: true });
});

const onConsole = (path, options) => send(gateway.ports.console, { path, ...options });
const onGateway = (path, options) => send(gateway.ports.gateway, { path, ...options });

test("the data plane can't be reached on the console's origin", async () => {
  const before = upstream.seen.length;
  const spellings = [`${definition.proxy.listen_path}x`, `/${definition.api_id}/x`, `${definition.proxy.listen_path}gateway/batch/`, `/console/../${definition.api_id}/x`, `//${definition.api_id}/x`, `/%63onsole/..%2f${definition.api_id}`];
  for (const path of spellings) {
    for (const method of ["GET", "POST", "PUT", "OPTIONS"]) {
      const answer = await onConsole(path, { method, body: method === "POST" ? '{"requests":[{"relative_url":"x"}]}' : undefined });
      // Depending on whether dots are resolved, a path below /console/ could be a page of the console.
      const page = method === "GET" && answer.text === FILES["console/index.html"];
      assert.ok(page || [404, 405].includes(answer.status), `${method} ${path}: ${answer.status} ${answer.text}`);
    }
  }
  assert.equal(upstream.seen.length, before);
});

test("the console can't be reached on the gateway's origin, but an API with its path can", async () => {
  assert.equal((await onGateway("/console/index.html")).json.url, "/index.html", "there, the path belongs to the API");
  for (const path of ["/", "/index.html", "/assets/console/index.html", "/outside.txt"]) {
    const answer = await onGateway(path);
    assert.equal(answer.status, 404, path);
    assert.equal(answer.text, "Not Found");
  }
});

test("both origins have the administration, health and the OpenAPI document", async () => {
  for (const port of [gateway.ports.gateway, gateway.ports.console]) {
    assert.equal((await gateway.admin("GET", `/gateway/apis/${definition.api_id}?complete=false`, { port })).text, JSON.stringify(definition));
    for (const path of ["/hello", "/ready", "/openapi/gateway.json"]) assert.equal((await send(port, { path })).status, 200, path);
    const unbuilt = await send(port, { path: "/openapi/dashboard.json" });
    assert.deepEqual([unbuilt.status, unbuilt.json.message], [404, "The descriptions have not been built: run cargo xtask build"]);
  }
});

const STRANGERS = ["rebound.evil.test", "rebound.evil.test:80", "127.0.0.1", "127.0.0.1:1", "127.0.0.2:{console}", "localhost.evil.test:{console}", "[::1]:{console}", "127.0.0.1:{console}.evil.test"];

test("an unconfigured host reaches only the data plane, on the gateway's port", async () => {
  for (const name of STRANGERS) {
    for (const port of [gateway.ports.gateway, gateway.ports.console]) {
      const host = name.replace("{console}", gateway.ports.console);
      const get = (path) => sendLine(port, `GET ${path} HTTP/1.1`, [`Host: ${host}`, `X-Gateway-Authorization: ${gateway.secret}`]);
      const refused = async (path) => {
        const answer = await get(path);
        const refusals = port === gateway.ports.console ? [421, 400] : [404, 400];
        assert.ok(refusals.includes(answer.status), `${host} ${path}: ${answer.status}`);
        assert.ok(!answer.text.includes(definition.name), `${host} ${path}`);
        assert.notEqual(answer.text, FILES["console/index.html"]);
      };
      for (const path of ["/gateway/apis", `/gateway/apis/${definition.api_id}`, "/gateway/reload/status", "/"]) await refused(path);
    }
  }
  for (const port of [gateway.ports.gateway, gateway.ports.console]) {
    for (const path of ["/hello", "/ready"]) {
      for (const method of ["GET", "HEAD"]) {
        const answer = await sendLine(port, `${method} ${path} HTTP/1.1`, ["Host: 192.0.2.1"]);
        assert.equal(answer.status, 200, `${method} ${path} by address`);
      }
    }
  }
  const served = await onGateway(`${definition.proxy.listen_path}x`, { headers: { Host: "rebound.evil.test" } });
  assert.equal(served.json.url, "/x");
});

// Fault G15: the gateway's port used to respond with the console's redirect.
test("the socket decides which origin a request is for, not its Host", async () => {
  const { ports } = gateway;
  const get = (port, host, path) => sendLine(port, `GET ${path} HTTP/1.1`, [`Host: ${host}`, `X-Gateway-Authorization: ${gateway.secret}`]);
  const consoles = `127.0.0.1:${ports.console}`;
  const gateways = `127.0.0.1:${ports.gateway}`;
  const path = `${definition.proxy.listen_path}x`;
  const served = await get(ports.gateway, consoles, path);
  assert.equal(served.status, 200, served.text);
  assert.match(served.text, /"url":"\/x"/);
  assert.equal((await get(ports.gateway, consoles, "/")).status, 404, "no redirect to the console");
  assert.match((await get(ports.gateway, consoles, "/console/index.html")).text, /"url":"\/index.html"/);
  assert.equal((await get(ports.gateway, consoles, "/gateway/apis")).status, 200);

  const before = upstream.seen.length;
  for (const asked of ["/", "/console/", path, "/gateway/apis", "/api/audit"]) {
    const refused = await get(ports.console, gateways, asked);
    assert.equal(refused.status, 421, `${asked}: ${refused.text}`);
    assert.match(refused.text, /CONSOLE_HOST/);
  }
  assert.equal(upstream.seen.length, before);
  assert.equal((await get(ports.console, consoles, "/")).status, 302);
});

test("an absolute-form request counts by its own host", async () => {
  const line = `GET http://rebound.evil.test/gateway/apis HTTP/1.1`;
  const answer = await sendLine(gateway.ports.gateway, line, ["Host: rebound.evil.test", `X-Gateway-Authorization: ${gateway.secret}`]);
  assert.ok(!answer.text.includes(definition.api_id), answer.text);
});

test("configured hosts are matched in any letter case", async () => {
  const answer = await onGateway("/gateway/apis", { headers: { Host: `LOCALHOST:${gateway.ports.gateway}`, "X-Gateway-Authorization": gateway.secret } });
  assert.equal(answer.status, 200);
});

test("the root of the console's origin redirects to the console", async () => {
  for (const path of ["/", "/console"]) {
    const answer = await onConsole(path);
    assert.equal(answer.status, 302, path);
    assert.equal(answer.headers.location, "/console/");
  }
});

test("every console page is the one document, and its files are served as they are", async () => {
  for (const path of ["/console/", "/console/index.html", "/console/apis", "/console/apis/some-id.v2/edit", "/console/apis?q=1"]) {
    const answer = await onConsole(path);
    assert.equal(answer.status, 200, path);
    assert.equal(answer.text, FILES["console/index.html"], path);
    assert.equal(answer.headers["content-type"], "text/html; charset=utf-8");
    assert.equal(answer.headers["cache-control"], "no-cache", "a new build is noticed at once");
  }
  for (const [name, type] of [["gatewright-web-0123456789abcdef.js", "text/javascript; charset=utf-8"], ["gatewright-web-0123456789abcdef_bg.wasm", "application/wasm"], ["style-0123456789abcdef.css", "text/css; charset=utf-8"]]) {
    const answer = await onConsole(`/console/${name}`);
    assert.equal(answer.text, FILES[`console/${name}`]);
    assert.equal(answer.headers["content-type"], type);
    assert.match(answer.headers["cache-control"], /immutable/, "its name changes with its content");
  }
  const icon = await onConsole("/console/icon.svg");
  assert.equal(icon.headers["content-type"], "image/svg+xml");
  assert.doesNotMatch(icon.headers["cache-control"], /immutable/);
});

test("a file that is missing, or not the console's, is a 404", async () => {
  for (const path of ["/console/missing.js", "/outside.txt", "/console/../outside.txt", "/console/%2e%2e/outside.txt", "/console/..%2foutside.txt", "/console/..%5coutside.txt", "/console/....//outside.txt", "/favicon.ico", "/consolex", "/console//etc/passwd.txt"]) {
    const answer = await onConsole(path);
    assert.equal(answer.status, 404, `${path}: ${answer.text}`);
    assert.ok(!answer.text.includes(FILES["outside.txt"]));
  }
});

test("everything on the console's origin has a policy that allows nothing else", async () => {
  for (const path of ["/console/", "/console/icon.svg", "/console/missing.js", "/", "/nothing"]) {
    const { headers } = await onConsole(path);
    const policy = Object.fromEntries(headers["content-security-policy"].split(";").map((part) => part.trim().split(/\s+/)).map(([name, ...sources]) => [name, sources.join(" ")]));
    assert.equal(policy["default-src"], "'none'", path);
    for (const name of ["base-uri", "frame-ancestors", "object-src"]) assert.equal(policy[name], "'none'", `${path} ${name}`);
    for (const [name, sources] of Object.entries(policy)) {
      assert.ok(!/unsafe-inline|'unsafe-eval'|https?:|\*|blob:/.test(sources), `${name} ${sources}`);
      if (name !== "img-src" && name !== "font-src") assert.ok(!sources.includes("data:"), `${name} ${sources}`);
    }
    assert.match(policy["script-src"], /'self'/);
    assert.equal(headers["x-content-type-options"], "nosniff");
    assert.equal(headers["referrer-policy"], "no-referrer");
    assert.equal(headers["cross-origin-opener-policy"], "same-origin");
    assert.equal(headers["cross-origin-resource-policy"], "same-origin");
    assert.equal(headers["access-control-allow-origin"], undefined);
  }
});

test("the console's files are read-only", async () => {
  for (const method of ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"]) {
    const answer = await onConsole("/console/index.html", { method });
    assert.equal(answer.status, 405, method);
    assert.match(answer.headers.allow, /GET/);
  }
  const head = await onConsole("/console/", { method: "HEAD" });
  assert.equal(head.status, 200);
  assert.equal(head.text, "");
});
