//! The paths of the two administrative APIs, for code that only forwards requests to them.

/// Whether a path belongs to the administration API, which is the gateway's own on both of its origins.
#[must_use]
pub fn is_administration(path: &str) -> bool {
    let first = path
        .strip_prefix('/')
        .unwrap_or(path)
        .split('/')
        .next()
        .unwrap_or_default();
    matches!(first, "gateway" | "openapi") || is_probe(path)
}

/// Whether a path is a health probe. Probes often know an address but no host name, so these paths are answered on
/// every host.
#[must_use]
pub fn is_probe(path: &str) -> bool {
    matches!(path.strip_suffix('/').unwrap_or(path), "/hello" | "/ready")
}

/// Whether a path belongs to the dashboard API.
#[must_use]
pub fn is_dashboard(path: &str) -> bool {
    path == "/api" || path.starts_with("/api/")
}

/// Whether it is the path at which the console signs in and out.
#[must_use]
pub fn is_sign_in(path: &str) -> bool {
    path == "/console/session"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::endpoint::ENDPOINTS;

    #[test]
    fn every_endpoint_has_an_administration_path() {
        for endpoint in ENDPOINTS {
            assert!(is_administration(endpoint.path), "{}", endpoint.path);
            assert!(!is_dashboard(endpoint.path), "{}", endpoint.path);
        }
    }

    #[test]
    fn a_path_with_a_similar_start_belongs_to_neither_api() {
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
        for path in ["/hello", "/hello/", "/ready", "/ready/"] {
            assert!(is_probe(path), "{path}");
        }
        for path in [
            "/",
            "/hello/x",
            "/hello//",
            "/gateway/hello",
            "/helloes",
            "hello",
        ] {
            assert!(!is_probe(path), "{path}");
        }
        assert!(is_dashboard("/api") && is_dashboard("/api/audit") && !is_dashboard("/apis"));
    }
}
