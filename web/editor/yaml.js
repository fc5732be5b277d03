// Converts YAML 1.2 to JSON text, and maps JSON Pointers to positions in the YAML.
//
// Numbers keep their text where JSON writes them the same way: `1.0` stays `1.0`, and integers of any length stay
// exact. `<<` merges as in YAML 1.1, which OpenAPI documents still use. Anything without an equivalent in JSON (`.inf`,
// members named by a list) or on which parsers disagree (duplicate names) is refused with its position. Aliases may
// expand to LARGEST characters, so that a few lines can't fill the memory.
import { Composer, Lexer, LineCounter, Parser, isAlias, isMap, isScalar, isSeq } from "yaml";

/** The maximum length of the JSON text; the model refuses a longer one as well (`openapi::MAX_BYTES`). */
const LARGEST = 8 * 1024 * 1024;
/** More levels than the model reads (`json::MAX_DEPTH`), whose error message is better than a stack overflow. */
const DEEPEST = 200;
const TOO_DEEP = "lists and maps nest too deep";
/** The maximum number of problems reported. */
const MOST = 20;

const OPTIONS = { version: "1.2", uniqueKeys: false, intAsBigInt: true, prettyErrors: false };

const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
const KNOWN_TAG = /^(!|tag:yaml\.org,2002:.*)$/;

/** Returns a problem in the gateway's format of issues; it covers the whole text unless a range is given. */
export function issue(message, pointer, range = { line: 1, column: 1, end_line: 1, end_column: 1 }) {
  return { pointer, code: "syntax", severity: "error", message, ...range };
}

/** Returns { json, notes, rangeOf(pointer) }, or { issues } for a text that can't be converted to JSON. */
export function readYaml(text) {
  const lines = new LineCounter();
  const lineRange = ([from, to]) => {
    const [start, end] = [lines.linePos(from), lines.linePos(Math.max(from, to))];
    return { line: start.line, column: start.col, end_line: end.line, end_column: end.col };
  };
  try {
    const [document, another] = new Composer({ ...OPTIONS, lineCounter: lines }).compose(tokens(text, lines), true, text.length);
    if (document.errors.length > 0) return { issues: refused(document.errors, lineRange) };
    if (another) throw new Trouble("there are several YAML documents in this text; import one at a time", "", another);
    const writer = new Writer(document.contents);
    const json = writer.write();
    return { json, notes: writer.notes.map((note) => noted(note, lineRange)), rangeOf: (pointer) => lineRange(writer.range(pointer)) };
  } catch (error) {
    if (error instanceof Trouble) return { issues: [issue(error.message, error.pointer, lineRange(error.range))] };
    throw error;
  }
}

/**
 * Returns the tokens of a text. The parser keeps its open levels in a list, but the composer that builds documents of
 * the tokens is recursive: browsers have been seen to overflow the stack in it.
 */
function* tokens(text, lines) {
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    if (parser.stack.length > DEEPEST) throw new Trouble(TOO_DEEP, "", { range: [parser.offset, parser.offset] });
  }
  yield* parser.end();
}

function refused(errors, lineRange) {
  return errors.slice(0, MOST).map(({ code, message, pos }) => issue(said(code, message), "", lineRange(pos)));
}

/** Advice for problems for which the parser only says what it has found. */
const REMEDIES = {
  BLOCK_AS_IMPLICIT_KEY: "a second colon in one line; put the text in quotes, or check the indentation",
  MULTILINE_IMPLICIT_KEY: "a line without a colon; write name: value, or check the indentation",
  TAB_AS_INDENT: "YAML can't be indented with tabs; use spaces",
};

function said(code, message) {
  return REMEDIES[code] ?? message.charAt(0).toLowerCase() + message.slice(1);
}

function noted({ pointer, message, range }, lineRange) {
  const { line, column } = lineRange(range);
  return { pointer, taken: false, message, line, column };
}

/** A part without an equivalent in JSON, and its position. */
class Trouble extends Error {
  constructor(message, pointer, node) {
    super(message);
    this.pointer = pointer;
    this.range = node?.range ?? [0, 0];
  }
}

class Writer {
  /** What is accepted but lost in JSON: { pointer, message, range }. */
  notes = [];
  #root;
  #parts = [];
  #length = 0;
  #open = new Set();
  #targets = new Map();
  #members = new Map();

  constructor(root) {
    this.#root = root;
    this.#resolve(root, new Map());
  }

  write() {
    this.#value(this.#root, "");
    return this.#parts.join("");
  }

