// Which API a request belongs to, and what is requested at the upstream (issue: data plane; reference 5.2).

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { api, publish } from "./definitions.mjs";
import { start } from "./harness.mjs";
import { send } from "./http.mjs";
import { listen, values } from "./upstream.mjs";

let gateway;
let upstream;
before(async () => {
  [gateway, upstream] = await Promise.all([start(), listen()]);
});
after(() => Promise.all([gateway.stop(), upstream.close()]));

let names = 0;
/** Returns a first segment that no other test uses. */
// It ends in a hyphen, because a listen path matches whatever starts with it.
const root = () => `/r${(names += 1)}-`;
/** Returns an API whose upstream is identified by the first segment of the requested path. */
const named = (name, listen_path, members, proxy) => api(members, { listen_path, target_url: `${upstream.url}/${name}`, ...proxy });
const get = (path, headers) => send(gateway.ports.gateway, { path, headers });

/** Returns what was requested at the upstream for each path, or the status if it wasn't called. */
async function requested(paths, headers) {
  const answers = [];
  for (const path of paths) {
    const answer = await get(path, headers);
    answers.push([path, answer.status === 200 ? answer.json.url : answer.status]);
  }
  return Object.fromEntries(answers);
}

test("the longest listen path wins, and without a trailing slash it is a plain prefix", async () => {
  const r = root();
  await publish(gateway, named("short", r), named("long", `${r}/b/`), named("longer", `${r}/b/c`), named("other", `${r}x`));
  const expected = {
    [r]: "/short",
    [`${r}/`]: "/short",
    [`${r}/x`]: "/short/x",
    // A listen path with a trailing slash differs from the one without.
    [`${r}/b`]: "/short/b",
    [`${r}/b/`]: "/long",
    [`${r}/b/x`]: "/long/x",
    [`${r}/bb`]: "/short/bb",
    [`${r}/b/c/d`]: "/longer/d",
    [`${r}/b/cc`]: "/longer/c",
    [`${r}x/y`]: "/other/y",
    [`${r}xx`]: "/other/x",
    [r.toUpperCase()]: 404,
  };
  assert.deepEqual(await requested(Object.keys(expected)), expected);
});

test("with strict routes a listen path ends at a segment boundary", async () => {
  const strict = await start({ env: { ENABLE_STRICT_ROUTES: "true" } });
  try {
    await publish(strict, named("app", "/app"), named("open", "/open/"));
    for (const [path, url] of [["/app", "/app"], ["/app/x", "/app/x"], ["/apple", 404], ["/open/x", "/open/x"]]) {
      const answer = await send(strict.ports.gateway, { path });
      assert.equal(answer.status === 200 ? answer.json.url : answer.status, url, path);
    }
  } finally {
    await strict.stop();
  }
});

test("an API at the root takes all other paths, except those reserved for the gateway", async () => {
  const r = root();
  const everything = named("root", "/", {}, { strip_listen_path: false });
  await publish(gateway, everything, named("mine", r));
  const expected = { [`${r}/x`]: "/mine/x", "/nobody/knows": "/root/nobody/knows", "/": "/root", "/gatewayx": "/root/gatewayx" };
  assert.deepEqual(await requested(Object.keys(expected)), expected);
  for (const path of ["/gateway/apis", "/gateway", "/openapi/x"]) assert.ok([403, 404].includes((await get(path)).status), path);
  assert.equal((await get("/hello")).json.description, "Gatewright GW");
  await gateway.admin("DELETE", `/gateway/apis/${everything.api_id}`);
  await publish(gateway);
});

test("a template matches one segment, and literals take precedence", async () => {
  const r = root();
  await publish(gateway, named("template", `${r}/{id}/orders`), named("literal", `${r}/me/orders`), named("open", `${r}/{a}/{b}/deep`));
  const expected = {
    [`${r}/7/orders/x`]: "/template/x",
    [`${r}/me/orders/x`]: "/literal/x",
    [`${r}/7/8/deep`]: "/open",
    [`${r}/7/ordersx`]: "/template/x",
    [`${r}//orders`]: 301,
    [`${r}/7/8/9/deep`]: 404,
  };
  assert.deepEqual(await requested(Object.keys(expected)), expected);
});

test("a domain takes precedence over none, with domain templates in between", async () => {
  const r = root();
  await publish(
    gateway,
    named("none", `${r}/longer`),
    named("domain", r, { domain: "One.Example.com" }),
    named("pattern", r, { domain: "{sub}.example.com" }),
    named("off", `${r}/off`, { domain: "off.example.com", domain_disabled: true }),
  );
  for (const [host, path, url] of [
    ["one.example.com", `${r}/longer/x`, "/domain/longer/x"],
    ["ONE.example.COM", `${r}/x`, "/domain/x"],
    ["one.example.com:8443", `${r}/x`, "/domain/x"],
    ["two.example.com", `${r}/longer/x`, "/pattern/longer/x"],
    ["a.two.example.com", `${r}/longer/x`, "/none/x"],
    ["example.com", `${r}/longer/x`, "/none/x"],
    ["one.example.com.evil.test", `${r}/x`, 404],
    ["anything.test", `${r}/off/x`, "/off/x"],
  ]) assert.deepEqual(await requested([path], { Host: host }), { [path]: url }, host);
});

