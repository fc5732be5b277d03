//! What answers a request, by the origin it was sent to and then by its path.
//!
//! The promise: what upstreams answer is never on the console's origin, and the administration never on
//! a host that nobody configured.

use crate::config::{Hosts, Origin};
use gatewright_api::paths::{is_administration, is_dashboard};

/// What answers a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface {
    /// An API of somebody.
    DataPlane,
    /// The administration API, on both origins, or the dashboard API, on the console's.
    Administration,
    /// A file of the console.
    Console,
}

impl Surface {
    /// By the host of a request, with its port where it has one, and its path.
    #[must_use]
    pub fn of(hosts: &Hosts, authority: &str, path: &str) -> Self {
        match hosts.origin(authority) {
            Origin::Unknown => Self::DataPlane,
            Origin::Gateway | Origin::Console if is_administration(path) => Self::Administration,
            Origin::Gateway => Self::DataPlane,
            Origin::Console if is_dashboard(path) => Self::Administration,
            Origin::Console => Self::Console,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_origin_answers_what_belongs_to_it() {
        let hosts = Hosts::read("gateway.example", "console.example");
        for (host, path, surface) in [
            ("gateway.example", "/gateway/apis", Surface::Administration),
            ("gateway.example", "/hello", Surface::Administration),
            ("gateway.example", "/api/audit", Surface::DataPlane),
            ("gateway.example", "/console/", Surface::DataPlane),
            ("gateway.example", "/", Surface::DataPlane),
            ("console.example", "/gateway/apis", Surface::Administration),
            ("console.example", "/api/audit", Surface::Administration),
            ("console.example", "/", Surface::Console),
            ("console.example", "/a/gateway/apis", Surface::Console),
            ("other.example", "/gateway/apis", Surface::DataPlane),
            ("other.example", "/api/audit", Surface::DataPlane),
        ] {
            assert_eq!(Surface::of(&hosts, host, path), surface, "{host}{path}");
        }
    }
}
