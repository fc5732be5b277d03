// The backend of workerd's Cache API: a GET looks a response up, a PUT stores one as it is on the wire, and PURGE
// deletes one (src/workerd/api/cache.c++ in https://github.com/cloudflare/workerd).

const kept = new Map();

export default {
  async fetch(request) {
    const { method, url } = request;
    if (method === "PUT") {
      kept.set(url, parse(new Uint8Array(await request.arrayBuffer())));
      return new Response(null, { status: 204 });
    }
    if (method === "PURGE") return new Response(null, { status: kept.delete(url) ? 200 : 404 });
    const found = kept.get(url);
    if (found === undefined) return new Response(null, { status: 504, headers: { "CF-Cache-Status": "MISS" } });
    return new Response(found.body, { headers: [...found.headers, ["CF-Cache-Status", "HIT"]] });
  },
};

function parse(bytes) {
  const text = new TextDecoder("latin1").decode(bytes);
  const end = text.indexOf("\r\n\r\n");
  const fields = text.slice(0, end).split("\r\n").slice(1).map((line) => line.split(/: ?(.*)/s, 2));
  const isChunked = fields.some(([name, value]) => name.toLowerCase() === "transfer-encoding" && value === "chunked");
  const headers = fields.filter(([name]) => !["transfer-encoding", "content-length"].includes(name.toLowerCase()));
  const body = bytes.slice(end + 4);
  return { headers, body: isChunked ? unchunked(body) : body };
}

function unchunked(bytes) {
  const parts = [];
  let at = 0;
  for (;;) {
    const end = bytes.indexOf(13, at);
    const length = Number.parseInt(new TextDecoder().decode(bytes.subarray(at, end)), 16);
    if (!length) return new Uint8Array(parts.flatMap((part) => [...part]));
    parts.push(bytes.subarray(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
}
