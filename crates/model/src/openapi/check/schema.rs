//! The schema of document and extension: its violations in the words and the order of the reference's validator
//! (gojsonschema).
//!
//! The reference validates its own serialisation of the document: there, null members are gone, some required ones are
//! always written, and some empty texts are not. The extension is validated as sent.

use super::Input;
use super::load::title;
use super::refusal::{Reason, Refused, Text, field};
use crate::findings::{Findings, shown};
use crate::issue::IssueCode;
use crate::json::pointer::Path;
use crate::json::{Kind as Json, Span, Value, decimal};
use crate::shape::oas::{
    DOCUMENT, EXTENSION, Fill, Form, Kind, MCP_SERVER, Others, Range, Table, Type,
};
use std::cmp::Ordering;

/// The maximum number of violations listed, and their maximum total size in bytes.
const MAX_TOLD: usize = 200;
const MAX_BYTES: usize = 256 * 1024;

const ANY_OF: &str = "Must validate at least one schema (anyOf)";

/// Checks document and extension.
pub(super) fn check(input: &Input<'_>) -> Result<(), Refused> {
    let mut found = Found::default();
    let run = Run { table: input.table };
    let root = Path::Root;
    if let Some(number) = input.table.number(true, DOCUMENT) {
        run.hold(&Kind::Type(number), input.document, &root, &mut found);
    }
    let server = input.document.member("x-gateway-mcp-server");
    let server = server.or_else(|| input.document.member("x-tyk-mcp-server"));
    let parts = [(EXTENSION, input.extension), (MCP_SERVER, server)];
    for (name, member) in parts {
        let number = input.table.number(false, name);
        if let Some((number, member)) = number.zip(member) {
            let path = root.member(&member.name);
            run.hold(&Kind::Type(number), &member.value, &path, &mut found);
        }
    }
    found.refusal(input.text)
}

/// One violation: a line of the response, and an issue.
#[derive(Debug)]
struct Violation {
    text: String,
    pointer: String,
    span: Span,
    reason: Reason,
}

/// The violations of a value, and how close it came to being valid: of several alternatives that fail, the closest one
/// is reported.
#[derive(Debug, Default)]
struct Found {
    list: Vec<Violation>,
    bytes: usize,
    more: usize,
    score: i64,
}

impl Found {
    fn is_valid(&self) -> bool {
        self.list.is_empty()
    }

    fn passed(&mut self) {
        self.score = self.score.saturating_add(1);
    }

    fn say(&mut self, text: &str, value: &Value<'_>, path: &Path<'_>, reason: Reason) {
        self.say_at(path, reason.span(value), text, path, reason);
    }

    /// Like [`Self::say`], for a violation that the reference reports at an object, but which is about one member of
    /// it: that one is what a person looks for.
    fn say_at(&mut self, at: &Path<'_>, span: Span, text: &str, path: &Path<'_>, reason: Reason) {
        self.score = self.score.saturating_sub(2);
        let text = Text::new(&field(path)).and(": ").and(text).0;
        let pointer = at.pointer();
        self.push(Violation {
            text,
            pointer,
            span,
            reason,
        });
    }

    fn push(&mut self, violation: Violation) {
        let bytes = violation.text.len().saturating_add(violation.pointer.len());
        // The first one always fits.
        let is_full = self.list.len() >= MAX_TOLD || self.bytes.saturating_add(bytes) > MAX_BYTES;
        if is_full && !self.list.is_empty() {
            self.more = self.more.saturating_add(1);
            return;
        }
        self.bytes = self.bytes.saturating_add(bytes);
        self.list.push(violation);
    }

    fn merge(&mut self, other: Self) {
        self.score = self.score.saturating_add(other.score);
        self.more = self.more.saturating_add(other.more);
        for violation in other.list {
            self.push(violation);
        }
    }

