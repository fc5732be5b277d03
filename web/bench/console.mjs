// Benchmarks the console in Chromium, in front of a gateway with very many APIs and keys: `cargo xtask bench console
// [--quick] [--apis 10000] [--keys 100000] [--json FILE]`, which builds what it needs.
//
// All figures come from Chromium's own tracing: the first paint, the tasks on the main thread, the transfers over the
// network, and the marks that the page sets when the first rows are displayed.

import { writeFileSync } from "node:fs";
import { availableParallelism, cpus } from "node:os";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { imported } from "../../worker/bench/filled.mjs";
import { definition } from "../../worker/bench/gateway.mjs";
import { start } from "../../worker/tests/harness.mjs";

const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"];
const CATEGORIES = ["blink.user_timing", "devtools.timeline", "disabled-by-default-devtools.timeline", "loading", "toplevel"];
/** Longer tasks on the main thread block whoever types or clicks (W3C Long Tasks). */
const LONG_MS = 50;
const ROWS_WITHIN_MS = 200;
/** The interval between two letters of a fast typist. */
const LETTER_MS = 60;
const FIRST = "gatewright-first";

const say = (text) => console.error(`bench: ${text}`);
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1];
const largest = (numbers) => Math.max(0, ...numbers);

/** Runs in the page before anything else: sets a mark in the frame after `selector` first matches. */
function markFirst([selector, mark]) {
  const found = () => {
    if (!document.querySelector(selector)) return false;
    requestAnimationFrame(() => performance.mark(mark));
    return true;
  };
  const watch = new MutationObserver(() => found() && watch.disconnect());
  watch.observe(document, { childList: true, subtree: true });
}

/** Reads from a trace what happened on the page that set the mark, in milliseconds since its navigation. */
function read(trace) {
  const { traceEvents: events } = JSON.parse(trace);
  const marked = events.find(({ name }) => name === FIRST);
  if (!marked) throw new Error("the trace has no mark of the page");
  // A navigation starts in a different process from the one that displays the page; the mark says how long ago that
  // was.
  const { pid } = marked;
  const zero = marked.ts - marked.args.data.startTime * 1000;
  const since = ({ ts }) => (ts - zero) / 1000;
  const named = (wanted) => events.find(({ name, pid: of, ts }) => name === wanted && of === pid && ts >= zero);
  const main = events.find(({ name, args, pid: of }) => name === "thread_name" && args.name === "CrRendererMain" && of === pid)?.tid;
  const tasks = events.filter(({ name, pid: of, tid, dur, ts }) => name === "RunTask" && of === pid && tid === main && dur && ts >= zero);
  const painted = named("firstContentfulPaint");
  const largestPaint = events.filter(({ name, pid: of }) => name === "largestContentfulPaint::Candidate" && of === pid).at(-1);
  const received = events.filter(({ name, pid: of, ts }) => name === "ResourceFinish" && of === pid && ts >= zero);
  const blocking = tasks.filter((task) => !painted || task.ts >= painted.ts).map(({ dur }) => dur / 1000 - LONG_MS);
  return {
    first: since(marked),
    paint: painted && since(painted),
    largestPaint: largestPaint && since(largestPaint),
    blocked: blocking.filter((ms) => ms > 0).reduce((sum, ms) => sum + ms, 0),
    longest: largest(tasks.map(({ dur }) => dur / 1000)),
    bytes: received.reduce((sum, { args }) => sum + (args.data.encodedDataLength ?? 0), 0),
  };
}

