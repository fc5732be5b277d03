// The batch: choosing, composing, running, reading.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clipboard, definition, editorText, open, type } from "./console.mjs";

let stage;
before(async () => {
  stage = await open();
  await stage.store(definition("Echo", {}, { target_url: stage.upstream.url }));
  await stage.store(definition("No batches", { enable_batch_request_support: false }, { target_url: stage.upstream.url }));
  await stage.reload();
});
after(() => stage.close());

test("APIs are searched while typing, and only those with batches enabled are offered", async () => {
  const page = await stage.page({ path: "/batch" });
  const field = page.getByRole("combobox", { name: "Find an API that accepts batches" });
  await page.getByRole("option", { name: /Echo/ }).waitFor();
  assert.equal(await page.getByRole("option", { name: /No batches/ }).count(), 0);
  await field.fill("ech");
  await field.press("Enter");
  await page.waitForURL(/\?api=echo$/);
});

test("requests are composed by keyboard and run, and every response is readable", async () => {
  const page = await stage.page({ path: "/batch?api=echo" });
  const url = (n) => page.getByRole("textbox", { name: `Relative URL of request ${n}`, exact: true });
  await url(1).fill("first?x=1");
  for (let more = 0; more < 3; more += 1) await page.getByRole("button", { name: "Add a request" }).press("Enter");
  await url(2).fill("binary");
  await url(3).fill("503");
  await url(4).fill("last");
  await page.getByRole("button", { name: "Move request 4 up" }).press("Enter");
  await page.keyboard.press("Enter");
  assert.equal(await url(2).inputValue(), "last", "the focus moved with the request");
  const item = page.locator(".items > li").first();
  await item.getByText("Headers and body").click();
  await item.getByRole("button", { name: "Add a header" }).click();
  await item.getByLabel("Header name").fill("X-Tried");
  await item.getByLabel("Header value").fill("yes");
  await item.getByLabel("Method").selectOption("POST");
  await item.getByLabel("Body").fill('{"a":1.0}');
  await page.keyboard.press("ControlOrMeta+Enter");
  await page.getByRole("heading", { name: "4 answers" }).waitFor();
  const answers = page.locator(".answers > li");
  assert.deepEqual(await answers.locator(".answer-url").allTextContents(), ["first?x=1", "last", "binary", "503"]);
  assert.match(await answers.nth(0).locator("pre").textContent(), /"method": "POST"[\s\S]*"x-tried"[\s\S]*1\.0/);
  await answers.nth(2).getByText("The body is not text; it is shown as base64.").waitFor();
  assert.match(await answers.nth(3).locator(".status").textContent(), /503/);
  await answers.nth(0).getByText(/headers?$/).click();
  await answers.nth(0).getByText("application/json").first().waitFor();
});

test("form and JSON show the same batch", async () => {
  const page = await stage.page({ path: "/batch?api=echo" });
  await page.getByRole("textbox", { name: "Relative URL of request 1" }).fill("from-the-form");
  await page.locator(".pill", { hasText: "JSON" }).click();
  await page.locator("json-editor").waitFor();
  assert.equal(JSON.parse(await editorText(page)).requests[0].relative_url, "from-the-form");
  await page.getByRole("switch").check();
  assert.equal(JSON.parse(await editorText(page)).suppress_parallel_execution, true);
  await type(page, '{"requests":[{"relative_url":"a"},{"relative_url":"b","method":"PURGE"}],"suppress_parallel_execution":false}');
  await page.getByRole("heading", { name: "2 requests" }).waitFor();
  await type(page, '{"requests":5}');
  await page.getByText('"requests" has to be an array').waitFor();
  await page.locator(".pill", { hasText: "Form" }).click();
  assert.equal(await page.getByRole("textbox", { name: "Relative URL of request 2" }).inputValue(), "b");
  assert.equal(await page.getByLabel("Method").nth(1).inputValue(), "PURGE");
  assert.equal(await page.getByRole("switch").isChecked(), false);
});

test("a refused batch shows the reason", async () => {
  const page = await stage.page({ path: "/batch?api=echo" });
  await page.getByRole("textbox", { name: "Relative URL of request 1" }).fill("../../escape");
  await page.getByRole("button", { name: "Run" }).click();
  await page.locator(".batch-answers .failure").waitFor();
  const other = await stage.page({ path: "/batch?api=no-batches" });
  await other.getByText("This API doesn't accept batches").waitFor();
});

test("the copied command runs against the gateway", async () => {
  const page = await stage.page({ path: "/batch?api=echo" });
  await page.getByRole("textbox", { name: "Relative URL of request 1" }).fill("by-hand");
  await page.locator(".picked strong").waitFor();
  await page.getByRole("button", { name: "Copy as curl" }).click();
  await page.getByText("Copied", { exact: true }).first().waitFor();
  const command = await clipboard(page);
  assert.match(command, /^curl .*"\$\{GATEWAY_URL:-http:\/\/127\.0\.0\.1:8787\}"'\/echo\/gateway\/batch\/'/);
  const body = /--data-binary '([\s\S]*)'$/.exec(command)[1];
  const answer = await fetch(`${stage.gateway.gateway}/echo/gateway/batch/`, { method: "POST", body });
  assert.equal((await answer.json())[0].relative_url, "by-hand");
});
