// The extra modules: pure functions, text in and text out, for what a few links and handlers need a large library
// for (`extras/`). Each is instantiated by its first call, has a bound on its memory, and is told of nothing but
// what it is called with.

import * as authExports from "./auth.js";
import authCode from "./auth_bg.wasm";
import * as jqExports from "./jq.js";
import jqCode from "./jq_bg.wasm";
import * as mcpExports from "./mcp.js";
import mcpCode from "./mcp_bg.wasm";
import { Module } from "./modules.js";
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

/** Memory never shrinks, so an instance that has grown beyond this is given up. */
const MAX_KEPT_BYTES = 16 * 1024 * 1024;

/**
 * Calls a function of an extra: with the settings, which it keeps what it has made of, facts as it reads them, and
 * a body. Answers its report, and a body in the place of that one if it has made one; undefined if it has failed,
 * which the log tells.
 */
export function callExtra(module, name, settings, facts, body) {
  const extra = EXTRAS[module];
  try {
    const exports = extra.ready();
    const answer = exports.call(name, settings, facts, body);
    if (exports.memoryBytes() > MAX_KEPT_BYTES) extra.spoil();
    return answer;
  } catch (error) {
    // A trap, or too deep a recursion, which the engine throws as an error of its own: both leave the stack of
    // the instance as it was.
    console.error(`extra ${module}: ${name}`, error?.stack);
    extra.spoil();
    return undefined;
  }
}
