//! The formats of texts in an OpenAPI document and its extension.

use crate::text::pattern;

/// The format of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Anything.
    Any,
    /// A named regular expression, by its index in the table.
    Pattern(usize),
    /// A format of JSON Schema, by its name.
    Format(&'static str),
}

/// A regular expression with its name in the tables, a description in words, and an equivalent function.
struct Pattern {
    name: &'static str,
    text: &'static str,
    title: &'static str,
    fits: fn(&str) -> bool,
}

/// Every regular expression that texts are checked against: those of the reference's schema, word for word, because its
/// responses quote them.
const PATTERNS: [Pattern; 13] = [
    Pattern {
        name: "nonblank",
        text: r"\S+",
        title: "a text that isn't blank",
        fits: |text| text.chars().any(|one| !is_space(one)),
    },
    Pattern {
        name: "hms",
        text: r"^(\d+h)?(\d+m)?(\d+s)?$",
        title: "a duration such as 1h30m10s",
        fits: |text| units(text, &["h", "m", "s"], false),
    },
    Pattern {
        name: "timeout",
        text: r"^(\d+(?:\.\d+)?m)?(\d+(?:\.\d+)?s)?(\d+(?:\.\d+)?ms)?$",
        title: "a duration such as 1.5s or 250ms",
        fits: |text| units(text, &["m", "s", "ms"], true),
    },
    Pattern {
        name: "duration",
        text: r"^(\d+h)?(\d+m)?(\d+s)?(\d+ms)?(\d+µs)?(\d+ns)?$",
        title: "a duration such as 1h30m or 500ms",
        fits: |text| units(text, &["h", "m", "s", "ms", "µs", "ns"], false),
    },
    Pattern {
        name: "domain",
        text: r"^([*a-zA-Z0-9-]+(\.[*a-zA-Z0-9-]+)*)(:\d+)?$",
        title: "a host name, with a port if need be",
        fits: is_domain,
    },
    Pattern {
        name: "tool-name",
        text: "^[A-Za-z0-9_.-]{1,128}$",
        title: "up to 128 letters, digits, dots, dashes and underscores",
        fits: |text| {
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
            (1..=128).contains(&text.len()) && text.bytes().all(plain)
        },
    },
    Pattern {
        name: "version-3.0",
        text: r"^3\.0\.\d(-.+)?$",
        title: "a version such as 3.0.3",
        fits: |text| is_version(text, "3.0.", 1),
    },
    Pattern {
        name: "version-3.1",
        text: r"^3\.1\.\d+(-.+)?$",
        title: "a version such as 3.1.0",
        fits: |text| is_version(text, "3.1.", usize::MAX),
    },
    Pattern {
        name: "path",
        text: r"^\/",
        title: "a path that begins with /",
        fits: |text| text.starts_with('/'),
    },
    Pattern {
        name: "status",
        text: r"^[1-5](?:\d{2}|XX)$",
        title: "a status such as 200 or 2XX",
        fits: |text| match text.as_bytes() {
            [b'1'..=b'5', b'X', b'X'] => true,
            [b'1'..=b'5', rest @ ..] => rest.len() == 2 && rest.iter().all(u8::is_ascii_digit),
            _ => false,
        },
    },
    Pattern {
        name: "expression",
        text: "^",
        title: "an expression",
        fits: |text| !text.starts_with("x-"),
    },
    Pattern {
        name: "bearer",
        text: "^[bB][eE][aA][rR][eE][rR]$",
        title: "bearer",
        fits: |text| text.eq_ignore_ascii_case("bearer"),
    },
    Pattern {
        name: "other-scheme",
        text: "^(?![bB][eE][aA][rR][eE][rR]$)",
        title: "another scheme than bearer",
        fits: |text| !text.eq_ignore_ascii_case("bearer"),
    },
];

/// The formats that are checked.
const FORMATS: [&str; 4] = ["uri", "uri-reference", "email", "regex"];

impl Form {
    /// Returns the format for a name in the tables: a pattern after `~`, a format after `@`.
    pub(crate) fn named(name: &str) -> Self {
        let pattern = name.strip_prefix('~');
        let known = pattern.and_then(|name| PATTERNS.iter().position(|known| known.name == name));
        let format = name.strip_prefix('@');
        let format = format.and_then(|name| FORMATS.into_iter().find(|known| *known == name));
        match (known, format) {
            (Some(at), _) => Self::Pattern(at),
            (None, Some(format)) => Self::Format(format),
            (None, None) => Self::Any,
        }
    }

