//! The formats of texts in the table.

use crate::definition::target::{self, Target};
use crate::id::check_id;
use crate::issue::Severity;
use crate::text::{
    Problem, base64, date, duration, is_reference, network, path_rule, pattern, template,
};

/// The format of a text. The empty text is never checked: it means nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// An absolute HTTP URL.
    Url,
    /// The URL of an upstream, checked by the rules of definitions.
    Target,
    /// A listen path, checked by the rules of definitions.
    ListenPath,
    /// A host name whose labels may be templates, checked by the rules of definitions.
    Domain,
    /// The identifier of the document itself ([`check_id`]).
    Id,
    /// The identifier of another document.
    Reference,
    /// An address or a CIDR range, checked by the rules of definitions.
    Address,
    /// A date and time such as `2006-01-02 15:04`, or `-1` for never.
    Date,
    /// A timestamp (RFC 3339).
    Timestamp,
    /// Unix seconds as a text.
    UnixSeconds,
    /// A duration such as `1h30m`.
    Duration,
    /// A regular expression (RE2).
    Pattern,
    /// A path of a rule, with templates, or a regular expression.
    PathRule,
    /// A template of Go's `text/template`.
    Template,
    /// Base64 (RFC 4648).
    Base64,
    /// A key in Base64, or the URL of a key set, plain or in Base64.
    KeySource,
    /// An HTTP method, in upper case.
    Method,
    /// The name of a header.
    Header,
    /// A status, or a class of statuses such as `4xx`.
    StatusOrClass,
    /// 24 hexadecimal digits.
    ObjectId,
    /// A JSON document, checked by the rules of its kind.
    Json,
    /// Path and query below a listen path, checked by the batch endpoint.
    RelativeUrl,
}

