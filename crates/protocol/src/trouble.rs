//! Why a call to a server has failed, by the platform's error text.

/// Why a server could not be called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Its name has no address.
    Lookup,
    /// The call timed out.
    Timeout,
    /// Any other connection error.
    Connection,
}

impl Trouble {
    /// Classifies the text of an error. The texts are workerd's.
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
