// The extra modules (`extras/`): pure functions, text in and text out, that need a large library only a few links and
// handlers use. Each is instantiated by its first call, has bounded memory, and sees nothing but its arguments.

import * as authExports from "./auth.js";
import authCode from "./auth_bg.wasm";
import * as jqExports from "./jq.js";
import jqCode from "./jq_bg.wasm";
import * as mcpExports from "./mcp.js";
import mcpCode from "./mcp_bg.wasm";
import { Module } from "./module.js";
import * as openapiExports from "./openapi.js";
import openapiCode from "./openapi_bg.wasm";
import * as schemaExports from "./schema.js";
import schemaCode from "./schema_bg.wasm";
import * as transformExports from "./transform.js";
import transformCode from "./transform_bg.wasm";

const EXTRAS = {
  auth: new Module("auth", authCode, authExports),
  jq: new Module("jq", jqCode, jqExports),
  mcp: new Module("mcp", mcpCode, mcpExports),
  openapi: new Module("openapi", openapiCode, openapiExports),
  schema: new Module("schema", schemaCode, schemaExports),
  transform: new Module("transform", transformCode, transformExports),
};

/** WebAssembly memory never shrinks, so an instance that has grown beyond this is discarded. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/**
 * Calls a function of an extra with the settings (which it caches in parsed form), the facts in the format it expects,
 * and a body. Returns its report and, if it has made one, a replacement for the body; undefined if the call failed,
 * which is logged.
 */
export function callExtra(module, name, settings, facts, body) {
  const extra = EXTRAS[module];
  try {
    const exports = extra.ready();
    const answer = exports.call(name, settings, facts, body);
    if (exports.memoryBytes() > MAX_KEPT_BYTES) extra.discard();
    return answer;
  } catch (error) {
    // A trap, or a recursion too deep, which the engine throws as an error of its own: neither restores the instance's
    // stack pointer.
    console.error(`extra ${module}: ${name}`, error?.stack);
    extra.discard();
    return undefined;
  }
}
