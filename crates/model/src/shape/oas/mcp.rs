//! Differences in the extension of an MCP proxy (reference 6.4): these types replace those of an API with the same
//! names.

/// Types and members of the extension, in the form that [`super`] reads.
pub(super) const TYPES: &str = "\
Extension
 info! Info
 upstream! Upstream
 server! Server
 middleware Middleware
PluginConfig
 driver =otto|python|lua|grpc|goplugin
 bundle PluginBundle
 data PluginConfigData
CustomAnalyticsPluginConfig
 enabled! boolean
 functionName string
 path string
CustomPluginDefinition
 enabled! boolean
 functionName! string
 path string
 rawBodyOnly boolean
 requireSession boolean
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
 transformRequestHeaders TransformHeaders
 transformResponseHeaders TransformHeaders
 contextVariables ContextVariables
 ignoreCase IgnoreCase
 trafficLogs TrafficLogs
 requestSizeLimit GlobalRequestSizeLimit
 skipRateLimit boolean
 skipQuota boolean
 skipQuotaReset boolean
MCPPrimitive
 allow Allowance
 block Allowance
 ignoreAuthentication Allowance
 transformRequestBody TransformBody
 transformRequestHeaders TransformHeaders
 transformResponseHeaders TransformHeaders
 enforceTimeout EnforceTimeout
 virtualEndpoint VirtualEndpoint
 postPlugins [EndpointPostPlugin,..]
 circuitBreaker CircuitBreaker
 trackEndpoint TrackEndpoint
 doNotTrackEndpoint TrackEndpoint
 requestSizeLimit RequestSizeLimit
 rateLimit RateLimit
 scopeCheck ScopeCheck
 security [{[string]}]
Middleware
 global Global
 operations {Operation}
 mcpTools {MCPPrimitive}
 mcpResources {MCPPrimitive}
 mcpPrompts {MCPPrimitive}
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
 port integer:1:65535
 protocol =http|https|h2c
UpstreamOAuth
 enabled! boolean
 allowedAuthorizeTypes! [=clientCredentials|password,..]
 clientCredentials UpstreamClientCredentials
 password UpstreamPassword
UpstreamClientCredentials
 clientId! string~nonblank
 clientSecret! string~nonblank
 tokenUrl! string~nonblank
 scopes [any]?
 header UpstreamAuthSource
 extraMetadata [any]?
UpstreamPassword
 clientId! string~nonblank
 clientSecret string~nonblank
 tokenUrl! string~nonblank
 scopes [any]?
 username! string~nonblank
 password! string~nonblank
 header UpstreamAuthSource
 extraMetadata [any]?
";

/// `x-gateway-mcp-server`: which operations of an API become tools. No other members are allowed in it.
pub(super) const SERVER_TYPES: &str = "\
MCPServer shut
 primitives [MCPServerPrimitive]
MCPServerPrimitive shut
 source! MCPServerSource
 name string~tool-name
 description string
 annotations MCPAnnotations
 parameters [MCPServerParameter]
 allow boolean
 inputSchema object
 outputSchema object
 parameterLocations {string}
 parameterSourceNames {string}
 parameterSerializations {MCPSerialization}
 parameterOrder [string]
 requestBodyContentType string
MCPServerSource shut
 operationId string
 path string
 method string
MCPServerParameter shut
 param! string
 name string
 description string
MCPAnnotations shut
 title string
 readOnlyHint boolean
 destructiveHint boolean
 idempotentHint boolean
 openWorldHint boolean
MCPSerialization shut
 sourceName string
 location string
 style string
 explode boolean
 schemaType string
";
