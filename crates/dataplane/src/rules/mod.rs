//! Path rules: which entries of a definition match a request's path (reference 5.2).
//!
//! The promise: one table for all links of a chain. Each distinct expression is compiled once, when a set is loaded,
//! and matched at most once per request and pass, against the same parsed path.

mod pattern;

pub use pattern::Pattern;

use gatewright_model::text::pattern::portable;
use gatewright_protocol::access::Anchors;
use regex_lite::{Regex, RegexBuilder};
use std::collections::HashMap;

/// The maximum size of an expression that [`regex`] compiles, in bytes.
const MAX_COMPILED: usize = 64 * 1024;

/// Compiles an expression of a definition, which then matches in time linear in the text; `None` if it is invalid or
/// too large.
#[must_use]
pub fn regex(text: &str) -> Option<Regex> {
    let mut builder = RegexBuilder::new(&portable(text));
    builder.size_limit(MAX_COMPILED).build().ok()
}

/// The id of a rule's path in its chain's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternId(usize);

/// The distinct path expressions of a chain.
#[derive(Debug, Default)]
pub struct PathTable {
    patterns: Vec<Pattern>,
    /// Indexes by path, with a prefix if letter case is ignored.
    known: HashMap<String, usize>,
    anchors: Anchors,
}

impl PathTable {
    /// Creates an empty table with the gateway's anchoring of expressions.
    #[must_use]
    pub fn new(anchors: Anchors) -> Self {
        Self {
            anchors,
            ..Self::default()
        }
    }

    /// Adds a rule's path and returns its id, which is the same for the same path.
    pub fn add(&mut self, path: &str, ignore_case: bool) -> PatternId {
        let key = format!("{}{path}", if ignore_case { "i" } else { " " });
        if let Some(id) = self.known.get(&key) {
            return PatternId(*id);
        }
        let id = self.patterns.len();
        let pattern = Pattern::compile(path, ignore_case, self.anchors);
        self.patterns.push(pattern);
        self.known.insert(key, id);
        PatternId(id)
    }

    /// Whether an expression can't be compiled: it matches nothing.
    #[must_use]
    pub fn is_broken(&self, id: PatternId) -> bool {
        !matches!(self.patterns.get(id.0), Some(pattern) if !matches!(pattern, Pattern::Broken))
    }

    /// Whether the pattern matches one of the paths; the result is not remembered.
    #[must_use]
    pub fn is_match(&self, id: PatternId, paths: &[String]) -> bool {
        let pattern = self.patterns.get(id.0);
        pattern.is_some_and(|pattern| paths.iter().any(|path| pattern.is_match(path)))
    }

    /// Drops what only adding needs.
    pub fn finish(&mut self) {
        self.known = HashMap::new();
        self.patterns.shrink_to_fit();
    }
}

/// The match results so far for the paths of one request.
#[derive(Debug, Default)]
pub struct Matches {
    known: Vec<Option<bool>>,
}

impl Matches {
    /// Whether the pattern matches one of the paths, which must be the same in each call.
    pub fn is_match(&mut self, table: &PathTable, id: PatternId, paths: &[&str]) -> bool {
        if self.known.len() <= id.0 {
            self.known
                .resize(table.patterns.len().max(id.0.saturating_add(1)), None);
        }
        let Some(known) = self.known.get_mut(id.0) else {
            return false;
        };
        *known.get_or_insert_with(|| {
            let pattern = table.patterns.get(id.0);
            pattern.is_some_and(|pattern| paths.iter().any(|path| pattern.is_match(path)))
        })
    }
}
