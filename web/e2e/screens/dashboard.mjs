// Pages of the dashboard API: providers, credentials, trail, notifications, rulesets, webhooks.

import { laidOut, type } from "../console.mjs";
import { documentReady, formReady } from "./ready.mjs";

/** Makes some changes in the table of a provider. */
async function change(page) {
  await page.locator("json-editor .cm-line").first().waitFor();
  await page.getByRole("combobox", { name: "Policy of orders:read for orders" }).fill("gold");
  await page.getByRole("button", { name: "Delete payments:refund of payments" }).click();
  await page.getByRole("textbox", { name: "New scope for orders" }).fill("orders:admin");
  await page.getByRole("combobox", { name: "New policy for orders" }).fill("platinum");
  await page.keyboard.press("Enter");
  await page.getByRole("combobox", { name: "Policy of orders:admin for orders" }).waitFor();
}

/** Names and addresses, and what to do before the screenshot is taken. */
export const dashboard = (stage, { idp, ruleset, hook }) => ({
  missing: { path: "/no-such-page" },
  "needs-token": { path: "/client-idps", token: null },
  "client-idps": { path: "/client-idps", ready: (page) => page.getByRole("link", { name: "Customer accounts" }).waitFor() },
  "client-idp-new": { path: "/client-idps/new" },
  "client-idp": { path: `/client-idps/${idp}`, ready: (page) => page.locator("json-editor .cm-line").first().waitFor() },
  "client-idp-changed": {
    path: `/client-idps/${idp}`,
    ready: async (page) => {
      await change(page);
      await page.locator(".mappings").evaluate((element) => element.scrollIntoView());
    },
  },
  "client-idp-wrong": {
    path: `/client-idps/${idp}`,
    ready: async (page) => {
      await page.locator("json-editor").waitFor();
      await type(page, '{\n  "orders": { "scope_to_policy": { "orders:read": 5 } }\n}\n');
      await page.locator(".patch-error").waitFor();
      await page.locator(".mapping-side").evaluate((element) => element.scrollIntoView());
    },
  },
  "client-idp-review": {
    path: `/client-idps/${idp}`,
    ready: async (page) => {
      await change(page);
      await page.getByRole("button", { name: "Delete the mapping of inventory" }).click();
      await page.getByRole("button", { name: "Review & save" }).click();
      await page.getByText("byte for byte").waitFor();
    },
  },
  "client-idp-conflict": {
    path: `/client-idps/${idp}`,
    ready: async (page) => {
      await change(page);
      const patch = { orders: { scope_to_policy: { "orders:write": `theirs-${Date.now()}` } } };
      await stage.dashboard("PATCH", `/api/clientidps/${idp}/mappings`, { body: patch });
      await page.getByRole("button", { name: "Review & save" }).click();
      await page.getByText("Changed by somebody else.").waitFor();
    },
  },
  credentials: { path: "/credentials", ready: (page) => page.getByRole("row", { name: /Old laptop/ }).waitFor() },
  "credentials-revoke": {
    path: "/credentials",
    ready: async (page) => {
      await page.getByRole("button", { name: "Revoke Deploy robot" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  "credential-new": { path: "/credentials/new" },
  "credential-token": {
    path: "/credentials/new",
    ready: async (page) => {
      await page.getByRole("textbox", { name: "Name" }).fill("Screen reader");
      await page.getByRole("group", { name: "APIs" }).getByRole("radio", { name: "Read" }).check();
      await page.getByRole("button", { name: "Create", exact: true }).click();
      await page.getByText("Copy it now.").waitFor();
    },
  },
  audit: { path: "/audit", ready: (page) => page.getByRole("link", { name: /^Entry/ }).first().waitFor() },
  "audit-none": { path: "/audit?actor=nobody&from=2026-01-01", ready: (page) => page.getByText("No entry matches").waitFor() },
  "audit-entry": {
    path: "/audit?subject=api&action=modified",
    ready: async (page) => {
      await page.getByRole("link", { name: /^Entry/ }).first().click();
      await page.locator(".change").first().waitFor();
    },
  },
  notifications: { path: "/notifications", ready: (page) => page.getByText("Live", { exact: true }).waitFor() },
  rulesets: { path: "/rulesets", ready: (page) => page.getByRole("link", { name: "House style" }).waitFor() },
  ruleset: { path: `/rulesets/${ruleset}?view=json`, ready: documentReady },
  "ruleset-form": { path: `/rulesets/${ruleset}?view=form`, ready: formReady },
  "ruleset-revisions": {
    path: `/rulesets/${ruleset}?view=json`,
    ready: async (page) => {
      await page.getByRole("button", { name: "Show the revisions" }).click();
      await page.getByRole("button", { name: "View revision 1" }).scrollIntoViewIfNeeded();
    },
  },
  "ruleset-wrong": {
    path: `/rulesets/${ruleset}?view=json`,
    ready: async (page) => {
      await page.locator(".definition .cm-content").click();
      await page.keyboard.press("ControlOrMeta+a");
      await page.keyboard.press("Delete");
      await page.keyboard.insertText('{\n  "rules": { "a": { "then": 5 } }\n}\n');
      await page.locator(".definition .problem-error").first().waitFor();
    },
  },
  webhooks: { path: "/webhooks", ready: (page) => page.getByRole("link", { name: "Audit log" }).waitFor() },
  webhook: { path: `/webhooks/${hook}?view=json`, ready: documentReady },
  "webhook-form": { path: `/webhooks/${hook}?view=form`, ready: formReady },
  "webhook-new": { path: "/webhooks/new?view=form", ready: formReady },
  "webhook-emptied": {
    path: `/webhooks/${hook}?view=json`,
    ready: async (page) => {
      await documentReady(page);
      await type(page, '{\n  "method": "POST",\n  "target_path": "https://hooks.invalid/in"\n}\n');
      await page.locator(".emptied").waitFor();
      await page.locator(".emptied").evaluate((element) => element.scrollIntoView({ block: "center" }));
    },
  },
  "webhook-secret": {
    path: "/webhooks/new?view=json",
    ready: async (page) => {
      await documentReady(page);
      await type(page, laidOut({ name: "Pager", method: "POST", target_path: "https://pager.invalid/" }));
      await page.getByRole("button", { name: "Review & save" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Save", exact: true }).click();
      await page.getByText("Copy it now.").waitFor();
    },
  },
  "webhook-deliveries": {
    path: `/webhooks/${hook}?view=json`,
    ready: async (page) => {
      await documentReady(page);
      await page.getByRole("button", { name: "Send a test" }).click();
      await page.getByText("Not delivered").waitFor();
      await page.getByRole("row", { name: /Test/ }).first().waitFor();
      await page.getByRole("region", { name: "Deliveries" }).evaluate((element) => element.scrollIntoView());
    },
  },
});
