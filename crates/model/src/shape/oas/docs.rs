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
enabled Switches it on.
info Who the API is.
upstream Where requests go.
server Where the API is served.
middleware What becomes of requests on their way.
errorOverrides Other answers in the place of the gateway's own errors.
ErrorOverrides.value Lists of rules, by the status of the error.
match Which errors of that status are meant; all of them if it is missing.
response The answer that is given.
flag The kind of failure that is meant.
messagePattern A regular expression that the error's text has to match.
bodyField A member of the error's body, as a path.
bodyValue The value that this member has to have.
statusCode The status of the answer.
message The text of the error.
template The name of a template for the body.
id The identifier.
dbId The identifier in the database of a dashboard.
orgId The organisation it belongs to.
name The name.
expiration When the version ends, as 2006-01-02 15:04.
state Whether it is served, and to whom.
active Whether it is served.
internal Whether only other APIs reach it.
versioning The versions of the API, and how one is chosen.
default The version of requests that name none.
location Where a request names its version: header, URL or query parameter.
key The header or parameter that names the version.
versions The versions, each with the API that serves it.
stripVersioningData Whether the version is taken from the URL before forwarding.
fallbackToDefault Whether an unknown version becomes the default one.
urlVersioningPattern A regular expression for the part of the URL that is a version.
listenPath The path under which the API is served.
ListenPath.value The path.
strip Whether the path is removed before forwarding.
slug A short name; no route depends on it.
Server.authentication How callers prove who they are.
clientCertificates Which client certificates may call.
allowlist Identifiers of the certificates that are let in.
gatewayTags Which gateways serve the API.
tags The labels of those gateways.
customDomain The host name on which the API is served.
certificates Identifiers of the certificates of that host name.
detailedActivityLogs Records of whole requests and answers.
detailedTracing A span for each step of a request.
eventHandlers What is done about events.
contextVariables Variables of the request for templates and rewrites.
ipAccessControl Which addresses may call.
IPAccessControl.allow Addresses and ranges that are let in.
IPAccessControl.block Addresses and ranges that are kept out.
batchProcessing Several requests in one.
port A port of its own.
protocol The protocol it is served with.
trigger The event.
type The kind of handler.
WebhookWithoutID.url The address that is called.
cooldownPeriod How long the same event is not told again.
bodyTemplate The template of the body.
headers Headers.
functionName The function that is called.
path The file that holds it.
logPrefix What the line in the log begins with.
stripAuthorizationData Whether credentials are removed before forwarding.
baseIdentityProvider The method whose session counts where several are asked for.
hmac Requests that callers sign with a shared secret.
oidc Tokens of OpenID Connect.
custom A plugin that authenticates.
securitySchemes The gateway's part of the schemes of components.securitySchemes, by their names.
customKeyLifetime How long keys of this API are kept.
CustomKeyLifetime.value The time, such as 1h30m.
respectValidity Whether a key is kept as long as it is valid, if that is longer.
securityProcessingMode Whether only the first security requirement counts (legacy), or one of them has to be met (compliant).
security Security requirements beside those of the document.
protectedResourceMetadata The description of the protected resource (RFC 9728).
certificateAuth Keys that are named by client certificates.
wellKnownPath The path of the description.
resource The identifier of the resource, an address.
authorizationServers Addresses of the servers that give tokens.
scopesSupported Scopes that tokens may have.
autoDeriveScopes Whether the scopes are taken from the document.
header The header that holds it.
cookie The cookie that holds it.
query The query parameter that holds it.
AuthSource.name The name of the header, cookie or parameter.
UpstreamAuthSource.name The name of the header.
enableClientCertificate Whether a client certificate may stand for the key.
signatureValidation A signature that the key has to come with.
algorithm The algorithm.
secret The shared secret.
allowedClockSkew How far the clocks may be apart.
errorCode The status of the refusal.
errorMessage The text of the refusal.
source The key, or the address of the keys.
IDExtractor.source The part of the request that holds the identifier.
signingMethod The kind of signature.
identityBaseField The claim that names who it is.
subjectClaims Claims that name who it is, the first one that is there.
jwksURIs Addresses of key sets.
JWK.url The address of the key set.
JWK.cacheTimeout How long the key set is kept.
skipKid Whether the key's identifier in the token does not name the session.
policyFieldName The claim that names policies.
basePolicyClaims Claims that name policies, the first one that is there.
allowedIssuers Issuers that are believed.
allowedAudiences Audiences of which the token has to have one.
jtiValidation Whether a token has to have an identifier.
allowedSubjects Subjects that are let in.
clientBaseField The claim that names the client.
scopes Scopes.
JWT.scopes Policies that follow from scopes.
OIDC.scopes Policies that follow from scopes.
defaultPolicies Policies where the token names none.
issuedAtValidationSkew Seconds that a token may be issued in the future.
notBeforeValidationSkew Seconds before a token is valid.
expiresAtValidationSkew Seconds after a token has ended.
idpClientIdMappingDisabled Whether tokens are not remembered by the client that they were given to.
customClaimValidation What other claims have to be, by their names.
CustomClaimValidation.type Whether the claim has to be there, to equal a value, or to contain one.
allowedValues The values.
nonBlocking Whether a token that doesn't fit is let in and only noted.
claimName The claim that holds the scopes.
claims Claims that hold scopes, the first one that is there.
scopeToPolicyMapping The policy of each scope.
scope The scope.
policyId The policy.
disableCaching Whether passwords are checked anew each time.
cacheTTL Seconds that a checked password is remembered.
extractCredentialsFromBody Credentials in the body.
userRegexp A regular expression whose first group is the user's name.
passwordRegexp A regular expression whose first group is the password.
OAuth.allowedAuthorizeTypes What an authorization may answer with.
allowedAuthorizeTypes How a token is asked for.
refreshToken Whether tokens can be renewed.
authLoginRedirect The address of the login page.
notifications Who hears of changed tokens.
sharedSecret The secret that the notice comes with.
onKeyChangeUrl The address that is told.
providers Who gives the tokens.
jwt Tokens that are checked here.
introspection Tokens that their server is asked about (RFC 7662).
Introspection.url The address of introspection.
clientId The client's identifier.
clientSecret The client's secret.
cache What is kept.
Global.cache Answers that are kept, for all operations.
Operation.cache Answers that are kept.
timeout Seconds that it is kept.
OAuth2Provider.timeout How long an exchange may take.
OAuth2ExchangeCache.timeout How long a token is kept.
UptimeTest.timeout How long the answer may take.
allowedAlgorithms Algorithms that are accepted.
segregateByClientId Whether sessions are kept apart by client.
issuer The issuer.
clientToPolicyMapping The policy of each client.
config The plugin.
IDExtractor.config How the identifier is found.
rawBodyOnly Whether the plugin gets the body as it came.
requireSession Whether it gets the session.
idExtractor How the identifier of the caller is found, so that the answer is remembered.
with How the identifier is taken out.
headerName The header that holds it.
formParamName The form field that holds it.
regexp A regular expression that finds it.
regexpMatchIndex Which group of the expression it is.
xPathExp The path in an XML body that leads to it.
scopeCheck Whether the scopes of the document are asked of the token.
tokenExchange A token for the upstream in the place of the caller's (RFC 8693).
claimNames Claims that hold scopes.
separator What separates scopes in a text.
scopeSource Which scopes are asked for: of the operation, of the document, or both.
grantType How the token is exchanged.
issuers Issuers whose tokens are exchanged there.
tokenEndpoint The address of the exchange.
clientAuth How the gateway proves who it is.
defaultTarget What the new token is for.
customParams More parameters of the exchange.
mode Whether the time follows from the token or is fixed.
maxTimeout The longest time that a token is kept.
safetyMargin How long before its end a token is not used any more.
method The method.
OAuth2ClientAuth.method How the client proves who it is.
UpstreamClientCredentials.method How the client proves who it is.
UpstreamPassword.method How the client proves who it is.
certId The identifier of the certificate that signs.
audience Whom the token is for.
exchange The token that the upstream gets for this operation.
url The address.
Upstream.url The address of the upstream.
serviceDiscovery Upstreams from a service registry.
queryEndpoint The address of the registry.
dataPath Where the address stands in its answer.
useNestedQuery Whether the answer has JSON in a text.
parentDataPath Where that text stands.
portDataPath Where the port stands.
useTargetList Whether the answer is a list of addresses.
cacheTimeout Seconds that the answer is kept.
targetPath A path behind the address.
endpointReturnsList Whether the whole answer is a list.
uptimeTests Requests that find out which hosts are up.
hostDownRetestPeriod How often a host that is down is tested.
logRetentionPeriod How long results are kept.
tests The requests.
body The body.
commands What is sent to a host that doesn't speak HTTP.
enableProxyProtocol Whether the connection begins with the PROXY protocol.
mutualTLS Certificates that the gateway shows to upstreams.
domainToCertificateMapping The certificate of each host.
domain The host, which may have *.
certificate The identifier of the certificate.
certificatePinning Public keys that upstreams have to show.
domainToPublicKeysMapping The public keys of each host.
publicKeys Identifiers of the keys.
rateLimit How many requests there may be.
rate How many.
per In which time, such as 1m.
authentication How the gateway proves who it is to the upstream.
basicAuth A user's name and password.
username The user's name.
password The password.
oauth A token of OAuth 2.0.
clientCredentials A token for the gateway itself.
UpstreamOAuth.password A token for a user.
tokenUrl The address that gives tokens.
extraMetadata Members of the token's answer that variables get.
requestSigning A signature of the request.
signatureHeader The header of the signature.
keyId The identifier of the key.
certificateId The identifier of the certificate that signs.
UpstreamRequestSigning.headers Headers that are signed.
loadBalancing Several upstreams in turn.
skipUnavailableHosts Whether hosts that are down are left out.
targets The upstreams.
weight How often it gets a turn; 0 is never.
preserveHostHeader Whether the upstream gets the caller's Host.
preserveTrailingSlash Whether a slash at the end of the path stays.
tlsTransport How TLS to upstreams is made.
insecureSkipVerify Whether certificates of upstreams are not checked.
ciphers Cipher suites that may be used.
minVersion The lowest version of TLS.
maxVersion The highest version of TLS.
forceCommonNameCheck Whether the common name of certificates is checked.
proxy The proxy on the way to the upstream.
enforceTimeout How long an answer may take.
duration The time, such as 1.5s.
EnforceTimeout.value The time in seconds.
global Of all operations.
operations Of single operations, by their operationId.
mcpTools Of single tools, by their names.
mcpResources Of single resources, by their addresses; /* at the end stands for all below.
mcpPrompts Of single prompts, by their names.
pluginConfig How plugins are run.
driver What runs them.
bundle A file that holds them.
data Settings that they get.
PluginConfigData.value The settings.
prePlugin Plugins before authentication, as older documents write them.
prePlugins Plugins before authentication.
postAuthenticationPlugin Plugins after authentication, as older documents write them.
postAuthenticationPlugins Plugins after authentication.
postPlugin Plugins before the upstream, as older documents write them.
postPlugins Plugins before the upstream.
responsePlugin Plugins for answers, as older documents write them.
responsePlugins Plugins for answers.
plugins The plugins.
code The code itself.
MockResponse.code The status of the answer.
FromOASExamples.code The status whose example is used.
pluginId The identifier of a stored plugin.
pluginHash The hash of a stored plugin.
cors Requests of pages of other origins.
maxAge Seconds that a browser may remember the answer.
allowCredentials Whether credentials may come along.
exposedHeaders Headers that pages may read.
allowedHeaders Headers that pages may send.
optionsPassthrough Whether the upstream answers OPTIONS.
debug Whether decisions are logged.
allowedOrigins Origins that are let in.
allowedMethods Methods that pages may use.
cacheAllSafeRequests Whether all GET, HEAD and OPTIONS requests are kept.
cacheResponseCodes Statuses that are kept; all if there are none.
cacheByHeaders Headers that tell answers apart.
enableUpstreamCacheControl Whether the upstream says how long.
controlTTLHeaderName The header in which it says so.
transformRequestHeaders Changes of the request's headers.
transformResponseHeaders Changes of the answer's headers.
remove Headers that are taken away.
add Headers that are set.
ignoreCase Whether letters of paths count alike, large or small.
trafficLogs Records of what was served.
tagHeaders Headers whose values become labels of the records.
customRetentionPeriod How long records are kept.
requestSizeLimit The longest request.
RequestSizeLimit.value The most bytes.
GlobalRequestSizeLimit.value The most bytes.
skipRateLimit Whether rates of keys are not counted.
skipQuota Whether quotas of keys are not counted.
skipQuotaReset Whether a new key's quota is not begun anew.
allow Only what has this is let through.
block It is refused.
ignoreAuthentication It needs no credentials.
Operation.internal Only other APIs reach it.
transformRequestMethod Another method for the upstream.
toMethod The method.
transformRequestBody A template that makes the upstream's body.
transformResponseBody A template that makes the answer's body.
format What the body is read as.
TransformBody.path The file of the template.
TransformBody.body The template, in Base64.
virtualEndpoint A function that answers.
VirtualEndpoint.name The name of the function, as older documents write it.
VirtualEndpoint.body The code, in Base64.
proxyOnError Whether the upstream is asked where the function fails.
trackEndpoint Whether it is counted by itself.
doNotTrackEndpoint Whether it is not recorded.
circuitBreaker No requests for a while where too many fail.
threshold The share of failures that opens it, from 0 to 1.
sampleSize How many requests are looked at.
coolDownPeriod Seconds until the upstream is tried again.
halfOpenStateEnabled Whether it is tried before, by single requests.
urlRewrite Another address for the upstream.
pattern A regular expression for the path.
URLRewriteRule.pattern A regular expression for the value.
URLRewriteRuleForRequestBody.pattern A regular expression for the body.
rewriteTo The address that it becomes.
triggers Other addresses under conditions.
condition Whether all rules have to hold, or any.
rules The rules.
in The part of the request.
URLRewriteRule.name The name of the header, parameter or variable.
negate Whether it must not match.
cacheByRegex A regular expression for the part of the body that tells answers apart.
validateRequest Whether the request is held to the document.
errorResponseCode The status of the refusal.
mockResponse An answer without the upstream.
fromOASExamples An answer of the document's examples.
contentType The media type whose example is used.
exampleName The example that is used.
Header.value The value.
primitives The tools.
MCPServerPrimitive.source The operation that it calls.
description What it does, for who chooses a tool.
annotations Hints for clients.
parameters What its parameters are called.
MCPServerPrimitive.allow Whether only what has this is let through.
inputSchema The JSON Schema of its arguments.
outputSchema The JSON Schema of its result.
parameterLocations Where each parameter goes.
parameterSourceNames What each parameter is called in the operation.
parameterSerializations How each parameter is written.
parameterOrder The parameters in their order.
requestBodyContentType The media type of the body.
operationId The operation.
MCPServerSource.path The path of the operation.
MCPServerSource.method The method of the operation.
param The parameter of the operation.
title What people call it.
readOnlyHint Whether it changes nothing.
destructiveHint Whether it may take something away.
idempotentHint Whether a second call changes nothing more.
openWorldHint Whether it reaches what is outside.
sourceName What the parameter is called in the operation.
MCPSerialization.location The part of the request.
style How lists and objects are written.
explode Whether each element is a parameter of its own.
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
