// What the bindings of all modules go on by in the same turn, each time that something has been waited for; the bundle
// puts it in the place of the global function (`xtask/src/build.rs`).

/**
 * Runs something in this turn, behind what is run now. The runtime's own function is a call out of V8 and back, which
 * costs 3 µs, thirty times what a promise does. An error is reported in the same way: a trap must be seen.
 */
export function queueMicrotask(run) {
  Promise.resolve().then(run).catch(reportError);
}
