// How an isolate looks up certificates.

import assert from "node:assert/strict";
import { test } from "node:test";
import { publicKey } from "../src/certificates.js";

test("lookups of a certificate that is gone are limited, and those of others are not", async (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: 1_700_000_000_000 });
  const asked = [];
  const certificate = async (id) => {
    asked.push(id);
    return id === "there" ? JSON.stringify({ public: "key", algorithm: "rsa", private: "" }) : undefined;
  };
  const env = { EGRESS: {}, REGISTRY: { getByName: () => ({ certificate }) } };
  for (let at = 0; at < 200; at++) assert.equal(await publicKey(env, "gone"), null);
  assert.equal(asked.length, 50);
  assert.deepEqual(await publicKey(env, "there"), { public: "key", algorithm: "rsa" });
  t.mock.timers.tick(1000);
  await publicKey(env, "gone");
  assert.equal(asked.length, 52);
});
