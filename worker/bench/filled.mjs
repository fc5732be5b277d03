// Fills a gateway with APIs and keys by an import, which takes a fraction of the time of individual writes.

import { createHash } from "node:crypto";
import { request } from "node:http";
import { Readable } from "node:stream";

/** The hash of a key, as long as one by murmur128. */
export const keyId = (at) => createHash("md5").update(`key ${at}`).digest("hex");

const MADE = Date.parse("2026-01-01T00:00:00Z");
const byId = ([a], [b]) => (a < b ? -1 : 1);

/** The lines of an export, each kind ordered by id. `definitions` maps ids to the texts of APIs. */
function* lines({ definitions, keys }) {
  const digest = createHash("sha256");
  const line = (value) => {
    const text = `${JSON.stringify(value)}\n`;
    digest.update(text);
    return text;
  };
  yield line({ export: { format: 1, id: "0123456789abcdef0123456789abcdef", made_at: new Date(MADE).toISOString(), version: "bench", revisions: false, counters: false } });
  const apis = [...definitions].sort(byId);
  for (const [id, text] of apis) yield line({ api: { id, revision: 1, action: "added", updated_at: new Date(MADE).toISOString(), text } });
  const ids = Array.from({ length: keys }, (_, at) => [keyId(at), at]).sort(byId);
  for (const [hash, at] of ids) {
    const alias = `customer ${at}`;
    const tags = [`tag-${at % 1000}`];
    const access_rights = { [`bench-${at % 5}`]: { api_id: `bench-${at % 5}`, versions: ["Default"] } };
    const text = JSON.stringify({ alias, org_id: "bench", rate: 1000, per: 1, tags, access_rights });
    const created_at = new Date(MADE + at).toISOString();
    yield line({ session: { owner: "key", id: hash, revision: at + 1, reset: at + 1, created_at, updated_at: created_at, ends: 0, org_id: "bench", text } });
  }
  const counts = { ...(apis.length > 0 && { api: apis.length }), ...(keys > 0 && { session: keys }) };
  const sha256 = digest.copy().digest("hex");
  yield `${JSON.stringify({ end: { number: apis.length + keys + 1, written_meanwhile: 0, counts, secrets_left_out: 0, sha256 } })}\n`;
}

/** The lines, grouped into chunks worth sending. */
function* pieces(what) {
  let piece = "";
  for (const line of lines(what)) {
    piece += line;
    if (piece.length > 1 << 18) {
      yield piece;
      piece = "";
    }
  }
  yield piece;
}

/** Imports APIs and this many keys into an empty gateway. */
export function imported(url, secret, { definitions = [], keys = 0 }) {
  return new Promise((done, failed) => {
    const headers = { "x-gateway-authorization": secret };
    const sent = request(`${url}/gateway/import`, { method: "POST", headers, timeout: 0 }, async (answer) => {
      let text = "";
      for await (const part of answer.setEncoding("utf8")) text += part;
      if (answer.statusCode === 200) done();
      else failed(new Error(`import: ${answer.statusCode} ${text.slice(0, 500)}`));
    });
    sent.on("error", failed);
    Readable.from(pieces({ definitions, keys })).pipe(sent);
  });
}
