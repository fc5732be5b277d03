//! Warnings about what the reference accepts silently: unknown members of the extension, list elements that the
//! reference doesn't check, and regular expressions that can't be compiled here.

use super::load::title;
use super::{DocumentKind, extension};
use crate::findings::{Findings, shown};
use crate::issue::{Issue, IssueCode};
use crate::json::pointer::Path;
use crate::json::{Kind as Json, Value, parse};
use crate::shape::closest;
use crate::shape::oas::{self, EXTENSION, Kind, Table, Version};
use crate::text::pattern;

/// Returns the warnings about a document that [`super::check`] accepts. There are none for a text that is not JSON.
#[must_use]
pub fn advice(document: &str, kind: DocumentKind) -> Vec<Issue> {
    let text = document;
    let Ok(document) = parse(text) else {
        return Vec::new();
    };
    let mut adviser = Adviser {
        table: oas::table(Version::V3_0, kind),
        findings: Findings::default(),
    };
    let number = adviser.table.number(false, EXTENSION);
    if let Some((number, extension)) = number.zip(extension(&document)) {
        let root = Path::Root;
        let path = root.member(&extension.name);
        adviser.look(&Kind::Type(number), &extension.value, &path);
        let rules = extension.value.pointer("/middleware/operations");
        let mut rules = rules.map(Value::members).unwrap_or_default().iter();
        if rules.any(|rule| rule.value.get("validateRequest").is_some()) {
            adviser.patterns(&document, &root);
        }
    }
    adviser.findings.into_issues(text)
}

struct Adviser {
    table: Table<'static>,
    findings: Findings,
}

impl Adviser {
    fn look(&mut self, kind: &Kind<'_>, value: &Value<'_>, path: &Path<'_>) {
        match (kind, &value.kind) {
            (Kind::List(kind, first), Json::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    let path = path.element(index);
                    if *first && index > 0 && !is_of(kind, item) {
                        self.wrong(kind, item, &path);
                    }
                    self.look(kind, item, &path);
                }
            }
            (Kind::Map(kind), Json::Object(members)) => {
                for member in members {
                    self.look(kind, &member.value, &path.member(&member.name));
                }
            }
            (Kind::OrNull(kind), _) => self.look(kind, value, path),
            (Kind::Type(number), Json::Object(_)) => self.members(*number, value, path),
            _ => {}
        }
    }

    /// Looks for the patterns of schemas, wherever these are.
    fn patterns(&mut self, value: &Value<'_>, path: &Path<'_>) {
        for (index, item) in value.items().iter().enumerate() {
            self.patterns(item, &path.element(index));
        }
        for member in value.members() {
            let path = path.member(&member.name);
            match (&*member.name, member.value.as_str()) {
                ("example" | "examples" | "default" | "enum", _) => {}
                ("pattern", Some(text)) => {
                    if let Err(problem) = pattern::check_schema(text) {
                        let message =
                            format!("{}; until then, every value is refused", problem.message);
                        let code = IssueCode::Format;
                        self.findings
                            .warning(code, member.value.span, &path, message);
                    }
                }
                (name, _) if name.starts_with("x-") => {}
                _ => self.patterns(&member.value, &path),
            }
        }
    }

    fn wrong(&mut self, kind: &Kind<'_>, value: &Value<'_>, path: &Path<'_>) {
        let (wanted, given) = (title(kind), value.kind.type_name());
        let message = format!("it should be {wanted}, but is {given}");
        self.findings
            .warning(IssueCode::Type, value.span, path, message);
    }

    fn members(&mut self, number: usize, value: &Value<'_>, path: &Path<'_>) {
        // A type with alternatives has the members of all of them.
        let mut own = Vec::new();
        collect(&self.table, number, &mut own);
        for member in value.members() {
            let path = path.member(&member.name);
            let known = own.iter().find(|(name, _)| *name == member.name);
            if let Some((_, kind)) = known {
                let kind = kind.clone();
                self.look(&kind, &member.value, &path);
            } else if !member.name.starts_with("x-") && !own.is_empty() {
                let names = own.iter().map(|(name, _)| *name);
                let message = match closest(&member.name, names) {
                    Some(close) => {
                        format!("it is not known here and has no effect; is \"{close}\" meant?")
                    }
                    None => format!(
                        "{} is not known here and has no effect",
                        shown(&member.name)
                    ),
                };
                let code = IssueCode::UnknownMember;
                self.findings
                    .warning(code, member.name_span, &path, message);
            }
        }
    }
}

/// Collects the members of a type and of its alternatives.
fn collect(table: &Table<'static>, number: usize, own: &mut Vec<(&'static str, Kind<'static>)>) {
    let Some(of) = table.get(number) else { return };
    // Alternatives that only require a member describe it no better than the type itself.
    own.extend(
        of.members
            .iter()
            .map(|member| (member.name, member.kind.clone())),
    );
    for number in &of.any {
        collect(table, *number, own);
    }
}

/// Whether a value has the type of a kind.
fn is_of(kind: &Kind<'_>, value: &Value<'_>) -> bool {
    match kind {
        Kind::Any => true,
        Kind::Bool(_) => value.as_bool().is_some(),
        Kind::Integer(_) => value.as_int().is_some(),
        Kind::Number(_) => matches!(value.kind, Json::Number(_)),
        Kind::Text(_) | Kind::Choice(_) | Kind::Reference => value.as_str().is_some(),
        Kind::List(..) => matches!(value.kind, Json::Array(_)),
        Kind::OrNull(kind) => value.is_null() || is_of(kind, value),
        _ => matches!(value.kind, Json::Object(_)),
    }
}
