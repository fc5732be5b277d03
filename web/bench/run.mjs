// Benchmarks the data model: `cargo xtask bench model [--quick]`, which builds what it needs.
//
// What counts are ratios between functions on the same texts in the same page. A function that returns something
// unexpected is an error; a missed goal is only printed.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { availableParallelism, cpus } from "node:os";
import { extname } from "node:path";
import { parseArgs } from "node:util";
import { buildSync } from "esbuild";
import mergePatch from "json-merge-patch";
import { chromium } from "playwright-core";
import { inputs } from "./inputs.mjs";
import { markdown, rows } from "./report.mjs";

const OUT = new URL("../../target/bench/model/", import.meta.url);
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"];
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".wasm": "application/wasm" };

/** Bundles the packages and the code that calls them into one file. */
function bundle() {
  buildSync({
    entryPoints: [new URL("page.mjs", import.meta.url).pathname],
    outfile: new URL("page.js", OUT).pathname,
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    logLevel: "warning",
  });
}

/** Serves the folder. Only a cross-origin isolated page has a clock finer than a tenth of a millisecond. */
function serve() {
  const server = createServer((request, response) => {
    const name = request.url === "/" ? "" : new URL(request.url, "http://a").pathname.slice(1);
    response.setHeader("Content-Type", TYPES[extname(name)] ?? "text/html");
    response.setHeader("Cross-Origin-Opener-Policy", "same-origin");
    response.setHeader("Cross-Origin-Embedder-Policy", "require-corp");
    try {
      response.end(name === "" ? "<!doctype html><title>bench</title>" : readFileSync(new URL(name, OUT)));
    } catch {
      response.writeHead(404).end();
    }
  });
  return new Promise((done) => server.listen(0, "127.0.0.1", () => done(server)));
}

/** Runs a function of the page's script in a new page. */
async function inPage(browser, address, name, ...args) {
  const page = await browser.newPage();
  await page.goto(address);
  const found = await page.evaluate(
    async ([name, args]) => (await import("/page.js"))[name](...args),
    [name, args],
  );
  await page.close();
  return found;
}

async function inBrowser(texts, quick) {
  const server = await serve();
  const address = `http://127.0.0.1:${server.address().port}/`;
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ARGUMENTS });
  try {
    console.error("bench: in Chromium");
    const measures = await inPage(browser, address, "measure", texts, quick ? 15 : 61);
    const first = [];
    for (let n = 0; n < (quick ? 3 : 9); n++) first.push(await inPage(browser, address, "first", texts.problems));
    return { measures, first, browser: browser.version() };
  } finally {
    await browser.close();
    server.close();
  }
}

/** Checks that everyone has done the work that is measured. */
function check({ small, large, problems, merge, diff }, texts) {
  for (const { answers } of [small, large]) {
    assert.deepEqual(answers.ajv, []);
    assert.ok(answers.console.every(({ severity }) => severity !== "error"));
  }
  const lines = new Set(problems.answers.console.map(({ line }) => line));
  assert.ok(lines.size >= 1000, `${lines.size} lines with a problem`);
  const placed = problems.answers["ajv with positions"];
  assert.equal(placed.length, problems.answers.ajv.length);
  assert.ok(placed.every(({ range }) => range));
  const expected = JSON.parse(texts.changed);
  for (const text of Object.values(merge.answers)) assert.deepEqual(JSON.parse(text), expected);
  for (const name of ["console", "speed", "json-merge-patch"]) {
    assert.deepEqual(mergePatch.apply(JSON.parse(texts.provider), JSON.parse(diff.answers[name])), expected);
  }
  assert.ok(JSON.parse(diff.answers["fast-json-patch"]).length >= 100);
}

const { values } = parseArgs({ options: { quick: { type: "boolean" } } });
mkdirSync(OUT, { recursive: true });
const texts = inputs(mergePatch.apply);
for (const [name, text] of Object.entries(texts)) writeFileSync(new URL(`${name}.json`, OUT), text);
bundle();
const found = await inBrowser(texts, values.quick);
check(found.measures, texts);
console.error("bench: on this machine");
const native = JSON.parse(execFileSync(process.env.BENCH_NATIVE, [OUT.pathname], { encoding: "utf8" }));
const machine = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? process.arch}), Chromium ${found.browser}`;
console.log(markdown(rows(found, native, texts), `cargo xtask bench model${values.quick ? " --quick" : ""}`, machine));
