// The cost of identifying a client by a credential that has to be proved.

import { generateKeyPairSync, sign } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { definition, reload } from "./gateway.mjs";
import { client, compare } from "./load.mjs";
import { against } from "./report.mjs";
import { folder, serveDocument, startBare, startGateway, startJose, startUpstream, stop } from "./services.mjs";

// More than an isolate remembers, so that each is new to it.
const TOKENS = 6_000;

const encode = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

function token(key, sub, jti) {
  const claims = { sub, jti, exp: Math.floor(Date.now() / 1000) + 3600 };
  const text = `${encode({ alg: "RS256", typ: "JWT", kid: "bench" })}.${encode(claims)}`;
  return `${text}.${sign("sha256", text, key).toString("base64url")}`;
}

const rights = (number) => ({ [`bench-${number}`]: { api_id: `bench-${number}`, api_name: "bench", versions: ["Default"] } });

/**
 * JSON Web Tokens signed with RS256, against no gateway at all, against Hono with `jose`, and against the same if it
 * forwards and counts by hand; and a user's password, which is checked only once every few seconds.
 */
export async function credentials({ pace, say }) {
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const keys = [{ ...publicKey.export({ format: "jwk" }), kid: "bench", alg: "RS256", use: "sig" }];
  const set = await serveDocument({ keys });
  const upstream = await startUpstream();
  const [gateway, bare, jose] = [await startGateway("credentials"), await startBare(upstream), await startJose(upstream, set.url)];
  const http = client(1);
  const policy = { id: "bench", name: "bench", org_id: "", active: true, rate: 1_000_000, per: 1, quota_max: -1, access_rights: rights(1) };
  await http.call("POST", `${gateway.url}/gateway/policies`, JSON.stringify(policy));
  const jwt = { use_keyless: false, org_id: "", enable_jwt: true, jwt_signing_method: "rsa", jwt_source: set.url, jwt_default_policies: ["bench"] };
  await http.call("POST", `${gateway.url}/gateway/apis`, JSON.stringify({ ...JSON.parse(definition(1, upstream.url)), ...jwt }));
  const users = { use_keyless: false, org_id: "", use_basic_auth: true };
  await http.call("POST", `${gateway.url}/gateway/apis`, JSON.stringify({ ...JSON.parse(definition(2, upstream.url)), ...users }));
  await reload(http, gateway);
  const user = { rate: 1_000_000, per: 1, quota_max: -1, access_rights: rights(2), basic_auth_data: { password: "bench" } };
  await http.call("POST", `${gateway.url}/gateway/keys/bench`, JSON.stringify(user));
  say(`signing ${2 * TOKENS} tokens`);
  const file = (name, signed) => {
    const path = join(folder("tokens"), name);
    writeFileSync(path, Array.from({ length: TOKENS }, (_, n) => signed(n)).join("\n"));
    return path;
  };
  // A user gets a new token from time to time, and is counted under the same identity as before.
  const renewed = file("renewed.txt", (n) => token(privateKey, `user-${n % 100}`, `${n}`));
  const strangers = file("strangers.txt", (n) => token(privateKey, `stranger-${n}`));
  const headers = { Authorization: `Bearer ${token(privateKey, "user")}` };
  const side = (service, more) => ({ service, url: `${service.url}/bench-1/item`, ...more });
  say("one token, gateway and bare worker in turns");
  const remembered = await compare(side(gateway, { headers }), side(bare, { headers }), pace);
  say("one token, gateway and Hono with jose in turns");
  const same = await compare(side(gateway, { headers }), side(jose, { headers }), pace);
  say("one token, gateway and the same that forwards by hand and counts in turns");
  const sameCounted = await compare(side(gateway, { headers }), { service: jose, url: `${jose.url}/keyed/item`, headers }, pace);
  say("a new token each time, gateway and bare worker in turns");
  const first = await compare(side(gateway, { tokens: renewed }), side(bare, { tokens: renewed }), pace);
  say("a new token each time, gateway and Hono with jose in turns");
  const firstSame = await compare(side(gateway, { tokens: renewed }), side(jose, { tokens: renewed }), pace);
  say("a new token each time, gateway and the same that forwards by hand and counts in turns");
  const firstCounted = await compare(side(gateway, { tokens: renewed }), { service: jose, url: `${jose.url}/keyed/item`, tokens: renewed }, pace);
  say("a new user each time, gateway and bare worker in turns");
  const stranger = await compare(side(gateway, { tokens: strangers }), side(bare, { tokens: strangers }), pace);
  say("a user with a password, gateway and bare worker in turns");
  // The first check of a password takes as long as bcrypt is designed to take.
  const login = { headers: { Authorization: `Basic ${btoa("bench:bench")}` } };
  await fetch(`${gateway.url}/bench-2/item`, login).then((answer) => answer.arrayBuffer());
  const password = await compare({ service: gateway, url: `${gateway.url}/bench-2/item`, ...login }, side(bare, login), pace);
  http.close();
  set.close();
  await Promise.all([gateway, bare, jose, upstream].map(stop));
  return [
    against("remembered JWT (RS256), against a bare JS worker", remembered, { goal: 0.7, least: 0.3 }),
    against("remembered JWT (RS256), against Hono + jose", same, { goal: 1 }),
    against("remembered JWT (RS256), against the same that forwards by hand and counts", sameCounted),
    against("new JWT (RS256) of a known user, against a bare JS worker", first, { goal: 0.35, least: 0.1 }),
    against("new JWT (RS256) of a known user, against Hono + jose", firstSame, { goal: 1 }),
    against("new JWT (RS256) of a known user, against the same that forwards by hand and counts", firstCounted),
    against("first JWT (RS256) of a new user, against a bare JS worker", stranger, {}),
    against("basic auth, remembered password, against a bare JS worker", password, { goal: 0.65, least: 0.3 }),
  ];
}
