// Pages of the overview and of APIs: lists, editor, form, revisions.

import { definition, laidOut, type } from "../console.mjs";
import { formReady } from "./ready.mjs";

/** Names and addresses, and what to do before the screenshot is taken. */
export const apis = (stage) => ({
  connect: { path: "/connect", secret: null, token: null },
  overview: { path: "/overview?window=15m", ready: (page) => page.getByRole("row", { name: /Box office/ }).waitFor() },
  "overview-api": {
    path: "/overview?window=15m&api=tickets",
    ready: async (page) => {
      await page.getByRole("slider", { name: /^Refusals/ }).press("ArrowLeft");
      await page.getByRole("button", { name: "Show as a table" }).click();
    },
  },
  "overview-lists": {
    path: "/overview",
    ready: async (page) => {
      await page.getByRole("row", { name: /Box office/ }).waitFor();
      await page.getByRole("heading", { name: "APIs" }).evaluate((element) => element.scrollIntoView());
    },
  },
  "overview-none": { path: "/overview?api=nobody", ready: (page) => page.getByRole("heading", { name: "No requests in this window" }).waitFor() },
  apis: { path: "/apis", ready: (page) => page.locator("tbody tr").first().waitFor() },
  "apis-none": { path: "/apis?q=nothing-like-it", ready: (page) => page.getByText("No API matches").waitFor() },
  "apis-menu": {
    path: "/apis",
    ready: async (page) => {
      await page.getByRole("button", { name: "Actions for Geo lookup" }).click();
      await page.getByRole("menuitem", { name: "Edit" }).waitFor();
    },
  },
  "apis-delete": {
    path: "/apis",
    ready: async (page) => {
      await page.getByRole("button", { name: "Actions for Geo lookup" }).click();
      await page.getByRole("menuitem", { name: "Delete…" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  editor: { path: "/apis/inventory", ready: (page) => page.locator("json-editor .cm-line").first().waitFor() },
  "editor-problems": {
    path: "/apis/new",
    ready: async (page) => {
      await page.locator("json-editor").waitFor();
      await type(page, '{\n  "name": "Sketch",\n  "proxy": {\n    "listen_path": 5,\n    "target_url": "htp://x"\n  },\n  "actve": true\n}\n');
      await page.locator(".problem-error").first().waitFor();
    },
  },
  "editor-review": {
    path: "/apis/orders",
    ready: async (page) => {
      await page.locator("json-editor").waitFor();
      await type(page, laidOut({ ...definition("Orders"), domain: "orders.example.com" }));
      await page.getByRole("button", { name: "Review & save" }).click();
      await page.locator(".diff").waitFor();
    },
  },
  "editor-conflict": {
    path: "/apis/payments",
    ready: async (page) => {
      await page.locator("json-editor").waitFor();
      await type(page, laidOut({ ...definition("Payments"), domain: "pay.example.com" }));
      const theirs = { ...definition("Payments"), tags: [`theirs-${Date.now()}`] };
      await stage.admin("PUT", "/gateway/apis/payments", { body: laidOut(theirs) });
      await page.getByRole("button", { name: "Review & save" }).click();
      await page.getByText("Changed by gateway").waitFor();
    },
  },
  form: { path: "/apis/orders?view=form", ready: formReady },
  "form-entry": { path: "/apis/rules?view=form&at=/version_data/versions/Default/extended_paths/mock_response/1", ready: formReady },
  "form-list": { path: "/apis/rules?view=form&at=/version_data/versions/Default/extended_paths/ignored", ready: formReady },
  "form-problems": {
    path: "/apis/new",
    ready: async (page) => {
      await page.locator("json-editor").waitFor();
      await type(page, '{\n  "name": "Sketch",\n  "tags": "none",\n  "proxy": {\n    "target_url": "htp://x",\n    "check_host_against_uptime_tests": 5\n  },\n  "listen_port": 8080,\n  "actve": true\n}\n');
      await page.getByRole("radio", { name: "Form" }).check();
      await page.locator(".form .problem-error").first().waitFor();
    },
  },
  "form-find": {
    path: "/apis/orders?view=form",
    ready: async (page) => {
      await page.getByRole("button", { name: "Find or add a field" }).click();
      await page.getByRole("combobox", { name: "Find a field, set or not" }).fill("rate");
      await page.getByRole("option").first().waitFor();
    },
  },
  revisions: { path: "/apis/inventory/revisions", ready: (page) => page.locator(".revision").first().waitFor() },
  reload: { path: "/reload", ready: (page) => page.getByRole("row", { name: /Price list/ }).waitFor() },
  "revisions-compared": { path: "/compare/apis/inventory", ready: (page) => page.locator(".diff-caption").waitFor() },
});