    fn refusal(self, text: &str) -> Result<(), Refused> {
        if self.is_valid() {
            return Ok(());
        }
        let mut findings = Findings::default();
        let mut lines = Vec::new();
        for violation in self.list {
            let Reason { code, message } = violation.reason;
            lines.push(violation.text);
            // A failed choice of alternatives is explained by the violations of the closest one.
            if code != IssueCode::Conflict {
                findings.error(code, violation.span, violation.pointer, message);
            }
        }
        if self.more > 0 {
            lines.push(format!("and {} more", self.more));
        }
        Err(Refused {
            message: lines.join("\n"),
            issues: findings.into_issues(text),
        })
    }
}

struct Run<'r> {
    table: &'r Table<'r>,
}

impl Run<'_> {
    fn hold(&self, kind: &Kind<'_>, value: &Value<'_>, path: &Path<'_>, found: &mut Found) {
        match (kind, &value.kind) {
            (Kind::Any, _)
            | (Kind::Bool(false), Json::Bool(_))
            | (Kind::Bool(true), Json::Bool(true))
            | (Kind::Object, Json::Object(_))
            | (Kind::Reference, Json::String(_))
            | (Kind::OrReference(_, true), Json::Bool(_))
            | (Kind::OrNull(_), Json::Null) => {}
            (Kind::OrNull(kind), _) => self.hold(kind, value, path, found),
            (Kind::Bool(true), Json::Bool(false)) => choice("true", value, path, found),
            (Kind::Number(range), Json::Number(number)) => {
                in_range(range, number, value, path, found);
            }
            (Kind::Integer(range), Json::Number(number)) if value.as_int().is_some() => {
                in_range(range, number, value, path, found);
            }
            (Kind::Text(form), Json::String(text)) => {
                if !form.fits(text) {
                    written(*form, value, path, found);
                }
            }
            (Kind::Choice(words), Json::String(text)) => {
                if !words.split('|').any(|word| word == text) {
                    choice(&quoted(words), value, path, found);
                }
            }
            (Kind::List(kind, first), Json::Array(items)) => {
                let looked = if *first { 1 } else { items.len() };
                for (index, item) in items.iter().take(looked).enumerate() {
                    self.hold(kind, item, &path.element(index), found);
                }
            }
            (Kind::Map(kind), Json::Object(members)) => {
                for member in members {
                    self.hold(kind, &member.value, &path.member(&member.name), found);
                }
            }
            (Kind::Type(number), Json::Object(_)) => {
                if let Some(of) = self.table.get(*number) {
                    self.object(of, value, path, found);
                }
            }
            (Kind::OrReference(number, _), Json::Object(_)) => {
                if value.str("$ref").is_none() {
                    self.or_reference(*number, value, path, found);
                }
            }
            _ => {
                if let Kind::Type(number) = kind
                    && self.table.get(*number).is_some_and(|of| of.is_choice)
                {
                    unfitting(ANY_OF, value, path, found);
                }
                return wrong_type(kind, value, path, found);
            }
        }
        found.passed();
    }

    /// Checks a value that may be a reference or the type: as it isn't a reference, the type is closer.
    fn or_reference(&self, number: usize, value: &Value<'_>, path: &Path<'_>, found: &mut Found) {
        let mut inner = Found::default();
        self.hold(&Kind::Type(number), value, path, &mut inner);
        if !inner.is_valid() {
            unfitting(
                "Must validate one and only one schema (oneOf)",
                value,
                path,
                found,
            );
            found.merge(inner);
        }
    }

    fn object(&self, of: &Type<'_>, value: &Value<'_>, path: &Path<'_>, found: &mut Found) {
        self.several(of, value, path, found);
        required(of, value, path, found);
        // Null members of a document aren't serialised.
        let members = value.members().iter();
        let members = members.filter(|member| !(of.is_document && member.value.is_null()));
        let own = |name: &str| of.members.iter().find(|known| known.name == name);
        for member in members.clone().filter(|member| own(&member.name).is_none()) {
            let path_of = path.member(&member.name);
            let each = of.each.as_ref().filter(|(form, _)| form.fits(&member.name));
            let is_open = match of.others {
                Others::Open => true,
                Others::Extensions => member.name.starts_with("x-"),
                Others::None => false,
            };
            if let Some((_, kind)) = each {
                self.hold(kind, &member.value, &path_of, found);
            } else if !is_open {
                let text = Text::new("Additional property ").name(&member.name);
                let message = format!("{} is not known here; take it away", shown(&member.name));
                let reason = Reason::new(IssueCode::UnknownMember, message);
                let text = text.and(" is not allowed").0;
                found.say_at(&path_of, member.name_span, &text, path, reason);
            }
        }
        for member in members {
            if let Some(own) = own(&member.name) {
                self.hold(&own.kind, &member.value, &path.member(&member.name), found);
            }
        }
        found.passed();
    }

    /// Checks a value against the alternatives of its type.
    fn several(&self, of: &Type<'_>, value: &Value<'_>, path: &Path<'_>, found: &mut Found) {
        let apart = |number: usize| {
            let mut inner = Found::default();
            self.hold(&Kind::Type(number), value, path, &mut inner);
            inner
        };
        for (types, is_any) in [(&of.any, true), (&of.one, false)] {
            let (mut fitting, mut closest) = (0_usize, None::<Found>);
            for inner in types.iter().map(|number| apart(*number)) {
                if inner.is_valid() {
                    fitting = fitting.saturating_add(1);
                } else if closest
                    .as_ref()
                    .is_none_or(|known| inner.score > known.score)
                {
                    closest = Some(inner);
                }
            }
            if types.is_empty() || fitting == 1 || (is_any && fitting > 1) {
                continue;
            }
            let text = match is_any {
                true => ANY_OF,
                false => "Must validate one and only one schema (oneOf)",
            };
            if fitting == 0 {
                unfitting(text, value, path, found);
                found.merge(closest.unwrap_or_default());
            } else {
                let members = "only one of several members may be there; take the others away";
                let reason = Reason::new(IssueCode::Format, members);
                found.say(text, value, path, reason);
            }
        }
        let mut fits = true;
        for inner in of.all.iter().map(|number| apart(*number)) {
            fits &= inner.is_valid();
            found.merge(inner);
        }
        if !fits {
            unfitting("Must validate all the schemas (allOf)", value, path, found);
        }
        if of.not.is_some_and(|number| apart(number).is_valid()) {
            let message = "two of its members exclude each other; take one of them away";
            let reason = Reason::new(IssueCode::Format, message);
            found.say("Must not validate the schema (not)", value, path, reason);
        }
    }
}

