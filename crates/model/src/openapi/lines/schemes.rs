//! Members of a security scheme of the extension.
//!
//! Those without an equivalent in a definition are below its member `openapi`, which only a compiled one has.

use super::{Carry, Line, line, same};

/// How the credentials of a scheme are checked.
pub(in super::super) const SCHEMES: &[Line] = &[
    same("source", "jwt_source"),
    same("signingMethod", "jwt_signing_method"),
    line("jwksURIs", "jwt_jwks_uris", Carry::Snake),
    same("identityBaseField", "jwt_identity_base_field"),
    same("policyFieldName", "jwt_policy_field_name"),
    same("clientBaseField", "jwt_client_base_field"),
    same("defaultPolicies", "jwt_default_policies"),
    same("skipKid", "jwt_skip_kid"),
    same("issuedAtValidationSkew", "jwt_issued_at_validation_skew"),
    same("notBeforeValidationSkew", "jwt_not_before_validation_skew"),
    same("expiresAtValidationSkew", "jwt_expires_at_validation_skew"),
    same(
        "idpClientIdMappingDisabled",
        "idp_client_id_mapping_disabled",
    ),
    same("scopes.claimName", "scopes.jwt.scope_claim_name"),
    same("scopes.claims", "openapi.jwt.jwt_scope_claims"),
    line(
        "scopes.scopeToPolicyMapping",
        "scopes.jwt.scope_to_policy",
        Carry::Pairs("scope", "policyId"),
    ),
    same("subjectClaims", "openapi.jwt.jwt_subject_claims"),
    same("basePolicyClaims", "openapi.jwt.jwt_base_policy_claims"),
    same("allowedIssuers", "openapi.jwt.jwt_allowed_issuers"),
    same("allowedAudiences", "openapi.jwt.jwt_allowed_audiences"),
    same("allowedSubjects", "openapi.jwt.jwt_allowed_subjects"),
    same("jtiValidation", "openapi.jwt.jwt_jti_validation"),
    same(
        "customClaimValidation",
        "openapi.jwt.jwt_custom_claim_validation",
    ),
    same(
        "enableClientCertificate",
        "auth_configs.authToken.use_certificate",
    ),
    same("disableCaching", "basic_auth.disable_caching"),
    same("cacheTTL", "basic_auth.cache_ttl"),
    same(
        "extractCredentialsFromBody.enabled",
        "basic_auth.extract_from_body",
    ),
    same(
        "extractCredentialsFromBody.userRegexp",
        "basic_auth.body_user_regexp",
    ),
    same(
        "extractCredentialsFromBody.passwordRegexp",
        "basic_auth.body_password_regexp",
    ),
    same("authLoginRedirect", "oauth_meta.auth_login_redirect"),
    same(
        "allowedAuthorizeTypes",
        "oauth_meta.allowed_authorize_types",
    ),
    same("notifications.sharedSecret", "notifications.shared_secret"),
    same(
        "notifications.onKeyChangeUrl",
        "notifications.oauth_on_keychange_url",
    ),
    line("providers", "external_oauth.providers", Carry::Snake),
];
