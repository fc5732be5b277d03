//! Members below `server`.

use super::{Carry, Line, line, not, same};

/// How requests are received.
pub(super) const SERVER: &[Line] = &[
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
    same("server.slug", "slug"),
    same("server.contextVariables.enabled", "enable_context_vars"),
    line(
        "server.eventHandlers",
        "event_handlers.events",
        Carry::Events,
    ),
];

/// Authentication, apart from the schemes of the document.
pub(super) const AUTHENTICATION: &[Line] = &[
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
    line(
        "server.authentication.hmac.header",
        "auth_configs.hmac",
        Carry::Header,
    ),
    line(
        "server.authentication.hmac.query",
        "auth_configs.hmac",
        Carry::Query,
    ),
    line(
        "server.authentication.hmac.cookie",
        "auth_configs.hmac",
        Carry::Cookie,
    ),
    same(
        "server.authentication.protectedResourceMetadata",
        "openapi.protected_resource_metadata",
    ),
    same("server.authentication.oidc.enabled", "use_openid"),
    line(
        "server.authentication.oidc.header",
        "auth_configs.oidc",
        Carry::Header,
    ),
    line(
        "server.authentication.oidc.query",
        "auth_configs.oidc",
        Carry::Query,
    ),
    line(
        "server.authentication.oidc.cookie",
        "auth_configs.oidc",
        Carry::Cookie,
    ),
    same(
        "server.authentication.oidc.segregateByClientId",
        "openid_options.segregate_by_client",
    ),
    line(
        "server.authentication.oidc.providers",
        "openid_options.providers",
        Carry::Providers,
    ),
    same(
        "server.authentication.oidc.scopes.claimName",
        "scopes.oidc.scope_claim_name",
    ),
    line(
        "server.authentication.oidc.scopes.scopeToPolicyMapping",
        "scopes.oidc.scope_to_policy",
        Carry::Pairs("scope", "policyId"),
    ),
    same(
        "server.authentication.custom.enabled",
        "custom_plugin_auth_enabled",
    ),
    line(
        "server.authentication.custom.header",
        "auth_configs.coprocess",
        Carry::Header,
    ),
    line(
        "server.authentication.custom.query",
        "auth_configs.coprocess",
        Carry::Query,
    ),
    line(
        "server.authentication.custom.cookie",
        "auth_configs.coprocess",
        Carry::Cookie,
    ),
    line(
        "server.authentication.custom.config",
        "custom_middleware.auth_check",
        Carry::Plugin,
    ),
    same(
        "server.authentication.certificateAuth.enabled",
        "auth_configs.authToken.use_certificate",
    ),
    line(
        "server.authentication.customKeyLifetime",
        "",
        Carry::Lifetime,
    ),
];
