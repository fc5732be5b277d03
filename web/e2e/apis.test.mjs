// The list of APIs: search, filters, order, paging, and the actions of a row.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clipboard, definition, names, open } from "./console.mjs";

const MANY = Array.from({ length: 60 }, (_, n) => definition(`Bulk ${String(n).padStart(2, "0")}`, { tags: ["bulk"] }));

let stage;
before(async () => {
  const fixtures = [
    definition("Orders", { tags: ["shop", "eu"] }, { target_url: "http://orders.example/" }),
    definition("Payments", { tags: ["shop"], domain: "pay.example.com" }),
    definition("Archive", { active: false }),
    definition("Ledger", { internal: true }),
    ...MANY,
  ];
  stage = await open({ fixtures });
  await stage.store(definition("Fresh"));
});
after(() => stage.close());

test("search covers name, id, path, domain, tag and target, and is reflected in the URL", async () => {
  const page = await stage.page();
  await page.locator("tbody tr").first().waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("orders.exam");
  await page.waitForURL(/\?q=orders\.exam$/);
  await page.getByText("1–1 of 1").waitFor();
  assert.deepEqual(await names(page), ["Orders"]);
  await page.reload();
  await page.getByText("1–1 of 1").waitFor();
  assert.equal(await page.getByRole("searchbox", { name: "Search APIs" }).inputValue(), "orders.exam");
  for (const [words, found] of [["PAY.EXAMPLE", "Payments"], ["/ledger/", "Ledger"], ["archive", "Archive"]]) {
    await page.getByRole("searchbox", { name: "Search APIs" }).fill(words);
    await page.getByRole("link", { name: found, exact: true }).waitFor();
    await page.getByText("1–1 of 1").waitFor();
  }
  await page.getByRole("searchbox", { name: "Search APIs" }).fill("nothing like it");
  await page.getByText("No API matches").waitFor();
  await page.getByRole("button", { name: "Clear search and filters" }).click();
  await page.waitForURL(/\/apis$/);
});

test("states work as filters and explain themselves", async () => {
  const page = await stage.page({ path: "/apis" });
  for (const [pill, name, reason] of [
    ["Inactive", "Archive", 'Not served: "active" is false'],
    ["Internal", "Ledger", 'Not served publicly: "internal" is true'],
    ["Pending", "Fresh", "Stored, served from the next reload on"],
  ]) {
    await page.locator(".pill", { hasText: pill }).click();
    // The previous match was the only row, too.
    await page.getByRole("link", { name, exact: true }).waitFor();
    await page.getByText("1–1 of 1").waitFor();
    assert.deepEqual(await names(page), [name]);
    await page.locator("td .badge").focus();
    await page.getByRole("tooltip").filter({ hasText: reason }).waitFor();
  }
  await page.waitForURL(/state=pending/);
});

test("each state shows its count", async () => {
  await stage.store(definition("Counted", { tags: ["counted"], active: false }));
  const page = await stage.page({ path: "/apis?tag=counted" });
  await page.locator(".pill", { hasText: "Inactive 1" }).waitFor();
  await page.locator(".pill", { hasText: "Served 0" }).waitFor();
  await page.getByRole("searchbox", { name: "Search APIs" }).fill("nothing like it");
  await page.locator(".pill", { hasText: "Inactive 0" }).waitFor();
});

test("states are counted only once the list has loaded", async () => {
  const page = await stage.page();
  await page.locator(".pill", { hasText: /Inactive \d/ }).waitFor();
  await page.clock.install();
  const counted = [];
  let release;
  const released = new Promise((done) => (release = done));
  await page.route("**/gateway/apis?*", async (route) => {
    if (new URL(route.request().url()).searchParams.get("per_page") === "1") counted.push(route.request().url());
    else await released;
    await route.continue();
  });
  const listing = page.waitForRequest(/\/gateway\/apis\?.*q=archive/);
  await page.getByRole("searchbox", { name: "Search APIs" }).fill("archive");
  await listing;
  await page.clock.runFor(1000);
  // Once this is answered, all earlier requests have been observed.
  await page.evaluate(() => fetch("/hello"));
  assert.deepEqual(counted, []);
  release();
  await page.getByText("1–1 of 1").waitFor();
  await page.clock.runFor(1000);
  await page.locator(".pill", { hasText: "All 1" }).waitFor();
  await page.unrouteAll({ behavior: "wait" });
});

