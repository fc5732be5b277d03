// The Registry's streams: server-sent events, and lists that are read in pages. Waiting happens here and not in
// WebAssembly: a trap there must not leave a stream that never ends.

/** The longest a stream stays silent; proxies close idle connections. */
const HEARTBEAT_MS = 15_000;

// The single Registry lives in one isolate, and so do all its streams.
const waiting = new Set();

/** How many streams of notifications are open. */
let open = 0;
/** The default of NOTIFICATION_STREAMS_MAX: every open stream costs a query per notification. */
const DEFAULT_MAX = 500;

/** Counts a new stream of notifications. Returns the function to call when it ends, undefined if too many are open. */
export function begin(env) {
  const max = Number(env.NOTIFICATION_STREAMS_MAX);
  if (open >= (Number.isInteger(max) && max > 0 ? max : DEFAULT_MAX)) return undefined;
  open += 1;
  let ended = false;
  return () => {
    if (!ended) open -= 1;
    ended = true;
  };
}

/** Wakes all streams: there may be something new. */
export function announce() {
  for (const resume of [...waiting]) resume(true);
}

/**
 * Returns a stream that starts with a message. `look(message)` returns a line with the message for the next look,
 * followed by the text to send, or an empty string if the stream ends.
 *
 * It reads on only when the client has consumed what it was sent, so a slow client costs no memory. `ended` is called
 * at its end, possibly more than once.
 */
export function follow(message, look, ended) {
  const encoder = new TextEncoder();
  let next = message;
  // An initial comment shows the client that it is connected.
  let silent = true;
  let stop = () => {};
  const waitForNews = () =>
    new Promise((resolve) => {
      const resume = (news) => {
        clearTimeout(timer);
        waiting.delete(resume);
        resolve(news);
      };
      const timer = setTimeout(resume, HEARTBEAT_MS, false);
      waiting.add(resume);
      stop = () => resume(undefined);
    });
  const read = (message) => {
    try {
      return look(message);
    } catch (error) {
      ended();
      throw error;
    }
  };
  return new ReadableStream(
    {
      type: "bytes",
      async pull(controller) {
        for (;;) {
          // Without a next message, the previous text was the last one.
          const answer = next === "" ? "" : read(next);
          if (answer === "") {
            ended();
            controller.close();
            controller.byobRequest?.respond(0);
            return;
          }
          const end = answer.indexOf("\n");
          next = answer.slice(0, end);
          const text = answer.slice(end + 1) || (silent ? ":\n\n" : "");
          silent = false;
          if (text) return controller.enqueue(encoder.encode(text));
          const news = await waitForNews();
          if (news === undefined) return;
          silent = !news;
        }
      },
      cancel: () => {
        ended();
        stop();
      },
    },
    { highWaterMark: 0 },
  );
}
