// Results of tool calls: an API's response becomes the message the client waits for
// (`crates/dataplane/src/links/mcp_tools.rs`).

import { callExtra } from "./extras.js";
import { join } from "./glue.js";
import { described } from "./headers.js";
import { whole } from "./upstream.js";

/** The most bytes of a response that become the result of a tool, as in the reference. */
const MAX_RESULT_BYTES = 1024 * 1024;

/** Response headers that concern the request itself rather than the API's content. */
const REQUEST_HEADERS = /^(x-ratelimit-|access-control-|x-request-id$|x-content-type-options$|vary$|retry-after$)/;

/** Wraps an API's response in a message. `call` is what the extra `mcp` returned for the tool call. */
export async function toolResult(response, call) {
  const { body, isCut } = await whole(readStart(response.body, MAX_RESULT_BYTES));
  const [, text] = callExtra("mcp", "result", isCut ? "cut" : "", `${described(response)}\n${call}`, body) ?? [];
  if (text === undefined) throw new Error("the answer of a tool can't be told");
  const headers = new Headers({ "Content-Type": "application/json" });
  for (const [name, value] of response.headers) if (REQUEST_HEADERS.test(name)) headers.append(name, value);
  return new Response(text, { headers });
}

/** Reads at most `max` bytes of a body. `isCut` says whether there were more. */
async function readStart(stream, max) {
  const chunks = [];
  let length = 0;
  for await (const chunk of stream ?? []) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > max) break;
  }
  return { body: join(chunks, length).subarray(0, max), isCut: length > max };
}
