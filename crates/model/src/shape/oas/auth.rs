//! Authentication of clients.

/// Types and members of the extension, in the form that [`super`] reads.
pub(super) const TYPES: &str = "\
Authentication
 enabled! boolean
 stripAuthorizationData boolean
 baseIdentityProvider =auth_token|hmac_key|basic_auth_user|jwt_claim|oidc_user|oauth_key|custom_auth|
 hmac HMAC
 oidc OIDC
 custom CustomPluginAuthentication
 securitySchemes {SecurityScheme}
 customKeyLifetime CustomKeyLifetime
 securityProcessingMode =legacy|compliant
 security [any]
 protectedResourceMetadata ProtectedResourceMetadata
 certificateAuth CertificateAuth
CustomKeyLifetime
 enabled! boolean
 value string~hms
 respectValidity boolean
SecurityScheme choice any=Token,JWT,Basic,OAuth,ExternalOAuth,OAuth2
ProtectedResourceMetadata
 enabled! boolean
 wellKnownPath string
 resource string
 authorizationServers [string]
 scopesSupported [string]
CertificateAuth
 enabled boolean
AuthSource
 enabled! boolean
 name string
Token
 enabled! boolean
 header AuthSource
 cookie AuthSource
 query AuthSource
 enableClientCertificate boolean
 signatureValidation Signature
Signature
 enabled boolean
 algorithm string
 header string
 query AuthSource
 secret string
 allowedClockSkew integer
 errorCode integer
 errorMessage string
JWT
 enabled! boolean
 header AuthSource
 cookie AuthSource
 query AuthSource
 source string
 signingMethod string
 identityBaseField string
 subjectClaims [string]
 jwksURIs [JWK]
 skipKid boolean
 policyFieldName string
 basePolicyClaims [string]
 allowedIssuers [string]
 allowedAudiences [string]
 jtiValidation JTIValidation
 allowedSubjects [string]
 clientBaseField string
 scopes Scopes
 defaultPolicies [string,..]
 issuedAtValidationSkew integer:0:
 notBeforeValidationSkew integer:0:
 expiresAtValidationSkew integer:0:
 idpClientIdMappingDisabled boolean
 customClaimValidation {CustomClaimValidation}
JWK
 url! string@uri
 cacheTimeout string~duration
JTIValidation
 enabled! boolean
CustomClaimValidation
 type! =required|exact_match|contains
 allowedValues [any]
 nonBlocking boolean
Scopes
 claimName string
 claims [string]
 scopeToPolicyMapping [ScopeToPolicy,..]
ScopeToPolicy
 scope string
 policyId string
Basic
 enabled! boolean
 header AuthSource
 cookie AuthSource
 query AuthSource
 disableCaching boolean
 cacheTTL integer
 extractCredentialsFromBody ExtractCredentialsFromBody
ExtractCredentialsFromBody
 enabled! boolean
 userRegexp string
 passwordRegexp string
OAuth
 enabled! boolean
 header AuthSource
 cookie AuthSource
 query AuthSource
 allowedAuthorizeTypes [=code|token]
 refreshToken boolean
 authLoginRedirect string
 notifications Notifications
Notifications
 sharedSecret string
 onKeyChangeUrl string
ExternalOAuth
 enabled! boolean
 header AuthSource
 cookie AuthSource
 query AuthSource
 providers [OAuthProvider,..]
OAuthProvider
 jwt JWTValidation
 introspection Introspection
JWTValidation
 enabled! boolean
 signingMethod! string
 source! string
 identityBaseField string
 issuedAtValidationSkew integer
 notBeforeValidationSkew integer
 expiresAtValidationSkew integer
Introspection
 enabled boolean
 url string@uri
 clientId string
 clientSecret string
 identityBaseField string
 cache IntrospectionCache
IntrospectionCache
 enabled! boolean
 timeout! integer
HMAC
 enabled! boolean
 header AuthSource
 cookie AuthSource
 query AuthSource
 allowedAlgorithms [string,..]
 allowedClockSkew number
OIDC
 enabled! boolean
 header AuthSource
 cookie AuthSource
 query AuthSource
 segregateByClientId boolean
 providers [Provider,..]
 scopes Scopes
Provider
 issuer string
 clientToPolicyMapping [ClientToPolicy,..]
ClientToPolicy
 clientId string
 policyId string
CustomPluginAuthentication
 enabled! boolean
 config AuthenticationPlugin
 header AuthSource
 cookie AuthSource
 query AuthSource
AuthenticationPlugin
 enabled! boolean
 functionName! string
 path string
 rawBodyOnly boolean
 requireSession boolean
 idExtractor IDExtractor
IDExtractor
 enabled! boolean
 source! =body|header|form
 with! =value|xpath|regex
 config! IDExtractorConfig
IDExtractorConfig
 headerName string
 formParamName string
 regexp string
 regexpMatchIndex integer
 xPathExp string
OAuth2
 enabled! boolean
 header AuthSource
 cookie AuthSource
 query AuthSource
 scopeCheck OAuth2ScopeCheck
 protectedResourceMetadata OAuth2PRM
 tokenExchange OAuth2TokenExchange
OAuth2PRM
 enabled! boolean
 wellKnownPath string
 resource string
 authorizationServers [string]
 autoDeriveScopes boolean
OAuth2ScopeCheck
 enabled! boolean
 claimNames [string]
 separator string
 scopeSource =operation|global|union
OAuth2TokenExchange
 enabled! boolean
 providers [OAuth2Provider]
OAuth2Provider
 name! string
 grantType =token-exchange|jwt-bearer
 issuers [string]
 tokenEndpoint string
 clientAuth OAuth2ClientAuth
 defaultTarget OAuth2DefaultTarget
 timeout string
 customParams {string}
 cache OAuth2ExchangeCache
OAuth2ClientAuth
 method =client_secret_basic|client_secret_post|private_key_jwt
 clientId string
 clientSecret string
 certId string
OAuth2DefaultTarget
 audience string
 scopes [string]
OAuth2ExchangeCache
 enabled! boolean
 mode =derived|static
 maxTimeout string
 timeout string
 safetyMargin string
OAuth2Exchange
 enabled boolean
 audience string
 scopes [string]
ScopeCheck
 enabled! boolean
";