/** Returns the duration of the longest main-thread task during `act`. */
async function longestTask(browser, page, act) {
  await browser.startTracing(page, { categories: CATEGORIES });
  await act();
  const { traceEvents: events } = JSON.parse(await browser.stopTracing());
  const mains = new Set(events.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain").map(({ pid, tid }) => `${pid} ${tid}`));
  const tasks = events.filter(({ name, pid, tid, dur }) => name === "RunTask" && dur && mains.has(`${pid} ${tid}`));
  return largest(tasks.map(({ dur }) => dur / 1000));
}

/** Opens a browser context, signed in or not. */
async function open(browser, gateway, { signedIn = true } = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  if (signedIn) {
    const headers = { "x-gateway-console": "1", origin: gateway.console, "x-gateway-authorization": gateway.secret };
    const answer = await context.request.post(`${gateway.console}/console/session`, { headers });
    if (!answer.ok()) throw new Error(await answer.text());
  }
  return context;
}

/** Loads a page in a context and reads its trace once `selector` matches and nothing is loading any more. */
async function load(browser, context, url, selector) {
  const page = await context.newPage();
  await page.addInitScript(markFirst, [selector, FIRST]);
  await browser.startTracing(page, { categories: CATEGORIES });
  await page.goto(url);
  await page.locator(selector).first().waitFor();
  await page.waitForLoadState("networkidle");
  const found = read(await browser.stopTracing());
  return { page, found };
}

/**
 * Loads a page in contexts that have never seen the console, and then once more in each, as for a returning visitor.
 */
async function loads(browser, gateway, { path, selector, times, signedIn, then, from }) {
  const url = `${gateway.console}/console${path}`;
  const [cold, warm, typed, arrived] = [[], [], [], []];
  for (let turn = 0; turn < times; turn += 1) {
    const context = await open(browser, gateway, { signedIn });
    const first = await load(browser, context, url, selector);
    cold.push(first.found);
    await first.page.close();
    // On the first load, code is only stored; on the second, it is compiled from the store.
    const second = await load(browser, context, url, selector);
    await second.page.close();
    const third = await load(browser, context, url, selector);
    warm.push(third.found);
    if (from) arrived.push(await arrival(third.page, [from, path], selector));
    if (then) typed.push(await then(third.page));
    await context.close();
  }
  const of = (all, name) => median(all.map((found) => found[name] ?? Number.NaN));
  const all = (found) => Object.fromEntries(["first", "paint", "largestPaint", "blocked", "longest", "bytes"].map((name) => [name, of(found, name)]));
  const any = (numbers) => (numbers.length > 0 ? median(numbers) : undefined);
  return { cold: all(cold), warm: all(warm), typed: any(typed), arrived: any(arrived) };
}

/** Types into the search of a list, letter by letter, until the list shows only what matches. */
const typing = (browser, text, found) => (page) =>
  longestTask(browser, page, async () => {
    await page.locator("#search").pressSequentially(text, { delay: LETTER_MS });
    await page.getByRole("link", { name: found, exact: true }).waitFor();
    await page.waitForLoadState("networkidle");
  });

/**
 * Measures from the click on a link to a list, on another page of the same module, to the frame with its first rows.
 */
async function arrival(page, [from, to], rows) {
  await page.locator(`a[href="/console${from}"]`).first().click();
  await page.locator(rows).first().waitFor({ state: "detached" });
  await page.waitForLoadState("networkidle");
  return page.evaluate(
    ([href, rows]) =>
      new Promise((done) => {
        const began = performance.now();
        const shown = () => performance.now() - began;
        const watch = new MutationObserver(() => {
          if (!document.querySelector(rows)) return;
          watch.disconnect();
          requestAnimationFrame(() => done(shown()));
        });
        watch.observe(document, { childList: true, subtree: true });
        document.querySelector(`nav a[href="${href}"]`).click();
      }),
    [`/console${to}`, rows],
  );
}

const ms = (value) => (Number.isFinite(value) ? `${value < 10 ? value.toFixed(1) : Math.round(value)} ms` : "–");
const kB = (value) => (value ? `${Math.round(value / 1000)} kB` : "–");
const goal = (value, most) => (value < most ? "met" : "missed");

/** Formats the table as Markdown, for people and for docs/numbers.md. */
function markdown(rows, command, browser) {
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const head = ["page", "first paint", "first rows", "blocked", "longest task", "bytes", "goal", ""];
  const machine = `${availableParallelism()} cores (${cpus()[0]?.model.trim() ?? process.arch}), Chromium ${browser}`;
  return [`\`${command}\`, ${new Date().toISOString().slice(0, 10)}, ${machine}:`, "", line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

const { values } = parseArgs({
  options: {
    quick: { type: "boolean" },
    apis: { type: "string", default: "10000" },
    keys: { type: "string", default: "100000" },
    json: { type: "string" },
  },
});
const [apis, keys] = [Number(values.apis), Number(values.keys)];
const times = values.quick ? 3 : 7;
// GATEWRIGHT_ASSETS: a folder of static files to use instead of target/assets.
const gateway = await start({ assets: process.env.GATEWRIGHT_ASSETS });
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ARGUMENTS });
const measured = {};
try {
  say(`importing ${apis.toLocaleString("en")} APIs and ${keys.toLocaleString("en")} keys`);
  const definitions = Array.from({ length: apis }, (_, at) => [`bench-${at}`, definition(at, "http://127.0.0.1:9")]);
  await imported(gateway.gateway, gateway.secret, { definitions, keys });
  const answer = await gateway.admin("GET", "/gateway/reload", { query: { block: "true" } });
  if (answer.status !== 200) throw new Error(answer.text);
  const rows = "tbody tr .cell-name > a";
  const [lastApi, lastKey] = [apis - 1, keys - 1];
  const pages = [
    ["Connect", { path: "/connect", selector: "form", signedIn: false }],
    ["Overview", { path: "/overview", selector: "main h1" }],
    [`APIs, a list of ${apis.toLocaleString("en")}`, { path: "/apis", from: "/apis/new", selector: rows, then: typing(browser, `api ${lastApi}`, `Bench API ${lastApi}`) }],
    [`Keys, a list of ${keys.toLocaleString("en")}`, { path: "/keys", from: "/policies", selector: rows, then: typing(browser, `customer ${lastKey}`, `customer ${lastKey}`) }],
  ];
  for (const [name, page] of pages) {
    say(name);
    measured[name] = await loads(browser, gateway, { ...page, times });
  }
  const table = [];
  for (const [name, { cold, warm, typed, arrived }] of Object.entries(measured)) {
    const isList = typed !== undefined;
    const row = (how, { paint, first, blocked, longest, bytes }, ...end) => [`${name}, ${how}`, ms(paint), isList ? ms(first) : "", ms(blocked), ms(longest), kB(bytes), ...end];
    table.push(row("first visit", cold, "", ""));
    table.push(row("next visit", warm, "", ""));
    if (isList) table.push([`${name}, from another page`, "", ms(arrived), "", "", "", `rows < ${ROWS_WITHIN_MS} ms`, goal(arrived, ROWS_WITHIN_MS)]);
    if (isList) table.push([`${name}, while typing`, "", "", "", ms(typed), "", `< ${LONG_MS} ms`, goal(typed, LONG_MS)]);
  }
  if (values.json) writeFileSync(values.json, JSON.stringify(measured, null, 2));
  const given = process.argv.slice(2).join(" ");
  console.log(markdown(table, `cargo xtask bench console ${given}`.trim(), browser.version()));
} finally {
  await browser.close();
  await gateway.stop();
}
