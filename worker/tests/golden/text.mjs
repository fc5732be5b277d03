// How the recorded texts are formatted.

/** Smaller numbers were written with an exponent of two digits. */
const LEAST_DECIMAL = 1e-4;

/**
 * Formats JSON with a space after each comma and colon and everything beyond ASCII escaped: the recordings' upstream
 * wrote its responses like that, and so were bodies sent that a scenario has as values. Size limits and rules about
 * texts depend on it.
 */
export function spaced(value) {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (value !== null && typeof value === "object") {
    return `{${Object.entries(value).map(([name, member]) => `${spaced(name)}: ${spaced(member)}`).join(", ")}}`;
  }
  if (typeof value === "number" && value !== 0 && Math.abs(value) < LEAST_DECIMAL) {
    return value.toExponential().replace(/e-(\d)$/, "e-0$1");
  }
  const text = JSON.stringify(value);
  return text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** Parses JSON; undefined if the text isn't JSON. */
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
