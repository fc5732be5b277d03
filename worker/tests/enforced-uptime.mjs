// Demonstrations of what the support table calls enforced: uptime tests. Run by enforced-apis.mjs, with one test per
// second and a single failure that counts.

import assert from "node:assert/strict";
import { fresh } from "./heard.mjs";

const MILLISECOND = 1_000_000;

/** Variables that the gateway must be started with. */
export const UPTIME_ENV = { UPTIME_TESTS_TIME_WAIT: "1", UPTIME_TESTS_FAILURE_TRIGGER_SAMPLE_SIZE: "1" };

/** Routes that the upstream needs: 200 if the request is what the query describes. */
export const uptimeRoutes = {
  "/checked": async (request, response, url) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const came = { method: request.method, header: request.headers["x-a"], body };
    const fits = [...url.searchParams].every(([name, value]) => came[name] === value);
    response.writeHead(fits ? 200 : 418).end();
  },
  "/never": () => {},
};

/** The demonstrations on a [stage](./enforced-stage.mjs). */
export function uptime({ loaded, call, target }, gateway) {
  const health = async ({ api_id }) => (await gateway().admin("GET", `/gateway/health/upstreams/${api_id}`)).json;

  /** Waits until the health of an API fits, and returns it. */
  async function until(definition, fits) {
    for (;;) {
      const found = await health(definition);
      if (fits(found)) return found;
    }
  }
  const made = ({ uptime: { tests } }) => tests.length > 0 && tests.every(({ checks }) => checks.length > 0);

  /** Returns the tests of such a list, once each has run. */
  async function tested(check_list, config = {}, more = {}) {
    const definition = await loaded({ org_id: fresh("org"), uptime_tests: { check_list, config, ...more } });
    return (await until(definition, made)).uptime.tests;
  }
  const states = async (...list) => (await tested(list)).map(({ state }) => state);
  const checked = (query) => target(`/checked?${new URLSearchParams(query)}`);
  const up = () => target("/up/x");
  const down = () => target("/up/broken");
  const plain = () => new URL(target("/")).host;
  const tcp = (members) => ({ url: plain(), protocol: "tcp", timeout: 500 * MILLISECOND, ...members });
  const asks = { name: "send", message: "GET /up/x HTTP/1.1\r\nHost: x\r\n\r\n" };
  const answers = { name: "expect", message: "HTTP/1.1 200" };

  /** Returns where three requests go when the second of two targets is down, with these members. */
  async function turns(members, proxy) {
    const other = target("/up/b").replace("127.0.0.1", "localhost");
    const definition = await loaded(
      { org_id: fresh("org"), uptime_tests: { check_list: [{ url: other.replace("/up/b", "/up/broken") }] }, ...members },
      { enable_load_balancing: true, target_list: [target("/up/a"), other], ...proxy },
    );
    await until(definition, ({ targets }) => targets[1]?.state === "down");
    const asked = async () => (await call(definition)).json.url;
    // An isolate reuses what it knows for a second.
    const skips = (await health(definition)).skips_down;
    if (skips) while ((await asked()) !== "/up/a/x" || (await asked()) !== "/up/a/x");
    return new Set([await asked(), await asked(), await asked()]);
  }
  const both = new Set(["/up/a/x", "/up/b/x"]);
  const first = new Set(["/up/a/x"]);

  return {
    ApiDefinition: {
      async uptime_tests() {
        assert.deepEqual(await states({ url: up() }), ["up"]);
        assert.equal((await health(await loaded({}))).uptime.enabled, false);
      },
      async check_host_against_uptime_tests() {
        assert.deepEqual([await turns({ check_host_against_uptime_tests: true }), await turns({})], [first, both]);
      },
    },
    ProxyConfig: {
      async check_host_against_uptime_tests() {
        const proxy = (on) => ({ check_host_against_uptime_tests: on });
        assert.deepEqual([await turns({}, proxy(true)), await turns({}, proxy(false))], [first, both]);
      },
    },
    UptimeTests: {
      async disabled() {
        assert.deepEqual(await states({ url: up() }), ["up"]);
        const definition = await loaded({ uptime_tests: { disabled: true, check_list: [{ url: up() }] } });
        await tested([{ url: up() }]);
        const { enabled, tests } = (await health(definition)).uptime;
        assert.deepEqual([enabled, tests], [false, []]);
      },
      async check_list() {
        assert.deepEqual(await states({ url: up() }, { url: down() }), ["up", "down"]);
      },
      async config() {
        const [{ next_at, checks }] = await tested([{ url: down() }], { recheck_wait: 3600 });
        assert.equal(next_at - checks[0].at, 3600);
      },
    },
    HostCheckObject: {
      async url() {
        assert.deepEqual([await states({ url: up() }), await states({ url: down() })], [["up"], ["down"]]);
      },
      async protocol() {
        const tests = await tested([tcp({}), { url: plain() }]);
        assert.deepEqual(tests.map(({ url, protocol, state }) => [url, protocol, state]), [[plain(), "tcp", "up"]]);
      },
      async method() {
        assert.deepEqual(await states({ url: checked({ method: "POST" }), method: "POST" }, { url: checked({ method: "POST", x: "" }) }), ["up", "down"]);
      },
      async headers() {
        assert.deepEqual(await states({ url: checked({ header: "1" }), headers: { "X-A": "1" } }), ["up"]);
        assert.deepEqual(await states({ url: checked({ header: "1" }) }), ["down"]);
      },
      async body() {
        const test = { url: checked({ body: "hello" }), method: "POST" };
        assert.deepEqual([await states({ ...test, body: btoa("hello") }), await states(test)], [["up"], ["down"]]);
      },
      async timeout() {
        const error = async (ms) => (await tested([{ url: target("/never"), timeout: ms * MILLISECOND }]))[0].checks[0].error;
        assert.deepEqual([await error(50), await error(100)], ["no answer within 50 ms", "no answer within 100 ms"]);
      },
      async enable_proxy_protocol() {
        // Node doesn't accept such a header.
        const commands = [asks, answers];
        assert.deepEqual(await states(tcp({ commands })), ["up"]);
        assert.deepEqual(await states(tcp({ commands, enable_proxy_protocol: true })), ["down"]);
      },
      async commands() {
        const other = { ...answers, message: "HTTP/2" };
        assert.deepEqual([await states(tcp({ commands: [asks, answers] })), await states(tcp({ commands: [asks, other] }))], [["up"], ["down"]]);
      },
    },
    CheckCommand: {
      async name() {
        const expects = [{ ...asks, name: "expect" }, answers];
        assert.deepEqual([await states(tcp({ commands: [asks, answers] })), await states(tcp({ commands: expects }))], [["up"], ["down"]]);
      },
      async message() {
        const broken = { ...asks, message: asks.message.replace("/up/x", "/up/broken") };
        assert.deepEqual([await states(tcp({ commands: [asks, answers] })), await states(tcp({ commands: [broken, answers] }))], [["up"], ["down"]]);
      },
    },
    UptimeTestsConfig: {
      async expire_utime_after() {
        const short = await loaded({ uptime_tests: { check_list: [{ url: up() }], config: { expire_utime_after: 1 } } });
        const long = await loaded({ uptime_tests: { check_list: [{ url: up() }] } });
        await until(long, ({ uptime: { tests } }) => tests[0]?.checks.length >= 4);
        assert.ok((await health(short)).uptime.tests[0].checks.length <= 2);
      },
      async recheck_wait() {
        const wait = async (config) => {
          const [{ next_at, checks }] = await tested([{ url: down() }], config);
          return next_at - checks.at(-1).at;
        };
        assert.equal(await wait({ recheck_wait: 3600 }), 3600);
        assert.ok((await wait({})) <= 2);
      },
      async service_discovery() {
        const list = (use_discovery_service) => {
          const query_endpoint = target(`/registry?${encodeURIComponent(JSON.stringify({ list: [{ url: down() }] }))}`);
          return { service_discovery: { use_discovery_service, query_endpoint, data_path: "list" } };
        };
        const state = async (on) => (await tested([{ url: up() }], list(on)))[0].state;
        assert.deepEqual([await state(true), await state(false)], ["down", "up"]);
      },
    },
  };
}
