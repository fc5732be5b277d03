// Code that packages make of what the benchmark gives them, before it runs: workers may not make code.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import Ajv from "ajv";
import standalone from "ajv/dist/standalone/index.js";
import { Eta } from "eta/core";
import { ORDER_SCHEMA } from "./order-schema.mjs";

const NAMES = '{"total": <%= it.items.length %>, "names": [<% it.items.forEach((item, at) => { %><% if (at) { %>,<% } %>"<%= item.name %>"<% }) %>]}';

/** A function that checks a body by a schema. */
function schema() {
  const ajv = new Ajv({ code: { source: true, esm: true }, allErrors: true });
  const make = standalone.default ?? standalone;
  return make(ajv, ajv.compile(ORDER_SCHEMA));
}

/** A template's function, as `eta` calls it. It writes JSON, so nothing is escaped for HTML. */
function template() {
  const eta = new Eta({ autoEscape: false });
  return `export default function (it, options) {\n${eta.compileToString(NAMES)}\n}\n`;
}

/** `jq-web` as a function that starts it with settings. As it comes it starts at once and without any. */
function jq() {
  const text = readFileSync(createRequire(import.meta.url).resolve("jq-web"), "utf8");
  const end = text.lastIndexOf("if (typeof exports", text.lastIndexOf("jq = jq().then("));
  if (end < 0) throw new Error("jq-web does not start itself as it did");
  return `${text.slice(0, end)}\nexport default jq;\n`;
}

/** What there is under the name by which it is imported. */
export const PACKAGES = { "order-schema": schema, "names-template": template, "jq-factory": jq };
