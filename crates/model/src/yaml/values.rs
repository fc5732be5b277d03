//! Converts a tree to JSON text.

use super::MAX_BYTES;
use super::read::{Yaml, too_deep};
use super::scalar::{Scalar, plain, was_boolean};
use super::tree::{Id, Kind, Tag, Tree};
use crate::findings::{Findings, shown};
use crate::issue::{Issue, IssueCode, Severity};
use crate::json::pointer::Path;
use crate::json::{LineIndex, MAX_DEPTH, Span, push_quoted};
use crate::order::{repeats, set};
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The number of words that may be mistaken for booleans up to which each gets its own warning.
const MOST_WORDS: usize = 20;

impl Yaml<'_> {
    /// Returns the document as JSON on one line, and warnings for its author.
    ///
    /// # Errors
    /// Constructs that JSON lacks or that readers interpret differently.
    pub fn json(&self) -> Result<(String, Vec<Issue>), Vec<Issue>> {
        let mut values = Values {
            text: self.text,
            tree: &self.tree,
            json: String::with_capacity(self.text.len()),
            depth: 0,
            merged: BTreeMap::new(),
            cost: 0,
            words: 0,
            lines: OnceCell::new(),
            findings: Findings::default(),
        };
        // The reason for an early end is among the findings.
        let _ = values.value(self.tree.root, &Path::Root);
        let issues = values.findings.into_issues(self.text);
        match issues.iter().any(Issue::is_error) {
            true => Err(issues),
            false => Ok((values.json, issues)),
        }
    }
}

/// Signals that the conversion has to stop.
struct Full;

/// A member, written in the map itself or merged by `<<`.
#[derive(Clone, Copy)]
struct Entry<'t> {
    name: &'t str,
    key: Id,
    value: Id,
}

struct Values<'t, 'a> {
    text: &'t str,
    tree: &'t Tree<'a>,
    json: String,
    depth: usize,
    /// The members of maps that merge others.
    merged: BTreeMap<Id, Rc<Vec<Entry<'t>>>>,
    /// How many members were visited to compute those.
    cost: usize,
    words: usize,
    /// The line index, built on first use.
    lines: OnceCell<LineIndex<'t>>,
    findings: Findings,
}

