// The console in a real browser, in front of a real gateway: what every flow needs.
//
//   const stage = await open();            // gateway, upstream, browser
//   const page = await stage.page();       // connected, at the list of APIs
//   await stage.close();                   // fails if a page broke the policy or crashed
//
// Environment: CHROMIUM is the browser's program. GATEWRIGHT_ASSETS is another folder of static files
// than target/assets.

import assert from "node:assert/strict";
import { afterEach } from "node:test";
import { chromium } from "playwright-core";
import { start } from "../../worker/tests/harness.mjs";
import { listen } from "../../worker/tests/upstream.mjs";

const BROWSER = process.env.CHROMIUM ?? "/usr/bin/chromium";
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"];
/** How long a flow waits for something on the page before it fails. */
const PATIENCE_MS = 15_000;

/** What the browser says of itself about answers that a flow asks for on purpose. */
const EXPECTED = [/^Failed to load resource: /];

// A page that is left open goes on working beside the next test.
const stages = new Set();
afterEach(async (test) => {
  if (!test.passed) for (const stage of stages) await stage.tell(test.name);
  await Promise.all([...stages].map((stage) => stage.tidy()));
});

/**
 * Starts everything. `fixtures` are stored and loaded before; `routes` are what the upstream answers
 * beside its usual ones, `env` are worker variables.
 */
export async function open({ fixtures = [], routes, env } = {}) {
  const upstream = await listen(routes);
  // What is left open when something can't be started would keep this process alive.
  const gateway = await start({ assets: process.env.GATEWRIGHT_ASSETS, env }).catch(async (error) => {
    await upstream.close();
    throw error;
  });
  const browser = await chromium.launch({ executablePath: BROWSER, args: ARGUMENTS }).catch(async (error) => {
    await Promise.all([gateway.stop(), upstream.close()]);
    throw error;
  });
  const contexts = [];
  // Windows of tests that have ended: what was compiled in them needs not be compiled again.
  const idle = [];
  const complaints = [];
  const stage = { upstream, gateway, browser, url: (path) => `${gateway.console}/console${path}` };

  /** Calls the administration API as another person would, and insists on success. */
  stage.admin = async (method, path, request) => {
    const answer = await gateway.admin(method, path, request);
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  };
  /** Stores a definition. */
  stage.store = (definition) => stage.admin("POST", "/gateway/apis", { body: definition });
  stage.reload = () => stage.admin("POST", "/gateway/reload", { query: { block: "true" } });

  /** Calls the dashboard API as another person would, and insists on success. */
  stage.dashboard = async (method, path, request) => {
    const answer = await gateway.dashboard(method, path, request);
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.status} ${answer.text}`);
    return answer;
  };

  /** A window of the browser with a profile of its own. */
  stage.context = async ({ width = 1280, theme = "light", ...options } = {}) => {
    const height = width < 600 ? 844 : 800;
    const context = await browser.newContext({ viewport: { width, height }, colorScheme: theme, reducedMotion: "reduce", ...options });
    await context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: gateway.console });
    contexts.push(context);
    return context;
  };

  /** A window of which nobody knows what was done in it before: new, or one of a test that has ended. */
  const unused = async (options) => {
    const known = JSON.stringify(options);
    const at = idle.findIndex((one) => one.known === known);
    const [one] = at < 0 ? [{ known, context: await stage.context(options) }] : idle.splice(at, 1);
    stage.used.push(one);
    return one.context;
  };
  stage.used = [];

  /** Closes the pages of a test that has ended, and forgets what they kept. */
  stage.tidy = async () => {
    for (const { known, context } of stage.used.splice(0)) {
      const pages = context.pages();
      const ours = pages.find((page) => page.url().startsWith(gateway.console));
      await ours?.evaluate(() => localStorage.clear());
      await context.clearCookies();
      await Promise.all(pages.map((page) => page.close()));
      if (ours) idle.push({ known, context });
    }
  };

  /** Says what the pages of a test show that has failed: whoever reads the log can't see them. */
  stage.tell = async (test) => {
    for (const page of contexts.flatMap((context) => context.pages())) {
      // Without the menu, which is the same everywhere.
      const parts = await page.locator("main, dialog[open], .banner").all();
      const shown = await Promise.all(parts.map((part) => part.ariaSnapshot({ timeout: 2000 }).catch(String)));
      console.error([`${test}: ${page.url()}`, ...shown].join("\n"));
    }
  };

  /** Signs a window in, as the page Connect does. */
  stage.signIn = async (context, { secret, token }) => {
    const headers = { "x-gateway-console": "1", origin: gateway.console };
    if (secret) headers["x-gateway-authorization"] = secret;
    if (token) headers.authorization = `Bearer ${token}`;
    const answer = await context.request.post(`${gateway.console}/console/session`, { headers });
    assert.equal(answer.status(), 200, await answer.text());
  };

  /**
   * Opens a page at `path`, signed in by `secret` and `token`; null leaves one out. `context` is a window that is open.
   * With `polls: false` the page asks only when it is made to, so that a failure stays until somebody tries again.
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
    assert.deepEqual(complaints, [], "the browser complained");
  };

  for (const definition of fixtures) await stage.store(definition);
  if (fixtures.length > 0) await stage.reload();
  stages.add(stage);
  return stage;
}

/**
 * Makes `page.route` hold for what the page asks next. The browser hands its page another way to the network for it,
 * which arrives a little later than the answer: one request in a hundred went by the old one.
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

/** A definition; `members` and `proxy` go over the defaults. */
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

/** A definition as a person would lay it out. */
export const laidOut = (value) => `${JSON.stringify(value, null, 2)}\n`;

/** The text in the JSON editor. */
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

/** What the clipboard holds. */
export const clipboard = (page) => page.evaluate(() => navigator.clipboard.readText());

/** The names in the list of APIs, from top to bottom. */
export const names = (page) => page.locator("tbody .cell-name > a").allTextContents();

/** Drops a file onto an element, which may be in the shadow of another one. */
export const drop = (page, name, text, on = "main", inside) =>
  page.evaluate(([name, text, on, inside]) => {
    const data = new DataTransfer();
    data.items.add(new File([text], name));
    const outer = globalThis.document.querySelector(on);
    const target = inside ? outer.shadowRoot.querySelector(inside) : outer;
    for (const type of ["dragover", "drop"]) target.dispatchEvent(new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true, composed: true }));
  }, [name, text, on, inside]);
