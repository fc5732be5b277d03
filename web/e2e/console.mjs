// The console in a real browser, in front of a real gateway: the set-up that every flow needs.
//
//   const stage = await open();            // gateway, upstream, browser
//   const page = await stage.page();       // connected, at the list of APIs
//   await stage.close();                   // fails if a page broke the policy or crashed
//
// Environment: CHROMIUM is the browser's executable. GATEWRIGHT_ASSETS is a folder of static files to use instead of
// target/assets.

import assert from "node:assert/strict";
import { afterEach } from "node:test";
import { chromium } from "playwright-core";
import { start } from "../../worker/tests/harness.mjs";
import { listen } from "../../worker/tests/upstream.mjs";

const BROWSER = process.env.CHROMIUM ?? "/usr/bin/chromium";
// One process for all pages of a context: a page that is opened in it need not compile the console again.
const ONE_PROCESS = "--renderer-process-limit=1";
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking", ONE_PROCESS];
/** How long a flow waits for something on the page before it fails. */
const PATIENCE_MS = 15_000;

/** Browser messages about responses that a flow causes on purpose. */
const EXPECTED = [/^Failed to load resource: /];

// A page left open would keep working during the next test.
const stages = new Set();
afterEach(async (test) => {
  if (!test.passed) for (const stage of stages) await stage.tell(test.name);
  await Promise.all([...stages].map((stage) => stage.tidy()));
});

/**
 * Starts everything. `fixtures` are stored and loaded first; `routes` are additional responses of the upstream, `env`
 * are worker variables.
 */
