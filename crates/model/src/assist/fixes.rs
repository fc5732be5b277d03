//! Quick fixes for issues.

mod all;
mod embedded;
mod place;
mod syntax;
mod values;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::describe::value_in;
use crate::findings::Findings;
use crate::form::Subject;
use crate::issue::{Issue, IssueCode};
use crate::json::edit::{self, Changes, Edits, Layout};
use crate::json::pointer::{array_index, tokens};
use crate::json::{Kind as Json, LineIndex, Member, Span, Value, parse_into, quote};
use crate::ruleset;
use crate::shape::{Kind, Names, Spot, closest};

#[cfg(test)]
pub(super) use all::work;
pub use all::{fix_all, fix_definition};

/// A replacement of a part of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextEdit {
    /// Offset of the first byte replaced.
    pub from: usize,
    /// Offset after the last byte replaced.
    pub to: usize,
    /// The new text.
    pub insert: String,
}

impl TextEdit {
    /// Returns the difference between two texts as one replacement; `None` if they are equal.
    fn between(old: &str, new: &str) -> Option<Self> {
        let same = |(a, b): &(u8, u8)| a == b;
        let mut start = old.bytes().zip(new.bytes()).take_while(same).count();
        while !old.is_char_boundary(start) || !new.is_char_boundary(start) {
            start = start.saturating_sub(1);
        }
        let most = old.len().min(new.len()).saturating_sub(start);
        let back = old.bytes().rev().zip(new.bytes().rev());
        let mut tail = back.take(most).take_while(same).count();
        while !old.is_char_boundary(old.len().saturating_sub(tail)) {
            tail = tail.saturating_sub(1);
        }
        let insert = new.get(start..new.len().saturating_sub(tail))?;
        (old != new).then(|| Self {
            from: start,
            to: old.len().saturating_sub(tail),
            insert: insert.to_owned(),
        })
    }
}

impl From<(usize, usize, String)> for TextEdit {
    fn from((from, to, insert): (usize, usize, String)) -> Self {
        Self { from, to, insert }
    }
}

/// Whether a fix needs a decision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// No: it writes what was meant, and removes nothing.
    Plain,
    /// A person has to choose: there are alternatives, or it adds to or changes the meaning of the document.
    #[default]
    Choice,
    /// A person has to agree: it removes something.
    Removal,
}

/// A fix of an issue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fix {
    /// A description in a few words.
    pub title: String,
    /// Whether it needs a decision.
    #[serde(default)]
    pub way: Way,
    /// The replacements, in ascending order.
    pub edits: Vec<TextEdit>,
}

/// Returns the fixes for an issue of a text, the likeliest first. The issue has to be from a check of exactly this
/// text.
#[must_use]
pub fn fixes(subject: impl Into<Subject>, text: &str, issue: &Issue) -> Vec<Fix> {
    of(Content::Document(subject.into()), text, issue)
}

/// Like [`fixes`], for the definition of a ruleset by itself: an issue that [`crate::ruleset::check_definition`] found
/// in exactly this text.
#[must_use]
pub fn definition_fixes(text: &str, issue: &Issue) -> Vec<Fix> {
    of(Content::RulesetDefinition, text, issue)
}

/// What a text contains.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    /// A document of this kind.
    Document(Subject),
    /// The definition of a ruleset, which is a string in its document.
    RulesetDefinition,
}

