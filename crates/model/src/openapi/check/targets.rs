//! Resolves references within a document.

use crate::json::pointer::{array_index, tokens};
use crate::json::{Kind, Value};
use crate::json_schema::uri::decoded;
use crate::order::order;
use std::cell::RefCell;
use std::collections::BTreeMap;

/// Objects with fewer members are searched linearly.
const FEW: usize = 16;

/// Finds the targets of references, in time that doesn't grow with the document: the members of large objects are
/// sorted once.
pub(super) struct Targets<'v> {
    document: &'v Value<'v>,
    /// The members of large objects sorted by name, keyed by the offset where the object starts, which no other value
    /// shares.
    large: RefCell<BTreeMap<usize, Vec<usize>>>,
}

impl<'v> Targets<'v> {
    pub(super) fn new(document: &'v Value<'v>) -> Self {
        Self {
            document,
            large: RefCell::default(),
        }
    }

    /// Returns the target of a reference into this document; `None` for another document, or for null.
    pub(super) fn find(&self, reference: &str) -> Option<&'v Value<'v>> {
        let pointer = reference.strip_prefix('#')?;
        let pointer = decoded(pointer);
        let tokens = tokens(&pointer)?;
        let found = tokens
            .iter()
            .try_fold(self.document, |value, token| self.step(value, token));
        found.filter(|value| !value.is_null())
    }

    /// Returns a value itself, or its target after at most a hundred references.
    pub(super) fn resolved(&self, value: &'v Value<'v>) -> Option<&'v Value<'v>> {
        let mut value = value;
        for _ in 0..100 {
            match value.str("$ref") {
                Some(reference) => value = self.find(reference)?,
                None => return Some(value),
            }
        }
        None
    }

    fn step(&self, value: &'v Value<'v>, token: &str) -> Option<&'v Value<'v>> {
        match &value.kind {
            Kind::Array(items) => items.get(array_index(token)?),
            Kind::Object(members) if members.len() < FEW => {
                value.member(token).map(|member| &member.value)
            }
            Kind::Object(members) => {
                let name = |at: usize| members.get(at).map(|member| &*member.name);
                let mut large = self.large.borrow_mut();
                let sorted = large
                    .entry(value.span.start)
                    .or_insert_with(|| order(members.len(), &mut |a, b| name(a).cmp(&name(b))));
                let found = sorted
                    .binary_search_by(|at| name(*at).cmp(&Some(token)))
                    .ok()?;
                let member = members.get(*sorted.get(found)?)?;
                Some(&member.value)
            }
            _ => None,
        }
    }
}
