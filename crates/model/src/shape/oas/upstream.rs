//! Where requests are forwarded, and how.

/// Types and members of the extension, in the form that [`super`] reads.
pub(super) const TYPES: &str = "\
Upstream any=WithUrl,WithLoadBalancing
 url string@uri-reference
 serviceDiscovery ServiceDiscovery
 uptimeTests UptimeTests
 mutualTLS MutualTLS
 certificatePinning CertificatePinning
 rateLimit RateLimit
 authentication UpstreamAuthentication
 loadBalancing LoadBalancing
 preserveHostHeader PreserveHostHeader
 preserveTrailingSlash PreserveTrailingSlash
 tlsTransport TLSTransport
 proxy Proxy
 enforceTimeout GlobalEnforceTimeout
WithUrl
 url!
WithLoadBalancing
 loadBalancing!
ServiceDiscovery
 enabled! boolean
 queryEndpoint string
 dataPath string
 useNestedQuery boolean
 parentDataPath string
 portDataPath string
 useTargetList boolean
 cache ServiceDiscoveryCache
 cacheTimeout integer
 targetPath string
 endpointReturnsList boolean
ServiceDiscoveryCache
 enabled! boolean
 timeout integer
UptimeTests
 enabled! boolean
 hostDownRetestPeriod string~duration
 logRetentionPeriod string~duration
 serviceDiscovery ServiceDiscovery
 tests [UptimeTest]
UptimeTest
 body string
 commands [UptimeTestCommand]
 enableProxyProtocol boolean
 headers {string}
 method string
 timeout string~duration
 url string
UptimeTestCommand
 message string
 name string
MutualTLS
 enabled! boolean
 domainToCertificateMapping! [DomainToCertificate,..]
DomainToCertificate
 domain! string~domain
 certificate! string
CertificatePinning
 enabled! boolean
 domainToPublicKeysMapping! [PinnedPublicKeys,..]
PinnedPublicKeys
 domain string~domain
 publicKeys [string,..]
RateLimit
 enabled! boolean
 rate! number
 per! string~hms
UpstreamAuthentication
 enabled! boolean
 basicAuth UpstreamBasicAuthentication
 oauth UpstreamOAuth
 requestSigning UpstreamRequestSigning
UpstreamBasicAuthentication
 enabled! boolean
 header UpstreamAuthSource
 username! string~nonblank
 password! string~nonblank
UpstreamAuthSource
 enabled boolean
 name string
UpstreamOAuth
 enabled! boolean
 allowedAuthorizeTypes! [=clientCredentials|password,..]
 clientCredentials UpstreamClientCredentials
 password UpstreamPassword
UpstreamClientCredentials
 clientId! string~nonblank
 clientSecret! string~nonblank
 method =client_secret_basic|client_secret_post
 tokenUrl! string~nonblank
 scopes [any]?
 header UpstreamAuthSource
 extraMetadata [any]?
UpstreamPassword
 clientId! string~nonblank
 clientSecret string~nonblank
 method =client_secret_basic|client_secret_post
 tokenUrl! string~nonblank
 scopes [any]?
 username! string~nonblank
 password! string~nonblank
 header UpstreamAuthSource
 extraMetadata [any]?
UpstreamRequestSigning
 enabled! boolean
 signatureHeader string
 algorithm string
 keyId string
 headers [string]
 secret string
 certificateId string
LoadBalancing
 enabled! boolean
 skipUnavailableHosts boolean
 targets [LoadBalancingTarget,..]
LoadBalancingTarget
 url! string
 weight! number
PreserveHostHeader
 enabled! boolean
PreserveTrailingSlash
 enabled! boolean
TLSTransport
 insecureSkipVerify boolean
 ciphers [string]
 minVersion =1.0|1.1|1.2|1.3
 maxVersion =1.0|1.1|1.2|1.3
 forceCommonNameCheck boolean
Proxy
 enabled! boolean
 url string
GlobalEnforceTimeout
 enabled! boolean
 duration string~timeout
";
