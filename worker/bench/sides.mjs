// The services that are patched: how a document gets there, how a patch is sent, and what must be true afterwards.

import assert from "node:assert/strict";
import { checkDocument, send } from "./patching.mjs";
import { SECRET, startGateway, startKinto, startPatches } from "./services.mjs";

const as = (token) => ({ authorization: `Bearer ${token}` });

async function call(method, url, headers, body) {
  const answer = await send(undefined, method, url, headers, body);
  if (answer.status >= 300) throw new Error(`${method} ${url}: ${answer.status} ${answer.text}`);
  return answer;
}

/** The dashboard API, as the gateway and the Hono worker offer it. `bare` is the path without notifications. */
function dashboard(service, base, headers, root = "/api") {
  const at = (document) => `${base}${root}/clientidps/${document.client_idp_id}`;
  let documents = 0;
  return {
    service,
    async create(document) {
      documents += 1;
      await call("POST", `${base}/api/clientidps`, headers, document);
    },
    patch: (document) => ({ url: `${at(document)}/mappings`, headers, wrap: (patch) => patch }),
    /** Checks the document and its revision. */
    async check(document, patching) {
      const stored = await call("GET", `${base}/api/clientidps/${document.client_idp_id}`, headers);
      checkDocument(JSON.parse(stored.text), patching);
      assert.equal(stored.headers.etag, `"${1 + patching.acknowledged}"`, "each patch is one revision");
    },
    /** Checks that there is one notification for each creation and each patch. */
    async checkNotifications(patches) {
      const { text } = await call("GET", `${base}/api/notifications?after=${documents + patches - 1}`, headers);
      assert.equal(JSON.parse(text).last, documents + patches, "each write is one notification");
    },
  };
}

/** The gateway, with a token that it has issued and looks up by its hash. */
export async function gatewaySide() {
  const service = await startGateway("patches");
  const credential = { name: "bench", permissions: { clientidps: "write", apis: "read" } };
  const secret = { "x-gateway-authorization": SECRET };
  const issued = await call("POST", `${service.console}/gateway/dashboard/credentials`, secret, credential);
  return dashboard(service, service.console, as(JSON.parse(issued.text).token));
}

/** The Hono worker, and the same without notifications and audit entries, each in a process of its own. */
export async function honoSides() {
  const [full, bare] = [await startPatches(SECRET, "full"), await startPatches(SECRET, "bare")];
  return [dashboard(full, full.url, as(SECRET)), dashboard(bare, bare.url, as(SECRET), "/bare")];
}

/** Kinto, from the virtual environment `home`. */
export async function kintoSide(home) {
  const service = await startKinto(home);
  const headers = { authorization: `Basic ${btoa("bench:bench")}` };
  const collection = `${service.url}/v1/buckets/bench/collections/providers`;
  for (const url of [`${service.url}/v1/buckets/bench`, collection]) await call("PUT", url, headers, {});
  const at = (document) => `${collection}/records/${document.client_idp_id}`;
  return {
    service,
    create: (document) => call("PUT", at(document), headers, { data: document }),
    patch: (document) => ({ url: at(document), headers, wrap: (patch) => ({ data: { api_mappings: patch } }) }),
    async check(document, patching) {
      checkDocument(JSON.parse((await call("GET", at(document), headers)).text).data, patching);
    },
  };
}
