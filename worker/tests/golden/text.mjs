// How the recorded texts are written.

/** Smaller numbers were written with an exponent of two digits. */
const LEAST_DECIMAL = 1e-4;

/**
 * JSON with a blank after each comma and colon and everything beyond ASCII escaped: so the upstream of
 * the recordings wrote its answers, and so went out the bodies that a scenario has as values. Limits of
 * size and rules about texts depend on it.
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

/** JSON as a value, or undefined if the text is no JSON. */
export function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
