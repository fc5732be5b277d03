//! General information about an API, its addresses, its versions, and who is excluded.

/// Types and members of the extension, in the form that [`super`] reads.
pub(super) const TYPES: &str = "\
Extension
 info! Info
 upstream! Upstream
 server! Server
 middleware Middleware
 errorOverrides ErrorOverrides
Info
 id string
 dbId string
 orgId string
 name! string~nonblank
 expiration string
 state! State
 versioning Versioning
State
 active! boolean
 internal boolean
Versioning any=WithKey,InUrl
 enabled boolean
 name string~nonblank
 default string
 location! string~nonblank
 key string~nonblank
 versions [VersionToID,..]
 stripVersioningData boolean
 fallbackToDefault boolean
 urlVersioningPattern string
WithKey
 key!
InUrl
 location =url
VersionToID
 name! string~nonblank
 id! string~nonblank
Server
 listenPath! ListenPath
 slug string
 authentication Authentication
 clientCertificates ClientCertificates
 gatewayTags GatewayTags
 customDomain CustomDomain
 detailedActivityLogs DetailedActivityLogs
 detailedTracing DetailedTracing
 eventHandlers [EventHandlers,..]
 contextVariables ContextVariables
 ipAccessControl IPAccessControl
 batchProcessing BatchProcessing
 port integer:1:65535
 protocol =http|https|h2c
ListenPath
 value! string~nonblank
 strip boolean
ClientCertificates
 enabled boolean
 allowlist [string,..]
GatewayTags
 enabled! boolean
 tags! [string,..]
CustomDomain
 enabled! boolean
 name! string
 certificates [string,..]
DetailedActivityLogs
 enabled! boolean
DetailedTracing
 enabled! boolean
IPAccessControl
 enabled boolean
 allow [string]
 block [string]
BatchProcessing
 enabled! boolean
EventHandlers any=WebhookWithID,WebhookWithoutID,JSVMEvent,LogEvent
WebhookWithID
 enabled! boolean
 trigger! =QuotaExceeded|RatelimitExceeded|RateLimitSmoothingUp|RateLimitSmoothingDown|AuthFailure|UpstreamOAuthError|KeyExpired|VersionFailure|OrgQuotaExceeded|OrgRateLimitExceeded|TriggerExceeded|BreakerTriggered|BreakerTripped|BreakerReset|HostDown|HostUp|TokenCreated|TokenUpdated|TokenDeleted|CertificateExpiringSoon|CertificateExpired
 type! =webhook
 id! string
 cooldownPeriod! string~hms
WebhookWithoutID
 enabled! boolean
 trigger! =QuotaExceeded|RatelimitExceeded|RateLimitSmoothingUp|RateLimitSmoothingDown|AuthFailure|UpstreamOAuthError|KeyExpired|VersionFailure|OrgQuotaExceeded|OrgRateLimitExceeded|TriggerExceeded|BreakerTriggered|BreakerTripped|BreakerReset|HostDown|HostUp|TokenCreated|TokenUpdated|TokenDeleted|CertificateExpiringSoon|CertificateExpired
 type! =webhook|custom|log
 name string
 url! string@uri-reference
 method! =GET|PUT|POST|DELETE|PATCH
 cooldownPeriod! string~hms
 bodyTemplate! string
 headers [Header,..]
JSVMEvent
 enabled! boolean
 trigger! =QuotaExceeded|RatelimitExceeded|RateLimitSmoothingUp|RateLimitSmoothingDown|AuthFailure|UpstreamOAuthError|KeyExpired|VersionFailure|OrgQuotaExceeded|OrgRateLimitExceeded|TriggerExceeded|BreakerTriggered|BreakerTripped|BreakerReset|HostDown|HostUp|TokenCreated|TokenUpdated|TokenDeleted|CertificateExpiringSoon|CertificateExpired
 type! =webhook|custom|log
 id string
 name! string
 functionName! string
 path! string
LogEvent
 enabled! boolean
 trigger! =QuotaExceeded|RatelimitExceeded|RateLimitSmoothingUp|RateLimitSmoothingDown|AuthFailure|UpstreamOAuthError|KeyExpired|VersionFailure|OrgQuotaExceeded|OrgRateLimitExceeded|TriggerExceeded|BreakerTriggered|BreakerTripped|BreakerReset|HostDown|HostUp|TokenCreated|TokenUpdated|TokenDeleted|CertificateExpiringSoon|CertificateExpired
 type! =webhook|custom|log
 id string
 name! string
 logPrefix! string
Header
 name! string
 value! string
ErrorOverrides
 enabled! boolean
 value {[ErrorOverride]}
ErrorOverride
 match ErrorMatcher
 response! ErrorResponse
ErrorMatcher
 flag string
 messagePattern string
 bodyField string
 bodyValue string
ErrorResponse
 statusCode integer
 body string
 message string
 template string
 headers {string}
";
