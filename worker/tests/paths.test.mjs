// One reading of a path: whatever it looks like, the API that is chosen and the path requested at its upstream agree
// (attack A14). Every spelling denotes one path and is sent unchanged, or is redirected to that path or refused
// (reference 5.2).

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { sendLine } from "./http.mjs";
import { listen } from "./upstream.mjs";

let gateway;
let upstream;
before(async () => {
  [gateway, upstream] = await Promise.all([start(), listen()]);
  const kept = { target_url: upstream.url, strip_listen_path: false };
  await publish(
    gateway,
    api({}, { ...kept, listen_path: "/open/" }),
    api({ use_keyless: false }, { ...kept, listen_path: "/secret/" }),
    // Below an open one: the longer path has to be found however it is spelled.
    api({ use_keyless: false }, { ...kept, listen_path: "/open/vault/" }),
    api({}, { listen_path: "/strip/", target_url: `${upstream.url}/base` }),
  );
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

test("a Host that looks like a path, or is repeated, is refused", async () => {
  for (const hosts of [["a/secret/x?"], ["a/open/x?"], ["a/open"], ["u@a"], ["a", "b"]]) {
    const fields = hosts.map((host) => `Host: ${host}`);
    const { status, text } = await sendLine(gateway.ports.gateway, "GET /open/x HTTP/1.1", fields);
    assert.deepEqual([status, text], [400, "400 Bad Request"], hosts);
  }
  assert.equal((await sendLine(gateway.ports.gateway, "GET /open/x HTTP/1.1", ["Host: [::1]:80"])).status, 200);
});

const get = (path) => sendLine(gateway.ports.gateway, `GET ${path} HTTP/1.1`);

// The path requested at the upstream, where the client is redirected to (`→`), or the status if the upstream isn't
// called.
const SPELLINGS = [
  ["/open/x", "/open/x"],
  ["/open/x/", "/open/x/"],
  ["/open/..x", "/open/..x"],
  ["/open/...", "/open/..."],
  ["/%6fpen/x", "/%6fpen/x"],
  ["/open/%78", "/open/%78"],
  ["/open/x;v=1", "/open/x;v=1"],
  ["/open/x;v=1/../y", "→/open/y"],
  ["/open/a/..;/b", "/open/a/..;/b"],
  ["/open/x%2fy", "/open/x%2fy"],
  ["/open/x%5Cy", "/open/x%5Cy"],
  ["/open/x%3Fy", "/open/x%3Fy"],
  ["/open/x%23y", "/open/x%23y"],
  ["/open/x%25y", "/open/x%25y"],
  ["/open/x%00", "/open/x%00"],
  ["/open/x%7f", "/open/x%7f"],
  ["/open/%0d%0aX-Evil:1", "/open/%0d%0aX-Evil:1"],
  ["/open%2fx", "/open%2fx"],
  ["/open/x?y=/../z", "/open/x?y=/../z"],
  ["/open/{x}|y", "/open/%7Bx%7D%7Cy"],

  ["//open/x", "→/open/x"],
  ["/open//x", "→/open/x"],
  ["///open///x", "→/open/x"],
  ["/./open/./x", "→/open/x"],
  ["/open/y/../x", "→/open/x"],
  ["/open/y/../x?q=//", "→/open/x?q=//"],
  ["/secret/../open/x", "→/open/x"],
  ["/open/%2e/x", "→/open/x"],
  ["/open/y/%2e%2e/x", "→/open/x"],
  ["/open/y/.%2E/x", "→/open/x"],
  ["/open/x/.", "→/open/x"],
  ["/strip//x", "→/strip/x"],
  ["//secret/x", "→/secret/x"],
  ["/open/../secret/x", "→/secret/x"],
  ["/open/%2e%2e/secret/x", "→/secret/x"],
  ["/open/..%2fsecret/x", "→/secret/x"],
  ["/open/%2e%2e%2fsecret/x", "→/secret/x"],
  ["/open//vault/x", "→/open/vault/x"],
  ["/open/y/../vault/x", "→/open/vault/x"],
  ["/..", "→/"],
  ["/../../etc/passwd", "→/etc/passwd"],
  ["//evil.test/x", "→/evil.test/x"],

  ["/secret/x", 401],
  ["/%73ecret/x", 401],
  ["/secret%2fx", 401],
  ["/open/vault/x", 401],
  ["/open%2Fvault/x", 401],
  ["/open/va%75lt/x", 401],

  ["/SECRET/x", 404],
  ["/secret;/x", 404],
  ["/secret%20/x", 404],

  // An upstream could take these for a path outside of the API.
  ["/open/..%5csecret/x", 400],
  ["/open/%252e%252e/secret/x", 400],
  ["/open/%252e%252e%252fsecret/x", 400],
  ["/open/..;/secret/x", 400],
  ["/open/..;a=b/secret/x", 400],
  ["/open/.;/vault/x", 400],
  ["/open/..\\secret/x", 400],
  ["/open/%", 400],
  ["/open/%zz", 400],
];

/** Returns what a lenient upstream could make of a path: decoded repeatedly, with its dots resolved. */
function readings(path) {
  const all = [];
  for (let text = path, round = 0; round < 4; round += 1) {
    all.push(text);
    text = text.replace(/%([0-9a-f]{2})/gi, (_, digits) => String.fromCharCode(parseInt(digits, 16)));
  }
  return all.map((text) => new URL(text.replace(/;[^/]*/g, "").replace(/^\/+/, "/"), "http://x").pathname);
}

test("each spelling is forwarded, redirected to its canonical path, or refused", async () => {
  for (const [spelled, expected] of SPELLINGS) {
    const before = upstream.seen.length;
    const answer = await get(spelled);
    if (typeof expected === "number") {
      assert.equal(answer.status, expected, spelled);
      assert.equal(upstream.seen.length, before, `${spelled}: the upstream was called`);
    } else if (expected.startsWith("→")) {
      assert.deepEqual([answer.status, answer.headers.location, answer.text], [301, expected.slice(1), ""], spelled);
      assert.equal(upstream.seen.length, before, `${spelled}: the upstream was called`);
    } else {
      assert.equal(answer.status, 200, `${spelled}: ${answer.text}`);
      assert.equal(answer.json.url, expected, spelled);
    }
  }
});

test("no spelling reaches outside the selected API", async () => {
  const parts = ["..", ".", "%2e%2e", "%2e.", "..%2f", "..%5c", "..;", "..;x", "%252e%252e", "..%252f", "\\..", "..%00", "..%20", "..%09", "%2e%2e%3b", "...", "..%3f", "..%23", "%c0%ae%c0%ae", "..%c0%af", "．．".replace(/[^\x00-\x7f]/g, encodeURIComponent)];
  for (const part of parts) {
    for (const path of [`/open/${part}/secret/x`, `/open/${part}secret/x`, `/open/x/${part}/${part}/secret/x`, `/open/${part}/vault/x`, `/${part}/open/x`, `/open/x/${part}`]) {
      const before = upstream.seen.length;
      const answer = await get(path);
      if (upstream.seen.length === before) {
        assert.ok([301, 400, 401, 404].includes(answer.status), `${path}: ${answer.status}`);
        continue;
      }
      const { url } = upstream.seen.at(-1);
      for (const reading of readings(url)) {
        assert.ok(reading === "/open" || reading.startsWith("/open/"), `${path} was sent as ${url}, which can be read as ${reading}`);
        assert.ok(!/^\/open\/+vault(\/|$)/.test(reading), `${path} was sent as ${url}, which is the vault`);
      }
    }
  }
});

test("an invalid request target never reaches an upstream", async () => {
  for (const path of ["/open/a b", "/open/\x00", "/open/\x7f", "/open/\u00e9", "/open/x\t", "open/x", "*", "http://evil.test/open/x", ""]) {
    const before = upstream.seen.length;
    const answer = await get(path);
    if (answer.status === 200) {
      assert.match(upstream.seen.at(-1).url, /^\/open\/[\x21-\x7e]*$/, JSON.stringify(path));
    } else {
      assert.equal(upstream.seen.length, before, JSON.stringify(path));
    }
  }
});

test("a fragment is not part of the path", async () => {
  const answer = await get("/open/x#/../../secret/x");
  assert.ok(answer.status === 400 || (answer.status === 200 && answer.json.url === "/open/x"), `${answer.status} ${answer.text}`);
});

test("a very long path is answered without a crash", async () => {
  const answer = await get(`/open/${"a/../".repeat(1000)}x`);
  assert.deepEqual([answer.status, answer.headers.location], [301, "/open/x"]);
  const long = await get(`/nothing/${"a".repeat(200_000)}`);
  assert.ok(long.status >= 400 && long.status < 500, `${long.status}`);
  assert.equal((await get("/open/x")).status, 200);
});

test("TRACE, TRACK and CONNECT are refused", async () => {
  const before = upstream.seen.length;
  for (const [method, status] of [["TRACE", 501], ["TRACK", 501], ["trace", 501], ["CONNECT", 500]]) {
    assert.equal((await sendLine(gateway.ports.gateway, `${method} /open/x HTTP/1.1`)).status, status, method);
  }
  assert.equal(upstream.seen.length, before);
});