fn of(content: Content, text: &str, issue: &Issue) -> Vec<Fix> {
    let span = span_of(&LineIndex::new(text), issue);
    let mut ignored = Findings::default();
    let Some(value) = parse_into(text, &mut ignored) else {
        return syntax::fixes(text, span);
    };
    if let Some(inner) = embedded::Inner::at(content, text, &value, issue, span) {
        return inner.fixes(issue);
    }
    let Some(fixer) = Fixer::new(content, text, &value, issue, span) else {
        return Vec::new();
    };
    match issue.code {
        IssueCode::UnknownMember => fixer.unknown(),
        IssueCode::Required => fixer.required(),
        IssueCode::Type => fixer.mistyped(),
        IssueCode::Enum => fixer.listed(),
        IssueCode::DuplicateMember => fixer.duplicate(),
        IssueCode::Format => fixer.format(),
        IssueCode::Conflict => fixer.conflict(),
        IssueCode::Unsupported
        | IssueCode::NotEnforced
        | IssueCode::NotProtected
        | IssueCode::NotServed => fixer.function().unwrap_or_else(|| fixer.removal()),
        _ => Vec::new(),
    }
}

/// Returns the span of an issue.
fn span_of(index: &LineIndex<'_>, issue: &Issue) -> Span {
    Span {
        start: index.offset(issue.start),
        end: index.offset(issue.end),
    }
}

/// Returns a fix with one replacement that needs a decision.
fn replace(title: impl Into<String>, span: Span, insert: impl Into<String>) -> Fix {
    let edit = TextEdit {
        from: span.start,
        to: span.end,
        insert: insert.into(),
    };
    Fix {
        title: title.into(),
        way: Way::Choice,
        edits: vec![edit],
    }
}

/// Returns a fix with one replacement that needs no decision.
fn plain(title: impl Into<String>, span: Span, insert: impl Into<String>) -> Fix {
    Fix {
        way: Way::Plain,
        ..replace(title, span, insert)
    }
}

struct Fixer<'a> {
    text: &'a str,
    content: Content,
    value: &'a Value<'a>,
    pointer: &'a str,
    tokens: Vec<Cow<'a, str>>,
    /// The values along the tokens, starting with the document; `None` where there is no value.
    trail: Vec<Option<&'a Value<'a>>>,
    span: Span,
}

impl<'a> Fixer<'a> {
    fn new(
        content: Content,
        text: &'a str,
        value: &'a Value<'a>,
        issue: &'a Issue,
        span: Span,
    ) -> Option<Self> {
        let tokens = tokens(&issue.pointer)?;
        let mut trail = vec![Some(value)];
        let mut here = Some(value);
        for token in &tokens {
            here = here.and_then(|value| child(value, token, span.start));
            trail.push(here);
        }
        Some(Self {
            text,
            content,
            value,
            pointer: &issue.pointer,
            tokens,
            trail,
            span,
        })
    }

    /// Returns the value the issue is about.
    fn here(&self) -> Option<&'a Value<'a>> {
        self.trail.last().copied().flatten()
    }

    /// Finds what the table says about the value that the first `count` tokens lead to.
    fn spot_of(&self, count: usize) -> Option<Spot> {
        let tokens = self.tokens.get(..count)?;
        let subject = match self.content {
            Content::Document(subject) => subject,
            Content::RulesetDefinition => return ruleset::spot(self.value, tokens),
        };
        let mut steps = tokens.iter().zip(&self.trail);
        steps.try_fold(subject.spot(self.value), |spot, (token, value)| {
            spot.step(token, |name| (*value)?.str(name))
        })
    }

    /// Returns the object or array around the value the issue is about, the last token of its pointer, and what the
    /// table says about that object or array.
    fn parent(&self) -> Option<(&'a Value<'a>, &str, Spot)> {
        let last = self.tokens.last()?;
        let count = self.tokens.len().saturating_sub(1);
        let around = self.trail.get(count).copied().flatten()?;
        Some((around, &**last, self.spot_of(count)?))
    }

    /// Finds what the table says about the value the issue is about.
    fn spot(&self) -> Option<Spot> {
        self.spot_of(self.tokens.len())
    }

    /// Returns the difference between the text and an edited one, as a fix with one replacement.
    fn edited(
        &self,
        title: impl Into<String>,
        text: Result<String, edit::EditError>,
    ) -> Option<Fix> {
        let new = text.ok()?;
        Some(Fix {
            title: title.into(),
            way: Way::Choice,
            edits: vec![TextEdit::between(self.text, &new)?],
        })
    }