test("the listen path is stripped or not", async () => {
  const r = root();
  await publish(gateway, named("s", `${r}/strip/`), named("k", `${r}/keep/`, {}, { strip_listen_path: false }), named("t", `${r}/{x}/tpl/`));
  const expected = {
    [`${r}/strip/a/b/`]: "/s/a/b/",
    [`${r}/strip/`]: "/s",
    [`${r}/keep/a/b/`]: `/k${r}/keep/a/b/`,
    [`${r}/keep`]: 404,
    [`${r}/abc/tpl/a`]: "/t/a",
  };
  assert.deepEqual(await requested(Object.keys(expected)), expected);
});

test("target and path are joined by one slash, and the target's query is kept", async () => {
  for (const [target, path, url] of [
    ["", "", "/"],
    ["/", "/", "/"],
    ["", "/a", "/a"],
    ["/", "/a", "/a"],
    ["/base", "/a", "/base/a"],
    ["/base/", "/a/", "/base/a/"],
    ["/base/", "", "/base"],
    ["/base?k=v", "/a", "/base/a?k=v"],
    ["/base?k=v", "/a?q=1", "/base/a?k=v&q=1"],
    ["/b%20s", "/a", "/b%20s/a"],
  ]) {
    const r = root();
    await publish(gateway, api({}, { listen_path: r, target_url: upstream.url + target }));
    assert.deepEqual(await requested([r + path]), { [r + path]: url }, `${target} and ${path}`);
  }
  const kept = root();
  await publish(gateway, api({}, { listen_path: kept, target_url: `${upstream.url}/base/`, disable_strip_slash: true }));
  assert.deepEqual(await requested([kept]), { [kept]: "/base/" });
});

test("the query is passed unchanged", async () => {
  const r = root();
  await publish(gateway, named("q", r));
  for (const query of ["a=1&a=2", "a=%20+%2B", "a[]=1&b={x}", "", "=", "&&", "a=1?b=2", "q=http://x/../y", "%zz=%", "a=%00", "ä=ö".replace(/[^\x00-\x7f]/g, encodeURIComponent)]) {
    const path = `${r}/x?${query}`;
    const { url } = (await get(path)).json;
    assert.equal(url, query ? `/q/x?${query}` : "/q/x", path);
  }
});

test("an API can also be reached by its id", async () => {
  const r = root();
  const definition = named("byid", `${r}/deep/`, { api_id: `id${r.slice(1)}` }, { strip_listen_path: false });
  const hidden = [named("i", root(), { internal: true }), named("a", root(), { active: false })];
  await publish(gateway, definition, ...hidden);
  const id = definition.api_id;
  assert.deepEqual(await requested([`/${id}/x?y`, `/${id}`, `/${id}x/x`]), { [`/${id}/x?y`]: `/byid/${id}/x?y`, [`/${id}`]: 404, [`/${id}x/x`]: 404 });
  for (const { api_id } of hidden) assert.equal((await get(`/${api_id}/x`)).status, 404);
});

test("a listen path takes precedence over another API's id", async () => {
  const owner = named("owner", root());
  const squatter = named("squatter", `/${owner.api_id}/`);
  await publish(gateway, owner, squatter);
  assert.deepEqual(await requested([`/${owner.api_id}/x`]), { [`/${owner.api_id}/x`]: "/squatter/x" });
});

test("an unknown path is a 404 in plain text, whatever the client accepts", async () => {
  for (const path of ["/nothing/here", "/nothing", "/favicon.ico"]) {
    for (const type of [undefined, "application/json", "application/xml"]) {
      const answer = await get(path, type && { "Content-Type": type });
      assert.deepEqual([answer.status, answer.text], [404, "Not Found"]);
      assert.equal(answer.headers["content-type"], "text/plain; charset=utf-8");
    }
  }
});

test("an API that requires a key refuses everyone while no keys exist", async () => {
  const r = root();
  const before = upstream.seen.length;
  await publish(gateway, named("keys", r, { use_keyless: false }));
  for (const [headers, status, message] of [
    [{}, 401, "Authorization field missing"],
    [{ Authorization: "anything" }, 403, "Access to this API has been disallowed"],
    [{ Authorization: gateway.secret }, 403, "Access to this API has been disallowed"],
    [{ "X-Gateway-Authorization": gateway.secret }, 401, "Authorization field missing"],
  ]) {
    const answer = await get(`${r}/x`, headers);
    assert.equal(answer.status, status);
    assert.equal(answer.text, `{\n    "error": "${message}"\n}`);
  }
  assert.equal(upstream.seen.length, before, "the upstream was not called");
});

test("the upstream gets its own host, and the client's in a header", async () => {
  const r = root();
  await publish(gateway, named("own", `${r}/own`));
  const { headers } = (await get(`${r}/own`, { Host: "client.example.com" })).json;
  assert.deepEqual(values({ headers }, "host"), [`127.0.0.1:${upstream.port}`]);
  assert.deepEqual(values({ headers }, "x-forwarded-host"), ["client.example.com"]);
});

test("an API that preserves the client's host, which the platform doesn't support, is not served", async () => {
  const r = root();
  const definition = named("host", r, {}, { preserve_host_header: true });
  const stored = await gateway.admin("POST", "/gateway/apis", { body: definition });
  const issue = stored.json.issues.find(({ pointer }) => pointer === "/proxy/preserve_host_header");
  assert.equal(issue?.code, "not_served", stored.text);
  await publish(gateway);
  assert.equal((await get(r)).status, 404);
});