impl<'t> Values<'t, '_> {
    fn error(&mut self, at: Id, path: &Path<'_>, message: impl Into<Cow<'static, str>>) {
        let span = self.tree.node(at).span;
        self.findings.error(IssueCode::Syntax, span, path, message);
    }

    fn full(&mut self, code: IssueCode, at: Id, path: &Path<'_>, message: String) -> Full {
        let span = self.tree.node(at).span;
        self.findings.error(code, span.opening(), path, message);
        Full
    }

    /// Stops if aliases and merged members expand beyond the limit.
    fn fits(&mut self, at: Id, path: &Path<'_>) -> Result<(), Full> {
        if self.json.len() <= MAX_BYTES && self.cost <= MAX_BYTES {
            return Ok(());
        }
        let message = format!(
            "with its aliases written out the document is longer than {MAX_BYTES} bytes; shorten it"
        );
        Err(self.full(IssueCode::TooLarge, at, path, message))
    }

    fn value(&mut self, id: Id, path: &Path<'_>) -> Result<(), Full> {
        self.fits(id, path)?;
        let tree = self.tree;
        let resolved = tree.resolved(id);
        let node = tree.node(resolved);
        match &node.kind {
            Kind::List(items, _) => {
                self.check_tag(resolved, "seq", path);
                self.nested(id, path, |values| values.list(items, path))
            }
            Kind::Map(..) => {
                self.check_tag(resolved, "map", path);
                self.nested(id, path, |values| values.map(resolved, path))
            }
            _ => {
                self.scalar(resolved, path);
                Ok(())
            }
        }
    }

    fn nested(
        &mut self,
        id: Id,
        path: &Path<'_>,
        write: impl FnOnce(&mut Self) -> Result<(), Full>,
    ) -> Result<(), Full> {
        if self.depth >= MAX_DEPTH {
            return Err(self.full(IssueCode::TooDeep, id, path, too_deep()));
        }
        self.depth = self.depth.saturating_add(1);
        let written = write(self);
        self.depth = self.depth.saturating_sub(1);
        written
    }

    fn list(&mut self, items: &[Id], path: &Path<'_>) -> Result<(), Full> {
        self.json.push('[');
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.json.push(',');
            }
            self.value(*item, &path.element(index))?;
        }
        self.json.push(']');
        Ok(())
    }

    fn map(&mut self, map: Id, path: &Path<'_>) -> Result<(), Full> {
        let members = self.members(map, path, 0)?;
        self.json.push('{');
        for (index, member) in members.iter().enumerate() {
            if index > 0 {
                self.json.push(',');
            }
            push_quoted(member.name, &mut self.json);
            self.json.push(':');
            self.value(member.value, &path.member(member.name))?;
        }
        self.json.push('}');
        Ok(())
    }

    /// Returns the members of a map, followed by those that `<<` merges into it. `depth` is the nesting depth of such
    /// merges.
    fn members(
        &mut self,
        map: Id,
        path: &Path<'_>,
        depth: usize,
    ) -> Result<Rc<Vec<Entry<'t>>>, Full> {
        if let Some(known) = self.merged.get(&map) {
            return Ok(Rc::clone(known));
        }
        let tree = self.tree;
        let Kind::Map(entries, _) = &tree.node(map).kind else {
            return Ok(Rc::default());
        };
        if depth > MAX_DEPTH {
            return Err(self.full(IssueCode::TooDeep, map, path, too_deep()));
        }
        let (mut members, mut sources) = (Vec::with_capacity(entries.len()), Vec::new());
        for (key, value) in entries {
            if tree.merges(*key) {
                sources.push(*value);
                continue;
            }
            if let Some(name) = self.name(*key, path) {
                let (key, value) = (*key, *value);
                members.push(Entry { name, key, value });
            }
        }
        self.report_duplicates(&members, path);
        if sources.is_empty() {
            return Ok(Rc::new(members));
        }
        let mut known = set(members.iter().map(|member| member.name));
        for source in sources {
            self.merge(source, (&mut members, &mut known), path, depth)?;
        }
        let members = Rc::new(members);
        self.merged.insert(map, Rc::clone(&members));
        Ok(members)
    }

    fn merge(
        &mut self,
        source: Id,
        (members, known): (&mut Vec<Entry<'t>>, &mut BTreeSet<&'t str>),
        path: &Path<'_>,
        depth: usize,
    ) -> Result<(), Full> {
        let tree = self.tree;
        let resolved = tree.resolved(source);
        let alone = [resolved];
        let maps = match &tree.node(resolved).kind {
            Kind::List(items, _) => items.as_slice(),
            _ => alone.as_slice(),
        };
        for map in maps {
            let map = tree.resolved(*map);
            if !matches!(tree.node(map).kind, Kind::Map(..)) {
                let message =
                    "<< merges maps and nothing else; write quotes around it if it is a name";
                self.error(source, path, message);
                continue;
            }
            let more = self.members(map, path, depth.saturating_add(1))?;
            self.cost = self.cost.saturating_add(more.len()).saturating_add(1);
            self.fits(source, path)?;
            members.extend(more.iter().filter(|member| known.insert(member.name)));
        }
        Ok(())
    }

    fn name(&mut self, key: Id, path: &Path<'_>) -> Option<&'t str> {
        let tree = self.tree;
        let name = tree.name(key);
        match (&tree.node(key).tag, name) {
            (Tag::Other(tag), _) => {
                let message = format!("JSON has nothing for the tag {tag}; remove it");
                self.error(key, path, message);
            }
            (_, None) => {
                let message = "the name of a member is a text; a list or a map can't be one";
                self.error(key, path, message);
            }
            _ => {}
        }
        name
    }

    /// Reports duplicate members, with both positions.
    fn report_duplicates(&mut self, members: &[Entry<'_>], path: &Path<'_>) {
        let names: Vec<&str> = members.iter().map(|member| member.name).collect();
        for (later, first) in repeats(&names) {
            let (Some(later), Some(first)) = (members.get(later), members.get(first)) else {
                continue;
            };
            if self.findings.is_full() {
                return;
            }
            let span = |member: &Entry<'_>| self.tree.node(member.key).span;
            let lines = self.lines.get_or_init(|| LineIndex::new(self.text));
            let position = lines.position(span(first).start);
            let message = format!(
                "the member {} is there twice, first at line {}, column {}; remove one",
                shown(later.name),
                position.line,
                position.column
            );
            let (code, path) = (IssueCode::DuplicateMember, path.member(later.name));
            self.findings.error(code, span(later), &path, message);
        }
    }

    /// Reports a tag on a list or map that names another type.
    fn check_tag(&mut self, id: Id, own: &str, path: &Path<'_>) {
        match &self.tree.node(id).tag {
            Tag::None => {}
            Tag::Type(name) if name == own || name == "!" => {}
            Tag::Type(name) => {
                self.error(id, path, format!("this is no !!{name}; remove the tag"));
            }
            Tag::Other(tag) => {
                let message = format!("JSON has nothing for the tag {tag}; remove it");
                self.error(id, path, message);
            }
        }
    }

    fn scalar(&mut self, id: Id, path: &Path<'_>) {
        let tree = self.tree;
        let node = tree.node(id);
        let (text, is_plain) = match &node.kind {
            Kind::Plain(text) => (text, true),
            Kind::Text(text, _) => (text, false),
            _ => return,
        };
        let found = match &node.tag {
            Tag::None if is_plain => plain(text),
            Tag::None => Ok(Scalar::Text),
            Tag::Type(name) if name == "str" || name == "!" => Ok(Scalar::Text),
            Tag::Type(name) => {
                let found = plain(text);
                let fits = match found {
                    Ok(Scalar::Null) => name == "null",
                    Ok(Scalar::Bool(_)) => name == "bool",
                    Ok(Scalar::Number(_)) => name == "int" || name == "float",
                    Ok(Scalar::Text) => false,
                    Err(_) => true,
                };
                if !fits {
                    self.error(id, path, format!("this is no !!{name}; remove the tag"));
                }
                found
            }
            Tag::Other(tag) => {
                let message = format!(
                    "JSON has nothing for the tag {tag}; remove it, or write quotes around what is meant as text"
                );
                self.error(id, path, message);
                Ok(Scalar::Text)
            }
        };
        match found {
            Ok(Scalar::Null) => self.json.push_str("null"),
            Ok(Scalar::Bool(yes)) => self.json.push_str(if yes { "true" } else { "false" }),
            Ok(Scalar::Number(number)) => self.json.push_str(&number),
            Ok(Scalar::Text) => {
                push_quoted(text, &mut self.json);
                if is_plain && node.tag == Tag::None && was_boolean(text) {
                    self.warn_of_boolean(text, node.span, path);
                }
            }
            Err(message) => self.error(id, path, message),
        }
    }

    /// Warns of a word that YAML 1.1 readers take for a boolean.
    fn warn_of_boolean(&mut self, word: &str, span: Span, path: &Path<'_>) {
        self.words = self.words.saturating_add(1);
        if self.words <= MOST_WORDS {
            let message = format!(
                "{word} is text in YAML 1.2; write true or false for a boolean, or quotes around it for readers of YAML 1.1"
            );
            let code = IssueCode::Type;
            self.findings.add(Severity::Info, code, span, path, message);
        }
    }
}
