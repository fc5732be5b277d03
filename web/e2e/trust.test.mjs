// Credentials other than tokens: certificates, OAuth clients with their tokens, and keys with a password or a
// signature. Each works at the gateway as the console says.

import assert from "node:assert/strict";
import { createHmac, X509Certificate } from "node:crypto";
import { after, before, test } from "node:test";
import { CANARY, pem } from "../../worker/tests/certificates.mjs";
import { send } from "../../worker/tests/http.mjs";
import { basic, server, withServer } from "../../worker/tests/oauth.mjs";
import { clipboard, definition, drop, open } from "./console.mjs";
import { onEveryScreen, look } from "./look.mjs";

let stage;
let shop;
before(async () => {
  stage = await open();
  const target = { target_url: stage.upstream.url };
  await stage.store(definition("Shop", withServer(), target));
  await stage.store(definition("Members", { use_keyless: false, use_basic_auth: true }, target));
  await stage.store(definition("Signed", { use_keyless: false, enable_signature_checking: true, hmac_allowed_clock_skew: 60_000 }, target));
  const rights = (...ids) => Object.fromEntries(ids.map((id) => [id, { api_id: id, versions: ["Default"] }]));
  await stage.admin("POST", "/gateway/policies", { body: { id: "gold", name: "Gold plan", rate: 100, per: 60, access_rights: rights("shop", "members", "signed") } });
  await stage.admin("POST", "/gateway/policies", { body: { id: "other", name: "Another plan", rate: 100, per: 60, access_rights: rights("members") } });
  await stage.reload();
  shop = server(() => stage.gateway, { api_id: "shop", proxy: { listen_path: "/shop/" } });
});
after(() => stage.close());