export async function open({ fixtures = [], routes, env } = {}) {
  const upstream = await listen(routes);
  // Anything left open after a failed start would keep this process alive.
  const gateway = await start({ assets: process.env.GATEWRIGHT_ASSETS, env }).catch(async (error) => {
    await upstream.close();
    throw error;
  });
  const browser = await chromium.launch({ executablePath: BROWSER, args: ARGUMENTS }).catch(async (error) => {
    await Promise.all([gateway.stop(), upstream.close()]);
    throw error;
  });
  const contexts = [];
  // Contexts of finished tests: what was compiled in them need not be compiled again.
  const idle = [];
  const complaints = [];
  const stage = { upstream, gateway, browser, url: (path) => `${gateway.console}/console${path}` };

  /** Calls the administration API as another person would, and asserts success. */
  stage.admin = async (method, path, request) => {
    const answer = await gateway.admin(method, path, request);
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  };
  /** Stores a definition. */
  stage.store = (definition) => stage.admin("POST", "/gateway/apis", { body: definition });
  stage.reload = () => stage.admin("POST", "/gateway/reload", { query: { block: "true" } });

  /** Calls the dashboard API as another person would, and asserts success. */
  stage.dashboard = async (method, path, request) => {
    const answer = await gateway.dashboard(method, path, request);
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  };

  /**
   * Opens a browser context with a fresh profile. Its first page stays open and keeps its process alive, and with it what
   * other pages have compiled there.
   */
  stage.context = async ({ width = 1280, theme = "light", ...options } = {}) => {
    const height = width < 600 ? 844 : 800;
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: "reduce", ...options });
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: gateway.console });
    const keeper = await context.newPage();
    await keeper.goto(`${gateway.console}/hello`);
    contexts.push(context);
    return context;
  };

  /** Returns a context without traces of earlier use: a new one, or one of a finished test. */
  const unused = async (options) => {
    const known = JSON.stringify(options);
    const at = idle.findIndex((one) => one.known === known);
    const [one] = at < 0 ? [{ known, context: await stage.context(options) }] : idle.splice(at, 1);
    stage.used.push(one);
    return one.context;
  };
  stage.used = [];

  /** Closes the pages of a finished test, and clears what they stored. */
  stage.tidy = async () => {
    for (const { known, context } of stage.used.splice(0)) {
      const [keeper, ...pages] = context.pages();
      await Promise.all(pages.map((page) => page.close()));
      await keeper.evaluate(() => localStorage.clear());
      await context.clearCookies();
      idle.push({ known, context });
    }
  };

  /** Prints what the pages of a failed test show, which a reader of the log can't see. */
  stage.tell = async (test) => {
    for (const page of contexts.flatMap((context) => context.pages())) {
      // Without the menu, which is the same everywhere.
      const parts = await page.locator("main, dialog[open], .banner").all();
      const shown = await Promise.all(parts.map((part) => part.ariaSnapshot({ timeout: 2000 }).catch(String)));
      console.error([`${test}: ${page.url()}`, ...shown].join("\n"));
    }
  };

  /** Signs a context in, as the page Connect does. */
  stage.signIn = async (context, { secret, token }) => {
    const headers = { "x-gateway-console": "1", origin: gateway.console };
    if (secret) headers["x-gateway-authorization"] = secret;
    if (token) headers.authorization = `Bearer ${token}`;
    const answer = await context.request.post(`${gateway.console}/console/session`, { headers });
    assert.equal(answer.status(), 200, await answer.text());
  };

  /**
   * Opens a page at `path`, signed in with `secret` and `token`; null leaves one out. `context` is an existing context.
   * With `polls: false` the page sends requests only when made to, so that a failure stays until somebody tries again.
   */
  stage.page = async ({ path = "/apis", secret = gateway.secret, token = null, context, polls = true, ...options } = {}) => {
    context ??= await unused(options);
    await context.clearCookies();
    if (secret || token) await stage.signIn(context, { secret, token });
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    if (!polls) await page.addInitScript(() => (globalThis.setInterval = () => 0));
    page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error}`));
    page.on("console", (message) => {
      const bad = ["error", "warning"].includes(message.type());
      if (bad && !EXPECTED.some((known) => known.test(message.text()))) complaints.push(`${page.url()}: ${message.text()}`);
    });
    await page.goto(stage.url(path));
    await page.getByRole("heading", { level: 1 }).waitFor();
    routeAtOnce(page);
    return page;
  };

  stage.close = async () => {
    stages.delete(stage);
    await Promise.all(contexts.map((context) => context.close()));
    await browser.close();
    await gateway.stop();
    await upstream.close();
    assert.deepEqual(complaints, [], "errors in the browser's console");
  };

  for (const definition of fixtures) await stage.store(definition);
  if (fixtures.length > 0) await stage.reload();
  stages.add(stage);
  return stage;
}

/**
 * Makes `page.route` apply to the very next request. The browser switches the page to another network path for it, and
 * that takes effect slightly after the call returns: one request in a hundred bypassed the route.
 */
function routeAtOnce(page) {
  const route = page.route.bind(page);
  const probe = "/console/licences.txt?routed";
  page.route = async (...asked) => {
    await route(...asked);
    await route(`**${probe}`, (request) => request.fulfill({ status: 204 }));
    await page.evaluate(async (url) => {
      while ((await fetch(url, { method: "HEAD" })).status !== 204);
    }, probe);
  };
}

/** Returns a definition; `members` and `proxy` override the defaults. */
export function definition(name, members = {}, proxy = {}) {
  const id = name.toLowerCase().replaceAll(" ", "-");
  return {
    name,
    api_id: id,
    use_keyless: true,
    enable_batch_request_support: true,
    ...members,
    proxy: { listen_path: `/${id}/`, target_url: "http://127.0.0.1:9/", strip_listen_path: true, ...proxy },
    version_data: { not_versioned: true, versions: { Default: { name: "Default" } } },
  };
}

/** Formats a definition as a person would. */
export const laidOut = (value) => `${JSON.stringify(value, null, 2)}\n`;

/** Returns the text in the JSON editor. */
export const editorText = (page) => page.locator("json-editor").evaluate((editor) => editor.value);

/** Replaces the text in the JSON editor the way a person would. */
export async function type(page, text) {
  const json = page.getByRole("radio", { name: "JSON", exact: true });
  if (await json.count()) await json.check();
  await page.locator("json-editor .cm-content").first().click();
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(text);
}

/**
 * Points at a part of an editor's text and stays on it until `shown` appears: its lines move when the editor is measured
 * again, and when something above it arrives.
 */
export async function pointAt(page, part, shown) {
  const deadline = Date.now() + PATIENCE_MS;
  let pointedAt;
  while (!(await shown.isVisible())) {
    if (Date.now() > deadline) throw new Error(`not shown where the pointer is: ${shown}`);
    await part.scrollIntoViewIfNeeded();
    const { x, y } = await part.boundingBox();
    if (pointedAt !== `${x} ${y}`) await part.hover();
    pointedAt = `${x} ${y}`;
    await page.evaluate(() => new Promise((resume) => requestAnimationFrame(resume)));
  }
}

/** Returns the text in the clipboard. */
export const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());

/** Returns the names in the list of APIs, from top to bottom. */
export const names = (page) => page.locator("tbody .cell-name > a").allTextContents();

/** Drops a file onto an element, which may be in another one's shadow root. */
export const drop = (page, name, text, on = "main", inside) =>
  page.evaluate(([name, text, on, inside]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name));
    const outer = globalThis.document.querySelector(on);
    const target = inside ? outer.shadowRoot.querySelector(inside) : outer;
    for (const type of ["dragover", "drop"]) target.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true, composed: true }));
  }, [name, text, on, inside]);