impl Format {
    /// Returns its name in sentences, with its article.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Url => "a URL",
            Self::Target => "the URL of an upstream",
            Self::ListenPath => "a listen path",
            Self::Domain => "a host name",
            Self::Id => "an identifier",
            Self::Reference => "the identifier of another document",
            Self::Address => "an address or CIDR range",
            Self::Date => "a date such as 2006-01-02 15:04",
            Self::Timestamp => "a timestamp of RFC 3339",
            Self::UnixSeconds => "Unix seconds as a text",
            Self::Duration => "a duration such as 1h30m",
            Self::Pattern => "a regular expression (RE2)",
            Self::PathRule => "a path with {name} and *, or a regular expression",
            Self::Template => "a template (Go text/template)",
            Self::Base64 => "base64",
            Self::KeySource => "a key in base64 or the URL of a key set",
            Self::Method => "a method of HTTP",
            Self::Header => "the name of a header",
            Self::StatusOrClass => "a status such as 403 or a class such as 4xx",
            Self::ObjectId => "24 hexadecimal digits",
            Self::Json => "a JSON document as a text",
            Self::RelativeUrl => "a path below the listen path",
        }
    }

    /// Returns the severity of a text in another format: an error if the reference refuses the document, else a
    /// warning. `None` if rules decide, because it depends on other members.
    #[must_use]
    pub const fn severity(self) -> Option<Severity> {
        match self {
            Self::Target
            | Self::ListenPath
            | Self::Domain
            | Self::Address
            | Self::Json
            | Self::RelativeUrl => None,
            // The reference's own parser refuses these documents.
            Self::Timestamp | Self::ObjectId => Some(Severity::Error),
            // It may be part of a path, a key and a file name.
            Self::Id => Some(Severity::Error),
            _ => Some(Severity::Warning),
        }
    }

    /// Returns a valid text, for examples and test cases.
    #[must_use]
    pub const fn example(self) -> &'static str {
        match self {
            Self::Url | Self::Target | Self::KeySource => "https://example.com/a",
            Self::ListenPath | Self::PathRule => "/a/{id}",
            Self::Domain => "{sub}.example.com",
            Self::Id | Self::Reference => "a-1",
            Self::Address => "10.0.0.0/8",
            Self::Date => "2030-01-02 15:04",
            Self::Timestamp => "2026-01-02T15:04:05Z",
            Self::UnixSeconds => "1790000000",
            Self::Duration => "1m30s",
            Self::Pattern => "^/a/([0-9]+)$",
            Self::Template => "{{.Message}}",
            Self::Base64 => "aGVsbG8=",
            Self::Method => "GET",
            Self::Header => "X-Request-Id",
            Self::StatusOrClass => "4xx",
            Self::ObjectId => "0123456789abcdef01234567",
            Self::Json => r#"{"rules":{}}"#,
            Self::RelativeUrl => "a/b?c=d",
        }
    }

    /// Returns an invalid text, for test cases.
    #[must_use]
    pub const fn counterexample(self) -> &'static str {
        match self {
            Self::Url | Self::Target => "example",
            Self::ListenPath => "/{a",
            Self::Domain => "a..b",
            Self::Id | Self::Reference => "a/b",
            Self::Address => "10.0.0.0/33",
            Self::Date | Self::Timestamp => "2030-02-30",
            Self::UnixSeconds => "now",
            Self::Duration => "90",
            Self::Pattern | Self::PathRule => "/a(",
            Self::Template => "{{.a",
            Self::Base64 | Self::KeySource => "*",
            Self::Method | Self::Header => "a b",
            Self::StatusOrClass => "9xx",
            Self::ObjectId => "x",
            Self::Json => "{",
            Self::RelativeUrl => "../a",
        }
    }

    /// Checks a text. Formats that are checked by rules always pass.
    ///
    /// # Errors
    /// What is wrong, and where in the text.
    pub fn check(self, text: &str) -> Result<(), Problem> {
        // The value behind a reference to a secret store is unknown; an identifier can't be one, because it becomes
        // part of keys and file names unchanged.
        let replaced = is_reference(text) && self != Self::Id;
        if text.is_empty() || self.severity().is_none() || replaced {
            return Ok(());
        }
        let is = |right: bool, message: &'static str| {
            right.then_some(()).ok_or_else(|| Problem::whole(message))
        };
        match self {
            Self::Target
            | Self::ListenPath
            | Self::Domain
            | Self::Address
            | Self::Json
            | Self::RelativeUrl => Ok(()),
            Self::Url => url(text),
            Self::Id | Self::Reference => check_id(text).map_err(Problem::whole),
            Self::Date => is(
                text == "-1" || date::is_minute(text),
                "this is no date, which counts as past; write it as 2006-01-02 15:04",
            ),
            Self::Timestamp => is(
                date::is_timestamp(text),
                "this is no timestamp; write it as 2006-01-02T15:04:05Z",
            ),
            Self::UnixSeconds => is(
                text.parse::<i64>().is_ok(),
                "these are no Unix seconds; write a number in quotes",
            ),
            Self::Duration => is(
                duration::nanoseconds(text).is_some(),
                "this is no duration; write it as 1h30m10s or 250ms",
            ),
            Self::Pattern => pattern::check_compiled(text),
            Self::PathRule => path_rule::check(text),
            Self::Template => template::check(text),
            Self::Base64 => is(
                base64::decode(text).is_some(),
                "this is no base64; encode the text (RFC 4648, with padding)",
            ),
            Self::KeySource => is(
                url(text).is_ok() || base64::decode(text).is_some(),
                "this is neither the URL of a key set nor a key in base64",
            ),
            Self::Method => method(text),
            Self::Header => is(
                network::is_token(text),
                "the name of a header has letters, digits and !#$%&'*+-.^_`|~ only",
            ),
            Self::StatusOrClass => is(
                is_status_or_class(text),
                "write a status such as 403 or a class such as 4xx; others are ignored",
            ),
            Self::ObjectId => is(
                text.len() == 24 && text.bytes().all(|byte| byte.is_ascii_hexdigit()),
                "a record's identifier has 24 hexadecimal digits",
            ),
        }
    }

    /// Returns the equivalent regular expression of ECMA-262 for a JSON Schema, if there is one.
    #[must_use]
    pub const fn schema_pattern(self) -> Option<&'static str> {
        Some(match self {
            Self::Url => "^(https?|wss?)://",
            Self::Id | Self::Reference => "^[A-Za-z0-9._~-]{0,128}$",
            Self::Date => "^(-1|[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{1,2}:[0-9]{2})?$",
            Self::UnixSeconds => "^(-?[0-9]+)?$",
            Self::Duration => "^([0-9.]+(ns|us|µs|ms|s|m|h))*$",
            Self::Method => "^[A-Z!#$%&'*+.^_`|~-]*$",
            Self::Header => "^[A-Za-z0-9!#$%&'*+.^_`|~-]*$",
            Self::StatusOrClass => "^([1-5][0-9]{2}|[1-5]xx)$",
            Self::ObjectId => "^([0-9a-fA-F]{24})?$",
            _ => return None,
        })
    }
}

