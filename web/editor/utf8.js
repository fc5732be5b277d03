const encoder = new TextEncoder();

/**
 * Returns a function that encodes a text as UTF-8. The bytes are valid until its next call, because the buffer is
 * reused: encoding into new memory takes ten times as long, and letting wasm-bindgen pass the text, character by
 * character, five times.
 */
export function utf8() {
  let buffer = new Uint8Array(0);
  return (text) => {
    // A UTF-16 code unit takes at most three bytes.
    const most = text.length * 3;
    if (buffer.length < most) buffer = new Uint8Array(most);
    return buffer.subarray(0, encoder.encodeInto(text, buffer).written);
  };
}
