// Going back or forward, and loading a page again, restores where it was scrolled to. The browser would do so at once,
// when the content of the page has not been loaded yet.

/** For how long the content may grow until it is long enough. */
const PATIENCE_MS = 5000;
/** For how long it may then still change: what is above the position may be loaded after what is there. */
const SETTLED_MS = 1500;

history.scrollRestoration = "manual";

/** Notes the position in the current entry of the history. */
function note() {
  const y = Math.round(scrollY);
  if (history.state?.y !== y) history.replaceState({ ...history.state, y }, "");
}

let stop = () => {};

/** Scrolls as soon as the content is long enough, unless the reader moves first. */
function restore(y) {
  stop();
  if (y === undefined) return;
  const done = new AbortController();
  const timers = [setTimeout(() => done.abort(), PATIENCE_MS)];
  const to = () => {
    scrollTo({ top: y, behavior: "instant" });
    if (Math.abs(scrollY - y) <= 1 && timers.length === 1) timers.push(setTimeout(() => done.abort(), SETTLED_MS));
  };
  const grown = new ResizeObserver(to);
  done.signal.addEventListener("abort", () => {
    grown.disconnect();
    timers.forEach(clearTimeout);
  });
  stop = () => done.abort();
  for (const act of ["wheel", "touchstart", "keydown", "pointerdown"]) addEventListener(act, stop, { signal: done.signal, passive: true });
  grown.observe(document.body);
  to();
}

// Where a page is scrolled to is noted before anything can lead away from it.
for (const act of ["click", "keydown"]) addEventListener(act, note, { capture: true });
let soon;
addEventListener("scroll", () => {
  clearTimeout(soon);
  soon = setTimeout(note, 200);
});
addEventListener("pagehide", note);
// The console may undo the step because something is unsaved: then the entry is another one by then.
addEventListener("popstate", () => {
  clearTimeout(soon);
  setTimeout(() => restore(history.state?.y));
});
restore(history.state?.y);
