// The inputs of a rule that rewrites bodies, and the description of its outcome, independent of page and module.

/** Decodes Base64 to a text, or says what is wrong with it. */
export function fromBase64(encoded) {
  try {
    const bytes = Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0));
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return { text: "", broken: "template_source is not a text in Base64, so the gateway leaves this rule out. What you write here is encoded." };
  }
}

/** Encodes a text as Base64. */
export function toBase64(text) {
  return btoa(Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join(""));
}

/** Returns the initial body. */
export function firstBody(input) {
  if (input === "xml") return '<order id="42">\n  <name>Lamp</name>\n  <price>19.90</price>\n</order>\n';
  return '{\n  "id": 42,\n  "name": "Lamp",\n  "tags": ["home", "light"]\n}\n';
}

/** Returns the initial facts about the request. */
export function firstFacts({ kind }) {
  const known = { context: { path: "/orders/42", remote_addr: "192.0.2.7", request_id: "3f2a", headers_Accept: "application/json" }, meta: { plan: "gold" } };
  if (kind === "transform_jq_response") known.answer = { status: 200, headers: { "Content-Type": ["application/json"] } };
  if (kind.startsWith("transform_jq")) delete known.meta;
  return `${JSON.stringify(known, null, 2)}\n`;
}

const VARIABLE = /\$(gateway|tyk)_(context|meta)\.([\w.-]*[\w-])/g;

/** Encodes a text as a query value, unless it is a URL. */
const escaped = (text) => {
  if (/^https?:\/\//.test(text)) return text;
  const others = (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replace(/[!'()*]/g, others).replaceAll("%20", "+");
};

const printed = (value) => (typeof value === "string" ? value : value === undefined ? "" : JSON.stringify(value));

/**
 * Returns what the edge passes to the module (`crates/dataplane/src/links/bodies.rs`): the head of the response and, on
 * the last line, time, context variables, metadata, and the variables of a template for requests.
 */
export function facts({ kind, context, meta }, source, text) {
  const known = text.trim() === "" ? {} : JSON.parse(text);
  if (known === null || typeof known !== "object" || Array.isArray(known)) throw new Error("it is not an object");
  const passed = { now: Math.floor(Date.now() / 1000) };
  if (context) passed.context = known.context ?? {};
  if (meta && !kind.startsWith("transform_jq")) passed.meta = known.meta ?? {};
  if (kind === "transform") {
    const value = (group, name) => escaped(printed((group === "context" ? passed.context : known.meta)?.[name]));
    const found = [...source.matchAll(VARIABLE)].map(([whole, , group, name]) => [whole, value(group, name)]);
    if (found.length > 0) passed.variables = Object.fromEntries(found);
  }
  const last = JSON.stringify(passed);
  if (!kind.endsWith("_response")) return last;
  return `${JSON.stringify(known.answer ?? { status: 200, headers: {} })}\n${last}`;
}

/** Describes an outcome: the text, whether it is a success, and the position of a problem. */
export function shown(report, made, isAnswer) {
  const { broken, error, line, column } = report;
  const place = line === undefined ? undefined : { line, column };
  const where = place ? `line ${line}, column ${column}: ` : "";
  const body = isAnswer ? "The client gets the body as it is" : "The upstream gets the body as it is";
  if (broken !== undefined) return { text: `It can't be read, ${where}${broken}. The gateway leaves the rule out.`, state: "bad", place };
  if (error !== undefined && place) return { text: `It can't be read, ${where}${error}. ${body}.`, state: "bad", place };
  if (error !== undefined) return { text: `${body}: ${error}.`, state: "bad", place };
  if (made === undefined) return { text: `${body}.`, state: "good", place };
  const bytes = new TextEncoder().encode(made).length;
  return { text: `Another body, ${bytes === 1 ? "1 byte" : `${bytes} bytes`}.`, state: "good", place };
}

/** Returns the problem of a template or filter in the editor's format; it marks at least one character. */
export function problems({ broken, error, line, column }) {
  if (line === undefined) return [];
  return [{ pointer: "", code: "other", severity: "error", message: broken ?? error, line, column, end_line: line, end_column: column + 1 }];
}
