// A schema and a body of about 2 kB that matches it: for the gateway's OpenAPI document or definition, and compiled by
// ajv.

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

const item = (_, n) => ({ sku: `A-${1000 + n}`, quantity: n + 1, price: 9.5 + n, tags: ["a", "b"], note: "x".repeat(60) });

export const ORDER = { customer: "somebody", email: "somebody@example.com", express: true, items: Array.from({ length: 15 }, item) };
