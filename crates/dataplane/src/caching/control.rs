//! `Cache-Control` (RFC 9111 section 5.2) as a shared cache reads it, including how long stale answers may be used (RFC
//! 5861).

/// The value that larger numbers of seconds are capped to (RFC 9111 section 1.2.2).
const MOST_SECONDS: u64 = 2_147_483_648;

/// The directives of a request or a response.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Control {
    /// `no-store`.
    pub no_store: bool,
    /// `no-cache`; one that lists headers is treated as unqualified.
    pub no_cache: bool,
    /// `private`, likewise.
    pub private: bool,
    /// `public`: any status may be cached, and so may responses to requests with `Authorization`.
    pub public: bool,
    /// `must-revalidate` or `s-maxage`: stale responses may not be used, but responses to requests with `Authorization`
    /// may be cached (RFC 9111 section 3.5).
    pub must_revalidate: bool,
    /// `proxy-revalidate`: stale responses may not be used.
    pub proxy_revalidate: bool,
    /// `must-understand`: cached in spite of `no-store`, but only with a known status.
    pub must_understand: bool,
    /// `only-if-cached`.
    pub only_if_cached: bool,
    /// `max-age` in seconds. Invalid values are 0 (RFC 9111 section 4.2.1); the smallest of several counts.
    pub max_age: Option<u64>,
    /// `s-maxage`.
    pub s_maxage: Option<u64>,
    /// `min-fresh`.
    pub min_fresh: Option<u64>,
    /// `max-stale`; without a number, any staleness.
    pub max_stale: Option<u64>,
    /// `stale-while-revalidate`.
    pub stale_while: Option<u64>,
    /// `stale-if-error`.
    pub stale_error: Option<u64>,
}

impl Control {
    /// Parses the header; `None` means no directives.
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
                "public" => control.public = true,
                "must-revalidate" => control.must_revalidate = true,
                "proxy-revalidate" => control.proxy_revalidate = true,
                "must-understand" => control.must_understand = true,
                "only-if-cached" => control.only_if_cached = true,
                "max-age" => least(&mut control.max_age),
                "min-fresh" => least(&mut control.min_fresh),
                "max-stale" if value.is_empty() => control.max_stale = Some(MOST_SECONDS),
                "max-stale" => least(&mut control.max_stale),
                "stale-while-revalidate" => least(&mut control.stale_while),
                "stale-if-error" => least(&mut control.stale_error),
                "s-maxage" => {
                    control.must_revalidate = true;
                    least(&mut control.s_maxage);
                }
                _ => {}
            }
        }
        control
    }

    /// Parses a header that targets caches like this one (RFC 9213); `None` if it is empty or not a structured-field
    /// dictionary, which counts as absent.
    #[must_use]
    pub fn targeted(value: &str) -> Option<Self> {
        let is_key = |name: &str| {
            let letter = |byte: u8| byte.is_ascii_lowercase() || byte == b'*';
            let inner = |byte: u8| byte.is_ascii_digit() || b"_-.".contains(&byte);
            name.bytes().next().is_some_and(letter)
                && name.bytes().all(|byte| letter(byte) || inner(byte))
        };
        let is_number = |value: &str| {
            !value.is_empty() && value.len() < 16 && value.bytes().all(|byte| byte.is_ascii_digit())
        };
        let is_member = |directive: &str| match directive.split_once('=') {
            None => is_key(directive),
            Some(("max-age" | "s-maxage", value)) => is_number(value),
            Some((name, value)) => is_key(name) && !value.is_empty() && !value.starts_with(' '),
        };
        let members = || split(value, ',');
        (members().next().is_some() && members().all(is_member)).then(|| Self::read(Some(value)))
    }

    /// Whether stale responses may not be used (RFC 9111 section 4.2.4).
    #[must_use]
    pub const fn forbids_stale(&self) -> bool {
        self.no_cache || self.must_revalidate || self.proxy_revalidate
    }
}

/// Parses a number of seconds, with or without quotation marks; 0 if it is invalid.
pub(super) fn seconds(text: &str) -> u64 {
    let digits = text.trim().trim_matches('"').trim();
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return 0;
    }
    digits.parse().unwrap_or(MOST_SECONDS).min(MOST_SECONDS)
}

/// Splits a list outside of quoted strings (RFC 9110 section 5.6.4) and trims its parts.
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
    fn directives_are_read_in_any_case_and_order() {
        let read = |text: &str| Control::read(Some(text));
        let control = read("Max-Age = 60, foo=\"no-store, private\", S-MAXAGE=\"5\",, x");
        assert_eq!((control.max_age, control.s_maxage), (Some(60), Some(5)));
        assert!(!control.no_store && !control.private && control.forbids_stale());
        assert!(read("a=\"\\\"\", no-store").no_store);
        assert!(read("private=\"set-cookie\"").private);
        assert!(read("no-cache=\"a, b\"").no_cache);
        assert_eq!(Control::read(None), Control::default());
        assert_eq!(read("nothing-to-see-here"), Control::default());
    }

    #[test]
    fn a_targeted_header_counts_only_if_it_is_well_formed() {
        for (text, expected) in [
            ("max-age=60, foo", Some(Some(60))),
            ("max-age=99999999999", Some(Some(MOST_SECONDS))),
            ("no-store", Some(None)),
            ("", None),
            ("max-age=60, &&&&&", None),
            ("max-age=\"60\"", None),
            ("max-age= 60", None),
            ("max-age =60", None),
            ("MaX-aGe=60", None),
        ] {
            let read = Control::targeted(text).map(|control| control.max_age);
            assert_eq!(read, expected, "{text}");
        }
    }

    #[test]
    fn stale_responses_follow_client_and_upstream_directives() {
        let read = |text: &str| Control::read(Some(text));
        assert_eq!(read("max-stale").max_stale, Some(MOST_SECONDS));
        assert_eq!(read("max-stale=5").max_stale, Some(5));
        let control = read("stale-while-revalidate=3, stale-if-error=4");
        assert_eq!(
            (control.stale_while, control.stale_error),
            (Some(3), Some(4))
        );
        assert!(!control.forbids_stale());
        for forbids in [
            "must-revalidate",
            "proxy-revalidate",
            "s-maxage=1",
            "no-cache",
        ] {
            assert!(read(forbids).forbids_stale(), "{forbids}");
        }
    }

    #[test]
    fn unreadable_seconds_are_ignored() {
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
