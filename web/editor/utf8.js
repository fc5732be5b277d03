const encoder = new TextEncoder();

/**
 * Makes a function that answers the bytes of a text in UTF-8. They are good until its next call, because
 * they lie in a buffer that is used again: encoding into new memory takes ten times as long, and letting
 * wasm-bindgen hand over the text, character by character, five times.
 */
export function utf8() {
  let buffer = new Uint8Array(0);
  return (text) => {
    // A UTF-16 code unit becomes three bytes at most.
    const most = text.length * 3;
    if (buffer.length < most) buffer = new Uint8Array(most);
    return buffer.subarray(0, encoder.encodeInto(text, buffer).written);
  };
}