const dialog = (page, name) => page.getByRole("dialog", { name });
const copied = async (page, button) => {
  await page.getByRole("button", { name: button }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  return clipboard(page);
};
const fingerprint = (name) => new X509Certificate(pem(name)).fingerprint256.replaceAll(":", "").toLowerCase();

test("a certificate is pasted, shown with its users, and deleted, and its private key is never shown", async () => {
  const page = await stage.page({ path: "/certificates" });
  await page.getByRole("heading", { name: "No certificates yet" }).waitFor();
  await page.getByRole("link", { name: "Add a certificate" }).first().click();
  const add = page.getByRole("button", { name: "Add", exact: true });
  const field = page.getByRole("textbox", { name: "Certificate *" });
  await field.fill("-----BEGIN CERTIFICATE-----\nAAAA");
  await page.getByText("A block has no end: was all of it copied?").waitFor();
  assert.ok(await add.isDisabled());
  await field.fill("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----");
  await add.click();
  await page.getByRole("alert").getByText("Refused").waitFor();
  assert.match(page.url(), /certificates\/new$/, "still signed in");

  await field.fill(pem("rsa.crt", "rsa.key"));
  await page.getByText("1 certificate, 1 private key.").waitFor();
  await page.getByText("The private key is stored so that requests can be signed with it.").waitFor();
  await page.getByRole("textbox", { name: "Organisation" }).fill("acme");
  await add.click();
  const id = `acme${fingerprint("rsa.crt")}`;
  await page.waitForURL(new RegExp(`/certificates/${id}$`));
  await page.getByText("Stored; never shown again").waitFor();
  await page.getByText("No API names it.").waitFor();
  await page.getByText(fingerprint("rsa.crt").slice(0, 4).toUpperCase().replace(/(..)(..)/, "$1:$2")).waitFor();
  assert.ok(!(await page.content()).includes(CANARY.slice(0, 20)), "no part of the private key is on the page");

  const signing = { request_signing: { is_enabled: true, key_id: "k", algorithm: "rsa-sha256", certificate_id: id } };
  await stage.store(definition("Signing", { ...signing, client_certificates: [id] }));
  await page.reload();
  const users = page.getByRole("region", { name: "Used by" });
  await users.getByText("No key is bound to it.").waitFor();
  const bound = { org_id: "acme", alias: "till 7", mtls_static_certificate_bindings: [id], access_rights: { signing: { api_id: "signing", versions: ["Default"] } } };
  await stage.admin("POST", "/gateway/keys/till-7", { body: bound });
  await page.reload();
  await users.getByRole("link", { name: "till 7" }).waitFor();
  await look(page, "certificate-used");
  await users.getByRole("listitem").filter({ hasText: "Signing" }).getByText("accepts clients with it, signs requests with it").waitFor();

  await page.goto(stage.url("/certificates"));
  await page.getByRole("row", { name: /Private key/ }).waitFor();
  // Adding the same one again is refused as a duplicate.
  await page.goto(stage.url("/certificates/new"));
  await page.getByRole("textbox", { name: "Organisation" }).fill("acme");
  const der = new X509Certificate(pem("rsa.crt")).raw;
  await page.locator("input[type=file]").setInputFiles({ name: "rsa.der", mimeType: "application/pkix-cert", buffer: der });
  await page.getByText("1 certificate.").waitFor();
  await add.click();
  await page.getByRole("alert").getByText("Already taken").waitFor();
  await field.fill("");

  await page.goto(stage.url(`/certificates/${id}`));
  await page.getByRole("button", { name: "Delete…" }).click();
  await dialog(page, "Delete this certificate?").getByText("APIs that name it: Signing. 1 key bound to it can't be used any more.").waitFor();
  await dialog(page, "Delete this certificate?").getByRole("button", { name: "Delete" }).click();
  await page.waitForURL(/\/certificates$/);
  assert.equal((await stage.gateway.admin("GET", `/gateway/certs/${id}`)).status, 404);
  await page.goto(stage.url(`/certificates/${id}`));
  await page.getByRole("heading", { name: "There is no such certificate" }).waitFor();
  await stage.admin("DELETE", "/gateway/apis/signing");
});

test("a client's secret is shown once and gets tokens, which are listed and revoked", async () => {
  const page = await stage.page({ path: "/oauth" });
  await page.getByRole("combobox", { name: "Find an API" }).fill("sho");
  await page.getByRole("option", { name: /Shop/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "OAuth clients of Shop" }).waitFor();
  await page.getByRole("heading", { name: "No clients yet" }).waitFor();
  await page.getByRole("link", { name: "New client" }).click();
  await page.getByRole("textbox", { name: "Client id" }).fill("a:b");
  await page.getByText("No colon: basic authentication could not carry it.").waitFor();
  assert.ok(await page.getByRole("button", { name: "Create the client" }).isDisabled());
  await page.getByRole("textbox", { name: "Client id" }).fill("till");
  await page.getByRole("textbox", { name: "Description" }).fill("The till of the shop");
  await page.getByRole("textbox", { name: "Metadata" }).fill('{"team": 1.0}');
  const policy = page.getByRole("combobox", { name: "Policy" });
  await policy.getByRole("option", { name: "Gold plan" }).waitFor({ state: "attached" });
  assert.deepEqual(await policy.getByRole("option").allTextContents(), ["None", "Gold plan"], "only what grants access to this API");
  await policy.selectOption("gold");
  await page.getByRole("button", { name: "Create the client" }).click();
  await page.getByRole("heading", { name: "The secret of “till”" }).waitFor();
  const secret = await copied(page, "Copy the secret");
  assert.equal(await page.getByLabel("Client secret").textContent(), secret);
  await page.getByRole("link", { name: "Keys", exact: true }).click();
  await page.getByRole("heading", { name: "Leave without saving?" }).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByRole("button", { name: "I have saved it" }).click();
  await page.getByRole("heading", { name: "till", level: 1 }).waitFor();
  assert.ok(!(await page.content()).includes(secret), "the secret is nowhere on the page");
  await page.getByText("It has no access tokens now.").waitFor();

  const grant = (secret) => shop.token({ client_id: "till", client_secret: secret, secret }, { grant_type: "client_credentials" });
  const issued = await grant(secret);
  assert.equal(issued.status, 200, issued.text);
  const token = issued.json.access_token;
  assert.equal((await shop.call(token)).status, 200);
  const tokens = page.getByRole("region", { name: "Access tokens" });
  await tokens.getByRole("button", { name: "Refresh" }).click();
  await tokens.getByText(/^Expires in/).waitFor();
  assert.ok(!(await page.content()).includes(token), "only its hash is known");
  await tokens.getByRole("button", { name: /^Revoke token/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByText("It has no access tokens now.").waitFor();
  assert.equal((await shop.call(token)).status, 403);

  // All of them at once.
  const more = [await grant(secret), await grant(secret)].map((answer) => answer.json.access_token);
  await tokens.getByRole("button", { name: "Refresh" }).click();
  await tokens.getByRole("button", { name: "Revoke all…" }).click();
  await dialog(page, "Revoke all tokens of “till”?").getByRole("button", { name: "Revoke" }).click();
  await page.getByText("It has no access tokens now.").waitFor();
  for (const token of more) assert.equal((await shop.call(token)).status, 403);

  // A new secret ends the old one.
  await page.getByRole("button", { name: "New secret…" }).click();
  await dialog(page, "Give “till” a new secret?").getByRole("button", { name: "Create the new secret" }).click();
  await page.getByRole("heading", { name: "The secret of “till”" }).waitFor();
  const next = await copied(page, "Copy the secret");
  assert.notEqual(next, secret);
  assert.deepEqual([(await grant(secret)).status >= 400, (await grant(next)).status], [true, 200]);
  await page.getByRole("button", { name: "I have saved it" }).click();

  await page.getByRole("textbox", { name: "Description" }).fill("Both tills");
  await page.getByRole("combobox", { name: "Policy" }).selectOption("");
  await page.getByText("Another policy revokes the access tokens that the client has.").waitFor();
  await page.getByRole("combobox", { name: "Policy" }).selectOption("gold");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved. It takes effect at once.").waitFor();
  const stored = (await stage.admin("GET", "/gateway/oauth/clients/shop/till")).text;
  assert.match(stored, /"meta_data":\{"team": 1\.0\},"description":"Both tills"/);

  await page.getByRole("button", { name: "More actions" }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await dialog(page, "Delete “till”?").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { name: "No clients yet" }).waitFor();
  assert.equal((await stage.gateway.admin("GET", "/gateway/oauth/clients/shop/till")).status, 404);
});

test("an API that issues no tokens says so, and an existing client is not replaced", async () => {
  const page = await stage.page({ path: "/oauth/members" });
  await page.getByText("This API does not ask for access tokens").waitFor();
  assert.equal(await page.getByRole("link", { name: "New client" }).count(), 0);
  await shop.client({ client_id: "taken" });
  const other = await stage.page({ path: "/oauth/shop/new" });
  await other.getByRole("textbox", { name: "Client id" }).fill("taken");
  await other.getByRole("button", { name: "Create the client" }).click();
  await other.getByRole("alert").getByText("This API has a client “taken” already.").waitFor();
  await stage.admin("DELETE", "/gateway/oauth/clients/shop/taken");
});

test("a user with a password is created and logs in, and an existing user is not replaced", async () => {
  const page = await stage.page({ path: "/keys/new" });
  await page.getByRole("checkbox", { name: /Gold plan/ }).check();
  await page.getByRole("radio", { name: "A name and a password" }).check();
  const make = page.getByRole("button", { name: "Create the key" });
  assert.ok(await make.isDisabled());
  await page.getByRole("textbox", { name: "Name *" }).fill("anna");
  await page.getByLabel("Password *").fill("correct horse");
  await make.click();
  await page.getByRole("heading", { name: "The user “anna” can log in" }).waitFor();
  assert.ok(!(await page.content()).includes("correct horse"));
  const login = async (password) => (await send(stage.gateway.ports.gateway, { path: "/members/x", headers: { Authorization: basic("anna", password) } })).status;
  assert.deepEqual([await login("correct horse"), await login("wrong")], [200, 401]);
  await page.getByRole("button", { name: "Go to the key" }).click();
  await page.waitForURL(/\/keys\/[^/]+$/);

  const again = await stage.page({ path: "/keys/new" });
  await again.getByRole("checkbox", { name: /Gold plan/ }).check();
  await again.getByRole("radio", { name: "A name and a password" }).check();
  await again.getByRole("textbox", { name: "Name *" }).fill("anna");
  await again.getByLabel("Password *").fill("another one");
  await again.getByRole("button", { name: "Create the key" }).click();
  await again.getByRole("alert").getByText("There is a user “anna” already.").waitFor();
  assert.equal(await login("correct horse"), 200);
});

test("a signing key is shown with its secret, and requests it signs are accepted", async () => {
  const page = await stage.page({ path: "/keys/new" });
  await page.getByRole("checkbox", { name: /Gold plan/ }).check();
  await page.getByRole("radio", { name: "Signatures (HMAC)" }).check();
  await page.getByRole("textbox", { name: "Alias" }).fill("Signer");
  await page.getByRole("button", { name: "Create the key" }).click();
  await page.getByRole("heading", { name: "The token of “Signer”" }).waitFor();
  const token = await copied(page, "Copy the token");
  const secret = await page.getByLabel("Signing secret").textContent();
  const date = new Date().toUTCString();
  const sign = (secret) => encodeURIComponent(createHmac("sha1", secret).update(`date: ${date}`).digest("base64"));
  const call = async (secret) => {
    const Authorization = `Signature keyId="${token}",algorithm="hmac-sha1",headers="date",signature="${sign(secret)}"`;
    return (await send(stage.gateway.ports.gateway, { path: "/signed/x", headers: { Date: date, Authorization } })).status;
  };
  assert.equal(await call(secret), 200);
  assert.ok((await call("another")) >= 400);
  await page.getByRole("button", { name: "I have saved it" }).click();
  await page.getByRole("heading", { name: "Signer", level: 1 }).waitFor();
});

test("screenshots match, light and dark, wide and narrow", async () => {
  await stage.admin("POST", "/gateway/certs", { query: { org_id: "acme" }, body: pem("rsa.crt", "rsa.key") });
  const id = `acme${fingerprint("rsa.crt")}`;
  const client = await shop.client({ client_id: "picture", policy_id: "gold", description: "For a picture" });
  await shop.token(client, { grant_type: "client_credentials" });
  await onEveryScreen(stage, "certificates", { path: "/certificates", ready: (page) => page.locator("tbody tr").first().waitFor() });
  await onEveryScreen(stage, "certificate", { path: `/certificates/${id}`, ready: (page) => page.getByText("No API names it.").waitFor() });
  await onEveryScreen(stage, "certificate-new", { path: "/certificates/new", ready: (page) => page.getByRole("textbox", { name: "Certificate *" }).fill(pem("rsa.crt")) });
  await onEveryScreen(stage, "oauth", { path: "/oauth", ready: (page) => page.getByRole("option").first().waitFor() });
  await onEveryScreen(stage, "oauth-clients", { path: "/oauth/shop", ready: (page) => page.locator("tbody tr").first().waitFor() });
  await onEveryScreen(stage, "oauth-client", { path: "/oauth/shop/clients/picture", ready: (page) => page.getByText(/^Expires in/).waitFor() });
  await onEveryScreen(stage, "oauth-new", { path: "/oauth/shop/new", ready: (page) => page.getByRole("textbox", { name: "Metadata" }).fill("{") });
  await onEveryScreen(stage, "key-user", { path: "/keys/new", ready: (page) => page.getByRole("radio", { name: "A name and a password" }).check() });
  const page = await stage.page({ path: "/oauth/shop/clients/picture" });
  await page.getByRole("button", { name: "New secret…" }).click();
  await page.getByRole("dialog").waitFor();
  await look(page, "oauth-rotate-light-1280");
});

test("the palette leads here, and without the secret the page asks for it", async () => {
  const page = await stage.page({ path: "/overview" });
  await page.keyboard.press("ControlOrMeta+k");
  await page.keyboard.type("certif");
  await page.getByRole("option", { name: /Certificates/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Certificates", level: 1 }).waitFor();
  const bare = await stage.page({ path: "/oauth/shop", secret: null, token: stage.gateway.token });
  await bare.getByRole("heading", { name: "This page needs the gateway secret" }).waitFor();
});
