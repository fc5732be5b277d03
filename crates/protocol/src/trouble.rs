//! What a platform says about a call that has failed.

/// Why a server could not be asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Its name has no address.
    Lookup,
    /// It took too long.
    Timeout,
    /// Anything else between here and there.
    Connection,
}

impl Trouble {
    /// Sorts the text of an error. The texts are workerd's.
    #[must_use]
    pub fn of(error: &str) -> Self {
        let error = error.to_ascii_lowercase();
        let has = |words: &[&str]| words.iter().any(|word| error.contains(word));
        if has(&["dns", "lookup", "getaddrinfo"]) {
            Self::Lookup
        } else if has(&["timeout", "timed out", "abort"]) {
            Self::Timeout
        } else {
            Self::Connection
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_the_platform_are_sorted() {
        for (text, trouble) in [
            ("DNS lookup failed.", Trouble::Lookup),
            ("getaddrinfo ENOTFOUND", Trouble::Lookup),
            ("The operation was aborted due to timeout", Trouble::Timeout),
            ("Network connection lost.", Trouble::Connection),
        ] {
            assert_eq!(Trouble::of(text), trouble, "{text}");
        }
    }
}