test("a tag in a row filters by it", async () => {
  const page = await stage.page({ path: "/apis?q=orders" });
  await page.getByRole("button", { name: "shop" }).click();
  await page.getByRole("searchbox", { name: "Search APIs" }).fill("");
  await page.getByText("1–2 of 2").waitFor();
  assert.deepEqual(await names(page), ["Orders", "Payments"]);
  assert.match(page.url(), /tag=shop/);
});

test("column headings sort the list in both directions", async () => {
  const page = await stage.page({ path: "/apis?tag=shop" });
  await page.getByText("1–2 of 2").waitFor();
  const heading = page.getByRole("columnheader", { name: "Name" });
  assert.equal(await heading.getAttribute("aria-sort"), "ascending");
  await heading.getByRole("button").click();
  await page.locator("tbody tr").first().getByRole("link", { name: "Payments" }).waitFor();
  assert.equal(await heading.getAttribute("aria-sort"), "descending");
  assert.match(page.url(), /sort=-name/);
});

test("the list is paginated", async () => {
  const page = await stage.page({ path: "/apis?tag=bulk" });
  await page.getByText("1–50 of 60").waitFor();
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("51–60 of 60").waitFor();
  assert.equal(await page.getByRole("button", { name: "Next" }).isDisabled(), true);
  await page.getByLabel("Per page").selectOption("100");
  await page.getByText("1–60 of 60").waitFor();
});

test("a list opens with the rows that fill a window, and has all of them in the next step", async () => {
  const page = await stage.page({ path: "/apis?tag=bulk" });
  await page.addInitScript(() => {
    globalThis.built = [];
    const note = () => {
      const rows = document.querySelectorAll("tbody tr").length;
      if (rows > 0 && rows !== globalThis.built.at(-1)) globalThis.built.push(rows);
    };
    new MutationObserver(note).observe(document, { childList: true, subtree: true });
  });
  await page.reload();
  await page.locator("tbody tr").nth(49).waitFor();
  // A reader who is there already has a position and a focus to lose.
  await page.getByRole("button", { name: "Next" }).click();
  await page.getByText("51–60 of 60").waitFor();
  await page.getByRole("button", { name: "Previous" }).click();
  await page.getByText("1–50 of 60").waitFor();
  assert.deepEqual(await page.evaluate(() => globalThis.built), [16, 50, 10, 50]);
});

test("going back and loading again restore the position", async () => {
  const page = await stage.page({ path: "/apis?tag=bulk" });
  await page.getByText("1–50 of 60").waitFor();
  await page.locator("tbody tr").nth(30).getByRole("link").first().click();
  await page.getByRole("button", { name: "Saved" }).waitFor();
  assert.equal(await page.evaluate(() => scrollY), 0);
  await page.goBack();
  await page.locator("tbody tr").nth(49).waitFor();
  await page.waitForFunction(() => scrollY > 100);
  const y = await page.evaluate(() => scrollY);
  const restored = () => page.waitForFunction((y) => Math.abs(scrollY - y) < 2, y);
  await page.reload();
  await page.getByText("1–50 of 60").waitFor();
  await restored();
  // Keys are another module, so this loads another document.
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await page.getByText("No keys yet").waitFor();
  await page.goBack();
  await page.getByText("1–50 of 60").waitFor();
  await restored();
});

test("another page starts at its head, and going back restores page and position", async () => {
  const page = await stage.page({ path: "/apis?tag=bulk" });
  // All rows: the page is shorter before the second step.
  await page.locator("tbody tr").nth(49).waitFor();
  const next = page.getByRole("button", { name: "Next" });
  await next.scrollIntoViewIfNeeded();
  const y = await page.evaluate(() => scrollY);
  assert.ok(y > 100);
  await next.click();
  await page.getByText("51–60 of 60").waitFor();
  assert.equal(await page.evaluate(() => scrollY), 0);
  await page.goBack();
  await page.getByText("1–50 of 60").waitFor();
  await page.waitForFunction((y) => Math.abs(scrollY - y) < 2, y);
});

