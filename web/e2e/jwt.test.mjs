// Inspecting a JSON Web Token: its claims, its key in a set, the policies it gets, and the gateway's verdict.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { keys, soon, token } from "../../worker/tests/jose.mjs";
import { definition, open } from "./console.mjs";
import { onEveryScreen } from "./look.mjs";

let stage;
before(async () => {
  const set = JSON.stringify({ keys: [{ ...keys.rsa.jwk, kid: "first", alg: "RS256" }, { ...keys.p256.jwk, kid: "second" }] });
  const routes = { "/jwks": (request, response) => response.writeHead(200, { "Content-Type": "application/json" }).end(set) };
  stage = await open({ routes, env: { EGRESS_ALLOW_PRIVATE: "true" } });
  const jwt = {
    use_keyless: false,
    enable_jwt: true,
    jwt_signing_method: "rsa",
    jwt_source: `${stage.upstream.url}/jwks`,
    scopes: { jwt: { scope_to_policy: { "orders:read": "reader" } } },
  };
  await stage.store(definition("Orders", jwt, { target_url: stage.upstream.url }));
  const rights = { orders: { api_id: "orders", versions: ["Default"] } };
  for (const [id, name] of [["reader", "Readers"], ["writer", "Writers"]]) {
    await stage.admin("POST", "/gateway/policies", { body: { id, name, rate: 7, per: 60, access_rights: rights } });
  }
  const api_mappings = { orders: { scope_to_policy: { "orders:write": "writer" } } };
  await stage.dashboard("POST", "/api/clientidps", { body: { name: "House login", issuer: "https://idp.example/", jwks_uri: "https://idp.example/jwks", api_mappings } });
  await stage.reload();
});
after(() => stage.close());

const claims = (more) => ({ iss: "https://idp.example/", sub: "anna", iat: soon(-60), exp: soon(), scope: "orders:read orders:write other", ...more });
const good = (more) => token(claims(more), keys.rsa.key, { alg: "RS256", kid: "first" });
const field = (page) => page.getByRole("textbox", { name: "JSON Web Token" });
const region = (page, name) => page.getByRole("region", { name, exact: true });
const ask = (page) => page.getByRole("button", { name: "Ask the gateway" }).click();

test("a token is decoded, its key found, its scopes mapped to policies, and the gateway accepts it", async () => {
  const page = await stage.page({ path: "/jwt", token: stage.gateway.token });
  assert.ok(await page.getByRole("button", { name: "Ask the gateway" }).isDisabled());
  await page.getByRole("combobox", { name: "Find an API" }).fill("ord");
  await page.getByRole("option", { name: /Orders/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/jwt\/orders$/);
  await field(page).fill(`Bearer ${good()}`);
  const claimsRegion = region(page, "What it says");
  await claimsRegion.getByText("RS256", { exact: true }).waitFor();
  await claimsRegion.getByText("issued 1 min ago").waitFor();
  await claimsRegion.getByText(/^expires in (59|60) min|^expires in 1 h/).waitFor();
  assert.match(await page.getByRole("region", { name: "Claims of the token" }).textContent(), /"scope": "orders:read orders:write other"/);

  const key = region(page, "Its key");
  await key.getByRole("button", { name: "Look it up" }).click();
  await key.getByText("“first” is in the set and can check RS256.").waitFor();

  const gives = region(page, "What it gives");
  await gives.getByText("Client identity providers that match it: House login.").waitFor();
  await gives.getByRole("listitem").filter({ hasText: "orders:read" }).getByRole("link", { name: "Readers" }).waitFor();
  await gives.getByRole("listitem").filter({ hasText: "orders:write" }).getByRole("link", { name: "Writers" }).waitFor();
  await gives.getByRole("listitem").filter({ hasText: "other" }).getByText("not mapped: gives nothing").waitFor();
  await gives.getByRole("row", { name: /Orders.*7 per minute/ }).waitFor();

  await ask(page);
  await region(page, "The gateway’s answer").getByText("It was let through.").waitFor();
  await page.getByRole("list", { name: "On the way to the upstream" }).first().waitFor();
  assert.ok(!page.url().includes("eyJ"), "the token is in no URL");
});

test("the reason for a refusal is shown: expiry, key, scopes", async () => {
  const page = await stage.page({ path: "/jwt/orders", token: stage.gateway.token });
  const refused = region(page, "The gateway’s answer");
  await field(page).fill(good({ exp: soon(-120) }));
  await region(page, "What it says").getByText("expired 2 min ago").waitFor();
  await ask(page);
  await refused.getByText(/Refused by the step/).waitFor();
  await refused.getByText("401").first().waitFor();

  const other = token(claims(), keys.other.key, { alg: "RS256", kid: "third" });
  await field(page).fill(other);
  await refused.getByText("It is about another token").waitFor();
  await region(page, "Its key").getByRole("button", { name: "Look it up" }).click();
  await region(page, "Its key").getByText("No key of the set is called “third”.").waitFor();
  await page.keyboard.press("ControlOrMeta+Enter");
  await refused.getByText(/There is no key for it/).waitFor();

  await field(page).fill(good({ scope: "nothing" }));
  await region(page, "What it gives").getByText("None of its scopes is mapped to a policy").waitFor();
  await ask(page);
  await refused.getByText(/no matching policy|None of its scopes/).first().waitFor();

  await field(page).fill("abc");
  await page.getByText("This is not a token: it needs three parts with full stops between them").waitFor();
  assert.ok(await page.getByRole("button", { name: "Ask the gateway" }).isDisabled());
});

test("an API without JWT authentication says so, and providers need a dashboard token", async () => {
  await stage.store(definition("Plain", { use_keyless: false }));
  const page = await stage.page({ path: "/jwt/plain" });
  await page.getByText("As stored, this API does not accept JSON Web Tokens").waitFor();
  await field(page).fill(good());
  await page.getByText("The mappings of client identity providers are shown with a dashboard token.").waitFor();
});

test("screenshots match, light and dark, wide and narrow", async () => {
  await onEveryScreen(stage, "jwt-empty", { path: "/jwt", ready: (page) => page.getByRole("option").first().waitFor() });
  await onEveryScreen(stage, "jwt", {
    path: "/jwt/orders",
    token: stage.gateway.token,
    ready: async (page) => {
      await field(page).fill(good({ exp: soon(-120) }));
      await region(page, "Its key").getByRole("button", { name: "Look it up" }).click();
      await region(page, "Its key").getByText("“first” is in the set").waitFor();
      await ask(page);
      await region(page, "The gateway’s answer").getByText(/Refused by the step/).waitFor();
    },
  });
});