    fn remove(&self) -> Option<Fix> {
        let title = format!("Remove {}", quote(self.tokens.last()?));
        let fix = self.edited(title, edit::remove(self.text, self.pointer))?;
        Some(Fix {
            way: Way::Removal,
            ..fix
        })
    }

    /// Whether the issue is about an OpenAPI document or its extension as a whole, with which everything would go.
    fn is_whole(&self) -> bool {
        let described = matches!(self.content, Content::Document(Subject::OpenApi(_)));
        described && self.tokens.len() < 2
    }

    /// Corrects the function of a rule, which may be one of the user's own, though. Without one a rule would be invalid,
    /// so it is not removed either.
    fn function(&self) -> Option<Vec<Fix>> {
        let is_rule = self.content == Content::RulesetDefinition;
        let name = self.here().and_then(Value::as_str);
        let name =
            name.filter(|_| is_rule && self.tokens.last().is_some_and(|at| at == "function"));
        let write = |near| replace(format!("Write {}", quote(near)), self.span, quote(near));
        name.map(|name| {
            ruleset::closest_function(name)
                .map(write)
                .into_iter()
                .collect()
        })
    }

    fn removal(&self) -> Vec<Fix> {
        let mut fixes = Vec::new();
        if self.is_whole() {
            return fixes;
        }
        if matches!(self.here().map(|value| &value.kind), Some(Json::Bool(true))) {
            fixes.push(replace("Switch it off", self.span, "false"));
        }
        fixes.extend(self.remove());
        fixes
    }

    fn unknown(&self) -> Vec<Fix> {
        let mut fixes = self.renamed();
        fixes.extend(self.remove());
        fixes
    }

    /// Writes a path of an OpenAPI document with its slash.
    fn with_slash(&self, name: &str) -> Option<Fix> {
        let is_path = matches!(self.content, Content::Document(Subject::OpenApi(_)))
            && self.tokens.len() == 2
            && self.pointer.starts_with("/paths/")
            && !name.starts_with('/');
        let path = format!("/{name}");
        is_path.then(|| plain(format!("Write {path}"), self.span, quote(&path)))
    }

    /// Renames an unknown member to the name that was probably meant, or moves it to the object it belongs to.
    fn renamed(&self) -> Vec<Fix> {
        let mut fixes = Vec::new();
        if let Some((parent, name, spot)) = self.parent() {
            let near = match spot.kind {
                Kind::Object(of) => closest(name, of.members.iter().map(|member| member.name)),
                Kind::Map(Names::Known(list), _) => closest(name, list.iter().copied()),
                _ => None,
            };
            if let Some(near) = near.filter(|near| parent.member(near).is_none()) {
                let title = format!("Rename to {}", quote(near));
                fixes.push(plain(title, self.span, quote(near)));
            }
            fixes.extend(self.with_slash(name));
            fixes.extend(self.moved(parent, name, &spot));
            if fixes.len() > 1 {
                fixes.iter_mut().for_each(|fix| fix.way = Way::Choice);
            }
        }
        fixes
    }

