// Pages of OpenAPI APIs and MCP proxies.

import { documentReady } from "./ready.mjs";

/** Names and addresses, and what to do before the screenshot is taken. */
export const described = () => ({
  openapi: { path: "/openapi", ready: (page) => page.locator("tbody tr").first().waitFor() },
  "openapi-document": {
    path: "/openapi/tickets",
    ready: async (page) => {
      await documentReady(page);
      await page.locator(".subject").first().scrollIntoViewIfNeeded();
    },
  },
  "openapi-form": {
    path: "/openapi/tickets?view=form",
    ready: async (page) => {
      await page.locator('.form [data-pointer="/x-gateway-api-gateway/middleware"]').click();
      await page.locator(".form-entry").first().waitFor();
    },
  },
  "openapi-form-operation": {
    path: `/openapi/tickets?view=form&at=${encodeURIComponent("/x-gateway-api-gateway/middleware/operations/openTicket")}`,
    ready: async (page) => {
      await page.locator(".form-fold").first().click();
      await page.locator(".form-row").first().waitFor();
    },
  },
  "openapi-versions": {
    path: "/openapi/tickets/versions",
    ready: async (page) => {
      await page.getByRole("button", { name: "Changed" }).first().click();
      await page.locator(".across-parts .diff").first().waitFor();
    },
  },
  "openapi-new-version": {
    path: "/openapi/tickets/versions",
    ready: async (page) => {
      await page.getByRole("button", { name: "New version", exact: true }).click();
      await page.getByRole("dialog").getByRole("textbox", { name: "Name of the version" }).fill("2027-01");
    },
  },
  "openapi-yaml": { path: "/openapi/tickets/yaml", ready: (page) => page.getByRole("textbox", { name: "Document as YAML" }).waitFor() },
  "openapi-new": { path: "/openapi/new", ready: documentReady },
  "mcp-catalogue": {
    path: "/mcp/desk/catalogue",
    ready: async (page) => {
      await page.getByRole("button", { name: /^Who may use listTickets/ }).click();
      await page.getByRole("button", { name: /^Input schema of readTicket/ }).click();
    },
  },
  mcp: { path: "/mcp", ready: (page) => page.locator("tbody tr").first().waitFor() },
  "mcp-document": {
    path: "/mcp/weather",
    ready: async (page) => {
      await documentReady(page);
      await page.locator(".catalogue").scrollIntoViewIfNeeded();
    },
  },
});
