// The focus in dialogs, and the keys that are the same everywhere.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { definition, laidOut, open, type } from "./console.mjs";

let stage;
before(async () => {
  stage = await open({ fixtures: [definition("Orders", { use_keyless: false })] });
});
after(() => stage.close());

const rights = { orders: { api_id: "orders", versions: ["Default"] } };
const focused = (page) => page.evaluate(() => document.activeElement?.textContent || document.activeElement?.getAttribute("aria-label"));
/** Waits until an element has the focus: the contents of a dialog may be loaded late. */
const focus = (page, name) => page.waitForFunction((name) => [document.activeElement?.textContent, document.activeElement?.getAttribute("aria-label")].includes(name), name);

/** For each kind of document, a change to review: its path and its text. */
const KINDS = {
  api: async (id) => {
    await stage.store(laidOut(definition(id)));
    return [`/apis/${id}`, laidOut({ ...definition(id), tags: ["new"] })];
  },
  policy: async (id) => {
    const body = { id, name: id, rate: 5, per: 1, access_rights: rights };
    await stage.admin("POST", "/gateway/policies", { body });
    return [`/policies/${id}`, laidOut({ ...body, tags: ["new"] })];
  },
  key: async (id) => {
    const { json } = await stage.admin("POST", "/gateway/keys", { body: { alias: id, access_rights: rights } });
    return [`/keys/${json.key_hash}`, laidOut({ alias: id, tags: ["new"], access_rights: rights })];
  },
  webhook: async (id) => ["/webhooks/new", laidOut({ name: id, method: "POST", target_path: "https://hooks.example/", subscriptions: ["*"] })],
  ruleset: async (id) => ["/rulesets/new", laidOut({ name: id, description: "", active: false, resource_type: "oas-api", action: "none", categories: [], definition: '{"rules": {}}' })],
};

for (const [kind, prepare] of Object.entries(KINDS)) {
  for (const keys of ["Enter", "ControlOrMeta+Enter", "ControlOrMeta+s"]) {
    test(`${kind}: ${keys} saves from the review`, async () => {
      const [path, text] = await prepare(`${kind}-${keys.toLowerCase().replaceAll("+", "-")}`);
      const page = await stage.page({ path, token: stage.gateway.token });
      await page.locator("json-editor").first().waitFor({ state: "attached" });
      await type(page, text);
      await page.keyboard.press("ControlOrMeta+s");
      await page.getByRole("dialog", { name: "Review the change" }).waitFor();
      await focus(page, "Save");
      await page.keyboard.press(keys);
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await page.getByText(/^Saved|signing secret/).first().waitFor();
    });
  }
}

test("a search dialog takes the focus at once", async () => {
  const page = await stage.page({ path: "/keys/new" });
  await page.getByRole("button", { name: "Add an API…" }).click();
  await focus(page, "Find an API");
  await page.keyboard.type("ord");
  await page.getByRole("option", { name: /Orders/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Remove Orders" }).waitFor();
});

test("a dialog that was opened from a menu returns the focus to its button", async () => {
  const page = await stage.page({ path: "/apis" });
  await page.getByRole("button", { name: "Actions for Orders" }).focus();
  for (const key of ["Enter", "ArrowUp", "Enter"]) await page.keyboard.press(key);
  await page.getByRole("dialog", { name: "Delete “Orders”?" }).waitFor();
  await page.keyboard.press("Escape");
  await focus(page, "Actions for Orders");
});

test("no dialog focuses its close button", async () => {
  const page = await stage.page({ path: "/apis/orders" });
  await page.locator("json-editor .cm-line").first().waitFor();
  await page.locator("h1").focus();
  await page.keyboard.press("?");
  const dialog = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await dialog.waitFor();
  assert.notEqual(await focused(page), "Close");
  await page.keyboard.press("Enter");
  assert.ok(await dialog.isVisible());
  for (const said of ["Review what you have changed", "Save in the review; send, run or open what the page is for"]) await dialog.getByText(said).waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
});

/** Returns the colours of a screenshot at these points. */
const colours = async (page, points) => {
  const png = (await page.screenshot()).toString("base64");
  return page.evaluate(
    async ([png, points]) => {
      const bytes = Uint8Array.from(atob(png), (one) => one.codePointAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes]));
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d", { willReadFrequently: true });
      canvas.drawImage(bitmap, 0, 0);
      return points.map(([x, y]) => [...canvas.getImageData(x, y, 1, 1).data].join(" "));
    },
    [png, points],
  );
};

for (const theme of ["light", "dark"]) {
  test(`${theme}: the whole window is darker behind a dialog, up to its edge`, async () => {
    const page = await stage.page({ path: "/reference", theme });
    const { width, height } = page.viewportSize();
    const ends = [[width - 40, height - 2], [width - 2, height - 2]];
    const [before] = await colours(page, ends);
    await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
    await page.getByRole("dialog").waitFor();
    const [beside, edge] = await colours(page, ends);
    assert.equal(edge, beside);
    assert.notEqual(edge, before);
  });
}

test("restoring a revision and deleting a row leave the focus where the hand was", async () => {
  await stage.store(definition("Restored"));
  await stage.admin("PUT", "/gateway/apis/restored", { body: definition("Restored", { tags: ["later"] }) });
  const page = await stage.page({ path: "/apis/restored/revisions" });
  const open = page.getByRole("button", { name: "View & restore revision 1" });
  await open.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Restore this revision" }).click();
  // The rows were loaded again, with a new one.
  await page.getByRole("button", { name: "View revision 3" }).waitFor();
  await page.waitForFunction(() => document.activeElement?.textContent === "View & restore revision 1");

  await page.goto(stage.url("/apis?q=restored"));
  await page.getByRole("button", { name: "Actions for Restored" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: /^Delete/ }).click();
  await page.getByRole("heading", { name: "No API matches" }).waitFor();
  await page.waitForFunction(() => document.activeElement?.localName === "h1");
});
