// Pages about cache and upstreams, the playground, and a key that gets a new token.

import { HEALTH } from "../upstream-health.mjs";
import { documentReady } from "./ready.mjs";

const upstreams = async (stage, page, path, change = {}) => {
  await page.route("**/gateway/health/upstreams/*", (route) => route.fulfill({ json: { ...HEALTH(), ...change } }));
  await page.goto(stage.url(path));
};
const tryRule = async (page, name) => {
  await page.locator(".editor-card .cm-line").first().waitFor();
  await page.getByRole("button", { name: `Try it: ${name}` }).click();
  await page.locator(".playground-status[data-state]").waitFor();
};

/** Names and addresses, and what to do before the screenshot is taken. */
export const traffic = (stage, { key }) => ({
  cache: { path: "/apis/price-feed/cache", ready: (page) => page.getByRole("table", { name: "Paths whose answers are cached" }).waitFor() },
  "cache-off": { path: "/apis/payments/cache", ready: (page) => page.getByText("The cache of this API is off").waitFor() },
  "cache-empty": {
    path: "/apis/price-feed/cache",
    ready: async (page) => {
      await page.getByRole("button", { name: "Empty the cache…" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  upstreams: {
    path: "/apis/orders/chain",
    ready: async (page) => {
      await upstreams(stage, page, "/apis/orders/upstreams");
      await page.locator(".strip").first().waitFor();
    },
  },
  "upstreams-uptime": {
    path: "/apis/orders/chain",
    ready: async (page) => {
      await upstreams(stage, page, "/apis/orders/upstreams");
      await page.getByRole("button", { name: "Show as a table" }).first().click();
      await page.locator(".strip").first().focus();
      await page.keyboard.press("End");
      await page.keyboard.press("Home");
      await page.getByRole("region", { name: "Uptime" }).evaluate((element) => element.scrollIntoView());
    },
  },
  "upstreams-none": {
    path: "/apis/orders/chain",
    ready: async (page) => {
      const discovery = { endpoint: "http://consul:8500/v1/catalog/service/orders", state: "failed", fetched_at: null, targets: [], error: "connection refused" };
      await upstreams(stage, page, "/apis/orders/upstreams", { discovery, targets: [], breakers: [], uptime: { ...HEALTH().uptime, tests: [] } });
      await page.getByText("No target is known").waitFor();
    },
  },
  "body-rules": { path: "/apis/price-feed?view=json", ready: (page) => page.getByRole("heading", { name: "Body rules" }).waitFor() },
  "playground-template": { path: "/apis/price-feed?view=json", ready: (page) => tryRule(page, "Template of the request, POST /orders") },
  "playground-broken": {
    path: "/apis/price-feed?view=json",
    ready: async (page) => {
      await tryRule(page, "jq of the answer, GET /orders/{id}");
      await page.locator("body-playground .cm-content").first().click();
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.insertText("{body: .body | nosuch}");
      await page.locator(".playground-status[data-state=bad]").waitFor();
    },
  },
  "key-rotate": {
    path: `/keys/${key}?view=json`,
    ready: async (page) => {
      await documentReady(page);
      await page.getByRole("button", { name: "New token…" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
});
