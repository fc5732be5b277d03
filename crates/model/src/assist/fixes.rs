//! Ways to mend what an issue names.

mod all;
mod embedded;
mod place;
mod syntax;
mod values;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::default_value;
use crate::findings::Findings;
use crate::issue::{Issue, IssueCode};
use crate::json::edit::{self, Edits};
use crate::json::pointer::{push_token, tokens};
use crate::json::{Kind as Json, LineIndex, Member, Span, Value, parse_into, quote};
use crate::ruleset;
use crate::shape::{Kind, Names, Root, Spot, closest};

pub use all::{definition_mended, mended};

/// A replacement of a part of a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextEdit {
    /// Offset of the first byte that is replaced.
    pub from: usize,
    /// Offset behind the last byte that is replaced.
    pub to: usize,
    /// What comes there.
    pub insert: String,
}

/// Who has to decide about a fix.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// Nobody: it writes what was meant, and takes nothing away.
    Plain,
    /// A person: there are others, or it adds or changes what the document says.
    #[default]
    Choice,
    /// A person: it takes away what is written.
    Removal,
}

/// A fix of an issue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fix {
    /// What it does, in a few words.
    pub title: String,
    /// Who has to decide about it.
    #[serde(default)]
    pub way: Way,
    /// What changes, in ascending order.
    pub edits: Vec<TextEdit>,
}

/// Ways to mend an issue of a text, the likeliest first. The issue has to be one of this very text.
#[must_use]
pub fn fixes(root: Root, text: &str, issue: &Issue) -> Vec<Fix> {
    of(Subject::Document(root), text, issue)
}

/// The same for the definition of a ruleset by itself: an issue that
/// [`crate::ruleset::check_definition`] found in this very text.
#[must_use]
pub fn definition_fixes(text: &str, issue: &Issue) -> Vec<Fix> {
    of(Subject::RulesetDefinition, text, issue)
}

/// What a text is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject {
    /// A document of a kind.
    Document(Root),
    /// The definition of a ruleset, which stands as a text in its document.
    RulesetDefinition,
}

impl Subject {
    /// What the table says about the value that some tokens lead to.
    fn spot(self, document: &Value<'_>, tokens: &[Cow<'_, str>]) -> Option<Spot> {
        let root = match self {
            Self::Document(root) => root,
            Self::RulesetDefinition => return ruleset::spot(document, tokens),
        };
        let mut value = Some(document);
        let mut spot = Spot::root(root);
        for token in tokens {
            spot = spot.step(token, |name| value?.str(name))?;
            let mut pointer = String::new();
            push_token(&mut pointer, token);
            value = value.and_then(|value| value.pointer(&pointer));
        }
        Some(spot)
    }
}

fn of(subject: Subject, text: &str, issue: &Issue) -> Vec<Fix> {
    let index = LineIndex::new(text);
    let span = Span {
        start: index.offset(issue.start),
        end: index.offset(issue.end),
    };
    let mut ignored = Findings::default();
    let Some(value) = parse_into(text, &mut ignored) else {
        return syntax::fixes(text, span);
    };
    if let Some(inner) = embedded::Inner::at(subject, text, &value, issue, span) {
        return inner.fixes(issue);
    }
    let mender = Mender {
        text,
        subject,
        value: &value,
        pointer: &issue.pointer,
        span,
    };
    match issue.code {
        IssueCode::UnknownMember => mender.unknown(),
        IssueCode::Required => mender.required(),
        IssueCode::Type => mender.mistyped(),
        IssueCode::Enum => mender.listed(),
        IssueCode::DuplicateMember => mender.duplicate(),
        IssueCode::Format => mender.format(),
        IssueCode::Conflict => mender.conflict(),
        IssueCode::Unsupported
        | IssueCode::NotEnforced
        | IssueCode::NotProtected
        | IssueCode::NotServed => mender.removal(),
        _ => Vec::new(),
    }
}

/// One replacement as a fix that somebody has to decide about.
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

/// One replacement that nobody has to decide about.
fn plain(title: impl Into<String>, span: Span, insert: impl Into<String>) -> Fix {
    Fix {
        way: Way::Plain,
        ..replace(title, span, insert)
    }
}

struct Mender<'a> {
    text: &'a str,
    subject: Subject,
    value: &'a Value<'a>,
    pointer: &'a str,
    span: Span,
}

