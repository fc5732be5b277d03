// Pages of keys, policies and organisations.

import { documentReady, formReady } from "./ready.mjs";

/** Names and addresses, and what to do before the screenshot is taken. */
export const access = (_stage, { key }) => ({
  keys: { path: "/keys", ready: (page) => page.getByRole("row", { name: /Partner portal.*Gold plan/ }).waitFor() },
  "keys-none": { path: "/keys?q=nothing-like-it", ready: (page) => page.getByText("No key matches").waitFor() },
  "key-new": {
    path: "/keys/new",
    ready: async (page) => {
      await page.getByRole("textbox", { name: "Alias" }).fill("Robot");
      await page.getByRole("checkbox", { name: /Gold plan/ }).check();
      await page.getByRole("textbox", { name: "Rate" }).fill("5");
      await page.getByRole("row", { name: /Payments.*100 per minute/ }).waitFor();
    },
  },
  "key-token": {
    path: "/keys/new",
    ready: async (page) => {
      await page.getByRole("textbox", { name: "Alias" }).fill("Robot");
      await page.getByRole("checkbox", { name: /Gold plan/ }).check();
      await page.getByRole("button", { name: "Create the key" }).click();
      await page.getByText("Copy it now.").waitFor();
    },
  },
  key: {
    path: `/keys/${key}?view=json`,
    ready: async (page) => {
      await documentReady(page);
      await page.getByText(/50.000 of 50.000 left/).first().waitFor();
    },
  },
  "key-gives": {
    path: `/keys/${key}?view=form`,
    ready: async (page) => {
      await formReady(page);
      await page.getByRole("region", { name: "What it gives" }).evaluate((element) => element.scrollIntoView());
    },
  },
  "key-extend": {
    path: `/keys/${key}?view=json`,
    ready: async (page) => {
      await documentReady(page);
      await page.getByRole("button", { name: "Extend…" }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  policies: { path: "/policies", ready: (page) => page.getByRole("link", { name: "Gold plan" }).waitFor() },
  policy: {
    path: "/policies/gold?view=json",
    ready: async (page) => {
      await documentReady(page);
      await page.getByRole("heading", { name: /Used by/ }).waitFor();
    },
  },
  "policy-gives": {
    path: "/policies/gold?view=form",
    ready: async (page) => {
      await formReady(page);
      await page.getByRole("region", { name: "What this policy gives" }).evaluate((element) => element.scrollIntoView());
    },
  },
  "policy-delete": {
    path: "/policies",
    ready: async (page) => {
      await page.getByRole("button", { name: "Actions for Gold plan" }).click();
      await page.getByRole("menuitem", { name: "Delete…" }).click();
      await page.getByRole("dialog").getByRole("heading", { name: /^\d+ keys?$/ }).waitFor();
    },
  },
  organisations: { path: "/organisations", ready: (page) => page.getByRole("row", { name: /acme.*Inactive/ }).waitFor() },
  organisation: {
    path: "/organisations/acme?view=json",
    ready: async (page) => {
      await documentReady(page);
      await page.getByText(/of 1.000.000 left/).waitFor();
    },
  },
});
