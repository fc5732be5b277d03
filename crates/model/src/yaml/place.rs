//! Locates the target of a JSON Pointer in a YAML text.

use super::read::Yaml;
use super::tree::{Id, Kind};
use crate::issue::Issue;
use crate::json::pointer::{array_index, tokens};
use crate::json::{LineIndex, Span};
use std::collections::BTreeSet;

impl Yaml<'_> {
    /// Moves issues of the equivalent JSON text to their positions in this text. An issue about something that is not
    /// in it gets the position of the container that would hold it.
    #[must_use]
    pub fn placed(&self, mut issues: Vec<Issue>) -> Vec<Issue> {
        let lines = LineIndex::new(self.text);
        for issue in &mut issues {
            let span = self.span(&issue.pointer);
            issue.start = lines.position(span.start);
            issue.end = lines.position(span.end);
        }
        issues
    }

    /// Returns the span of a scalar, or of the name of a list or map.
    fn span(&self, pointer: &str) -> Span {
        let tree = &self.tree;
        let mut id = tree.root;
        let mut span = tree.node(id).span.opening();
        for token in tokens(pointer).unwrap_or_default() {
            let resolved = tree.resolved(id);
            match &tree.node(resolved).kind {
                Kind::Map(..) => {
                    let Some((key, value)) = self.member(resolved, &token) else {
                        break;
                    };
                    (id, span) = (value, tree.node(key).span);
                }
                Kind::List(items, _) => {
                    let item = array_index(&token).and_then(|index| items.get(index));
                    let Some(item) = item else {
                        break;
                    };
                    (id, span) = (*item, tree.node(*item).span.opening());
                }
                _ => break,
            }
            let node = tree.node(id);
            let is_scalar = matches!(node.kind, Kind::Plain(_) | Kind::Text(..));
            if is_scalar && node.span.start < node.span.end {
                span = node.span;
            }
        }
        span
    }

    /// Finds a member of a map by name, in the map itself or in those it merges, visiting each map once.
    fn member(&self, map: Id, name: &str) -> Option<(Id, Id)> {
        let tree = &self.tree;
        let (mut left, mut seen) = (vec![map], BTreeSet::new());
        while let Some(map) = left.pop() {
            if !seen.insert(map) {
                continue;
            }
            let Kind::Map(entries, _) = &tree.node(map).kind else {
                continue;
            };
            let is_named =
                |(key, _): &&(Id, Id)| !tree.merges(*key) && tree.name(*key) == Some(name);
            if let Some(found) = entries.iter().find(is_named) {
                return Some(*found);
            }
            // Reversed, so that the first one is visited next.
            let merged = entries.iter().rev().filter(|(key, _)| tree.merges(*key));
            for source in merged.map(|(_, source)| tree.resolved(*source)) {
                match &tree.node(source).kind {
                    Kind::List(maps, _) => {
                        left.extend(maps.iter().rev().map(|map| tree.resolved(*map)));
                    }
                    _ => left.push(source),
                }
            }
        }
        None
    }
}
