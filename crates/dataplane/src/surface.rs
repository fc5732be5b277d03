//! Which part of the gateway answers a request, decided by the origin it was sent to and then by its path. If gateway
//! and console have a socket each, the socket is the origin; otherwise the host is.
//!
//! The promise: answers of upstreams never appear on the console's origin, nor the administration on a host that nobody
//! configured, except for the two probes, which reveal and change nothing.

use crate::config::{Entrypoint, Hosts, Origin};
use gatewright_api::paths::{is_administration, is_dashboard, is_probe, is_sign_in};

/// A part of the gateway that answers requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// An API.
    DataPlane,
    /// The administration API, on both origins and with its probes on every host, or the dashboard API and the
    /// console's sign-in, on the console's origin.
    Administration,
    /// The console's files.
    Console,
    /// None: the request is for a host that is not served here (RFC 9110 section 15.5.20).
    Misdirected,
}

impl Surface {
    /// Selects the surface by a request's entrypoint, host (with its port, if any) and path.
    #[must_use]
    pub fn of(hosts: &Hosts, entrypoint: Entrypoint, authority: &str, path: &str) -> Self {
        match hosts.origin(entrypoint, authority) {
            Origin::Unknown | Origin::Misdirected if is_probe(path) => Self::Administration,
            Origin::Unknown => Self::DataPlane,
            Origin::Misdirected => Self::Misdirected,
            Origin::Gateway | Origin::Console if is_administration(path) => Self::Administration,
            Origin::Gateway => Self::DataPlane,
            Origin::Console if is_dashboard(path) || is_sign_in(path) => Self::Administration,
            Origin::Console => Self::Console,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_origin_serves_its_own_surface() {
        let hosts = Hosts::read("gateway.example", "console.example");
        for (host, path, surface) in [
            ("gateway.example", "/gateway/apis", Surface::Administration),
            ("gateway.example", "/hello", Surface::Administration),
            ("gateway.example", "/api/audit", Surface::DataPlane),
            ("gateway.example", "/console/", Surface::DataPlane),
            ("gateway.example", "/console/session", Surface::DataPlane),
            ("other.example", "/console/session", Surface::DataPlane),
            (
                "console.example",
                "/console/session",
                Surface::Administration,
            ),
            ("console.example", "/console/session/", Surface::Console),
            ("console.example", "/console/sessions", Surface::Console),
            ("gateway.example", "/", Surface::DataPlane),
            ("console.example", "/gateway/apis", Surface::Administration),
            ("console.example", "/api/audit", Surface::Administration),
            ("console.example", "/", Surface::Console),
            ("console.example", "/a/gateway/apis", Surface::Console),
            ("other.example", "/gateway/apis", Surface::DataPlane),
            ("other.example", "/openapi/gateway.json", Surface::DataPlane),
            ("other.example", "/api/audit", Surface::DataPlane),
            ("other.example", "/hello", Surface::Administration),
            ("192.0.2.1", "/ready/", Surface::Administration),
            ("other.example", "/hello/x", Surface::DataPlane),
            ("other.example", "/a/hello", Surface::DataPlane),
        ] {
            let found = Surface::of(&hosts, Entrypoint::Shared, host, path);
            assert_eq!(found, surface, "{host}{path}");
        }
        for (entrypoint, host, path, surface) in [
            (
                Entrypoint::Gateway,
                "console.example",
                "/",
                Surface::DataPlane,
            ),
            (
                Entrypoint::Gateway,
                "console.example",
                "/api/audit",
                Surface::DataPlane,
            ),
            (
                Entrypoint::Console,
                "gateway.example",
                "/",
                Surface::Misdirected,
            ),
            (
                Entrypoint::Console,
                "gateway.example",
                "/gateway/apis",
                Surface::Misdirected,
            ),
            (
                Entrypoint::Console,
                "gateway.example",
                "/hello",
                Surface::Administration,
            ),
        ] {
            let found = Surface::of(&hosts, entrypoint, host, path);
            assert_eq!(found, surface, "{entrypoint:?} {host}{path}");
        }
    }
}
