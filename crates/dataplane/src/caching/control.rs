//! `Cache-Control` (RFC 9111 section 5.2), as far as it concerns a shared cache without stale answers.

/// More seconds than anybody means (RFC 9111 section 1.2.2).
const MOST_SECONDS: u64 = 2_147_483_648;

/// The directives of a request or an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Control {
    /// `no-store`.
    pub no_store: bool,
    /// `no-cache`; one that names headers forbids all of it.
    pub no_cache: bool,
    /// `private`; the same.
    pub private: bool,
    /// `public`, `must-revalidate` or `s-maxage`: what lets a shared cache keep an answer to a request with
    /// `Authorization` (RFC 9111 section 3.5).
    pub shares: bool,
    /// `only-if-cached`.
    pub only_if_cached: bool,
    /// `max-age`, seconds. What can't be read is 0 (RFC 9111 section 4.2.1), of several the least counts.
    pub max_age: Option<u64>,
    /// `s-maxage`.
    pub s_maxage: Option<u64>,
    /// `min-fresh`.
    pub min_fresh: Option<u64>,
}

impl Control {
    /// Reads the header; none is no directive.
    #[must_use]
    pub fn read(value: Option<&str>) -> Self {
        let mut control = Self::default();
        for directive in split(value.unwrap_or_default(), ',') {
            let (name, value) = directive.split_once('=').unwrap_or((directive, ""));
            let least = |known: &mut Option<u64>| {
                let seconds = seconds(value);
                *known = Some(known.map_or(seconds, |known| known.min(seconds)));
            };
            match name.trim().to_ascii_lowercase().as_str() {
                "no-store" => control.no_store = true,
                "no-cache" => control.no_cache = true,
                "private" => control.private = true,
                "public" | "must-revalidate" => control.shares = true,
                "only-if-cached" => control.only_if_cached = true,
                "max-age" => least(&mut control.max_age),
                "min-fresh" => least(&mut control.min_fresh),
                "s-maxage" => {
                    control.shares = true;
                    least(&mut control.s_maxage);
                }
                _ => {}
            }
        }
        control
    }
}

/// A number of seconds, with or without quotation marks; 0 for what is none.
pub(super) fn seconds(text: &str) -> u64 {
    let digits = text.trim().trim_matches('"').trim();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return 0;
    }
    digits.parse().unwrap_or(MOST_SECONDS).min(MOST_SECONDS)
}

/// The parts of a list outside of quoted texts (RFC 9110 section 5.6.4), without blanks around them.
pub(super) fn split(list: &str, at: char) -> impl Iterator<Item = &str> {
    let (mut quoted, mut escaped) = (false, false);
    let parts = list.split(move |letter| {
        let is_escaped = std::mem::take(&mut escaped);
        match letter {
            '"' if !is_escaped => quoted = !quoted,
            '\\' if quoted && !is_escaped => escaped = true,
            _ => {}
        }
        letter == at && !quoted
    });
    parts.map(str::trim).filter(|part| !part.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn directives_are_read_whatever_their_case_and_place() {
        let read = |text: &str| Control::read(Some(text));
        let control = read("Max-Age = 60, foo=\"no-store, private\", S-MAXAGE=\"5\",, x");
        assert_eq!((control.max_age, control.s_maxage), (Some(60), Some(5)));
        assert!(!control.no_store && !control.private && control.shares);
        assert!(read("a=\"\\\"\", no-store").no_store);
        assert!(read("private=\"set-cookie\"").private);
        assert!(read("no-cache=\"a, b\"").no_cache);
        assert_eq!(Control::read(None), Control::default());
        assert_eq!(read("nothing-to-see-here"), Control::default());
    }

    #[test]
    fn seconds_that_cannot_be_read_are_none() {
        for (text, expected) in [
            ("max-age=", 0),
            ("max-age", 0),
            ("max-age=-1", 0),
            ("max-age=1.5", 0),
            ("max-age='5'", 0),
            ("max-age=5, max-age=3", 3),
            ("max-age=99999999999999999999999", MOST_SECONDS),
        ] {
            assert_eq!(Control::read(Some(text)).max_age, Some(expected), "{text}");
        }
    }
}