impl<'a> Mender<'a> {
    /// The object or array around the value the issue is about, the last token of its pointer,
    /// and what the table says about both.
    fn parent(&self) -> Option<(&'a Value<'a>, String, Spot)> {
        let tokens = tokens(self.pointer)?;
        let (last, parents) = tokens.split_last()?;
        let around = self.pointer.rsplit_once('/')?.0;
        let spot = self.subject.spot(self.value, parents)?;
        Some((self.value.pointer(around)?, last.clone().into_owned(), spot))
    }

    /// What the table says about the value the issue is about.
    fn spot(&self) -> Option<Spot> {
        self.subject.spot(self.value, &tokens(self.pointer)?)
    }

    /// The difference between the text and an edited one, as one replacement.
    fn edited(
        &self,
        title: impl Into<String>,
        text: Result<String, edit::EditError>,
    ) -> Option<Fix> {
        let new = text.ok()?;
        let same = |(a, b): &(u8, u8)| a == b;
        let old = self.text;
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
        let end = old.len().saturating_sub(tail);
        let insert = new.get(start..new.len().saturating_sub(tail))?;
        Some(replace(title, Span { start, end }, insert))
    }

    fn remove(&self) -> Option<Fix> {
        let name = tokens(self.pointer)?.last()?.clone();
        let title = format!("Remove {}", quote(&name));
        let fix = self.edited(title, edit::remove(self.text, self.pointer))?;
        Some(Fix {
            way: Way::Removal,
            ..fix
        })
    }

    fn removal(&self) -> Vec<Fix> {
        let mut fixes = Vec::new();
        if matches!(
            self.value.pointer(self.pointer).map(|value| &value.kind),
            Some(Json::Bool(true))
        ) {
            fixes.push(replace("Switch it off", self.span, "false"));
        }
        fixes.extend(self.remove());
        fixes
    }

    fn unknown(&self) -> Vec<Fix> {
        let mut fixes = Vec::new();
        if let Some((parent, name, spot)) = self.parent() {
            let near = match spot.kind {
                Kind::Object(of) => closest(&name, of.members.iter().map(|member| member.name)),
                Kind::Map(Names::Known(list), _) => closest(&name, list.iter().copied()),
                _ => None,
            };
            if let Some(near) = near.filter(|near| parent.member(near).is_none()) {
                let title = format!("Rename to {}", quote(near));
                fixes.push(plain(title, self.span, quote(near)));
            }
            fixes.extend(self.moved(parent, &name, &spot));
            if fixes.len() > 1 {
                fixes.iter_mut().for_each(|fix| fix.way = Way::Choice);
            }
        }
        fixes.extend(self.remove());
        fixes
    }

    /// Moves a member into the one object beside it that knows it.
    fn moved(&self, parent: &Value<'_>, name: &str, spot: &Spot) -> Option<Fix> {
        let Kind::Object(of) = spot.kind else {
            return None;
        };
        let home = crate::shape::only_parent(of, name)?;
        let member = parent.member(name)?;
        let mut target = self.pointer.rsplit_once('/')?.0.to_owned();
        push_token(&mut target, home.name);
        push_token(&mut target, name);
        if self.value.pointer(&target).is_some() {
            return None;
        }
        let json = member.value.span.of(self.text);
        let text =
            edit::set(self.text, &target, json).and_then(|text| edit::remove(&text, self.pointer));
        let fix = self.edited(format!("Move it into {}", quote(home.name)), text)?;
        Some(Fix {
            way: Way::Plain,
            ..fix
        })
    }

    fn required(&self) -> Vec<Fix> {
        let Some((_, name, spot)) = self.parent() else {
            return Vec::new();
        };
        let Kind::Object(of) = spot.kind else {
            return Vec::new();
        };
        let value = of
            .member(&name)
            .map_or_else(|| "\"\"".to_owned(), default_value);
        let title = format!("Add {}", quote(&name));
        self.edited(title, edit::set(self.text, self.pointer, &value))
            .into_iter()
            .collect()
    }

    /// Of two members of the same name the later one goes.
    fn duplicate(&self) -> Vec<Fix> {
        let Some((object, index)) = holder(self.value, self.span) else {
            return Vec::new();
        };
        let mut edits = Edits::new(self.text);
        let layout = edit::Layout::of(self.text, self.value, object);
        let changes = edit::Changes {
            removed: vec![index],
            ..edit::Changes::default()
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
        match self.value.pointer(self.pointer).map(|value| &value.kind) {
            Some(Json::Bool(true)) => self.removal(),
            _ => Vec::new(),
        }
    }
}

/// The object that has a member whose name stands there, and its index.
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
