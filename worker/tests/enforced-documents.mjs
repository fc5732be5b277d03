// Demonstrations of what the support table calls enforced: the members that only an OpenAPI document gives a definition.
// Run by enforced-apis.mjs.

import assert from "node:assert/strict";
import { api } from "./definitions.mjs";

/** The demonstrations on a [stage](./enforced-stage.mjs). */
export function documents({ loaded, call, target }, gateway) {
  /** Stores and loads an OpenAPI document, and returns its definition. */
  async function document(members, extension) {
    const { api_id: id, proxy } = api();
    const own = { info: { id, name: id, state: { active: true } }, upstream: { url: target("/up") }, server: { listenPath: { value: proxy.listen_path, strip: true } }, ...extension };
    const body = { openapi: "3.0.3", info: { title: id, version: "1" }, paths: {}, ...members, "x-gateway-api-gateway": own };
    const stored = await gateway().admin("POST", "/gateway/apis/oas", { body });
    assert.equal(stored.status, 200, stored.text);
    assert.equal((await gateway().admin("GET", "/gateway/reload", { query: { block: true } })).status, 200);
    return { api_id: id, proxy };
  }
  const read = async ({ api_id }, form = "") => gateway().admin("GET", `/gateway/apis${form}/${api_id}`);

  return [
    {
      ApiDefinition: {
        async is_oas() {
          const [classic, compiled] = [await loaded({ is_oas: true }), await document()];
          assert.deepEqual([(await read(classic)).json.is_oas, (await read(compiled)).json.is_oas], [false, true]);
          assert.deepEqual([(await read(classic, "/oas")).status, (await read(compiled, "/oas")).status], [400, 200]);
        },
        async openapi() {
          const mock = { mockResponse: { enabled: true, code: 418, body: "" } };
          const paths = { "/mocked": { get: { operationId: "mocked", responses: { 200: { description: "ok" } } } } };
          const mocked = await document({ paths }, { middleware: { operations: { mocked: mock } } });
          assert.equal((await call(mocked, "mocked")).status, 418);
          assert.equal((await call(await document({ paths }), "mocked")).status, 200);
        },
      },
    },
  ];
}
