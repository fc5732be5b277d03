// Bodies of requests on their way to an upstream, where it matters whose fault a failure is: the runtime reports a
// client that disconnects and an upstream that does in the same words.

/** The errors for a client whose body was cut off, or stopped arriving (`Failure::from_upstream` in Rust). */
export const GONE = "client: gone";
export const SLOW = "client: slow";

/**
 * Copies a request so that its body is passed on chunk by chunk. `sent` is the copy to send; `fault(late)` returns the
 * client's error if the client has disconnected or, for a call that timed out (`late`), was being waited for; `passed`
 * resolves when the body has ended.
 */
export function watched(request) {
  const length = request.headers.get("content-length");
  const { readable, writable } = length === null ? new IdentityTransformStream() : new FixedLengthStream(BigInt(length));
  // The stream alone can't signal that it was cut off: without a length, it would look complete.
  const stop = new AbortController();
  const sent = new Request(request, { body: readable, signal: stop.signal });
  const state = { isAwaited: false, isGone: false };
  const passed = pass(request.body, writable, state, stop);
  const fault = (late) => (state.isGone ? GONE : late && state.isAwaited ? SLOW : undefined);
  return { sent, fault, passed };
}

async function pass(from, to, state, stop) {
  const reader = from.getReader();
  const writer = to.getWriter();
  for (;;) {
    let part;
    try {
      state.isAwaited = true;
      part = await reader.read();
    } catch (error) {
      state.isGone = true;
      stop.abort(error);
      return;
    } finally {
      state.isAwaited = false;
    }
    try {
      if (part.done) return await writer.close();
      await writer.write(part.value);
    } catch {
      // The upstream has stopped reading; its response, or the lack of one, says why.
      reader.cancel().catch(() => {});
      return;
    }
  }
}
