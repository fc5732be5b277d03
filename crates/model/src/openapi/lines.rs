//! Members of the vendor extension, and the members of a definition they stand for.
//!
//! The table follows the mapping of the reference (field tables of the extension, section 3). What
//! has no line here, and isn't a rule of an operation, is named in the report.

/// How a value is carried over.
#[derive(Clone, Copy, Debug)]
pub(super) enum Carry {
    /// As it is.
    Same,
    /// `true` as `false`, and the other way round.
    Not,
    /// A duration as seconds.
    Seconds,
    /// `[{name, id}]` as a map.
    Versions,
    /// `[{name, value}]` as a map.
    Headers,
    /// A list of plugins.
    Plugins,
    /// Nothing: another line says it.
    Nothing,
}

/// A member of the extension and the member of a definition it stands for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) from: &'static str,
    pub(super) to: &'static str,
    pub(super) carry: Carry,
}

const fn line(from: &'static str, to: &'static str, carry: Carry) -> Line {
    Line { from, to, carry }
}

const fn same(from: &'static str, to: &'static str) -> Line {
    line(from, to, Carry::Same)
}

const fn not(from: &'static str, to: &'static str) -> Line {
    line(from, to, Carry::Not)
}

/// The members that are carried over.
pub(super) const LINES: &[Line] = &[
    same("info.id", "api_id"),
    same("info.dbId", "id"),
    same("info.orgId", "org_id"),
    same("info.name", "name"),
    same("info.expiration", "expiration"),
    same("info.state.active", "active"),
    same("info.state.internal", "internal"),
    same("info.versioning.enabled", "definition.enabled"),
    same("info.versioning.name", "definition.name"),
    same("info.versioning.default", "definition.default"),
    same("info.versioning.location", "definition.location"),
    same("info.versioning.key", "definition.key"),
    line(
        "info.versioning.versions",
        "definition.versions",
        Carry::Versions,
    ),
    same(
        "info.versioning.fallbackToDefault",
        "definition.fallback_to_default",
    ),
    same(
        "info.versioning.stripVersioningData",
        "definition.strip_versioning_data",
    ),
    same(
        "info.versioning.urlVersioningPattern",
        "definition.url_versioning_pattern",
    ),
    same("upstream.url", "proxy.target_url"),
    same(
        "upstream.preserveHostHeader.enabled",
        "proxy.preserve_host_header",
    ),
    same(
        "upstream.preserveTrailingSlash.enabled",
        "proxy.disable_strip_slash",
    ),
    not("upstream.rateLimit.enabled", "global_rate_limit.disabled"),
    same("upstream.rateLimit.rate", "global_rate_limit.rate"),
    line(
        "upstream.rateLimit.per",
        "global_rate_limit.per",
        Carry::Seconds,
    ),
    same(
        "upstream.tlsTransport.insecureSkipVerify",
        "proxy.transport.ssl_insecure_skip_verify",
    ),
    same(
        "upstream.tlsTransport.ciphers",
        "proxy.transport.ssl_ciphers",
    ),
    same(
        "upstream.tlsTransport.forceCommonNameCheck",
        "proxy.transport.ssl_force_common_name_check",
    ),
    same("upstream.proxy.url", "proxy.transport.proxy_url"),
    not(
        "upstream.enforceTimeout.enabled",
        "version_data.versions.Default.global_enforce_timeout_disabled",
    ),
    same(
        "upstream.enforceTimeout.duration",
        "version_data.versions.Default.global_enforce_timeout",
    ),
    same("server.listenPath.value", "proxy.listen_path"),
    same("server.listenPath.strip", "proxy.strip_listen_path"),
    same("server.protocol", "protocol"),
    same("server.port", "listen_port"),
    not("server.customDomain.enabled", "domain_disabled"),
    same("server.customDomain.name", "domain"),
    same("server.customDomain.certificates", "certificates"),
    not("server.gatewayTags.enabled", "tags_disabled"),
    same("server.gatewayTags.tags", "tags"),
    same(
        "server.batchProcessing.enabled",
        "enable_batch_request_support",
    ),
    same(
        "server.detailedActivityLogs.enabled",
        "enable_detailed_recording",
    ),
    same("server.detailedTracing.enabled", "detailed_tracing"),
    same("server.clientCertificates.enabled", "use_mutual_tls_auth"),
    same("server.clientCertificates.allowlist", "client_certificates"),
    not(
        "server.ipAccessControl.enabled",
        "ip_access_control_disabled",
    ),
    same("server.ipAccessControl.allow", "allowed_ips"),
    same("server.ipAccessControl.block", "blacklisted_ips"),
    not("server.authentication.enabled", "use_keyless"),
    same(
        "server.authentication.stripAuthorizationData",
        "strip_auth_data",
    ),
    same(
        "server.authentication.baseIdentityProvider",
        "base_identity_provided_by",
    ),
    same(
        "server.authentication.hmac.enabled",
        "enable_signature_checking",
    ),
    same(
        "server.authentication.hmac.allowedAlgorithms",
        "hmac_allowed_algorithms",
    ),
    same(
        "server.authentication.hmac.allowedClockSkew",
        "hmac_allowed_clock_skew",
    ),
    same("server.authentication.oidc.enabled", "use_openid"),
    same(
        "server.authentication.custom.enabled",
        "custom_plugin_auth_enabled",
    ),
    line(
        "server.authentication.customKeyLifetime.value",
        "session_lifetime",
        Carry::Seconds,
    ),
    same(
        "server.authentication.customKeyLifetime.respectValidity",
        "session_lifetime_respects_key_expiration",
    ),
    same(
        "middleware.global.contextVariables.enabled",
        "enable_context_vars",
    ),
    not("middleware.global.trafficLogs.enabled", "do_not_track"),
    same("middleware.global.trafficLogs.tagHeaders", "tag_headers"),
    same("middleware.global.skipRateLimit", "disable_rate_limit"),
    same("middleware.global.skipQuota", "disable_quota"),
    same(
        "middleware.global.skipQuotaReset",
        "dont_set_quota_on_create",
    ),
    same(
        "middleware.global.ignoreCase.enabled",
        "version_data.versions.Default.ignore_endpoint_case",
    ),
    not(
        "middleware.global.requestSizeLimit.enabled",
        "version_data.versions.Default.global_size_limit_disabled",
    ),
    same(
        "middleware.global.requestSizeLimit.value",
        "version_data.versions.Default.global_size_limit",
    ),
    same(
        "middleware.global.cache.enabled",
        "cache_options.enable_cache",
    ),
    same(
        "middleware.global.cache.timeout",
        "cache_options.cache_timeout",
    ),
    same(
        "middleware.global.cache.cacheAllSafeRequests",
        "cache_options.cache_all_safe_requests",
    ),
    same(
        "middleware.global.cache.cacheResponseCodes",
        "cache_options.cache_response_codes",
    ),
    same(
        "middleware.global.cache.cacheByHeaders",
        "cache_options.cache_by_headers",
    ),
    same(
        "middleware.global.cache.enableUpstreamCacheControl",
        "cache_options.enable_upstream_cache_control",
    ),
    same(
        "middleware.global.cache.controlTTLHeaderName",
        "cache_options.cache_control_ttl_header",
    ),
    same("middleware.global.cors.enabled", "CORS.enable"),
    same("middleware.global.cors.maxAge", "CORS.max_age"),
    same(
        "middleware.global.cors.allowCredentials",
        "CORS.allow_credentials",
    ),
    same(
        "middleware.global.cors.exposedHeaders",
        "CORS.exposed_headers",
    ),
    same(
        "middleware.global.cors.allowedHeaders",
        "CORS.allowed_headers",
    ),
    same(
        "middleware.global.cors.optionsPassthrough",
        "CORS.options_passthrough",
    ),
    same("middleware.global.cors.debug", "CORS.debug"),
    same(
        "middleware.global.cors.allowedOrigins",
        "CORS.allowed_origins",
    ),
    same(
        "middleware.global.cors.allowedMethods",
        "CORS.allowed_methods",
    ),
    same(
        "middleware.global.pluginConfig.driver",
        "custom_middleware.driver",
    ),
    not(
        "middleware.global.pluginConfig.bundle.enabled",
        "custom_middleware_bundle_disabled",
    ),
    same(
        "middleware.global.pluginConfig.bundle.path",
        "custom_middleware_bundle",
    ),
    not(
        "middleware.global.pluginConfig.data.enabled",
        "config_data_disabled",
    ),
    same("middleware.global.pluginConfig.data.value", "config_data"),
    line(
        "middleware.global.prePlugin.plugins",
        "custom_middleware.pre",
        Carry::Plugins,
    ),
    line(
        "middleware.global.prePlugins",
        "custom_middleware.pre",
        Carry::Plugins,
    ),
    line(
        "middleware.global.postAuthenticationPlugin.plugins",
        "custom_middleware.post_key_auth",
        Carry::Plugins,
    ),
    line(
        "middleware.global.postAuthenticationPlugins",
        "custom_middleware.post_key_auth",
        Carry::Plugins,
    ),
    line(
        "middleware.global.postPlugin.plugins",
        "custom_middleware.post",
        Carry::Plugins,
    ),
    line(
        "middleware.global.postPlugins",
        "custom_middleware.post",
        Carry::Plugins,
    ),
    line(
        "middleware.global.responsePlugin.plugins",
        "custom_middleware.response",
        Carry::Plugins,
    ),
    line(
        "middleware.global.responsePlugins",
        "custom_middleware.response",
        Carry::Plugins,
    ),
    not(
        "middleware.global.transformRequestHeaders.enabled",
        "version_data.versions.Default.global_headers_disabled",
    ),
    line(
        "middleware.global.transformRequestHeaders.add",
        "version_data.versions.Default.global_headers",
        Carry::Headers,
    ),
    same(
        "middleware.global.transformRequestHeaders.remove",
        "version_data.versions.Default.global_headers_remove",
    ),
    not(
        "middleware.global.transformResponseHeaders.enabled",
        "version_data.versions.Default.global_response_headers_disabled",
    ),
    line(
        "middleware.global.transformResponseHeaders.add",
        "version_data.versions.Default.global_response_headers",
        Carry::Headers,
    ),
    same(
        "middleware.global.transformResponseHeaders.remove",
        "version_data.versions.Default.global_response_headers_remove",
    ),
    line("upstream.proxy.enabled", "", Carry::Nothing),
    line(
        "server.authentication.customKeyLifetime.enabled",
        "",
        Carry::Nothing,
    ),
];

