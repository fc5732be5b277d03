// Bodies of requests on their way to an upstream, where it makes a difference who is at fault if they don't get there: the
// runtime says the same of a client that breaks off and of an upstream that does.

/** What is said of a client whose body broke off, or does not come (`Failure::from_upstream` in Rust). */
export const GONE = "client: gone";
export const SLOW = "client: slow";

/**
 * A request with its body passed on part by part: `sent`, what it is to be sent as; `fault()`, what its client has done
 * if that is why it failed, by then or of `late`; `passed`, a promise that ends with the body.
 */
export function watched(request) {
  const length = request.headers.get("content-length");
  const { readable, writable } = length === null ? new IdentityTransformStream() : new FixedLengthStream(BigInt(length));
  // The stream itself can't say that it broke off: one without a length would look as if it had ended.
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
      // The upstream takes no more of it; its answer, or that there is none, says why.
      reader.cancel().catch(() => {});
      return;
    }
  }
}
