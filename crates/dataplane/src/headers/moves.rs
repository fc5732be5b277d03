//! Rewrites upstream addresses in response headers to their public form (reference 3.4, `rev_proxy_header_cleanup`).

/// Pairs of address prefixes and their public replacements. The first match wins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moves {
    pairs: Vec<(String, String)>,
}

impl Moves {
    /// Maps an API's target and its path to the public origin and listen path; the paths have no trailing slash.
    #[must_use]
    pub fn new(target: (&str, &str), public: (&str, &str)) -> Self {
        let ((origin, path), (known, listen)) = (target, public);
        let pairs = [
            (format!("{origin}{path}"), format!("{known}{listen}")),
            (origin.to_owned(), known.to_owned()),
            (path.to_owned(), listen.to_owned()),
        ];
        Self {
            pairs: pairs.into(),
        }
    }

    /// Rewrites an address. Those of other servers stay unchanged.
    #[must_use]
    pub fn apply(&self, address: &str) -> String {
        let is_other = address.is_empty() || address.starts_with("//");
        let moved = self.pairs.iter().find_map(|(from, to)| {
            let rest = address.strip_prefix(from.as_str())?;
            let ends = rest.is_empty() || rest.starts_with(['/', '?', '#']);
            ends.then(|| format!("{to}{rest}"))
        });
        moved
            .filter(|_| !is_other)
            .unwrap_or_else(|| address.to_owned())
    }

    /// The public address, for display.
    #[must_use]
    pub fn public(&self) -> &str {
        let first = self.pairs.first();
        first.map(|(_, to)| to.as_str()).unwrap_or_default()
    }

    /// Prefixes and replacements alternating, separated by spaces, which no address contains.
    #[must_use]
    pub fn text(&self) -> String {
        let pairs = self.pairs.iter().map(|(from, to)| format!("{from} {to}"));
        pairs.collect::<Vec<_>>().join(" ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_the_target_is_moved() {
        let deep = Moves::new(("http://up:1", "/v2"), ("https://api.example", "/base"));
        for (address, moved) in [
            (
                "http://up:1/v2/a?b=http://up:1/v2/c",
                "https://api.example/base/a?b=http://up:1/v2/c",
            ),
            ("http://up:1/v2", "https://api.example/base"),
            ("http://up:1/v20", "https://api.example/v20"),
            ("http://up:1?x", "https://api.example?x"),
            ("http://up:12/v2/a", "http://up:12/v2/a"),
            ("https://login.example/v2/", "https://login.example/v2/"),
            ("/v2/a", "/base/a"),
            ("/other", "/other"),
            ("relative", "relative"),
            ("", ""),
        ] {
            assert_eq!(deep.apply(address), moved, "{address}");
        }
        let flat = Moves::new(("http://up", ""), ("https://api.example", "/base"));
        for (address, moved) in [
            ("http://up/a/b", "https://api.example/base/a/b"),
            ("http://up", "https://api.example/base"),
            ("/a", "/base/a"),
            ("//up/a", "//up/a"),
            ("a", "a"),
        ] {
            assert_eq!(flat.apply(address), moved, "{address}");
        }
        assert_eq!(flat.public(), "https://api.example/base");
        assert_eq!(
            flat.text(),
            "http://up https://api.example/base http://up https://api.example  /base"
        );
    }
}