/// Members of a signature beside a token, and those of its `auth_configs` entry.
pub(super) const SIGNATURE_LINES: &[(&str, &str)] = &[
    ("enabled", "validate_signature"),
    ("algorithm", "signature.algorithm"),
    ("header", "signature.header"),
    ("query.enabled", "signature.use_param"),
    ("query.name", "signature.param_name"),
    ("secret", "signature.secret"),
    ("allowedClockSkew", "signature.allowed_clock_skew"),
    ("errorCode", "signature.error_code"),
    ("errorMessage", "signature.error_message"),
];

/// Members of a plugin, and those of an entry of `custom_middleware`.
pub(super) const PLUGIN_LINES: &[(&str, &str)] = &[
    ("functionName", "name"),
    ("path", "path"),
    ("code", "code"),
    ("rawBodyOnly", "raw_body_only"),
    ("requireSession", "require_session"),
];

/// Lines of a security scheme of the extension: its member, and the members of a definition.
pub(super) const SCHEME_LINES: &[(&str, &str)] = &[
    ("source", "jwt_source"),
    ("signingMethod", "jwt_signing_method"),
    ("identityBaseField", "jwt_identity_base_field"),
    ("policyFieldName", "jwt_policy_field_name"),
    ("clientBaseField", "jwt_client_base_field"),
    ("defaultPolicies", "jwt_default_policies"),
    (
        "enableClientCertificate",
        "auth_configs.authToken.use_certificate",
    ),
    ("skipKid", "jwt_skip_kid"),
    ("issuedAtValidationSkew", "jwt_issued_at_validation_skew"),
    ("notBeforeValidationSkew", "jwt_not_before_validation_skew"),
    ("expiresAtValidationSkew", "jwt_expires_at_validation_skew"),
    (
        "idpClientIdMappingDisabled",
        "idp_client_id_mapping_disabled",
    ),
    ("disableCaching", "basic_auth.disable_caching"),
    ("cacheTTL", "basic_auth.cache_ttl"),
    ("authLoginRedirect", "oauth_meta.auth_login_redirect"),
    (
        "allowedAuthorizeTypes",
        "oauth_meta.allowed_authorize_types",
    ),
];

/// Whether members below a dotted path have lines, or rules.
pub(super) fn leads_to_lines(dotted: &str) -> bool {
    let below = |line: &Line| {
        let rest = line.from.strip_prefix(dotted);
        rest.is_some_and(|rest| rest.starts_with('.'))
    };
    dotted == "middleware" || LINES.iter().any(below)
}
