// Pages of OpenAPI APIs and MCP proxies.

import { documentReady } from "./ready.mjs";

/** Name → address, and what is done before the picture is taken. */
export const described = () => ({
  openapi: { path: "/openapi", ready: (page) => page.locator("tbody tr").first().waitFor() },
  "openapi-document": {
    path: "/openapi/tickets",
    ready: async (page) => {
      await documentReady(page);
      await page.locator(".subject").first().scrollIntoViewIfNeeded();
    },
  },
  "openapi-new": { path: "/openapi/new", ready: documentReady },
  mcp: { path: "/mcp", ready: (page) => page.locator("tbody tr").first().waitFor() },
  "mcp-document": {
    path: "/mcp/weather",
    ready: async (page) => {
      await documentReady(page);
      await page.locator(".catalogue").scrollIntoViewIfNeeded();
    },
  },
});
