// An identity provider on loopback, for tests with the clients that people use: `oidc-provider`, which is certified
// for OpenID Connect. Its clients get access tokens that are JWTs (RFC 9068), signed with a key that is in its key set.

import { once } from "node:events";
import { createServer } from "node:http";
import { exportJWK, generateKeyPair } from "jose";
import Provider from "oidc-provider";

/** What tokens are for: the resource (RFC 8707) that clients ask for. */
export const RESOURCE = "https://api.example";

/** A key for a key set: private, with its id and what it signs. */
export async function signingKey(alg = "RS256", kid = "key-1") {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg, use: "sig" };
}

/**
 * Starts a provider whose client `machine` (secret `machine-secret`) gets tokens for these scopes by itself.
 * `format` `opaque` makes them tokens that have to be asked about (RFC 7662).
 *
 * Answers `{ issuer, asked(path), stop() }`; `asked` is how often an address was asked for.
 */
export async function startIdentityProvider({ scopes, key, format = "jwt", seconds = 600 }) {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const resource = { scope: scopes.join(" "), audience: RESOURCE, accessTokenTTL: seconds, accessTokenFormat: format };
  const algorithm = { jwt: { sign: { alg: key.alg } } };
  const provider = new Provider(issuer, {
    clients: [
      { client_id: "machine", client_secret: "machine-secret", grant_types: ["client_credentials"], redirect_uris: [], response_types: [] },
      { client_id: "gateway", client_secret: "gateway-secret", grant_types: [], redirect_uris: [], response_types: [] },
    ],
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      introspection: { enabled: true, allowedPolicy: () => true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => RESOURCE,
        getResourceServerInfo: () => (format === "jwt" ? { ...resource, ...algorithm } : resource),
      },
    },
    jwks: { keys: [key] },
    scopes,
    // A token of a client alone has no user: the client is who asks.
    extraTokenClaims: (ctx, token) => ({ sub: token.clientId }),
  });
  const asked = new Map();
  const answer = provider.callback();
  server.on("request", (request, response) => {
    const { pathname } = new URL(request.url, issuer);
    asked.set(pathname, (asked.get(pathname) ?? 0) + 1);
    answer(request, response);
  });
  return {
    issuer,
    asked: (path) => asked.get(path) ?? 0,
    stop: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}
