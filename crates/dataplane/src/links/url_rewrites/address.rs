//! The addresses that rules rewrite to: a path, a complete URL, or a loop.

use super::groups::Groups;
use crate::chain::Loop;
use crate::exchange::{Exchange, Target};
use crate::failure::Failure;
use crate::loops;
use crate::path::{encode, percent_decode};
use gatewright_protocol::variables::{Escape, Template};
use std::borrow::Cow;

/// An address that requests are rewritten to.
#[derive(Debug)]
pub(super) enum Address {
    /// A path and a query.
    Path(Template),
    /// A URL, or a text that starts with a variable, which may make it one.
    Url {
        /// The complete text.
        template: Template,
        /// Scheme and authority as written; empty if the text starts with a variable.
        host: String,
    },
    /// A loop.
    Loop(LoopAddress),
}

/// The address of a loop, without the members of its query that control the loop.
#[derive(Debug)]
pub(super) struct LoopAddress {
    api: Template,
    rest: Template,
    method: Template,
    limit: Template,
    counts: bool,
}

/// How the path of an address is interpreted.
#[derive(Debug)]
pub(super) struct Base<'a> {
    /// Spellings of the listen path to strip from the start; empty ones are none.
    listen: [&'a str; 3],
}

impl<'a> Base<'a> {
    /// The listen path of an API that strips it, as spelled by the request and by the definition; empty for a request
    /// that came by a loop, an id or its base. An id is not stripped.
    pub(super) fn of(exchange: &'a Exchange, listen: Option<&'a str>) -> Self {
        let Some(listen) = listen else {
            return Self { listen: [""; 3] };
        };
        let (path, route) = (&exchange.request.path, &exchange.route);
        let named = if route.by_id || route.base_stripped.is_some() {
            0
        } else {
            route.listen
        };
        let behind = path.sent_behind(named).len();
        let sent = path.sent().len().saturating_sub(behind);
        Self {
            listen: [
                path.sent().get(..sent).unwrap_or_default(),
                path.decoded().get(..named).unwrap_or_default(),
                listen,
            ],
        }
    }

    /// Strips the listen path from a path.
    fn strip<'p>(&self, path: &'p str) -> &'p str {
        let spellings = self.listen.iter().filter(|listen| !listen.is_empty());
        let mut stripped = spellings.filter_map(|listen| path.strip_prefix(*listen));
        stripped.next().unwrap_or(path)
    }
}

impl Address {
    /// Parses `rewrite_to`. Only its own text, or a variable at its start, can make it absolute.
    pub(super) fn parse(text: &str) -> Self {
        if let Some(rest) = loops::behind_scheme(text) {
            return Self::Loop(LoopAddress::parse(rest));
        }
        let template = Template::parse(text);
        if has_scheme(text) || template.begins_with_variable() {
            let host = origin(text).map(|(origin, _)| origin.to_owned());
            Self::Url {
                template,
                host: host.unwrap_or_default(),
            }
        } else {
            Self::Path(template)
        }
    }

    /// Whether form fields can be part of it.
    pub(super) fn reads_form(&self) -> bool {
        let reads = |template: &Template| {
            let mut names = template.context_names();
            names.any(|name| name.starts_with("request_data"))
        };
        match self {
            Self::Path(template) | Self::Url { template, .. } => reads(template),
            Self::Loop(to) => [&to.api, &to.rest, &to.method].into_iter().any(reads),
        }
    }

    /// The target of a request.
    pub(super) fn target(
        &self,
        groups: &Groups,
        exchange: &Exchange,
        base: &Base<'_>,
    ) -> Result<Target, Failure> {
        let fill = |template: &Template| filled(template, groups, exchange);
        match self {
            Self::Path(template) => Ok(path_target(&fill(template), base)),
            Self::Url { template, host } if groups.fit_in_host(host) => {
                let text = fill(template);
                Ok(match origin(&text) {
                    Some((origin, rest)) => {
                        let (path, query) = split(rest);
                        let mark = if query.is_empty() { "" } else { "?" };
                        let path = tidy(base.strip(path));
                        Target::Absolute(format!("{origin}{path}{mark}{query}"))
                    }
                    None => path_target(&text, base),
                })
            }
            Self::Url { .. } => Err(Failure::Upstream),
            Self::Loop(to) => to.target(fill),
        }
    }
}

impl LoopAddress {
    fn parse(rest: &str) -> Self {
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (api, rest) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (mut method, mut limit, mut counts) = ("", "", false);
        let mut sent = Vec::new();
        for member in query.split('&') {
            match member.split_once('=') {
                Some(("method", value)) => method = value,
                Some(("loop_limit", value)) => limit = value,
                Some(("check_limits", "true")) => counts = true,
                _ => sent.push(member),
            }
        }
        let query = sent.join("&");
        let mark = if query.is_empty() { "" } else { "?" };
        Self {
            api: Template::parse(api),
            rest: Template::parse(&format!("{path}{mark}{query}")),
            method: Template::parse(method),
            limit: Template::parse(limit),
            counts,
        }
    }

