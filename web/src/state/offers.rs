//! Ids offered by a form's fields. Plain values.

/// The kinds of objects whose ids are offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Offer {
    /// APIs.
    Apis,
    /// Policies.
    Policies,
    /// Webhooks.
    Hooks,
}

/// Pointers of values that are ids; `*` matches any name.
const VALUES: [(&str, Offer); 15] = [
    ("/access_rights/*/api_id", Offer::Apis),
    ("/definition/versions/*", Offer::Apis),
    ("/apply_policy_id", Offer::Policies),
    ("/apply_policies/*", Offer::Policies),
    ("/jwt_default_policies/*", Offer::Policies),
    ("/jwt_scope_to_policy_mapping/*", Offer::Policies),
    ("/scopes/jwt/scope_to_policy/*", Offer::Policies),
    ("/scopes/oidc/scope_to_policy/*", Offer::Policies),
    ("/event_handlers/events/*/*/handler_meta/id", Offer::Hooks),
    // Below the extension of an OpenAPI document, whichever its spelling.
    ("/*/info/versioning/versions/*/id", Offer::Apis),
    (
        "/*/server/authentication/securitySchemes/*/defaultPolicies/*",
        Offer::Policies,
    ),
    (
        "/*/server/authentication/securitySchemes/*/scopes/scopeToPolicyMapping/*/policyId",
        Offer::Policies,
    ),
    (
        "/*/server/authentication/oidc/scopes/scopeToPolicyMapping/*/policyId",
        Offer::Policies,
    ),
    (
        "/*/server/authentication/oidc/providers/*/clientToPolicyMapping/*/policyId",
        Offer::Policies,
    ),
    ("/*/server/eventHandlers/*/id", Offer::Hooks),
];

/// Pointers of objects whose member names are ids.
const NAMES: [(&str, Offer); 1] = [("/access_rights", Offer::Apis)];

fn of(patterns: &[(&str, Offer)], pointer: &str) -> Option<Offer> {
    let fits = |pattern: &str| {
        pattern.split('/').count() == pointer.split('/').count()
            && pattern
                .split('/')
                .zip(pointer.split('/'))
                .all(|(wanted, part)| wanted == "*" || wanted == part)
    };
    let mut patterns = patterns.iter();
    let found = patterns.find(|(pattern, _)| fits(pattern));
    found.map(|(_, offer)| *offer)
}

impl Offer {
    /// Returns the kind of id at a pointer.
    #[must_use]
    pub fn for_value(pointer: &str) -> Option<Self> {
        of(&VALUES, pointer)
    }

    /// Returns the kind of ids that the member names of the object at a pointer are.
    #[must_use]
    pub fn for_names(pointer: &str) -> Option<Self> {
        of(&NAMES, pointer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn ids_are_offered_in_id_positions() {
        for (pointer, expected) in [
            ("/apply_policies/0", Some(Offer::Policies)),
            ("/apply_policies", None),
            ("/access_rights/orders/api_id", Some(Offer::Apis)),
            ("/access_rights/orders/api_name", None),
            (
                "/event_handlers/events/QuotaExceeded/0/handler_meta/id",
                Some(Offer::Hooks),
            ),
            (
                "/x-gateway-api-gateway/server/eventHandlers/0/id",
                Some(Offer::Hooks),
            ),
            ("/x-gateway-api-gateway/info/id", None),
            ("", None),
        ] {
            assert_eq!(Offer::for_value(pointer), expected, "{pointer}");
        }
        assert_eq!(Offer::for_names("/access_rights"), Some(Offer::Apis));
        assert_eq!(Offer::for_names("/tags"), None);
    }
}
