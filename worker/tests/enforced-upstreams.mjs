// What the support table calls enforced of where requests go and of upstreams that fail; enforced.test.mjs
// runs it.

import assert from "node:assert/strict";
import { extended } from "./enforced-stage.mjs";

const LONG = 3600;
const ROW = { path: "/", method: "GET", samples: 1, threshold_percent: 0.5, return_to_service_after: LONG };

/** Circuit breakers. The upstream answers `broken` with 503, and the gateway does where a breaker is open. */
function breakers({ loaded, call }) {
  const made = (...rows) => loaded(extended({ circuit_breakers: rows.map((row) => ({ ...ROW, ...row })) }));
  const isOpen = async (definition, path = "x", method = "GET") => {
    const { status, text } = await call(definition, path, { method });
    return status === 503 && text.includes("Service temporarily unavailable.");
  };
  /** An API whose breaker has seen these requests, and whether it is open then. */
  const after = async (row, paths) => {
    const definition = await made(row);
    for (const path of paths) assert.equal(await isOpen(definition, path), false);
    return { definition, opened: await isOpen(definition) };
  };
  const opened = async (...given) => (await after(...given)).opened;
  /** Whether the first closes while the second stays open. */
  const closes = async (first, second) => {
    const [one, other] = [await after(first, ["broken"]), await after(second, ["broken"])];
    assert.deepEqual([one.opened, other.opened], [true, true]);
    while (await isOpen(one.definition));
    assert.equal(await isOpen(other.definition), true);
  };
  const broken = ["broken"];
  return {
    ExtendedPathsSet: {
      async circuit_breakers() {
        const without = await loaded({});
        assert.equal(await isOpen(without, "broken"), false);
        assert.deepEqual([await isOpen(without), await opened({}, broken)], [false, true]);
      },
    },
    CircuitBreakerMeta: {
      async path() {
        const definition = await made({ path: "/broken" });
        await call(definition, "broken");
        assert.deepEqual([await isOpen(definition, "broken"), await isOpen(definition)], [true, false]);
      },
      async method() {
        const { definition, opened } = await after({}, broken);
        assert.deepEqual([opened, await isOpen(definition, "x", "POST")], [true, false]);
      },
      async disabled() {
        assert.deepEqual([await opened({}, broken), await opened({ disabled: true }, broken)], [true, false]);
      },
      async threshold_percent() {
        const mixed = ["x", "broken"];
        const row = { samples: 2 };
        assert.deepEqual([await opened(row, mixed), await opened({ ...row, threshold_percent: 0.6 }, mixed)], [true, false]);
      },
      async samples() {
        const row = { samples: 3 };
        assert.deepEqual([await opened(row, ["broken", "broken"]), await opened(row, ["broken", "broken", "broken"])], [false, true]);
      },
      async return_to_service_after() {
        await closes({ disable_half_open_state: true, return_to_service_after: 1 }, { disable_half_open_state: true });
      },
      async disable_half_open_state() {
        await closes({}, { disable_half_open_state: true });
      },
    },
  };
}

/** Targets in turn. */
function balancing({ loaded, call, target }) {
  const asked = async (enable_load_balancing, times) => {
    const target_list = ["/up/a", "/up/b", "/up/b"].map(target);
    const definition = await loaded({}, { enable_load_balancing, target_list });
    const urls = [];
    for (let time = 0; time < times; time += 1) urls.push((await call(definition)).json.url);
    return urls;
  };
  return {
    ProxyConfig: {
      async target_list() {
        assert.deepEqual(await asked(true, 4), ["/up/a/x", "/up/b/x", "/up/b/x", "/up/a/x"]);
      },
      async enable_load_balancing() {
        assert.deepEqual(await asked(false, 2), ["/up/x", "/up/x"]);
        assert.deepEqual(await asked(true, 2), ["/up/a/x", "/up/b/x"]);
      },
    },
  };
}

/** All of them, for a [stage](./enforced-stage.mjs). */
export const upstreams = (stage) => [breakers(stage), balancing(stage)];
