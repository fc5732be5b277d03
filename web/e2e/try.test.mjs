// Trying an API: a request with a chosen key, its response, and the steps of its trace.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { clipboard, definition, open } from "./console.mjs";

const LIMITS = { quota_max: 2, quota_renewal_rate: 3600 };

let stage;
let made;
before(async () => {
  stage = await open({ routes: { "/broken": (_, response) => response.writeHead(500).end() } });
  const closed = { use_keyless: false, auth: { auth_header_name: "X-Key" } };
  await stage.store(definition("Open", {}, { target_url: stage.upstream.url }));
  await stage.store(definition("Closed", closed, { target_url: stage.upstream.url }));
  await stage.store(definition("Down"));
  await stage.reload();
  const issue = async (session) => (await stage.admin("POST", "/gateway/keys", { body: { access_rights: { closed: {} }, ...session } })).json;
  made = await issue({ alias: "Partner portal", ...LIMITS });
  await issue({ alias: "Old laptop", is_inactive: true });
});
after(() => stage.close());

const send = (page) => page.getByRole("button", { name: "Send" }).click();
const steps = (page) => page.locator(".panel > .trace > li");
const status = (page, code) => page.locator(".try-result .status", { hasText: code }).waitFor();
const path = (page) => page.getByLabel("Path below the listen path");