    fn target(&self, fill: impl Fn(&Template) -> String) -> Result<Target, Failure> {
        let mut api = fill(&self.api);
        let mut rest = fill(&self.rest);
        // If the definition writes no path, a capture with its own slash may follow the API (`gateway://self$1`).
        if !rest.starts_with('/') {
            let end = api.find(['/', '?']).unwrap_or(api.len());
            rest.insert_str(0, &api.split_off(end));
        }
        let (path, query) = split(&rest);
        let method = fill(&self.method);
        Ok(Target::Loop(Box::new(Loop {
            api,
            path: loops::path(&tidy_escapes(path))?,
            query: query.into_owned(),
            method: (!method.is_empty()).then_some(method),
            limit: loops::limit(&fill(&self.limit)),
            counts: self.counts,
            ..Loop::default()
        })))
    }
}

/// Fills groups and variables into a text. Groups are replaced only in the definition's text, so captured text can't
/// name a variable.
fn filled(template: &Template, groups: &Groups, exchange: &Exchange) -> String {
    let push = |out: &mut String, text: &str| groups.expand(text, out);
    template.fill_with(&push, exchange, Escape::Query)
}

/// A path below the target.
fn path_target(text: &str, base: &Base<'_>) -> Target {
    let (path, query) = split(text);
    let path = if path.starts_with('/') {
        Cow::Borrowed(path)
    } else {
        Cow::Owned(format!("/{path}"))
    };
    Target::Path {
        path: tidy(base.strip(&path)),
        query: query.into_owned(),
    }
}

/// The path and the query of an address, up to its fragment.
fn split(address: &str) -> (&str, Cow<'_, str>) {
    let address = address.split('#').next().unwrap_or_default();
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    (path, encode_query_text(query))
}

/// Whether a text starts with a scheme and an authority.
fn has_scheme(text: &str) -> bool {
    let Some((scheme, _)) = text.split_once("://") else {
        return false;
    };
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    scheme.starts_with(|first: char| first.is_ascii_alphabetic()) && scheme.bytes().all(letter)
}

/// Splits a URL after its scheme and authority.
fn origin(url: &str) -> Option<(&str, &str)> {
    if !has_scheme(url) {
        return None;
    }
    let authority = url.find("://")?.saturating_add(3);
    let behind = url.get(authority..)?;
    let end = behind.find(['/', '?', '#']).unwrap_or(behind.len());
    url.split_at_checked(authority.saturating_add(end))
}

/// Normalises a path for sending: with a leading slash, unsafe characters encoded, and dot segments removed in any
/// spelling. Empty segments stay.
fn tidy(path: &str) -> String {
    let mut path = tidy_escapes(path);
    if !path.starts_with('/') {
        path.insert(0, '/');
    }
    let decoded = percent_decode(&path);
    let has_dots = decoded
        .split('/')
        .any(|segment| matches!(segment, "." | ".."));
    if has_dots {
        encode(&without_dots(&decoded))
    } else {
        path
    }
}

/// Removes dot segments (RFC 3986 section 5.2.4) from a decoded path with a leading slash.
fn without_dots(path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    let mut ends_open = false;
    for segment in path.split('/').skip(1) {
        ends_open = matches!(segment, "." | "..");
        match segment {
            "." => {}
            ".." => {
                segments.pop();
            }
            _ => segments.push(segment),
        }
    }
    let end = if ends_open && !segments.is_empty() {
        "/"
    } else {
        ""
    };
    format!("/{}{end}", segments.join("/"))
}

/// Encodes the characters of a path that must not appear raw, including each `%` that starts no escape.
fn tidy_escapes(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut parts = path.split('%');
    out.push_str(parts.next().unwrap_or_default());
    for part in parts {
        let digits = part.bytes().take(2).filter(u8::is_ascii_hexdigit).count();
        out.push_str(if digits == 2 { "%" } else { "%25" });
        out.push_str(part);
    }
    crate::path::encode_unsafe(&out).into_owned()
}

/// Encodes the characters of a query that must not appear in a URL.
fn encode_query_text(query: &str) -> Cow<'_, str> {
    let raw = |letter: char| letter.is_ascii_graphic() && !matches!(letter, '"' | '<' | '>');
    if query.chars().all(raw) {
        return Cow::Borrowed(query);
    }
    let mut buffer = [0; 4];
    let letters = query.chars().map(|letter| {
        if raw(letter) {
            letter.to_string()
        } else {
            crate::path::encode(letter.encode_utf8(&mut buffer))
        }
    });
    Cow::Owned(letters.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_dot_segments_change_a_path() {
        for (path, sent) in [
            ("", "/"),
            ("a//b/", "/a//b/"),
            ("/a/%2E%2e/b%2fc", "/b/c"),
            ("/a/..", "/"),
            ("/a/b/.", "/a/b/"),
            ("/..%2F%2E./x", "/x"),
            ("/a%2fb/...", "/a%2fb/..."),
            ("/50%/%zz/%", "/50%25/%25zz/%25"),
        ] {
            assert_eq!(tidy(path), sent, "{path}");
        }
    }

    proptest! {
        #[test]
        fn no_composed_path_climbs(path in "[a./%2ef\\\\?é]{0,24}") {
            let sent = tidy(&path);
            prop_assert!(sent.starts_with('/'));
            let decoded = percent_decode(&sent);
            prop_assert!(!decoded.split('/').any(|segment| matches!(segment, "." | "..")));
            prop_assert_eq!(tidy(&sent), sent);
        }

        #[test]
        fn a_loop_is_read_as_a_path(path in "[a./%2eé ]{0,16}") {
            if let Ok(path) = loops::path(&tidy_escapes(&path)) {
                let to = Loop { path, ..Loop::default() };
                prop_assert!(loops::request_path(&to).is_ok());
            }
        }
    }
}