/// Reports missing required members, in the order of the table.
fn required(of: &Type<'_>, value: &Value<'_>, path: &Path<'_>, found: &mut Found) {
    if value.members().len() < of.least {
        let text = format!("Must have at least {} properties", of.least);
        // Which of several members are missing is an issue of its own.
        let reason = match of.least {
            1 => Reason::new(IssueCode::Required, "it must not be empty; add an entry"),
            _ => Reason::new(IssueCode::Conflict, ""),
        };
        found.say(&text, value, path, reason);
    }
    for member in &of.members {
        let there = value.member(member.name).map(|member| &member.value);
        let there = there.filter(|value| !(of.is_document && value.is_null()));
        let is_empty = there.and_then(Value::as_str) == Some("");
        match member.fill {
            Fill::Required | Fill::Present if there.is_some() => {
                if of.is_document && is_empty && member.fill == Fill::Required {
                    missing(member.name, value, path, found);
                } else {
                    found.passed();
                }
            }
            Fill::Required | Fill::Present => missing(member.name, value, path, found),
            Fill::Null if there.is_none() => {
                let message = format!("\"{}\" is missing; add it", member.name);
                let reason = Reason::new(IssueCode::Required, message);
                let text = "Invalid type. Expected: object, given: null";
                found.say(text, value, &path.member(member.name), reason);
            }
            Fill::Empty if there.is_none() => {
                if let Kind::Text(form) = member.kind
                    && !form.fits("")
                {
                    lacking(member.name, form, value, path, found);
                }
            }
            _ => {}
        }
    }
}

