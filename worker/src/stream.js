// The Registry's streams: server-sent events, and lists that are read in pages. Waiting happens here and not in
// WebAssembly: a trap there must not leave a stream that never ends.

/** The longest a stream stays silent; proxies close idle connections. */
const HEARTBEAT_MS = 15_000;

// The single Registry lives in one isolate, and so do all its streams.
const waiting = new Set();

/** How many streams of notifications are open, by credential. */
const open = new Map();
/** The limits and their defaults: every open stream costs a query per notification, and no credential gets them all. */
const TOTAL = ["NOTIFICATION_STREAMS_MAX", 500];
const EACH = ["NOTIFICATION_STREAMS_PER_CREDENTIAL", 100];

/** Returns the text of a limit if this many streams have reached it. */
function reached(env, [name, usual], count) {
  const set = Number(env[name]);
  const max = Number.isInteger(set) && set > 0 ? set : usual;
  return count >= max ? `${name}=${max}` : undefined;
}

/**
 * Counts a new stream of notifications of a credential. Returns the function to call when it ends, or a text with the
 * limit that is reached.
 */
export function begin(env, credential) {
  const own = open.get(credential) ?? 0;
  const all = [...open.values()].reduce((sum, count) => sum + count, 0);
  const full = reached(env, EACH, own) ?? reached(env, TOTAL, all);
  if (full) return full;
  open.set(credential, own + 1);
  let ended = false;
  return () => {
    if (ended) return;
    ended = true;
    const left = open.get(credential) - 1;
    if (left > 0) open.set(credential, left);
    else open.delete(credential);
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
