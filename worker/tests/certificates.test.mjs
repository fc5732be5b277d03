// Certificates end to end: stored, listed, used for signing and deleted, immediately and without a reload (reference
// 1.8, 3.8).

import assert from "node:assert/strict";
import { createVerify, X509Certificate } from "node:crypto";
import { after, before, test } from "node:test";
import { CANARY, pem } from "./certificates.mjs";
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

const certs = (method, path = "", body = undefined, headers = {}) => gateway.admin(method, `/gateway/certs${path}`, { body, headers });
const fingerprint = (name) => new X509Certificate(pem(name)).fingerprint256.replaceAll(":", "").toLowerCase();

/** Loads an API whose requests are signed, and returns what the upstream sees of a request. */
async function signing(certificate_id) {
  const request_signing = { is_enabled: true, key_id: "gate", algorithm: "rsa-sha256", certificate_id, header_list: ["x-a"] };
  const definition = api({ request_signing }, { target_url: upstream.url });
  await publish(gateway, definition);
  return () => send(gateway.ports.gateway, { path: `${definition.proxy.listen_path}x`, headers: { "X-A": "1" } });
}

async function refused(answer, message) {
  const { status, json } = await answer;
  assert.deepEqual([status, json.error], [500, message]);
}

test("a certificate is usable as soon as it is stored, and no longer once it is removed", async () => {
  const id = `acme${fingerprint("rsa.crt")}`;
  const call = await signing(id);
  for (let round = 0; round < 2; round += 1) {
    const before = upstream.seen.length;
    await refused(call(), "Certificate not found");
    assert.equal(upstream.seen.length, before);
    const added = await certs("POST", "?org_id=acme", pem("rsa.crt", "rsa.key"));
    assert.deepEqual(added.json, { id, status: "ok", message: "Certificate added" });
    for (let times = 0; times < 2; times += 1) {
      const [header] = values((await call()).json, "authorization");
      const [, signed] = /^Signature keyId="gate",algorithm="rsa-sha256",headers="x-a",signature="([^"]+)"$/.exec(header);
      assert.ok(createVerify("RSA-SHA256").update("x-a: 1").verify(pem("rsa.crt"), signed, "base64"));
    }
    assert.equal((await certs("DELETE", `/${id}`)).status, 200);
  }
  await refused(call(), "Certificate not found");
  // The same certificate without its key.
  await certs("POST", "?org_id=acme", pem("rsa.crt"));
  await refused(call(), "Certificate does not contain RSA private key");
  await certs("DELETE", `/${id}`);
});

test("a key of another type signs nothing", async () => {
  const { json } = await certs("POST", "?org_id=acme", pem("ec.crt", "ec.key"));
  await refused((await signing(json.id))(), "Certificate does not contain RSA private key");
});

test("DER is accepted as well as PEM", async () => {
  const { raw } = new X509Certificate(pem("ed.crt"));
  const added = await certs("POST", "?org_id=der", raw, { "content-type": "application/octet-stream" });
  assert.equal(added.json.id, `der${fingerprint("ed.crt")}`, added.text);
  assert.equal((await certs("GET", `/${added.json.id}`)).json.subject.CommonName, "ed");
});

test("private keys leave the store only encrypted", async () => {
  const id = `kept${fingerprint("rsa.crt")}`;
  const answers = [await certs("POST", "?org_id=kept", pem("rsa.crt", "rsa.key"))];
  const call = await signing(id);
  answers.push(await call(), await certs("GET"), await certs("GET", "?mode=detailed"), await certs("GET", `/${id}`));
  answers.push(await certs("POST", "?org_id=kept", pem("rsa.crt", "rsa.key")), await certs("POST", "?org_id=kept", `${pem("rsa.key")}x`));
  const request = { method: "GET", path: "/x", headers: { "X-A": ["1"] } };
  const definition = (await gateway.admin("GET", "/gateway/apis")).json.find(({ request_signing }) => request_signing?.certificate_id === id);
  answers.push(await gateway.admin("POST", "/gateway/debug", { body: { request, spec: definition } }));
  answers.push(await gateway.admin("GET", "/gateway/export"), await gateway.dashboard("GET", "/api/audit?limit=500"), await gateway.dashboard("GET", "/api/notifications"));
  const sealed = await gateway.admin("GET", "/gateway/export", { headers: { "X-Gateway-Passphrase": "long enough to be one" } });
  assert.ok(sealed.text.includes(`"id":"${id}"`));
  for (const { text } of [...answers, sealed]) assert.ok(!text.includes(CANARY), text.slice(0, 300));
  assert.ok(answers[1].status === 200 && !gateway.log().includes(CANARY.slice(0, 20)));
});
