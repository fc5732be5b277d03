use super::super::tests::{at, compiled};

const SCHEMES: &str = r#""paths":{},"components":{"securitySchemes":{
    "key":{"type":"apiKey","in":"query","name":"k"},"jwt":{"type":"http","scheme":"bearer","bearerFormat":"JWT"},
    "login":{"type":"http","scheme":"basic"},"own":{"type":"oauth2","flows":{"clientCredentials":{}}},
    "other":{"type":"oauth2"}}}"#;

/// Returns the definition of an API that requires schemes, with these authentication settings.
fn asking(security: &str, authentication: &str) -> String {
    let members = format!(r#"{SCHEMES},"security":{security}"#);
    let server = format!(r#","authentication":{{{authentication}}}"#);
    compiled(&members, &server, "")
}

#[test]
fn first_required_enabled_scheme_is_a_method() {
    const BOTH: &str = r#""securitySchemes":{"key":{"enabled":true},"login":{"enabled":true}}"#;
    let security = r#"[{"key":[]},{"login":[]}]"#;
    let legacy = asking(security, &format!(r#""enabled":true,{BOTH}"#));
    assert_eq!(at(&legacy, "/use_keyless"), "false");
    assert_eq!(at(&legacy, "/use_standard_auth"), "true");
    assert_eq!(at(&legacy, "/use_basic_auth"), "");
    // The source comes from the document.
    assert_eq!(at(&legacy, "/auth_configs/authToken/param_name"), r#""k""#);
    assert_eq!(
        at(&legacy, "/auth_configs/authToken/disable_header"),
        "true"
    );
    assert_eq!(at(&legacy, "/openapi/security"), "");

    let mode = r#""securityProcessingMode":"compliant""#;
    let compliant = asking(security, &format!(r#""enabled":true,{mode},{BOTH}"#));
    assert_eq!(at(&compliant, "/use_basic_auth"), "true");
    assert_eq!(
        at(&compliant, "/openapi/security"),
        r#"[["authToken"],["basic"]]"#
    );

    for off in [r#""enabled":false"#, r#""stripAuthorizationData":true"#] {
        let open = asking(security, &format!("{off},{BOTH}"));
        assert_eq!(at(&open, "/use_keyless"), "true", "{off}");
    }
    // If a required scheme is not enabled, the token remains: the API is closed.
    let closed = asking(security, r#""enabled":true"#);
    assert_eq!(at(&closed, "/use_keyless"), "false");
    assert_eq!(at(&closed, "/use_standard_auth"), "");
    // Its location is still that of the scheme.
    let off = asking(
        security,
        r#""enabled":true,"securitySchemes":{"key":{"enabled":false},"login":{"enabled":false}}"#,
    );
    assert_eq!(at(&off, "/use_standard_auth"), "");
    assert_eq!(at(&off, "/auth_configs/authToken/param_name"), r#""k""#);
    assert_eq!(at(&off, "/auth_configs/basic"), "");
}

#[test]
fn scheme_settings_become_method_settings() {
    let of = |name: &str, settings: &str| {
        asking(
            &format!(r#"[{{"{name}":[]}}]"#),
            &format!(
                r#""enabled":true,"securitySchemes":{{"{name}":{{"enabled":true,{settings}}}}}"#
            ),
        )
    };
    let header = r#""header":{"enabled":true,"name":"X-T"}"#;
    for (name, settings, pointer, expected) in [
        ("jwt", r#""source":"YQ==""#, "/jwt_source", r#""YQ==""#),
        (
            "jwt",
            r#""source":"YQ==""#,
            "/auth_configs/jwt/disable_header",
            "true",
        ),
        (
            "jwt",
            header,
            "/auth_configs/jwt/auth_header_name",
            r#""X-T""#,
        ),
        (
            "jwt",
            r#""subjectClaims":["a"]"#,
            "/openapi/jwt/jwt_subject_claims",
            r#"["a"]"#,
        ),
        (
            "jwt",
            r#""jwksURIs":[{"url":"http://k","cacheTimeout":"10s"}]"#,
            "/jwt_jwks_uris",
            r#"[{"url":"http://k","cache_timeout":"10s"}]"#,
        ),
        (
            "jwt",
            r#""scopes":{"claimName":"s","scopeToPolicyMapping":[{"scope":"r.w","policyId":"p"}]}"#,
            "/scopes/jwt",
            r#"{"scope_claim_name":"s","scope_to_policy":{"r.w":"p"}}"#,
        ),
        (
            "login",
            r#""extractCredentialsFromBody":{"enabled":true,"userRegexp":"u"}"#,
            "/basic_auth",
            r#"{"extract_from_body":true,"body_user_regexp":"u"}"#,
        ),
        (
            "login",
            r#""cacheTTL":9"#,
            "/auth_configs/basic",
            r#"{"name":"login"}"#,
        ),
        (
            "own",
            r#""refreshToken":true,"allowedAuthorizeTypes":["code"]"#,
            "/oauth_meta",
            r#"{"allowed_authorize_types":["code"],"allowed_access_types":["client_credentials","refresh_token"]}"#,
        ),
        ("own", header, "/use_oauth2", "true"),
        (
            "other",
            r#""providers":[{"jwt":{"enabled":true,"signingMethod":"rsa","identityBaseField":"sub"}}]"#,
            "/external_oauth",
            r#"{"enabled":true,"providers":[{"jwt":{"enabled":true,"signing_method":"rsa","identity_base_field":"sub"}}]}"#,
        ),
    ] {
        assert_eq!(
            at(&of(name, settings), pointer),
            expected,
            "{name} {settings}"
        );
    }
}

#[test]
fn alternatives_need_several_requirements_and_methods() {
    let on = |name: &str| format!(r#""{name}":{{"enabled":true}}"#);
    let of = |security: &str, schemes: &[&str], more: &str| {
        let schemes: Vec<String> = schemes.iter().copied().map(on).collect();
        let settings = format!(
            r#""enabled":true,"securityProcessingMode":"compliant","securitySchemes":{{{}}}{more}"#,
            schemes.join(",")
        );
        at(&asking(security, &settings), "/openapi/security")
    };
    let signed = r#","hmac":{"enabled":true},"security":[["hmac","jwt"]]"#;
    for (security, schemes, more, expected) in [
        // Every method is required.
        (r#"[{"jwt":[]}]"#, &["jwt"][..], "", ""),
        (r#"[{"jwt":[],"login":[]}]"#, &["jwt", "login"], "", ""),
        (
            r#"[{"jwt":[]}]"#,
            &["jwt"],
            r#","hmac":{"enabled":true}"#,
            "",
        ),
        (r#"[{"jwt":[]},{"login":[]}]"#, &["login"], "", ""),
        (r#"[{"jwt":[]},{"login":[]}]"#, &[], "", ""),
        // A scheme that is off isn't forgotten, nor is a request without credentials.
        (
            r#"[{"jwt":[],"login":[]},{"key":[]}]"#,
            &["login"],
            "",
            r#"[["","basic"],[""]]"#,
        ),
        (r#"[{"jwt":[]},{}]"#, &["jwt"], "", r#"[["jwt"],[]]"#),
        // The extension's requirement with a signature replaces that of the token alone.
        (r#"[{"jwt":[]}]"#, &["jwt"], signed, ""),
        (
            r#"[{"jwt":[]},{"login":[]},{"jwt":[],"key":[]}]"#,
            &["jwt", "login", "key"],
            signed,
            r#"[["basic"],["jwt","authToken"],["hmac","jwt"]]"#,
        ),
        (
            r#"[{"jwt":[]}]"#,
            &["jwt", "login"],
            r#","security":[["login","jwt"]]"#,
            r#"[["jwt"],["basic","jwt"]]"#,
        ),
    ] {
        assert_eq!(of(security, schemes, more), expected, "{security} {more}");
    }
}

#[test]
fn only_compliant_mode_reads_requirements_of_the_extension() {
    let own = r#""enabled":true,"securitySchemes":{"jwt":{"enabled":true}},"security":[["jwt"]]"#;
    assert_eq!(at(&asking("[]", own), "/enable_jwt"), "");
    let compliant = format!(r#"{own},"securityProcessingMode":"compliant""#);
    assert_eq!(at(&asking("[]", &compliant), "/enable_jwt"), "true");
}