    fn pattern(self) -> Option<&'static Pattern> {
        match self {
            Self::Pattern(at) => PATTERNS.get(at),
            _ => None,
        }
    }

    /// Whether a text has this format.
    #[must_use]
    pub fn fits(self, text: &str) -> bool {
        match self {
            Self::Any => true,
            Self::Pattern(_) => self.pattern().is_none_or(|pattern| (pattern.fits)(text)),
            Self::Format("uri") => is_address(text) && text.contains("://"),
            Self::Format("uri-reference") => is_address(text),
            Self::Format("email") => is_email(text),
            Self::Format(_) => pattern::is_valid_in_schema(text),
        }
    }

    /// Returns the regular expression, if it is one.
    #[must_use]
    pub fn expression(self) -> Option<&'static str> {
        self.pattern().map(|pattern| pattern.text)
    }

    /// Returns its description in words.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Any => "a text",
            Self::Pattern(_) => self.pattern().map_or("a text", |pattern| pattern.title),
            Self::Format("uri") => "an absolute address",
            Self::Format("uri-reference") => "an address",
            Self::Format("email") => "an address of mail",
            Self::Format(_) => "a regular expression",
        }
    }
}

/// Whitespace as in RE2's `\s`.
const fn is_space(one: char) -> bool {
    matches!(one, ' ' | '\t' | '\n' | '\r' | '\x0c')
}

/// Whether a text consists of numbers with these units, each at most once and in this order. The empty text passes.
fn units(text: &str, units: &[&str], fractions: bool) -> bool {
    let mut rest = text;
    let mut units = units.iter();
    while !rest.is_empty() {
        let Some(behind) = number(rest, fractions) else {
            return false;
        };
        let unit = behind.find(|one: char| one.is_ascii_digit());
        let (unit, next) = behind.split_at(unit.unwrap_or(behind.len()));
        if !units.any(|known| *known == unit) {
            return false;
        }
        rest = next;
    }
    true
}

/// Returns the text after a leading number.
fn number(text: &str, fractions: bool) -> Option<&str> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let behind = text
        .get(digits(text)..)
        .filter(|rest| rest.len() < text.len())?;
    match behind.strip_prefix('.') {
        Some(fraction) if fractions => fraction
            .get(digits(fraction)..)
            .filter(|rest| rest.len() < fraction.len()),
        _ => Some(behind),
    }
}

fn is_domain(text: &str) -> bool {
    let (host, port) = match text.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (text, None),
    };
    let label = |label: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"*-".contains(&byte);
        !label.is_empty() && label.bytes().all(plain)
    };
    let digits = |port: &str| !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
    host.split('.').all(label) && port.is_none_or(digits)
}

fn is_version(text: &str, minor: &str, digits: usize) -> bool {
    let Some(patch) = text.strip_prefix(minor) else {
        return false;
    };
    let (number, label) = match patch.split_once('-') {
        Some((number, label)) => (number, Some(label)),
        None => (patch, None),
    };
    let plain = number.bytes().all(|byte| byte.is_ascii_digit());
    !number.is_empty()
        && number.len() <= digits
        && plain
        && label.is_none_or(|label| !label.is_empty())
}

/// Whether Go's `url.Parse` accepts it, as far as URLs in definitions are concerned: no control characters, no spaces
/// in the host, a complete IPv6 address, a port of digits.
fn is_address(text: &str) -> bool {
    let plain = text.chars().all(|one| !one.is_control() && one != '\\');
    let host = text.split_once("://").map(|(_, rest)| rest);
    let host = host.and_then(|rest| rest.split(['/', '?', '#']).next());
    plain && !text.starts_with(':') && host.is_none_or(is_host)
}

/// Whether it is a host with an optional port, behind optional credentials.
fn is_host(text: &str) -> bool {
    let host = text.rsplit_once('@').map_or(text, |(_, host)| host);
    let behind = match host.strip_prefix('[') {
        Some(address) => address.split_once(']').map(|(_, behind)| behind),
        None => Some(
            host.rfind(':')
                .and_then(|at| host.get(at..))
                .unwrap_or_default(),
        ),
    };
    let is_port = |text: &str| match text.strip_prefix(':') {
        Some(port) => port.bytes().all(|byte| byte.is_ascii_digit()),
        None => text.is_empty(),
    };
    !host.contains(' ') && behind.is_some_and(is_port)
}

/// Whether it has a name before an at sign and a host after it.
fn is_email(text: &str) -> bool {
    let address = match text.rsplit_once('<') {
        Some((_, address)) => address.trim_end_matches('>'),
        None => text,
    };
    address.rsplit_once('@').is_some_and(|(name, host)| {
        !name.is_empty() && !host.is_empty() && !address.contains(char::is_whitespace)
    })
}
