//! Which paths the two administrative APIs have, for whoever only hands a request to them.

/// True for the paths of the administration API, which belong to the gateway itself on both of its
/// origins.
#[must_use]
pub fn is_administration(path: &str) -> bool {
    let first = path
        .strip_prefix('/')
        .unwrap_or(path)
        .split('/')
        .next()
        .unwrap_or_default();
    matches!(first, "gateway" | "openapi")
        || matches!(path.strip_suffix('/').unwrap_or(path), "/hello" | "/ready")
}

/// True for the paths of the dashboard API.
#[must_use]
pub fn is_dashboard(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::ENDPOINTS;

    #[test]
    fn every_endpoint_of_the_administration_is_on_a_path_of_it() {
        for endpoint in ENDPOINTS {
            assert!(is_administration(endpoint.path), "{}", endpoint.path);
            assert!(!is_dashboard(endpoint.path), "{}", endpoint.path);
        }
    }

    #[test]
    fn what_only_begins_alike_is_no_path_of_either() {
        for path in [
            "/",
            "/gateways/x",
            "/hello/x",
            "/openapis",
            "/apis",
            "/ready-x",
        ] {
            assert!(!is_administration(path), "{path}");
        }
        for path in ["/gateway", "/gateway/", "/hello/", "/openapi/gateway.json"] {
            assert!(is_administration(path), "{path}");
        }
        assert!(is_dashboard("/api") && is_dashboard("/api/audit") && !is_dashboard("/apis"));
    }
}