test("deleting asks with the API's name and can be undone", async () => {
  await stage.store(definition("Doomed"));
  const page = await stage.page({ path: "/apis?q=doomed" });
  await page.getByRole("button", { name: "Actions for Doomed" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await page.getByRole("heading", { name: "Delete “Doomed”?" }).waitFor();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("No API matches").waitFor();
  assert.equal((await stage.gateway.admin("GET", "/gateway/apis/doomed")).status, 404);
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("link", { name: "Doomed" }).waitFor();
  assert.equal((await stage.gateway.admin("GET", "/gateway/apis/doomed")).json.name, "Doomed");
});

test("a deleted API can be restored from its row", async () => {
  await stage.store(definition("Gone"));
  await stage.admin("DELETE", "/gateway/apis/gone");
  const page = await stage.page({ path: "/apis?state=deleted&q=gone" });
  await page.getByRole("button", { name: "Actions for Gone" }).click();
  await page.getByRole("menuitem", { name: "Restore" }).click();
  await page.getByText("Restored “Gone”.").waitFor();
  assert.equal((await stage.gateway.admin("GET", "/gateway/apis/gone")).json.name, "Gone");
});

test("switching an API off changes one member and no other byte", async () => {
  const text = '{ "name":"Toggle","api_id":"toggle", "use_keyless":true,"proxy":{"listen_path":"/toggle/","target_url":"http://127.0.0.1:9/"},\n "odd": 1.0, "big": 12345678901234567890 }';
  await stage.store(text);
  const page = await stage.page({ path: "/apis?q=toggle" });
  await page.getByRole("button", { name: "Actions for Toggle" }).click();
  await page.getByRole("menuitem", { name: "Deactivate" }).click();
  await page.locator("td .badge-inactive").waitFor();
  const stored = (await stage.gateway.admin("GET", "/gateway/apis/toggle?complete=false")).text;
  assert.equal(stored.replace(/,\s*"active":\s*false/, ""), text);
  assert.equal(JSON.parse(stored).active, false);
});

test("the id can be copied, and menus work by keyboard alone", async () => {
  const page = await stage.page({ path: "/apis?q=orders" });
  await page.getByRole("button", { name: "Actions for Orders" }).press("Enter");
  await page.getByRole("menuitem", { name: "Edit" }).waitFor();
  for (const item of ["Revisions", "Try it", "Run a batch", "Copy id"]) {
    await page.keyboard.press("ArrowDown");
    assert.equal(await page.evaluate(() => document.activeElement.textContent.trim()), item);
  }
  await page.keyboard.press("Enter");
  await page.getByText("Copied orders.").waitFor();
  assert.equal(await clipboard(page), "orders");
});

test("unloaded changes are reported above the list, with a link to the reload", async () => {
  await stage.store(definition("Waiting"));
  const page = await stage.page();
  await page.getByText(/changes? (is|are) pending\./).waitFor();
  await page.getByRole("link", { name: "Review & reload" }).click();
  await page.waitForURL(/\/reload$/);
  await page.getByRole("row", { name: /Waiting/ }).waitFor();
});

test("tags that a row leaves out are named on hover and to screen readers", async () => {
  await stage.store(definition("Labelled", { tags: ["labels", "b", "c", "d"] }));
  const page = await stage.page({ path: "/apis?tag=labels" });
  assert.equal(await page.getByTitle("c, d", { exact: true }).textContent(), "+2and c, d");
});

test("what a row cuts off is its hover text, and what fits has none", async () => {
  const name = "A name that nobody reads to its end ".repeat(12).trim();
  await stage.store({ ...definition("Cut"), name, tags: ["hover"] });
  const page = await stage.page({ path: "/apis?tag=hover" });
  const link = page.getByRole("link", { name });
  const path = page.locator(".cell-path code");
  for (const shown of [link, path]) await shown.hover();
  assert.deepEqual([await link.getAttribute("title"), await path.getAttribute("title")], [name, ""]);
  // What says more stays.
  await page.getByRole("button", { name: "hover", exact: true }).hover();
  await page.getByTitle("Show only APIs tagged hover").waitFor();
});
