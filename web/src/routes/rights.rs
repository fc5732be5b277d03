//! What a page takes of whoever is signed in.

use crate::api::dashboard::credentials::GROUPS;

/// What a page takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Nothing.
    Nothing,
    /// The gateway secret.
    Secret,
    /// Any right at the dashboard API.
    Dashboard,
    /// This access to one of [`GROUPS`].
    Of(usize, Access),
}

/// What has to be permitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// To read it.
    Read,
    /// To write it, which includes to read it.
    Write,
}

impl Access {
    /// What it permits to do.
    #[must_use]
    pub const fn verb(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
        }
    }
}

/// What the page at an address takes, by its path: the right to what it asks for first
/// (`crates/api/src/endpoint/rights.rs`).
#[must_use]
pub fn right(path: &str) -> Right {
    let mut parts = super::parts(path);
    let mut first = parts.next().unwrap_or_default();
    if first == "compare" {
        first = parts.next().unwrap_or_default();
    }
    let access = match (first, parts.next()) {
        // What they send goes to upstreams.
        ("try" | "batch", _) => Access::Write,
        // The clients of an API come with their secrets.
        ("oauth", Some(_)) => Access::Write,
        _ => Access::Read,
    };
    let group = match first {
        "credentials" => return Right::Secret,
        "notifications" | "audit" => return Right::Dashboard,
        "rulesets" => "Rulesets",
        "client-idps" | "clientidps" => "Client IdPs",
        "webhooks" | "hooks" => "Webhooks",
        // A token is read in the browser, and held against a definition; asking the gateway takes more.
        "apis" | "import" | "openapi" | "mcp" | "jwt" => "Definitions",
        "keys" => "Keys",
        "policies" => "Policies",
        "organisations" => "Organisations",
        "oauth" => "OAuth clients",
        "certificates" => "Certificates",
        "reload" => "Reload",
        "overview" => "Figures",
        "try" | "batch" => "Try it, batch",
        _ => return Right::Nothing,
    };
    let found = GROUPS.iter().position(|(_, label)| *label == group);
    found.map_or(Right::Nothing, |index| Right::Of(index, access))
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn page_requires_right_to_its_contents() {
        let named = |path| match right(path) {
            Right::Of(index, access) => GROUPS.get(index).map(|(word, _)| (*word, access)),
            _ => None,
        };
        assert_eq!(named("/console/keys/new"), Some(("keys", Access::Read)));
        assert_eq!(named("/console/apis?q=a"), Some(("apis", Access::Read)));
        assert_eq!(
            named("/console/apis/a/upstreams"),
            Some(("apis", Access::Read))
        );
        assert_eq!(named("/console/try?api=a"), Some(("tools", Access::Write)));
        assert_eq!(named("/console/jwt/a"), Some(("apis", Access::Read)));
        assert_eq!(
            named("/console/compare/hooks/a?from=1"),
            Some(("hooks", Access::Read))
        );
        assert_eq!(
            named("/console/compare/clientidps/a"),
            Some(("clientidps", Access::Read))
        );
        assert_eq!(named("/console/oauth?q=a"), Some(("oauth", Access::Read)));
        assert_eq!(named("/console/oauth/a"), Some(("oauth", Access::Write)));
        assert_eq!(right("/console/credentials"), Right::Secret);
        assert_eq!(right("/console/audit"), Right::Dashboard);
        assert_eq!(right("/console/connect"), Right::Nothing);
    }
}
