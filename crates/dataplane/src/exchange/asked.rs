//! The requested path, encoded and decoded, without the parts that its API strips (reference 5.2 no. 3 and 6).

use super::Exchange;

/// A path cut at the parts that may be stripped, in bytes.
struct Parts<'p> {
    /// The listen path.
    listen: &'p str,
    /// What follows the listen path, and the version if that is stripped.
    rest: &'p str,
}

impl Parts<'_> {
    /// Joins the parts, with or without the listen path.
    fn join(&self, without_listen: bool) -> String {
        let listen = if without_listen { "/" } else { self.listen };
        if listen.ends_with('/') {
            format!("{listen}{}", self.rest.trim_start_matches('/'))
        } else if listen.is_empty() && !self.rest.starts_with('/') {
            format!("/{}", self.rest)
        } else {
            format!("{listen}{}", self.rest)
        }
    }
}

impl Exchange {
    /// The encoded path. A stripped version is not part of it, nor is the listen path if its API (for a version, its
    /// base) strips it; an API id used in its place always stays.
    #[must_use]
    pub fn asked_path(&self, strips_listen: bool) -> String {
        let path = &self.request.path;
        let behind = path.sent_behind(self.route.listen).len();
        let listen = path.sent().len().saturating_sub(behind);
        let parts = Parts {
            listen: path.sent().get(..listen).unwrap_or_default(),
            rest: self.behind_api(),
        };
        parts.join(self.strips_listen(strips_listen))
    }

    fn strips_listen(&self, strips_listen: bool) -> bool {
        self.route.base_stripped.unwrap_or(strips_listen) && !self.route.by_id
    }

    /// The part of the path whose dots may lead out of the target, because something before it is stripped; empty if
    /// nothing is.
    pub(crate) fn unprotected(&self, strips_listen: bool) -> &str {
        match self.route.strips_version || self.strips_listen(strips_listen) {
            true => self.behind_api(),
            false => "",
        }
    }

    /// The part of the encoded path behind what names the API and a stripped version.
    pub(crate) fn behind_api(&self) -> &str {
        self.request.path.sent_behind(self.prefix_length())
    }

    /// The same path decoded, including the listen path unless a base has stripped it.
    #[must_use]
    pub fn decoded_path(&self) -> String {
        let path = self.request.path.decoded();
        let parts = Parts {
            listen: path.get(..self.route.listen).unwrap_or_default(),
            rest: path.get(self.prefix_length()..).unwrap_or_default(),
        };
        parts.join(self.route.base_stripped == Some(true) && !self.route.by_id)
    }

    /// The query that is sent unless a rule changes it.
    #[must_use]
    pub fn asked_query(&self) -> &str {
        self.query.as_deref().unwrap_or(&self.request.query)
    }

    /// The length in bytes of the decoded path's prefix that names the API and a stripped version.
    const fn prefix_length(&self) -> usize {
        let version = if self.route.strips_version {
            self.route.version
        } else {
            0
        };
        self.route.listen.saturating_add(version)
    }
}

#[cfg(test)]
mod tests {
    use crate::chain::Chain;
    use crate::exchange::Route;
    use crate::testing::request;
    use std::rc::Rc;

    fn paths(path: &str, route: Route) -> [String; 3] {
        let exchange =
            crate::testing::exchange(request("GET", path, &[]), route, Rc::new(Chain::default()));
        [
            exchange.asked_path(true),
            exchange.asked_path(false),
            exchange.decoded_path(),
        ]
    }

    #[test]
    fn listen_path_and_version_are_stripped() {
        let route = |listen: usize, version: usize| Route {
            listen,
            version,
            strips_version: true,
            ..Route::default()
        };
        for (path, route, expected) in [
            (
                "/base/a%2Fb",
                route(6, 0),
                ["/a%2Fb", "/base/a%2Fb", "/base/a/b"],
            ),
            ("/b%61se/v1/x", route(6, 2), ["/x", "/b%61se/x", "/base/x"]),
            ("/base/v1", route(5, 3), ["/", "/base", "/base"]),
            ("/base/v1/x", route(5, 3), ["/x", "/base/x", "/base/x"]),
            (
                "/basement",
                route(5, 0),
                ["/ment", "/basement", "/basement"],
            ),
            ("/x/", route(0, 0), ["/x/", "/x/", "/x/"]),
        ] {
            assert_eq!(paths(path, route), expected, "{path}");
        }
        let below_base = |listen, version| Route {
            base_stripped: Some(true),
            ..route(listen, version)
        };
        let kept = Route {
            base_stripped: Some(false),
            ..route(6, 2)
        };
        assert_eq!(paths("/base/v1/x", kept), ["/base/x"; 3]);
        for (path, route, expected) in [
            (
                "/base/a%2Fb",
                below_base(6, 0),
                ["/a%2Fb", "/a%2Fb", "/a/b"],
            ),
            ("/base/v1/x", below_base(6, 2), ["/x"; 3]),
            ("/base", below_base(5, 0), ["/"; 3]),
        ] {
            assert_eq!(paths(path, route), expected, "{path}");
        }
        for base_stripped in [None, Some(true)] {
            let by_id = Route {
                listen: 6,
                by_id: true,
                base_stripped,
                ..Route::default()
            };
            assert_eq!(paths("/id-1/x", by_id), ["/id-1/x"; 3]);
        }
    }
}
