// The schema of the bodies of `described.mjs`: in the gateway's OpenAPI document, and compiled by ajv.

import Ajv from "ajv";
import standalone from "ajv/dist/standalone/index.js";

export const ORDER_SCHEMA = {
  type: "object",
  required: ["customer", "items"],
  additionalProperties: false,
  properties: {
    customer: { type: "string", minLength: 1, maxLength: 200 },
    email: { type: "string", pattern: "^[^@]+@[^@]+$" },
    express: { type: "boolean" },
    items: {
      type: "array",
      minItems: 1,
      maxItems: 100,
      items: {
        type: "object",
        required: ["sku", "quantity"],
        properties: {
          sku: { type: "string", pattern: "^[A-Z]-[0-9]+$" },
          quantity: { type: "integer", minimum: 1 },
          price: { type: "number", minimum: 0 },
          tags: { type: "array", items: { type: "string" } },
          note: { type: "string", maxLength: 500 },
        },
      },
    },
  },
};

/** The code of a function that checks it. */
export function compiled() {
  const ajv = new Ajv({ code: { source: true, esm: true }, allErrors: true });
  const make = standalone.default ?? standalone;
  return make(ajv, ajv.compile(ORDER_SCHEMA));
}
