// Streams of the Registry: server-sent events, and lists that are read in pages. Waiting is done here and not in
// WebAssembly: a trap there must not leave a stream that never ends.

/** How long a stream is silent at most; proxies close connections that say nothing. */
const HEARTBEAT_MS = 15_000;

// The one Registry lives in one isolate, and every stream of it beside it.
const waiting = new Set();

/** How many streams of notifications are open. */
let open = 0;
/** How many there may be, unless NOTIFICATION_STREAMS_MAX says so: each costs a query for each notification. */
const MOST = 500;

/** Lets a stream of notifications begin; answers what says that it has ended, nothing if there are too many. */
export function begin(env) {
  const most = Number(env.NOTIFICATION_STREAMS_MAX);
  if (open >= (Number.isInteger(most) && most > 0 ? most : MOST)) return undefined;
  open += 1;
  let ended = false;
  return () => {
    if (!ended) open -= 1;
    ended = true;
  };
}

/** Tells all streams that there may be something new. */
export function announce() {
  for (const resume of [...waiting]) resume(true);
}

/**
 * The stream that begins with a message. `look(message)` answers a line with the message of the next
 * look and then the text to send, or nothing at all where the stream ends.
 *
 * It reads on only when the client has taken what it got, so a slow client costs no memory. `ended` is called at
 * its end, also more than once.
 */
export function follow(message, look, ended) {
  const encoder = new TextEncoder();
  let next = message;
  // The first comment tells the client that it is connected.
  let silent = true;
  let stop = () => {};
  const change = () =>
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
          // Without a next message the last text was the end.
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
          const news = await change();
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
