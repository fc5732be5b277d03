//! Addresses of an upstream that stand in headers of its answers, as clients know them (reference 3.4,
//! `rev_proxy_header_cleanup`).

/// Beginnings of addresses, and what clients know in their places. The first that fits counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moves {
    pairs: Vec<(String, String)>,
}

impl Moves {
    /// The target of an API and its path become an origin and a listen path; paths without a slash at
    /// their end.
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

    /// An address as clients know it. What belongs to somebody else stays.
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

    /// What clients know, for people.
    #[must_use]
    pub fn public(&self) -> &str {
        let first = self.pairs.first();
        first.map(|(_, to)| to.as_str()).unwrap_or_default()
    }

    /// The same as a text of beginnings and what they become in turn, with blanks between, which no
    /// address has.
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
