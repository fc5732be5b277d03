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
    fn the_longest_prefix_comes_first() {
        let deep = Moves::new(("http://up:1", "/v2"), ("https://api.example", "/base"));
        assert_eq!(
            deep.text(),
            "http://up:1/v2 https://api.example/base http://up:1 https://api.example /v2 /base"
        );
        let flat = Moves::new(("http://up", ""), ("https://api.example", "/base"));
        assert_eq!(flat.public(), "https://api.example/base");
        assert_eq!(
            flat.text(),
            "http://up https://api.example/base http://up https://api.example  /base"
        );
    }
}
