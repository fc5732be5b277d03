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
    /// This one of [`GROUPS`].
    Of(usize),
}

/// What the page at an address takes, by the first part of its path.
#[must_use]
pub fn right(path: &str) -> Right {
    let below = path.strip_prefix(super::BASE).unwrap_or_default();
    let first = below.split(['/', '?']).nth(1).unwrap_or_default();
    let group = match first {
        "credentials" => return Right::Secret,
        "notifications" | "audit" => return Right::Dashboard,
        "rulesets" => "Rulesets",
        "client-idps" => "Client IdPs",
        "webhooks" => "Webhooks",
        "apis" | "import" | "openapi" | "mcp" => "Definitions",
        "keys" => "Keys",
        "policies" => "Policies",
        "organisations" => "Organisations",
        "oauth" => "OAuth clients",
        "certificates" => "Certificates",
        "reload" => "Reload",
        "overview" => "Figures",
        "try" | "batch" | "jwt" => "Try it, batch",
        _ => return Right::Nothing,
    };
    let found = GROUPS.iter().position(|(_, label)| *label == group);
    found.map_or(Right::Nothing, Right::Of)
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(target_arch = "wasm32")]
    use wasm_bindgen_test::wasm_bindgen_test as test;

    #[test]
    fn a_page_takes_the_right_to_what_it_shows() {
        let named = |path| match right(path) {
            Right::Of(index) => GROUPS.get(index).map(|(word, _)| *word),
            _ => None,
        };
        assert_eq!(named("/console/keys/new"), Some("keys"));
        assert_eq!(named("/console/apis?q=a"), Some("apis"));
        assert_eq!(named("/console/apis/a/upstreams"), Some("apis"));
        assert_eq!(named("/console/try"), Some("tools"));
        assert_eq!(right("/console/credentials"), Right::Secret);
        assert_eq!(right("/console/audit"), Right::Dashboard);
        assert_eq!(right("/console/connect"), Right::Nothing);
    }
}
