// How directives are read (`crates/dataplane/src/driver/directive.rs`).

/** Whether a directive asks for a request to be sent, in lines that begin with a number. */
export const isForwarding = (text) => text.charCodeAt(0) < 58;

/** Whether a directive asks for a credential to be checked, in lines as well. */
export const isProving = (text) => text.startsWith(PROOF);

/** Returns a directive as an object. */
export function directive(text) {
  if (isForwarding(text)) return forwarding(text);
  return isProving(text) ? proving(text) : JSON.parse(text);
}

const PROOF = "proof\n";

/**
 * Returns a directive to check a credential: the number of the run, figures and function, in a line each, and facts, which
 * are the rest.
 */
export function proving(text) {
  const [, run, figures, name] = text.split("\n", 4);
  const facts = text.slice(PROOF.length + run.length + figures.length + name.length + 3);
  return { run: Number(run), figures: Number(figures), proof: [name, facts] };
}

/**
 * Returns a directive to send a request as an object, of the same form as in JSON: figures, time limit and address, and
 * those of a run also its number, the lowest status that it has to see, and the number of lines that change the
 * request's headers, which come next; the rest change the response's. Splitting a text costs a third of parsing JSON.
 */
export function forwarding(text) {
  const lines = text.split("\n");
  const figures = Number(lines[0]);
  const timeout = Number(lines[1]);
  const url = lines[2];
  if (lines.length === 3) return { run: undefined, figures, send: { url, timeout, headers: NO_EDITS, edits: NO_EDITS } };
  const first = 6 + Number(lines[5]);
  const headers = first === 6 ? NO_EDITS : lines.slice(6, first);
  const send = { url, timeout, headers, edits: first === lines.length ? NO_EDITS : lines.slice(first), inspect_from: lines[4] === "" ? undefined : Number(lines[4]) };
  return { run: Number(lines[3]), figures, send };
}

const NO_EDITS = [];