  /** Returns the range of the value at a JSON Pointer, or of its closest ancestor: start and end offsets. */
  range(pointer) {
    let node = this.#root;
    let range = [0, 0];
    for (const token of pointer.split("/").slice(1)) {
      const name = token.replaceAll("~1", "/").replaceAll("~0", "~");
      const target = this.#target(node);
      if (isMap(target)) {
        const found = this.#membersOf(target, "").get(name);
        if (!found) break;
        range = found.key.range ?? range;
        node = found.value;
      } else if (isSeq(target) && target.items[name]) {
        node = target.items[name];
        range = node.range ?? range;
      } else {
        break;
      }
    }
    return range;
  }

  /** Records the target of each alias: the last preceding anchor of that name (YAML 1.2.2 section 7.1). */
  #resolve(node, anchors) {
    if (isAlias(node)) this.#targets.set(node, anchors.get(node.source));
    if (node?.anchor) anchors.set(node.anchor, node);
    if (isMap(node)) {
      for (const { key, value } of node.items) {
        this.#resolve(key, anchors);
        this.#resolve(value, anchors);
      }
    } else if (isSeq(node)) {
      for (const item of node.items) this.#resolve(item, anchors);
    }
  }

  #target(node) {
    return isAlias(node) ? this.#targets.get(node) : node;
  }

  #put(text, pointer, node) {
    this.#length += text.length;
    if (this.#length > LARGEST) throw new Trouble(`with its aliases written out the document is longer than ${LARGEST} bytes; shorten it`, pointer, node);
    this.#parts.push(text);
  }

  #value(node, pointer) {
    const value = this.#target(node);
    if (isAlias(node) && !value) throw new Trouble(`there is no anchor named ${node.source}`, pointer, node);
    if (value?.tag && !KNOWN_TAG.test(value.tag)) {
      this.notes.push({ pointer, message: `the tag ${value.tag} is ignored; its value was read without it`, range: value.range });
    }
    if (isScalar(value)) return this.#put(this.#scalar(value, pointer), pointer, node);
    if (!value) return this.#put("null", pointer, node);
    if (this.#open.has(value)) throw new Trouble("an alias refers to something that contains it", pointer, node);
    if (this.#open.size >= DEEPEST) throw new Trouble(TOO_DEEP, pointer, node);
    this.#open.add(value);
    if (isMap(value)) this.#map(value, pointer);
    else this.#list(value, pointer);
    this.#open.delete(value);
  }

  #map(map, pointer) {
    let between = "{";
    for (const [name, { value }] of this.#membersOf(map, pointer)) {
      this.#put(`${between}${JSON.stringify(name)}:`, pointer, map);
      this.#value(value, `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
      between = ",";
    }
    this.#put(between === "{" ? "{}" : "}", pointer, map);
  }

  #list(list, pointer) {
    let between = "[";
    for (const [at, item] of list.items.entries()) {
      this.#put(between, pointer, list);
      this.#value(item, `${pointer}/${at}`);
      between = ",";
    }
    this.#put(between === "[" ? "[]" : "]", pointer, list);
  }

  #scalar(scalar, pointer) {
    const { value, source } = scalar;
    if (typeof value === "bigint") return JSON_NUMBER.test(source) ? source : String(value);
    if (typeof value === "number") {
      if (!Number.isFinite(value)) throw new Trouble(`${source} is a number that JSON doesn't have`, pointer, scalar);
      return JSON_NUMBER.test(source) ? source : JSON.stringify(value);
    }
    if (value === null || typeof value === "boolean") return String(value);
    return JSON.stringify(typeof value === "string" ? value : (source ?? ""));
  }

  /** Returns the members of a map including those merged into it by `<<`: a map of name to { key, value }. */
  #membersOf(map, pointer) {
    const known = this.#members.get(map);
    if (known) return known;
    const members = new Map();
    const merged = [];
    for (const { key, value } of map.items) {
      if (isScalar(key) && key.value === "<<" && key.type === "PLAIN") {
        merged.push(value);
        continue;
      }
      const name = this.#name(key, pointer);
      const first = members.get(name);
      if (first) throw new Trouble(`${JSON.stringify(name)} occurs twice in the same map`, pointer, key);
      members.set(name, { key, value });
    }
    // Set before it is complete: a map that merges itself adds nothing.
    this.#members.set(map, members);
    for (const source of merged) this.#merge(members, source, pointer);
    return members;
  }

  #merge(members, source, pointer) {
    const target = this.#target(source);
    const sources = isSeq(target) ? target.items.map((item) => this.#target(item)) : [target];
    for (const map of sources) {
      if (!isMap(map)) throw new Trouble("<< merges maps and nothing else", pointer, source);
      for (const [name, member] of this.#membersOf(map, pointer)) {
        this.#length += 1;
        if (!members.has(name)) members.set(name, member);
      }
      this.#put("", pointer, source);
    }
  }

  #name(key, pointer) {
    const scalar = this.#target(key);
    if (!isScalar(scalar)) throw new Trouble("the name of a member has to be a string", pointer, key);
    return typeof scalar.value === "string" ? scalar.value : (scalar.source ?? "");
  }
}
