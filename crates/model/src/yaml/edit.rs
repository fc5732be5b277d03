//! Edits a YAML text until it is equivalent to a JSON text: what differs is rewritten, and everything else keeps its
//! bytes.
//!
//! The result is read back and guaranteed to be equivalent, whatever was edited; if it isn't, the complete document is
//! rewritten. So the edits may assume that texts are as simple as they usually are. What can't be edited in place (an
//! alias, a name on a line of its own, a list that changed in several places) is rewritten together with the member
//! that contains it.

mod block;
mod flow;

use super::read::{Yaml, read};
use super::tree::{Id, Kind as Is};
use super::written;
use crate::findings::{Findings, shown};
use crate::issue::{Issue, IssueCode};
use crate::json::edit::Edits;
use crate::json::{Kind, Member, Span, Value, parse};
use crate::order::{map, set};
use granit_parser::{Event, Parser, StructureStyle, options};
use std::collections::BTreeMap;

/// The result of an edit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Edited {
    /// The edited text.
    pub text: String,
    /// A warning about comments that were lost, at the position of the first one.
    pub lost: Option<Issue>,
}

/// Edits the text `yaml` until it is equivalent to the JSON text `document`; rewrites it if it is not YAML. Members it
/// lacks are copied with their comments from `donor`, another text that is equivalent.
#[must_use]
pub fn edited(yaml: &str, document: &str, donor: Option<&str>) -> Edited {
    let Ok(new) = parse(document) else {
        return Edited::default();
    };
    let text = try_edit(yaml, &new, donor);
    let text = text.filter(|text| text == yaml || says(text, &new));
    let text = text.unwrap_or_else(|| written(&new));
    let lost = match text == yaml {
        true => None,
        false => lost(yaml, &text),
    };
    Edited { text, lost }
}

fn says(text: &str, what: &Value<'_>) -> bool {
    let json = read(text).and_then(|yaml| yaml.json());
    json.is_ok_and(|(json, _)| parse(&json).is_ok_and(|value| value.same(what)))
}

fn try_edit(text: &str, new: &Value<'_>, donor: Option<&str>) -> Option<String> {
    let yaml = read(text).ok()?;
    let (json, _) = yaml.json().ok()?;
    let old = parse(&json).ok()?;
    if old.same(new) {
        return Some(text.to_owned());
    }
    let donor = donor.and_then(|donor| read(donor).ok());
    let mut editor = Editor {
        yaml: &yaml,
        donor: donor.as_ref(),
        edits: Vec::new(),
    };
    editor.value(yaml.tree.root, &old, new).ok()?;
    let mut edits = Edits::new(text);
    for (span, new) in editor.edits {
        edits.replace(span.start, span.end, new);
    }
    Some(edits.apply())
}

/// Returns the comments of a text with their spans.
fn comments(text: &str) -> Vec<(String, Span)> {
    let options = options! { emit_comments: true, max_buffered_comment_events: usize::MAX };
    let events = Parser::new_from_str_with_options(text, options);
    let comment = |(event, span): (Event<'_>, granit_parser::Span)| match event {
        Event::Comment(comment, _) => {
            let range = span.byte_range()?;
            let (start, end) = (range.start, range.end);
            Some((comment.trim().to_owned(), Span { start, end }))
        }
        _ => None,
    };
    events.map_while(Result::ok).filter_map(comment).collect()
}

fn lost(before: &str, after: &str) -> Option<Issue> {
    let mut left: BTreeMap<String, usize> = BTreeMap::new();
    for (comment, _) in comments(after) {
        let count = left.entry(comment).or_default();
        *count = count.saturating_add(1);
    }
    let mut lost = comments(before);
    lost.retain(|(comment, _)| match left.get_mut(comment) {
        Some(count) if *count > 0 => {
            *count = count.saturating_sub(1);
            false
        }
        _ => true,
    });
    let (first, span) = lost.first()?;
    let message = format!(
        "comments where the gateway has to write the document anew are not kept: {}, the first one {}; keep them outside of what it writes",
        lost.len(),
        shown(first)
    );
    let mut findings = Findings::default();
    findings.warning(IssueCode::Unsupported, *span, "", message);
    findings.into_issues(before).into_iter().next()
}

/// Signals that something can't be edited, so the container around it has to be rewritten.
struct NotEditable;

type Done = Result<(), NotEditable>;

/// The old and the new value.
type Change<'v, 't> = (&'v Value<'t>, &'v Value<'t>);

struct Editor<'e, 'a> {
    yaml: &'e Yaml<'a>,
    donor: Option<&'e Yaml<'e>>,
    edits: Vec<(Span, String)>,
}

