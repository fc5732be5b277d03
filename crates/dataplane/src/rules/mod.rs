//! Path rules: which rows of a definition a request's path is meant by (reference 5.2).
//!
//! The promise: one table for all links of a chain. Each different expression is compiled once, when a
//! set is loaded, and looked for at most once per request and pass, in the one reading of the path.

mod pattern;

pub use pattern::{Anchors, Pattern};

use std::collections::HashMap;

/// The path of a rule in its chain's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternId(usize);

/// The different path expressions of a chain.
#[derive(Debug, Default)]
pub struct PathTable {
    patterns: Vec<Pattern>,
    /// By the path behind a mark for one whose case is ignored.
    known: HashMap<String, usize>,
    anchors: Anchors,
}

impl PathTable {
    /// An empty table whose expressions are anchored as the gateway is set up.
    #[must_use]
    pub fn new(anchors: Anchors) -> Self {
        Self {
            anchors,
            ..Self::default()
        }
    }

    /// The id of a rule's path; the same for the same path.
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

    /// True if an expression can't be compiled: it matches nothing.
    #[must_use]
    pub fn is_broken(&self, id: PatternId) -> bool {
        !matches!(self.patterns.get(id.0), Some(pattern) if !matches!(pattern, Pattern::Broken))
    }

    /// True if there is no rule.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.patterns.is_empty()
    }

    /// Whether the pattern is found in one of some paths; nothing is remembered.
    #[must_use]
    pub fn is_match(&self, id: PatternId, paths: &[String]) -> bool {
        let pattern = self.patterns.get(id.0);
        pattern.is_some_and(|pattern| paths.iter().any(|path| pattern.is_match(path)))
    }

    /// Forgets what only adding needs.
    pub fn finish(&mut self) {
        self.known = HashMap::new();
        self.patterns.shrink_to_fit();
    }
}

/// What the patterns of a table have said about the paths of one request so far.
#[derive(Debug, Default)]
pub struct Matches {
    known: Vec<Option<bool>>,
}

impl Matches {
    /// Whether the pattern is found in one of the paths, which are the same at each call.
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