fn missing(name: &str, value: &Value<'_>, path: &Path<'_>, found: &mut Found) {
    let reason = Reason::new(
        IssueCode::Required,
        format!("\"{name}\" is missing; add it"),
    );
    let text = format!("{name} is required");
    found.say_at(&path.member(name), reason.span(value), &text, path, reason);
}

/// Reports that no alternative matches. This is no issue of its own: the violations of the closest one are.
fn unfitting(text: &str, value: &Value<'_>, path: &Path<'_>, found: &mut Found) {
    found.say(text, value, path, Reason::new(IssueCode::Conflict, ""));
}

fn written(form: Form, value: &Value<'_>, path: &Path<'_>, found: &mut Found) {
    let message = format!("it has to be {}", form.title());
    let reason = Reason::new(IssueCode::Format, message);
    if let Some(text) = unlike(form) {
        found.say(&text, value, path, reason);
    }
}

/// Reports a missing text, which the reference takes for an empty one.
fn lacking(name: &str, form: Form, value: &Value<'_>, path: &Path<'_>, found: &mut Found) {
    let message = format!("\"{name}\" is missing; add {}", form.title());
    let reason = Reason::new(IssueCode::Required, message);
    if let Some(text) = unlike(form) {
        found.say(&text, value, &path.member(name), reason);
    }
}

/// Returns what the reference says about a text without this format.
fn unlike(form: Form) -> Option<String> {
    let (what, how) = match (form.expression(), form) {
        (Some(expression), _) => ("pattern", expression),
        (None, Form::Format(name)) => ("format", name),
        (None, _) => return None,
    };
    Some(format!("Does not match {what} '{how}'"))
}

fn quoted(words: &str) -> String {
    let quoted: Vec<String> = words.split('|').map(|word| format!("\"{word}\"")).collect();
    quoted.join(", ")
}

fn choice(words: &str, value: &Value<'_>, path: &Path<'_>, found: &mut Found) {
    let text = Text::new(&field(path)).and(" must be one of the following: ");
    let reason = Reason::new(IssueCode::Enum, format!("it has to be one of {words}"));
    found.say(&text.and(words).0, value, path, reason);
}

fn in_range(
    range: &Range<'_>,
    number: &str,
    value: &Value<'_>,
    path: &Path<'_>,
    found: &mut Found,
) {
    // A limit that isn't there is empty.
    let against = |limit: &str| (!limit.is_empty()).then(|| decimal::compare(number, limit));
    let (word, limit) = match (against(range.min), against(range.max)) {
        (Some(Ordering::Less), _) => ("greater", range.min),
        (_, Some(Ordering::Greater)) => ("less", range.max),
        _ => return,
    };
    let text = format!("Must be {word} than or equal to {limit}");
    let reason = Reason::new(
        IssueCode::Range,
        format!(
            "it must not be {} than {limit}",
            match word {
                "less" => "greater",
                _ => "less",
            }
        ),
    );
    found.say(&text, value, path, reason);
}

fn wrong_type(kind: &Kind<'_>, value: &Value<'_>, path: &Path<'_>, found: &mut Found) {
    let expected = match kind {
        Kind::Any => "any",
        Kind::Bool(_) => "boolean",
        Kind::Integer(_) => "integer",
        Kind::Number(_) => "number",
        Kind::Text(_) | Kind::Choice(_) | Kind::Reference => "string",
        Kind::List(..) => "array",
        _ => "object",
    };
    let given = match value.kind {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(_) if value.as_int().is_some() => "integer",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    };
    let text = format!("Invalid type. Expected: {expected}, given: {given}");
    let message = format!(
        "it has to be {}, but is {}",
        title(kind),
        value.kind.type_name()
    );
    found.say(&text, value, path, Reason::new(IssueCode::Type, message));
}