    /// Moves a member into the one sibling object that knows it.
    fn moved(&self, parent: &Value<'_>, name: &str, spot: &Spot) -> Option<Fix> {
        let Kind::Object(of) = spot.kind else {
            return None;
        };
        let home = crate::shape::only_parent(of, name)?.name;
        let members = parent.members();
        let index = members.iter().position(|member| member.name == name)?;
        let json = members.get(index)?.value.span.of(self.text);
        let mut removed = Changes {
            removed: vec![index],
            added: Vec::new(),
        };
        let mut edits = Edits::new(self.text);
        let around = Layout::of(self.text, self.value, parent);
        match parent.member(home).map(|member| &member.value) {
            Some(target) => {
                if target.member(name).is_some() || !matches!(target.kind, Json::Object(_)) {
                    return None;
                }
                let layout = Layout::of(self.text, self.value, target);
                let added = Changes {
                    removed: Vec::new(),
                    added: vec![(name.to_owned(), json.to_owned())],
                };
                edits.object(target, target.members(), &added, &layout);
            }
            None => {
                let new = around.nest(&[Cow::Borrowed(name)], json);
                removed.added = vec![(home.to_owned(), new)];
            }
        }
        edits.object(parent, members, &removed, &around);
        Some(Fix {
            title: format!("Move it into {}", quote(home)),
            way: Way::Plain,
            edits: edits
                .into_sorted()
                .into_iter()
                .map(TextEdit::from)
                .collect(),
        })
    }

    fn required(&self) -> Vec<Fix> {
        let Some((parent, name, spot)) = self.parent() else {
            return Vec::new();
        };
        let Kind::Object(of) = spot.kind else {
            return Vec::new();
        };
        // What a definition compiled from a document lacks is reported at a member that is there.
        if matches!(self.content, Content::Document(Subject::OpenApi(_)))
            && parent.member(name).is_some()
        {
            return Vec::new();
        }
        let value = of
            .member(name)
            .map_or_else(|| "\"\"".to_owned(), |member| value_in(of, member));
        let title = format!("Add {}", quote(name));
        self.edited(title, edit::set(self.text, self.pointer, &value))
            .into_iter()
            .collect()
    }

    /// Removes the later of two members with the same name.
    fn duplicate(&self) -> Vec<Fix> {
        let Some((object, index)) = holder(self.value, self.span) else {
            return Vec::new();
        };
        let mut edits = Edits::new(self.text);
        let layout = Layout::of(self.text, self.value, object);
        let changes = Changes {
            removed: vec![index],
            ..Changes::default()
        };
        edits.object(object, object.members(), &changes, &layout);
        let removal = |fix| Fix {
            way: Way::Removal,
            ..fix
        };
        let fix = self.edited("Remove this one", Ok(edits.apply()));
        fix.map(removal).into_iter().collect()
    }

    fn conflict(&self) -> Vec<Fix> {
        if let Some(version) = self.pointer.strip_suffix("/extended_paths") {
            let pointer = format!("{version}/use_extended_paths");
            let text = edit::set(self.text, &pointer, "true");
            return self
                .edited("Switch use_extended_paths on", text)
                .into_iter()
                .collect();
        }
        match self.here().map(|value| &value.kind) {
            Some(Json::Bool(true)) => self.removal(),
            _ => Vec::new(),
        }
    }
}

/// Returns the value that a token leads to. Members are in the order of the text, so in a large object the one at an
/// offset is tried first.
fn child<'v, 't>(value: &'v Value<'t>, token: &str, offset: usize) -> Option<&'v Value<'t>> {
    if let Json::Array(items) = &value.kind {
        return items.get(array_index(token)?);
    }
    let members = value.members();
    let behind = members.partition_point(|member| member.name_span.start <= offset);
    let there = behind.checked_sub(1).and_then(|at| members.get(at));
    let there = there.filter(|member| member.name == token);
    there
        .or_else(|| value.member(token))
        .map(|member| &member.value)
}

/// Finds the object with a member whose name has this span, and the member's index.
fn holder<'v, 't>(value: &'v Value<'t>, name: Span) -> Option<(&'v Value<'t>, usize)> {
    let here = |member: &Member<'_>| member.name_span == name;
    if let Some(index) = value.members().iter().position(here) {
        return Some((value, index));
    }
    let around = |value: &&Value<'_>| value.span.start <= name.start && name.end <= value.span.end;
    let members = value.members().iter().map(|member| &member.value);
    let inner = members.chain(value.items()).find(around)?;
    holder(inner, name)
}
