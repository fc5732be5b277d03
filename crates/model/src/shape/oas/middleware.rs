//! Processing of requests: of all of them, and of those of one operation.

/// Types and members of the extension, in the form that [`super`] reads.
pub(super) const TYPES: &str = "\
Middleware
 global Global
 operations {Operation}
Global
 pluginConfig PluginConfig
 cors CORS
 prePlugin CustomPluginConfig
 prePlugins [CustomPluginDefinition]
 postAuthenticationPlugin CustomPluginConfig
 postAuthenticationPlugins [CustomPluginDefinition]
 postPlugin CustomPluginConfig
 postPlugins [CustomPluginDefinition]
 responsePlugin CustomPluginConfig
 responsePlugins [CustomPluginDefinition]
 cache Cache
 transformRequestHeaders TransformHeaders
 transformResponseHeaders TransformHeaders
 contextVariables ContextVariables
 ignoreCase IgnoreCase
 trafficLogs TrafficLogs
 requestSizeLimit GlobalRequestSizeLimit
 skipRateLimit boolean
 skipQuota boolean
 skipQuotaReset boolean
PluginConfig
 driver =otto|python|lua|grpc|goplugin|javascript
 bundle PluginBundle
 data PluginConfigData
PluginBundle
 enabled! boolean
 path! string~nonblank
PluginConfigData
 enabled! boolean
 value! object
CustomPluginConfig
 plugins [CustomPluginDefinition]
CustomPluginDefinition
 enabled! boolean
 functionName! string
 path string
 code string
 pluginId string
 pluginHash string
 rawBodyOnly boolean
 requireSession boolean
CORS
 enabled! boolean
 maxAge integer
 allowCredentials boolean
 exposedHeaders [string,..]
 allowedHeaders [string,..]
 optionsPassthrough boolean
 debug boolean
 allowedOrigins [string,..]
 allowedMethods [string,..]
Cache
 enabled boolean
 timeout integer
 cacheAllSafeRequests boolean
 cacheResponseCodes [integer,..]
 cacheByHeaders [string,..]
 enableUpstreamCacheControl boolean
 controlTTLHeaderName string
ContextVariables
 enabled! boolean
IgnoreCase
 enabled! boolean
TrafficLogs
 enabled! boolean
 tagHeaders [string]
 customRetentionPeriod string~hms
 plugins [CustomAnalyticsPluginConfig]
CustomAnalyticsPluginConfig
 enabled! boolean
 functionName string
 path string
 code string
 pluginId string
 pluginHash string
GlobalRequestSizeLimit
 enabled! boolean
 value! integer
Operation
 allow Allowance
 block Allowance
 ignoreAuthentication Allowance
 internal Internal
 transformRequestMethod TransformRequestMethod
 transformRequestBody TransformBody
 transformResponseBody TransformBody
 transformRequestHeaders TransformHeaders
 transformResponseHeaders TransformHeaders
 virtualEndpoint VirtualEndpoint
 trackEndpoint TrackEndpoint
 doNotTrackEndpoint TrackEndpoint
 circuitBreaker CircuitBreaker
 urlRewrite URLRewrite
 postPlugins [EndpointPostPlugin,..]
 cache CachePlugin
 enforceTimeout EnforceTimeout
 validateRequest ValidateRequest
 mockResponse MockResponse
 requestSizeLimit RequestSizeLimit
 rateLimit RateLimit
 scopeCheck ScopeCheck
 exchange OAuth2Exchange
Allowance
 enabled! boolean
 ignoreCase boolean
Internal
 enabled! boolean
TransformRequestMethod
 enabled! boolean
 toMethod! string
TransformBody any=WithBody,WithPath least=3
 enabled! boolean
 format! =json|xml
 path string
 body string
WithBody
 body!
WithPath
 path!
TransformHeaders
 enabled! boolean
 remove [string,..]
 add [Header,..]
CachePlugin
 enabled! boolean
 cacheByRegex string
 cacheResponseCodes [integer,..]
 timeout integer:0:
EnforceTimeout
 enabled! boolean
 value integer:0:
 duration string~timeout
ValidateRequest
 enabled! boolean
 errorResponseCode integer
MockResponse
 enabled! boolean
 code integer
 body string
 headers [Header,..]
 fromOASExamples FromOASExamples
FromOASExamples
 enabled! boolean
 code integer
 contentType string
 exampleName string
RequestSizeLimit
 enabled! boolean
 value! integer:0:
VirtualEndpoint
 enabled! boolean
 name string
 functionName! string
 path string
 body string
 proxyOnError boolean
 requireSession boolean
EndpointPostPlugin
 enabled! boolean
 name string
 functionName! string
 path! string
URLRewrite
 enabled! boolean
 pattern! string
 rewriteTo! string
 triggers [URLRewriteTrigger,..]
URLRewriteTrigger
 condition! =any|all
 rewriteTo! string
 rules [AnyURLRewriteRule]
AnyURLRewriteRule choice any=URLRewriteRule,URLRewriteRuleForRequestBody
URLRewriteRule
 in! =query|path|header|sessionMetadata|requestContext
 name! string
 pattern! string
 negate boolean
URLRewriteRuleForRequestBody
 in! =requestBody
 name string
 pattern! string
 negate boolean
TrackEndpoint
 enabled! boolean
CircuitBreaker
 enabled! boolean
 threshold! number:0:1
 sampleSize! integer:0:
 coolDownPeriod! integer:0:
 halfOpenStateEnabled! boolean
";
