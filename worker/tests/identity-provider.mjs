// An identity provider on loopback, for tests with widely used clients: `oidc-provider`, which is certified for OpenID
// Connect. Its clients get access tokens that are JWTs (RFC 9068), signed with a key in its key set.

import { once } from "node:events";
import { createServer } from "node:http";
import { exportJWK, generateKeyPair } from "jose";
import Provider from "oidc-provider";

/** The audience of tokens: the resource (RFC 8707) that clients request. */
export const RESOURCE = "https://api.example";

/** Creates a private key for a key set, with its id and algorithm. */
export async function signingKey(alg = "RS256", kid = "key-1") {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { ...(await exportJWK(privateKey)), kid, alg, use: "sig" };
}

/**
 * Starts a provider whose client `machine` (secret `machine-secret`) gets tokens for these scopes by itself. With the
 * `format` `opaque`, tokens have to be introspected (RFC 7662).
 *
 * Returns `{ issuer, asked(path), stop() }`; `asked` is how often an address was requested.
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
    // A token issued to a client alone has no user, so the client is the subject.
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
