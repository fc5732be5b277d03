// Code that packages generate from the benchmark's inputs, ahead of time: workers may not generate code.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import Ajv from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import { Eta } from "eta/core";
import { ORDER_SCHEMA } from "./order-schema.mjs";

const NAMES = '{"total": <%= it.items.length %>, "names": [<% it.items.forEach((item, at) => { %><% if (at) { %>,<% } %>"<%= item.name %>"<% }) %>]}';

/** Generates a function that validates a body against a schema. */
function schema() {
  const ajv = new Ajv({ code: { source: true, esm: true }, allErrors: true });
  const make = standalone.default ?? standalone;
  return make(ajv, ajv.compile(ORDER_SCHEMA));
}

/** Generates a template's function, as `eta` calls it. Its output is JSON, so nothing is escaped for HTML. */
function template() {
  const eta = new Eta({ autoEscape: false });
  return `export default function (it, options) {\n${eta.compileToString(NAMES)}\n}\n`;
}

/** Turns `jq-web` into a function that starts it with settings. Unmodified, it starts on import and without any. */
function jq() {
  const text = readFileSync(createRequire(import.meta.url).resolve("jq-web"), "utf8");
  const end = text.lastIndexOf("if (typeof exports", text.lastIndexOf("jq = jq().then("));
  if (end < 0) throw new Error("jq-web does not start itself as it did");
  return `${text.slice(0, end)}\nexport default jq;\n`;
}

/** The generators, by the name under which their code is imported. */
export const PACKAGES = { "order-schema": schema, "names-template": template, "jq-factory": jq };
