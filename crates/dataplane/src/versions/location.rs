//! Where a request names its version (`location` of the definition): in a header, a query parameter, or the start of
//! the path.

use crate::exchange::{Request, form_pairs};
use crate::rules::regex;
use regex_lite::Regex;

/// Where a request names its version.
#[derive(Debug)]
pub(super) enum Location {
    /// Nowhere: requests can't name one.
    Nowhere,
    /// In a header, by its name in lower case.
    Header(String),
    /// In a query parameter.
    Query(String),
    /// In the first segment after the listen path.
    Segment(Segments),
}

/// Which segments are stripped from the path. A segment that isn't still counts as an unknown version, for which there
/// may be a fallback (reference 5.2 no. 6).
#[derive(Debug)]
pub(super) enum Segments {
    /// Every segment.
    All,
    /// Segments that match an expression.
    Matching(Regex),
}

/// The version that a request names.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The version; `None` if it names none.
    pub(super) version: Option<String>,
    /// The number of bytes after the listen path, in the decoded path, that named it.
    pub(super) segment: usize,
    /// Whether that is the entire rest of the path.
    pub(super) is_last: bool,
}

/// What is stripped from a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Strip {
    /// Nothing.
    Nothing,
    /// The path segment.
    Segment,
    /// A header, by its name in lower case.
    Header(String),
    /// A query parameter.
    Query(String),
}

impl Strip {
    /// The query without the stripped parameter. Order and spelling of the others are unchanged.
    #[must_use]
    pub fn query(&self, query: &str) -> Option<String> {
        let Self::Query(name) = self else {
            return None;
        };
        let stays = |pair: &&str| form_pairs(pair).iter().all(|(key, _)| key != name);
        let rest: Vec<&str> = query.split('&').filter(stays).collect();
        Some(rest.join("&"))
    }
}

impl Location {
    /// Reads `location`, `key` and `url_versioning_pattern`.
    pub(super) fn read(location: &str, key: String, pattern: &str) -> Self {
        match location {
            "header" if !key.is_empty() => Self::Header(key.to_ascii_lowercase()),
            "url-param" if !key.is_empty() => Self::Query(key),
            "url" if pattern.is_empty() => Self::Segment(Segments::All),
            // As in the reference, an expression that can't be compiled matches every segment.
            "url" => Self::Segment(regex(pattern).map_or(Segments::All, Segments::Matching)),
            _ => Self::Nowhere,
        }
    }

    /// Finds the version that a request names. Only the first of several values counts, and an empty one counts as
    /// none.
    pub(super) fn find(&self, request: &Request, listen: usize) -> Found {
        match self {
            Self::Nowhere => Found::default(),
            Self::Header(name) => {
                let value = request.headers.get(name).unwrap_or_default();
                let first = value.split(',').next().unwrap_or_default();
                Found::version(first.trim())
            }
            Self::Query(name) => {
                let pairs = form_pairs(&request.query).into_iter();
                let mut values = pairs.filter(|(key, _)| key == name);
                let (_, value) = values.next().unwrap_or_default();
                Found::version(&value)
            }
            Self::Segment(segments) => {
                let path = request.path.decoded();
                segments.find(path.get(listen..).unwrap_or_default())
            }
        }
    }

    /// What to strip from a request whose path names the version in `segment` bytes.
    pub(super) fn strip(&self, segment: usize) -> Strip {
        match self {
            Self::Header(name) => Strip::Header(name.clone()),
            Self::Query(name) => Strip::Query(name.clone()),
            Self::Segment(_) if segment > 0 => Strip::Segment,
            Self::Segment(_) | Self::Nowhere => Strip::Nothing,
        }
    }
}

impl Segments {
    /// Finds the version at the start of the path after the listen path.
    fn find(&self, path: &str) -> Found {
        let rest = path.trim_start_matches('/');
        let version = rest.split('/').next().unwrap_or_default();
        let counts = match self {
            Self::All => true,
            Self::Matching(expression) => expression.is_match(version),
        };
        if version.is_empty() {
            return Found::default();
        }
        let slashes = path.len().saturating_sub(rest.len());
        let named = slashes.saturating_add(version.len());
        Found {
            version: Some(version.to_owned()),
            // A segment that doesn't look like a version stays in the path.
            segment: if counts { named } else { 0 },
            is_last: named == path.len(),
        }
    }
}

impl Found {
    fn version(text: &str) -> Self {
        Self {
            version: (!text.is_empty()).then(|| text.to_owned()),
            ..Self::default()
        }
    }
}
