//! Descriptions of the members of the extension, in a sentence each: by name, and by type and name where one name has
//! several meanings.

/// Returns the description of a member of a type; "" if the tables have none.
pub(crate) fn doc(of: &str, member: &str) -> &'static str {
    let own = format!("{of}.{member}");
    let line = |name: &str| {
        let mut lines = DOCS.lines().filter_map(|line| line.split_once(' '));
        lines.find_map(|(known, doc)| (known == name).then_some(doc))
    };
    line(&own).or_else(|| line(member)).unwrap_or_default()
}

/// One line each: the name, and the sentence.
const DOCS: &str = "\
enabled Whether it is enabled.
info Name, identifiers, state and versions of the API.
upstream Where requests are forwarded, and how.
server Where the API is served, and to whom.
middleware Processing of requests and responses.
errorOverrides Custom responses that replace the gateway's own errors.
ErrorOverrides.value Lists of rules, by error status.
match Errors of that status to which the rule applies; all of them if it is missing.
response The response to send.
flag The kind of failure.
messagePattern A regular expression that the error message must match.
bodyField The path of a member of the upstream's response.
bodyValue The value of that member, or a regular expression for it.
statusCode The status of the response.
message The message.
template The name of a template for the body.
id The identifier.
dbId The identifier in a dashboard's database.
orgId The organisation it belongs to.
name The name.
expiration When the version expires, as 2006-01-02 15:04.
state Whether the API is served, and to whom.
active Whether the API is served.
internal Whether only other APIs can reach it.
versioning Versions of the API, and how a request selects one.
default The version for requests that name none.
location Where a request names its version: header, URL or query parameter.
key The header or query parameter that names the version.
versions The versions, each with the API that serves it.
stripVersioningData Whether the version is removed from the request before forwarding.
fallbackToDefault Whether requests for an unknown version get the default one.
urlVersioningPattern A regular expression for the part of the URL that is a version.
listenPath The path under which the API is served.
ListenPath.value The path.
strip Whether the listen path is removed before forwarding.
slug A short name; no route depends on it.
Server.authentication How callers authenticate.
clientCertificates Client certificates that may call the API.
allowlist Identifiers of the allowed certificates.
gatewayTags Which gateways serve the API.
tags Tags of those gateways.
customDomain The host name on which the API is served.
certificates Identifiers of the certificates for that host name.
detailedActivityLogs Recording of entire requests and responses.
detailedTracing A trace span for each step of a request.
eventHandlers Actions taken on events.
contextVariables Variables of the request, for templates and rewrites.
ipAccessControl Which IP addresses may call the API.
IPAccessControl.allow Allowed IP addresses and ranges.
IPAccessControl.block Blocked IP addresses and ranges.
batchProcessing Several requests sent as one.
port A dedicated port.
protocol The protocol of the dedicated port.
trigger The event that triggers the handler.
type The kind of handler.
WebhookWithoutID.url The URL to call.
cooldownPeriod Minimum time between two deliveries of the same event.
bodyTemplate The template for the body.
headers Headers.
functionName The function to call.
path The path of the file.
logPrefix The prefix of the log line.
stripAuthorizationData Whether credentials are removed before forwarding.
baseIdentityProvider The method whose session is used if several methods are required.
hmac Requests that callers sign with a shared secret.
oidc OpenID Connect tokens.
custom Authentication by a plugin.
securitySchemes The gateway's settings for the schemes in components.securitySchemes, by name.
customKeyLifetime How long keys of this API are kept.
CustomKeyLifetime.value The time, such as 1h30m.
respectValidity Whether a key is kept until it expires, if that is later.
securityProcessingMode Whether only the first security requirement applies (legacy), or any one of them must be met (compliant).
security Security requirements in addition to those of the document.
protectedResourceMetadata Metadata of the protected resource (RFC 9728).
certificateAuth Keys identified by client certificates.
wellKnownPath The path of the metadata.
resource The identifier of the resource, a URL.
authorizationServers URLs of the authorization servers.
scopesSupported Scopes that tokens may have.
autoDeriveScopes Whether the scopes are derived from the document.
header The header that carries it.
cookie The cookie that carries it.
query The query parameter that carries it.
AuthSource.name The name of the header, cookie or query parameter.
UpstreamAuthSource.name The name of the header.
enableClientCertificate Whether a client certificate may be used instead of a key.
signatureValidation A signature that must accompany the key.
algorithm The algorithm.
secret The shared secret.
allowedClockSkew Tolerated clock skew.
errorCode The status of the response to a wrong signature.
errorMessage The message of the response to a wrong signature.
source The key, or the URL of a key set.
IDExtractor.source The part of the request that contains the identifier.
signingMethod The family of signing algorithms.
identityBaseField The claim that identifies the user.
subjectClaims Claims that identify the user; the first one present is used.
jwksURIs URLs of key sets.
JWK.url The URL of the key set.
JWK.cacheTimeout How long the key set is cached.
skipKid Whether the token's key ID (kid) is not used to find the session.
policyFieldName The claim that names policies.
basePolicyClaims Claims that name policies; the first one present is used.
allowedIssuers Allowed issuers.
allowedAudiences Allowed audiences; the token must have one of them.
jtiValidation Whether a token must have an identifier (jti).
allowedSubjects Allowed subjects.
clientBaseField The claim that identifies the client.
scopes The requested scopes.
JWT.scopes Policies assigned by scope.
OIDC.scopes Policies assigned by scope.
defaultPolicies Policies for tokens that name none.
issuedAtValidationSkew Seconds by which a token's issue time may lie in the future.
notBeforeValidationSkew Seconds for which a token is accepted before it becomes valid.
expiresAtValidationSkew Seconds for which a token is accepted after it has expired.
idpClientIdMappingDisabled Whether tokens are not remembered by the client they were issued to.
customClaimValidation Rules for other claims, by name.
CustomClaimValidation.type Whether the claim must be present, equal a value, or contain one.
allowedValues The allowed values.
nonBlocking Whether a token that breaks the rule is accepted, and this only logged.
claimName The claim that contains the scopes.
claims Claims that contain scopes; the first one present is used.
scopeToPolicyMapping The policy for each scope.
scope The scope.
policyId The policy.
disableCaching Whether passwords are verified on every request.
cacheTTL Seconds for which a verified password is cached.
extractCredentialsFromBody Credentials in the request body.
userRegexp A regular expression whose first group is the user name.
passwordRegexp A regular expression whose first group is the password.
OAuth.allowedAuthorizeTypes Allowed response types of authorization requests.
allowedAuthorizeTypes Grant types for requesting a token.
refreshToken Whether tokens can be refreshed.
authLoginRedirect The URL of the login page.
notifications Notifications of changed tokens.
sharedSecret The secret sent with the notification.
onKeyChangeUrl The URL to notify.
providers Providers of the tokens.
jwt Tokens that the gateway verifies itself.
introspection Tokens that are verified by asking their server (RFC 7662).
Introspection.url The URL of the introspection endpoint.
clientId The client identifier.
clientSecret The client secret.
cache What is cached.
Global.cache Response caching, for all operations.
Operation.cache Response caching.
timeout Seconds for which it is cached.
OAuth2Provider.timeout Time limit for an exchange.
OAuth2ExchangeCache.timeout How long a token is cached.
UptimeTest.timeout Time limit for the response.
allowedAlgorithms Allowed algorithms.
segregateByClientId Whether each client has separate sessions.
issuer The issuer.
clientToPolicyMapping The policy for each client.
config The plugin.
IDExtractor.config How the identifier is found.
rawBodyOnly Whether the plugin receives the body only as raw bytes.
requireSession Whether it receives the session.
idExtractor How the caller's identifier is found, so that the result can be cached.
with How the identifier is extracted.
headerName The header that contains it.
formParamName The form field that contains it.
regexp A regular expression that finds it.
regexpMatchIndex Which match of the expression is used; the first is 0.
xPathExp An XPath expression that finds it in an XML body.
scopeCheck Whether tokens must have the scopes of the document.
tokenExchange Exchange of the caller's token for one for the upstream (RFC 8693).
claimNames Claims that contain scopes.
separator The separator between scopes in a string.
scopeSource Which scopes are required: those of the operation, of the document, or both.
grantType The grant type of the exchange.
issuers Issuers whose tokens this provider exchanges.
tokenEndpoint The URL of the token endpoint.
clientAuth How the gateway authenticates itself.
defaultTarget The default audience and scopes of the new token.
customParams Additional parameters of the exchange.
mode Whether the time is derived from the token or fixed.
maxTimeout Maximum time for which a token is cached.
safetyMargin How long before it expires a token is no longer used.
method The method.
OAuth2ClientAuth.method How the client authenticates itself.
UpstreamClientCredentials.method How the client authenticates itself.
UpstreamPassword.method How the client authenticates itself.
certId The identifier of the signing certificate.
audience The audience of the token.
exchange The token that the upstream receives for this operation.
url The address.
Upstream.url The URL of the upstream.
serviceDiscovery Lookup in a service registry.
queryEndpoint The URL of the registry.
dataPath The path of the address in the registry's response.
useNestedQuery Whether the response contains JSON in a string.
parentDataPath The path of that string, or of the list.
portDataPath The path of the port.
useTargetList Whether the addresses are used as load-balancing targets.
cacheTimeout Seconds for which the response is cached.
targetPath A path appended to the address.
endpointReturnsList Whether the entire response is a list.
uptimeTests Requests that find out which hosts are up.
hostDownRetestPeriod Time until a host that is down is tested again.
logRetentionPeriod How long results are kept.
tests The requests.
body The body.
commands What is sent to a host that doesn't use HTTP, and expected from it.
enableProxyProtocol Whether the connection starts with a PROXY protocol header.
mutualTLS Certificates that the gateway presents to upstreams.
domainToCertificateMapping The certificate for each host.
domain The host, which may contain *.
certificate The identifier of the certificate.
certificatePinning Public keys that upstreams must present.
domainToPublicKeysMapping The public keys for each host.
publicKeys Identifiers of the keys.
rateLimit Maximum number of requests in a period.
rate The number of requests.
per The period, such as 1m.
authentication How the gateway authenticates itself to the upstream.
basicAuth User name and password.
username The user name.
password The password.
oauth An OAuth 2.0 token.
clientCredentials A token for the gateway itself.
UpstreamOAuth.password A token for a user.
tokenUrl The URL of the token endpoint.
extraMetadata Members of the token response that become variables.
requestSigning A signature for the request.
signatureHeader The header that carries the signature.
keyId The identifier of the key.
certificateId The identifier of the signing certificate.
UpstreamRequestSigning.headers Headers included in the signature.
loadBalancing Distribution of requests over several upstreams.
skipUnavailableHosts Whether hosts that are down are skipped.
targets The upstreams.
weight Relative share of requests; 0 for none.
preserveHostHeader Whether the caller's Host header is forwarded.
preserveTrailingSlash Whether a trailing slash in the path is kept.
tlsTransport TLS settings for upstream connections.
insecureSkipVerify Whether upstream certificates are not verified.
ciphers Allowed cipher suites.
minVersion The lowest TLS version.
maxVersion The highest TLS version.
forceCommonNameCheck Whether the common name of certificates is checked.
proxy The proxy between gateway and upstream.
enforceTimeout Time limit for the response.
duration The time, such as 1.5s.
EnforceTimeout.value The time in seconds.
global For all operations.
operations For individual operations, by operationId.
mcpTools For individual tools, by name.
mcpResources For individual resources, by URI; /* at the end matches everything below.
mcpPrompts For individual prompts, by name.
pluginConfig How plugins are run.
driver What runs them.
bundle A file that contains them.
data Settings passed to them.
PluginConfigData.value The settings.
prePlugin Plugins before authentication, as older documents write them.
prePlugins Plugins before authentication.
postAuthenticationPlugin Plugins after authentication, as older documents write them.
postAuthenticationPlugins Plugins after authentication.
postPlugin Plugins before forwarding, as older documents write them.
postPlugins Plugins before forwarding.
responsePlugin Plugins for responses, as older documents write them.
responsePlugins Plugins for responses.
plugins The plugins.
code The code itself.
MockResponse.code The status of the response.
FromOASExamples.code The status whose example is used.
pluginId The identifier of a stored plugin.
pluginHash The hash of a stored plugin.
cors Requests from web pages of other origins.
maxAge Seconds for which browsers may cache a preflight response.
allowCredentials Whether requests may include credentials.
exposedHeaders Response headers that pages may read.
allowedHeaders Request headers that pages may send.
optionsPassthrough Whether the upstream answers OPTIONS requests.
debug Whether decisions are logged.
allowedOrigins Allowed origins.
allowedMethods Allowed methods.
cacheAllSafeRequests Whether all GET, HEAD and OPTIONS requests are cached.
cacheResponseCodes Statuses that are cached; all if there are none.
cacheByHeaders Headers whose values are part of the cache key.
enableUpstreamCacheControl Whether the upstream controls caching.
controlTTLHeaderName The response header that gives the upstream's caching time.
transformRequestHeaders Changes to the request headers.
transformResponseHeaders Changes to the response headers.
remove Headers to remove.
add Headers to set.
ignoreCase Whether paths are matched case-insensitively.
trafficLogs Records of traffic.
tagHeaders Headers whose values become tags of the records.
customRetentionPeriod How long records are kept.
requestSizeLimit The maximum size of a request.
RequestSizeLimit.value The maximum number of bytes.
GlobalRequestSizeLimit.value The maximum number of bytes.
skipRateLimit Whether rate limits are ignored.
skipQuota Whether quotas of keys are ignored.
skipQuotaReset Whether the quota counter is kept when a key is created or changed.
allow Allow list: only what is on it is let through.
block It is blocked.
ignoreAuthentication It requires no credentials.
Operation.internal Only other APIs can reach it.
transformRequestMethod A different method for the upstream.
toMethod The method.
transformRequestBody A template for the body that the upstream receives.
transformResponseBody A template for the body of the response.
format The format in which the body is parsed.
TransformBody.path The path of the template file.
TransformBody.body The template, in Base64.
virtualEndpoint A function that produces the response.
VirtualEndpoint.name The name of the function, as older documents write it.
VirtualEndpoint.body The code, in Base64.
proxyOnError Whether the request is forwarded if the function fails.
trackEndpoint Whether it is counted separately.
doNotTrackEndpoint Whether it is not recorded.
circuitBreaker A pause in forwarding when too many requests fail.
threshold The share of failures that opens it, from 0 to 1.
sampleSize The number of requests needed before it can open.
coolDownPeriod Seconds for which it stays open.
halfOpenStateEnabled Whether single trial requests are forwarded meanwhile.
urlRewrite A different URL for the upstream.
pattern A regular expression for the path.
URLRewriteRule.pattern A regular expression for the value.
URLRewriteRuleForRequestBody.pattern A regular expression for the body.
rewriteTo The new URL.
triggers Other URLs under conditions.
condition Whether all rules must hold, or any one.
rules The rules.
in The part of the request.
URLRewriteRule.name The name of the header, parameter or variable.
negate Whether the expression must not match.
cacheByRegex A regular expression for the part of the body that is added to the cache key.
validateRequest Whether the request is validated against the document.
errorResponseCode The status of the response to an invalid request.
mockResponse A response without calling the upstream.
fromOASExamples A response from the document's examples.
contentType The media type whose example is used.
exampleName The example that is used.
Header.value The value.
primitives The tools.
MCPServerPrimitive.source The operation that it calls.
description The description that clients see.
annotations Hints for clients.
parameters Names and descriptions of its parameters.
MCPServerPrimitive.allow Whether only entries with this become tools.
inputSchema The JSON Schema of its arguments.
outputSchema The JSON Schema of its result.
parameterLocations The location of each parameter in the request.
parameterSourceNames The name of each parameter in the operation.
parameterSerializations How each parameter is serialised.
parameterOrder The order of the parameters.
requestBodyContentType The media type of the body.
operationId The operation, by its operationId.
MCPServerSource.path The path of the operation.
MCPServerSource.method The method of the operation.
param The parameter of the operation.
title The title to display.
readOnlyHint Whether it changes nothing.
destructiveHint Whether it may delete or overwrite something.
idempotentHint Whether repeated calls have no further effect.
openWorldHint Whether it interacts with external systems.
sourceName The name of the parameter in the operation.
MCPSerialization.location The part of the request.
style How lists and objects are serialised.
explode Whether each element is a separate parameter.
schemaType The type of the values.
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::openapi::DocumentKind;
    use crate::shape::oas::{Version, table};

    #[test]
    fn every_member_of_the_extension_has_a_sentence() {
        let mut missing = Vec::new();
        for kind in [DocumentKind::Oas, DocumentKind::Mcp] {
            let table = table(Version::V3_0, kind);
            let own = table.types().filter(|of| !of.is_document);
            for of in own.filter(|of| !of.name.starts_with("With") && of.name != "InUrl") {
                for member in &of.members {
                    if doc(of.name, member.name).is_empty() {
                        missing.push(format!("{}.{}", of.name, member.name));
                    }
                }
            }
        }
        assert_eq!(missing, Vec::<String>::new());
    }
}
