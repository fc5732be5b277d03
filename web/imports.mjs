// Shortens the names of a WebAssembly module's imports from its JavaScript.
//
// wasm-bindgen gives each import a name with a hash of sixteen digits, which doesn't compress and occurs in both the
// module and its JavaScript: 7 kB of a first load.

/** The id of the import section (WebAssembly core specification, *Modules*, *Sections*). */
const IMPORTS = 2;
const HEADER = 8;
const HASHED = /\b__w[A-Za-z0-9_]*_[0-9a-f]{16}\b/g;

/** Replaces the names of imports that have a hash, in a module's JavaScript and in its bytes. */
export function shortened(code, wasm) {
  const names = new Map();
  const short = (name) => {
    if (!names.has(name)) names.set(name, `i${names.size.toString(36)}`);
    return names.get(name);
  };
  const parts = [wasm.subarray(0, HEADER)];
  for (let at = HEADER; at < wasm.length; ) {
    const [size, from] = number(wasm, at + 1);
    const end = from + size;
    if (wasm[at] === IMPORTS) {
      const section = imports(wasm.subarray(from, end), (name) => name.replace(HASHED, short));
      parts.push([IMPORTS], leb(section.length), section);
    } else parts.push(wasm.subarray(at, end));
    at = end;
  }
  return { code: code.replace(HASHED, (name) => names.get(name) ?? name), wasm: joined(parts) };
}

/** Returns an import section with other names. All of wasm-bindgen's imports are functions. */
function imports(section, renamed) {
  let [count, at] = number(section, 0);
  const parts = [leb(count)];
  const text = () => {
    const [size, from] = number(section, at);
    at = from + size;
    return new TextDecoder().decode(section.subarray(from, at));
  };
  for (; count > 0; count -= 1) {
    for (const name of [text(), renamed(text())]) {
      const bytes = new TextEncoder().encode(name);
      parts.push(leb(bytes.length), bytes);
    }
    if (section[at] !== 0) throw new Error(`an import of a module is no function: ${section[at]}`);
    const [, end] = number(section, at + 1);
    parts.push(section.subarray(at, end));
    at = end;
  }
  return joined(parts);
}

/** Reads an unsigned LEB128 number at an offset; returns it and the offset after it. */
export function number(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return [value, at];
  }
}

function leb(value) {
  const bytes = [];
  do {
    const more = value >= 0x80;
    bytes.push((value & 0x7f) | (more ? 0x80 : 0));
    value >>>= 7;
  } while (value > 0);
  return bytes;
}

const joined = (parts) => new Uint8Array(Buffer.concat(parts.map((part) => Uint8Array.from(part))));