/// Indexes the members of an object by name.
fn by_name<'v, 't>(value: &'v Value<'t>) -> BTreeMap<&'v str, &'v Value<'t>> {
    let members = value.members().iter();
    map(members.map(|member| (&*member.name, &member.value)))
}

impl<'e, 'a> Editor<'e, 'a> {
    fn kind(&self, id: Id) -> &'e Is<'a> {
        &self.yaml.tree.node(id).kind
    }

    fn span(&self, id: Id) -> Span {
        self.yaml.tree.node(id).span
    }

    fn replace(&mut self, start: usize, end: usize, new: impl Into<String>) {
        self.edits.push((Span { start, end }, new.into()));
    }

    /// Edits the content of a list or map, or fails and changes nothing.
    fn value(&mut self, id: Id, old: &Value<'_>, new: &Value<'_>) -> Done {
        let before = self.edits.len();
        let done = match (self.kind(id), &old.kind, &new.kind) {
            (Is::Map(entries, style), Kind::Object(_), Kind::Object(_)) => {
                self.map(id, (entries, *style), (old, new))
            }
            (Is::List(items, style), Kind::Array(old), Kind::Array(new)) => {
                self.list((items, *style), old, new)
            }
            _ => Err(NotEditable),
        };
        if done.is_err() {
            self.edits.truncate(before);
        }
        done
    }

    fn map(
        &mut self,
        id: Id,
        (entries, style): (&[(Id, Id)], StructureStyle),
        (old, new): Change<'_, '_>,
    ) -> Done {
        let tree = &self.yaml.tree;
        let (was, is) = (by_name(old), by_name(new));
        let names = entries.iter().filter(|(key, _)| !tree.merges(*key));
        let own = set(names.filter_map(|(key, _)| tree.name(*key)));
        // A member that only comes from `<<` can't be removed.
        let is_stuck = |name: &&str| !own.contains(name) && !is.contains_key(name);
        if is.is_empty() || was.keys().any(is_stuck) {
            return Err(NotEditable);
        }
        let mut kept = None;
        for (at, (key, value)) in entries.iter().enumerate() {
            let name = tree.name(*key).ok_or(NotEditable)?;
            match (was.get(name), is.get(name)) {
                _ if tree.merges(*key) => kept = Some(at),
                (Some(old), Some(new)) => {
                    kept = Some(at);
                    if !old.same(new) {
                        self.changed((*key, *value), style, (old, new))?;
                    }
                }
                _ => match style {
                    StructureStyle::Block => self.block_without(entries, at)?,
                    StructureStyle::Flow => self.flow_without(entries, at)?,
                },
            }
        }
        let is_added = |member: &&Member<'_>| {
            let was = was.get(&*member.name);
            !own.contains(&*member.name) && !was.is_some_and(|was| was.same(&member.value))
        };
        let added: Vec<_> = new.members().iter().filter(is_added).collect();
        if added.is_empty() {
            return Ok(());
        }
        match style {
            StructureStyle::Block => self.block_with(id, entries, kept, &added),
            StructureStyle::Flow => self.flow_with(id, entries, kept, &added),
        }
    }

    /// Changes the value of a member: edits or rewrites it.
    fn changed(
        &mut self,
        (key, value): (Id, Id),
        style: StructureStyle,
        (old, new): Change<'_, '_>,
    ) -> Done {
        if self.value(value, old, new).is_ok() {
            return Ok(());
        }
        match style {
            StructureStyle::Block => self.block_changed(key, value, new),
            StructureStyle::Flow => self.flow_changed(value, new),
        }
    }

    /// Changes elements of a list, or inserts elements at one position.
    fn list(
        &mut self,
        (items, style): (&[Id], StructureStyle),
        old: &[Value<'_>],
        new: &[Value<'_>],
    ) -> Done {
        let pairs = || old.iter().zip(new);
        if old.len() == new.len() {
            for (item, (old, new)) in items.iter().zip(pairs()) {
                if old.same(new) || self.value(*item, old, new).is_ok() {
                    continue;
                }
                match style {
                    StructureStyle::Block => self.item_changed(*item, new)?,
                    StructureStyle::Flow => self.flow_changed(*item, new)?,
                }
            }
            return Ok(());
        }
        let at = pairs().take_while(|(old, new)| old.same(new)).count();
        let count = new.len().checked_sub(old.len()).ok_or(NotEditable)?;
        let (added, behind) = new
            .get(at..)
            .and_then(|rest| rest.split_at_checked(count))
            .ok_or(NotEditable)?;
        let stays = old.iter().skip(at).zip(behind);
        if !stays.into_iter().all(|(old, new)| old.same(new)) {
            return Err(NotEditable);
        }
        match style {
            StructureStyle::Block => self.block_items(items, at, added),
            StructureStyle::Flow => self.flow_items(items, at, added),
        }
    }
}