test("an API is found, a request composed by keyboard and sent, and the response formatted", async () => {
  const page = await stage.page({ path: "/try" });
  const field = page.getByRole("combobox", { name: "Find an API" });
  await page.getByRole("option", { name: /Open/ }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Send" }).isDisabled(), true);
  await field.fill("ope");
  await field.press("Enter");
  await page.waitForURL(/\/console\/try\/open$/);
  await page.getByText("This API requires no key.").waitFor();
  await page.getByLabel("Method").selectOption("POST");
  await path(page).fill("/orders?x=1");
  await page.getByRole("button", { name: "Add a header" }).click();
  await page.getByLabel("Header name").fill("X-Tried");
  await page.getByLabel("Header value").fill("yes");
  await page.getByLabel("Body", { exact: true }).fill('{"a":1.0}');
  await page.keyboard.press("ControlOrMeta+Enter");
  await status(page, "200");
  const body = page.locator(".try-result pre");
  assert.match(await body.textContent(), /"method": "POST"[\s\S]*"url": "\/orders\?x=1"[\s\S]*"x-tried"[\s\S]*1\.0/);
  assert.deepEqual(await steps(page).locator(".trace-name").allTextContents(), [
    "Route Passed", "Sent on Passed", "Upstream Passed",
  ]);
  await page.getByText("2 links not concerned").click();
  assert.deepEqual(await page.locator(".trace-folded .trace-name").allTextContents(), ["Organisation Skipped", "Limits Skipped"]);
  assert.match(await steps(page).last().textContent(), /200, \d+ bytes, application\/json/);
  await page.locator(".answer-headers summary").click();
  await page.getByRole("definition").filter({ hasText: "application/json" }).waitFor();
});

test("an API is known by its id, however many others contain that", async () => {
  for (let n = 0; n < 51; n += 1) await stage.store(definition(`Mid ${n}`));
  await stage.store(definition("Zulu", { api_id: "mid" }));
  const page = await stage.page({ path: "/try/mid" });
  await page.getByRole("link", { name: "Zulu" }).waitFor();
  await page.getByRole("button", { name: "Change" }).click();
  await page.getByRole("combobox", { name: "Find an API" }).fill("mid");
  await page.getByRole("option", { name: /Zulu/, selected: true }).waitFor();
});

test("an upstream failure counts neither as a passed step nor as the gateway's refusal", async () => {
  const page = await stage.page({ path: "/try/open" });
  await path(page).fill("/broken");
  await send(page);
  await status(page, "500");
  assert.match(await steps(page).last().textContent(), /Upstream Error.*500, 0 bytes/);
  await page.goto(stage.url("/try/down"));
  await page.getByText("This API requires no key.").waitFor();
  await send(page);
  await status(page, "500");
  assert.match(await steps(page).last().textContent(), /Upstream Failed.*There was a problem proxying the request/);
});

test("Enter before the search returns takes its result, not the previous one", async () => {
  const page = await stage.page({ path: "/try" });
  const field = page.getByRole("combobox", { name: "Find an API" });
  await page.getByRole("option", { name: /Closed/ }).waitFor();
  let release;
  const held = new Promise((resolve) => (release = resolve));
  await page.route(/[?&]q=ope(&|$)/, async (route) => {
    await held;
    await route.continue();
  });
  await field.fill("ope");
  await field.press("Enter");
  assert.match(page.url(), /\/console\/try$/);
  release();
  await page.waitForURL(/\/console\/try\/open$/);
});

test("a stored key is found by alias, used by hash, and its limits count down", async () => {
  const page = await stage.page({ path: "/try/closed" });
  await send(page);
  await status(page, "401");
  assert.match(await steps(page).last().textContent(), /Token Refused.*None in the header x-key/);
  await page.locator(".pill", { hasText: "Stored key" }).click();
  const field = page.getByRole("combobox", { name: "Find a key by alias, hash or tag" });
  await field.fill("partner");
  // Every key is offered until the search has returned.
  await page.waitForFunction(() => document.querySelectorAll(".options > li").length === 1);
  await page.getByRole("option", { name: /Partner portal/ }).waitFor();
  await field.press("Enter");
  await page.getByRole("link", { name: "Partner portal" }).waitFor();
  for (const left of ["1 of 2 requests left", "0 of 2 requests left"]) {
    await send(page);
    await page.locator(".trace").getByText(left).waitFor();
    await status(page, "200");
  }
  await send(page);
  await status(page, "403");
  assert.match(await steps(page).last().textContent(), /Limits Refused.*Quota exceeded/);
  assert.match(await page.locator(".try-result pre").textContent(), /Quota exceeded/);
  // Every request made on the page is still listed, and can be reused with one click.
  const entries = page.locator(".try-history > li");
  assert.equal(await entries.count(), 4);
  assert.match(await entries.first().textContent(), /403.*GET \/.*Partner portal/);
  await entries.last().getByRole("button").click();
  await status(page, "401");
  await page.getByText("The request carries no credential.").waitFor();
});

test("a typed token is sent where the API expects it, and appears nowhere else", async () => {
  const page = await stage.page({ path: "/try/closed" });
  await page.locator(".pill", { hasText: "Token" }).click();
  await page.getByText("Sent as the header X-Key.").waitFor();
  await page.getByLabel("Token", { exact: true }).and(page.locator("input[type=password]")).fill(made.key);
  // A response without a body, since a body could come from the upstream itself.
  await path(page).fill("/204");
  await send(page);
  await steps(page).first().waitFor();
  assert.match(await page.locator(".panel > .trace").textContent(), /In the header x-key/);
  const kept = await page.evaluate(() => JSON.stringify([{ ...sessionStorage }, { ...localStorage }, location.href, document.documentElement.outerHTML]));
  assert.ok(!kept.includes(made.key));
  await page.getByRole("button", { name: "Copy as text" }).click();
  await page.getByText("Copied", { exact: true }).first().waitFor();
  const dump = await clipboard(page);
  assert.match(dump, /^====== Request ======\r?\nGET \/closed\/204 HTTP\/1\.1[\s\S]*X-Key: \[hidden\]/);
});

test("the copied command sends the same request to the data plane, with the token from a variable", async () => {
  const page = await stage.page({ path: "/try/closed" });
  await page.locator(".chosen strong").waitFor();
  await path(page).fill("/it's?a=b");
  await page.locator(".pill", { hasText: "Token" }).click();
  // The definition says so, which is fetched apart from the name.
  await page.getByText("Sent as the header X-Key.").waitFor();
  await page.locator("input[type=password]").fill("secret-token");
  await page.getByRole("button", { name: "Copy as curl" }).click();
  await page.getByText("Copied", { exact: true }).first().waitFor();
  const command = await clipboard(page);
  assert.ok(!command.includes("secret-token"), command);
  assert.equal(command, `curl --fail-with-body --request GET "\${GATEWAY_URL:-http://127.0.0.1:8787}"'/closed/it'\\''s?a=b' \\\n  --header 'X-Key: '"$API_TOKEN"`);
});

test("invalid input is reported, and an unloaded definition can be tried", async () => {
  const page = await stage.page({ path: "/try/open" });
  await page.locator(".chosen strong").waitFor();
  await path(page).fill("../escape");
  await send(page);
  await page.locator(".failure").getByText(/stays below the API/).waitFor();
  await stage.store(definition("Fresh", {}, { target_url: stage.upstream.url }));
  const fresh = await stage.page({ path: "/try/fresh" });
  await fresh.getByText("This API is pending: it is served from the next reload on.").waitFor();
  await send(fresh);
  await fresh.locator(".failure").waitFor();
  await fresh.getByRole("switch", { name: /Use the stored definition/ }).check();
  await send(fresh);
  await status(fresh, "200");
  assert.match(await steps(fresh).first().textContent(), /as the definition was sent/);
});

test("on a narrow screen the response scrolls into view", async () => {
  const page = await stage.page({ path: "/try/open", width: 390 });
  await page.locator(".chosen strong").waitFor();
  await send(page);
  await status(page, "200");
  await page.waitForFunction(() => {
    const { top, bottom } = document.querySelector(".try-result .answer-line").getBoundingClientRect();
    return top >= 0 && bottom <= innerHeight;
  });
});

test("an API's page leads here", async () => {
  const page = await stage.page({ path: "/apis/open" });
  await page.getByRole("link", { name: "Try it" }).and(page.locator(".btn")).click();
  await page.waitForURL(/\/console\/try\/open$/);
  await page.getByRole("heading", { level: 1, name: "Try it" }).waitFor();
});

test("the trace shows the changes of each link, to request and response", async () => {
  const page = await stage.page({ path: "/try/open" });
  const step = (name, members) => ({ name, phase: "request", decision: "passed", detail: "", at_ms: 1, ms: 0, ...members });
  const trace = [
    step("ip_lists", { decision: "skipped" }),
    step("key_state", { decision: "deferred", detail: "Key is inactive, please renew" }),
    step("headers", { changes: [{ what: "header", name: "x-team", to: "red" }, { what: "header", name: "cookie", from: "a=1" }] }),
    step("rewrite", { changes: [{ what: "target", from: "/old", to: "/new?x=1" }, { what: "method", from: "GET", to: "POST" }] }),
    step("upstream", { detail: "200, 2 bytes" }),
    step("headers", { phase: "response", changes: [{ what: "body", from: "2 bytes", to: "7 bytes" }, { what: "status", from: "200", to: "202" }] }),
  ];
  const answer = { status: 202, headers: {}, body: "{}", truncated: false };
  await page.route("**/gateway/debug", (route) => route.fulfill({ json: { message: "ok", response: "", logs: "", trace, answer } }));
  await send(page);
  await page.getByRole("heading", { name: "On the way back" }).waitFor();
  const changes = await page.locator(".trace-changes > li").allTextContents();
  assert.deepEqual(changes, ["Header x-teamaddedred", "Header cookieremoveda=1", "Targetreplaced/old/new?x=1", "MethodreplacedGETPOST", "Bodyreplaced2 bytes7 bytes", "Statusreplaced200202"]);
  await page.getByText("1 link not concerned").waitFor();
  // A refusal that did not count is shown neither as passed nor as the cause of the response.
  assert.match(await steps(page).first().textContent(), /Key state Would have refusedKey is inactive/);
});