fn url(text: &str) -> Result<(), Problem> {
    match target::check(text) {
        Ok(Target::Usable { .. }) => Ok(()),
        Ok(Target::Unsupported(_) | Target::Loop(_)) => {
            Err(Problem::whole("a URL begins with http:// or https:// here"))
        }
        Err(message) => Err(Problem::whole(message)),
    }
}

fn method(text: &str) -> Result<(), Problem> {
    if !network::is_token(text) {
        return Err(Problem::whole("a method has letters only, such as GET"));
    }
    let upper = text.to_ascii_uppercase();
    if upper != text && network::METHODS.contains(&upper.as_str()) {
        return Err(Problem::whole(format!(
            "methods are compared as they are written; write {upper}"
        )));
    }
    Ok(())
}

fn is_status_or_class(text: &str) -> bool {
    let Some((class, rest)) = text.split_at_checked(1) else {
        return false;
    };
    let digits = rest.len() == 2 && rest.bytes().all(|byte| byte.is_ascii_digit());
    matches!(class, "1" | "2" | "3" | "4" | "5") && (digits || rest == "xx")
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Format; 22] = [
        Format::Url,
        Format::Target,
        Format::ListenPath,
        Format::Domain,
        Format::Id,
        Format::Reference,
        Format::Address,
        Format::Date,
        Format::Timestamp,
        Format::UnixSeconds,
        Format::Duration,
        Format::Pattern,
        Format::PathRule,
        Format::Template,
        Format::Base64,
        Format::KeySource,
        Format::Method,
        Format::Header,
        Format::StatusOrClass,
        Format::ObjectId,
        Format::Json,
        Format::RelativeUrl,
    ];

    #[test]
    fn examples_pass_and_counterexamples_do_not() {
        for format in ALL {
            assert_eq!(format.check(format.example()), Ok(()), "{format:?}");
            assert_eq!(format.check(""), Ok(()), "{format:?}");
            let replaced = format.check("env://NAME").is_ok();
            assert_eq!(replaced, format != Format::Id, "{format:?}");
            let wrong = format.check(format.counterexample());
            assert_eq!(wrong.is_err(), format.severity().is_some(), "{format:?}");
        }
    }

    #[test]
    fn methods_and_statuses() {
        assert!(Format::Method.check("PROPFIND").is_ok());
        assert_eq!(
            Format::Method.check("get").unwrap_err().message,
            "methods are compared as they are written; write GET"
        );
        for text in ["403", "5xx"] {
            assert!(Format::StatusOrClass.check(text).is_ok());
        }
        for text in ["600", "4XX", "40", "4034", "é"] {
            assert!(Format::StatusOrClass.check(text).is_err());
        }
    }

    #[test]
    fn keys_are_base64_or_a_url() {
        for text in [
            "c2VjcmV0",
            "https://idp.example/jwks.json",
            "aHR0cHM6Ly9hLmI=",
        ] {
            assert!(Format::KeySource.check(text).is_ok());
        }
        assert!(
            Format::KeySource
                .check("-----BEGIN PUBLIC KEY-----")
                .is_err()
        );
    }
}
