//! The location of a version in a request (`location` of the definition): a header, a parameter of the
//! query, or the beginning of the path.

use crate::exchange::{Request, form_pairs};
use gatewright_model::text::pattern::portable;
use regex_lite::{Regex, RegexBuilder};

/// The largest compiled expression, in bytes.
const MAX_COMPILED: usize = 64 * 1024;

/// The location of a version.
#[derive(Debug)]
pub(super) enum Location {
    /// Nowhere: no request names one.
    Nowhere,
    /// A header, by its name in lower case.
    Header(String),
    /// A parameter of the query.
    Query(String),
    /// The first segment behind the listen path.
    Segment(Segments),
}

/// Which segments are taken out of the path. One that is not is an unknown version all the same, for which
/// there is a fallback or none (reference 5.2 no. 6).
#[derive(Debug)]
pub(super) enum Segments {
    /// Each.
    All,
    /// Those that match an expression.
    Matching(Regex),
}

/// What a request says of its version.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// The version; `None` for none.
    pub(super) version: Option<String>,
    /// How many bytes of the decoded path behind the listen path named it.
    pub(super) segment: usize,
}

/// What is removed from a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Strip {
    /// Nothing.
    Nothing,
    /// The segment of the path.
    Segment,
    /// A header, by its name in lower case.
    Header(String),
    /// A parameter of the query.
    Query(String),
}

impl Strip {
    /// The query without the parameter that is removed. Order and spelling of the rest stay.
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
            "url" => {
                let mut builder = RegexBuilder::new(&portable(pattern));
                let compiled = builder.size_limit(MAX_COMPILED).build();
                // As in the reference, one that can't be compiled sorts nothing out.
                let segments = compiled.map_or(Segments::All, Segments::Matching);
                Self::Segment(segments)
            }
            _ => Self::Nowhere,
        }
    }

    /// What a request says. The first of several values counts, an empty one does not.
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

    /// What is removed from a request whose path has so many bytes of a version.
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
    /// The version at the beginning of a path behind its listen path.
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
            // What is no version by its look stays in the path.
            segment: if counts { named } else { 0 },
        }
    }
}

impl Found {
    fn version(text: &str) -> Self {
        Self {
            version: (!text.is_empty()).then(|| text.to_owned()),
            segment: 0,
        }
    }
}
