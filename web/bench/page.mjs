// The part that runs in the browser: the console's functions and packages from npm, on the same texts in the same page.
// All start with text; a change ends as text, problems end as objects.

import { jsonLanguage } from "@codemirror/lang-json";
import Ajv2020 from "ajv/dist/2020.js";
import { compare } from "fast-json-patch";
import mergePatch from "json-merge-patch";
import { utf8 } from "../editor/utf8.js";

const [bytes, others] = [utf8(), utf8()];

/** The minimum duration of a sample: the clock is too coarse for a single short call. */
const SAMPLE_MS = 4;

/** The warm-up time of each caller. */
const WARM_MS = 1500;

/** Loads a module of the model, of one kind of build. */
async function load(folder) {
  const module = await import(`/${folder}/gatewright_bench.js`);
  await module.default();
  return module;
}

function compiled(schema) {
  // Everything ajv can find, since the console lists every problem, too. It treats unknown keywords as annotations.
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: false });
  return ajv.compile(JSON.parse(schema));
}

/** Returns the offsets of all values by JSON Pointer, using the parser of the console's own editor. */
function offsets(text) {
  const found = new Map();
  const visit = (node, pointer) => {
    found.set(pointer, [node.from, node.to]);
    let index = 0;
    for (let child = node.firstChild; child; child = child.nextSibling) {
      if (child.name === "Property") {
        const name = JSON.parse(text.slice(child.firstChild.from, child.firstChild.to));
        visit(child.lastChild, `${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`);
      } else if (node.name === "Array" && !"[],".includes(child.name)) {
        visit(child, `${pointer}/${index++}`);
      }
    }
  };
  visit(jsonLanguage.parser.parse(text).topNode.firstChild, "");
  return found;
}

/** Adds positions to ajv's findings, as an editor needs them. */
function placed(errors, text) {
  if (errors.length === 0) return errors;
  const known = offsets(text);
  return errors.map(({ instancePath, message }) => ({ message, range: known.get(instancePath) }));
}

function candidates({ size, speed }, accepts) {
  const ours = (module) => ({
    validate: (text) => JSON.parse(module.validate("api_definition", bytes(text))),
    merge: (target, patch) => module.merged(bytes(target), others(patch)),
    diff: (before, after) => module.difference(bytes(before), others(after)),
  });
  return {
    console: ours(size),
    speed: ours(speed),
    // No validation at all: the part that every validation in JavaScript starts with.
    "JSON.parse": { validate: (text) => JSON.parse(text) },
    ajv: { validate: (text) => (accepts(JSON.parse(text)) ? [] : accepts.errors) },
    "ajv with positions": {
      validate: (text) => placed(accepts(JSON.parse(text)) ? [] : accepts.errors, text),
    },
    "json-merge-patch": {
      merge: (target, patch) => JSON.stringify(mergePatch.apply(JSON.parse(target), JSON.parse(patch))),
      diff: (before, after) => JSON.stringify(mergePatch.generate(JSON.parse(before), JSON.parse(after)) ?? {}),
    },
    "fast-json-patch": {
      diff: (before, after) => JSON.stringify(compare(JSON.parse(before), JSON.parse(after))),
    },
  };
}

/** Returns the milliseconds per call, averaged over `count`. */
function sample(call, count) {
  const start = performance.now();
  for (let n = 0; n < count; n++) call();
  return (performance.now() - start) / count;
}

function median(numbers) {
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[sorted.length >> 1];
}

/** Returns the medians of all callers, which take turns so that other load on the machine affects all of them. */
async function inTurns(callers, rounds) {
  const sides = Object.entries(callers).map(([name, call]) => {
    const start = performance.now();
    let calls = 0;
    // Until the engine has finished optimising, which it does on other threads that may have to wait.
    while (performance.now() - start < WARM_MS || calls < 10) {
      call();
      calls++;
    }
    const once = sample(call, 5);
    return { name, call, count: Math.max(1, Math.ceil(SAMPLE_MS / once)), found: [] };
  });
  for (let round = 0; round < rounds; round++) {
    for (const side of round % 2 ? [...sides].reverse() : sides) side.found.push(sample(side.call, side.count));
    // Lets the browser collect garbage.
    await new Promise((done) => setTimeout(done));
  }
  return Object.fromEntries(sides.map(({ name, found }) => [name, median(found)]));
}

/** Returns the measurements: milliseconds per caller, and what each has found. */
export async function measure(texts, rounds) {
  const modules = { size: await load("size"), speed: await load("speed") };
  const sides = candidates(modules, compiled(modules.size.schema_of("api_definition")));
  const all = {};
  const add = async (measure, method, args) => {
    const able = Object.entries(sides).filter(([, side]) => side[method]);
    const callers = able.map(([name, side]) => [name, () => side[method](...args)]);
    const answers = able.map(([name, side]) => [name, side[method](...args)]);
    all[measure] = { took: await inTurns(Object.fromEntries(callers), rounds), answers: Object.fromEntries(answers) };
  };
  await add("small", "validate", [texts.small]);
  await add("large", "validate", [texts.large]);
  await add("problems", "validate", [texts.problems]);
  await add("merge", "merge", [texts.provider, texts.patch]);
  await add("diff", "diff", [texts.provider, texts.changed]);
  return all;
}

/** Returns the milliseconds of the very first validation after loading, before the engine has optimised anything. */
export async function first(text) {
  const module = await load("size");
  return sample(() => JSON.parse(module.validate("api_definition", bytes(text))), 1);
}
