//! Reports what the reference can't load at all: values of a wrong type in members it has types for, and references
//! that lead nowhere or out of the document. Extensions are not checked here.

use super::refusal::{Refused, field};
use super::targets::Targets;
use crate::findings::{Findings, shown};
use crate::issue::IssueCode;
use crate::json::pointer::Path;
use crate::json::{Kind as Json, Value};
use crate::shape::oas::{DOCUMENT, Kind, Table, Type};

/// Checks a document the way the reference loads it.
pub(super) fn load(
    text: &str,
    document: &Value<'_>,
    table: &Table<'_>,
    targets: &Targets<'_>,
) -> Result<(), Refused> {
    let mut loader = Loader {
        table,
        targets,
        findings: Findings::default(),
    };
    if let Some(number) = table.number(true, DOCUMENT) {
        loader.load(&Kind::Type(number), document, &Path::Root);
    }
    if loader.findings.is_empty() {
        return Ok(());
    }
    Err(Refused::malformed(loader.findings.into_issues(text)))
}

struct Loader<'l> {
    table: &'l Table<'l>,
    targets: &'l Targets<'l>,
    findings: Findings,
}

impl Loader<'_> {
    fn load(&mut self, kind: &Kind<'_>, value: &Value<'_>, path: &Path<'_>) {
        // Go reads null as absent, whatever type is expected.
        if value.is_null() {
            return;
        }
        match (kind, &value.kind) {
            (Kind::Any, _)
            | (Kind::Bool(_), Json::Bool(_))
            | (Kind::Number(_), Json::Number(_))
            | (Kind::Text(_) | Kind::Choice(_), Json::String(_))
            | (Kind::Object, Json::Object(_))
            | (Kind::OrReference(_, true), Json::Bool(_)) => {}
            (Kind::Integer(_), Json::Number(_)) if value.as_int().is_some() => {}
            (Kind::Reference, Json::String(reference)) => self.reference(reference, value, path),
            (Kind::OrNull(kind), _) => self.load(kind, value, path),
            (Kind::List(kind, _), Json::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    self.load(kind, item, &path.element(index));
                }
            }
            (Kind::Map(kind), Json::Object(members)) => {
                for member in members
                    .iter()
                    .filter(|member| !member.name.starts_with("x-"))
                {
                    self.load(kind, &member.value, &path.member(&member.name));
                }
            }
            (Kind::Type(number), Json::Object(_)) => {
                if let Some(of) = self.table.get(*number) {
                    self.members(of, value, path);
                }
            }
            (Kind::OrReference(number, _), Json::Object(_)) => match value.member("$ref") {
                Some(member) => self.load(&Kind::Reference, &member.value, &path.member("$ref")),
                None => self.load(&Kind::Type(*number), value, path),
            },
            _ => self.wrong(kind, value, path),
        }
    }

    fn members(&mut self, of: &Type<'_>, value: &Value<'_>, path: &Path<'_>) {
        for member in value.members() {
            let own = of.members.iter().find(|known| known.name == member.name);
            let each = of.each.as_ref().filter(|(form, _)| form.fits(&member.name));
            let kind = own.map(|own| &own.kind).or(each.map(|(_, kind)| kind));
            if let Some(kind) = kind {
                self.load(kind, &member.value, &path.member(&member.name));
            }
        }
        // Which of the alternatives applies isn't known yet; members they share have the same type in all of them.
        for number in &of.one {
            if let Some(of) = self.table.get(*number) {
                self.members(of, value, path);
            }
        }
    }

    fn reference(&mut self, reference: &str, value: &Value<'_>, path: &Path<'_>) {
        let message = if !reference.starts_with('#') {
            format!(
                "{} is another document; copy what it holds into this one",
                shown(reference)
            )
        } else if reference.starts_with("#/") && self.targets.find(reference).is_none() {
            format!(
                "{} leads to nothing in this document; add it, or mend the reference",
                shown(reference)
            )
        } else {
            return;
        };
        self.findings
            .error(IssueCode::Format, value.span, path, message);
    }

    fn wrong(&mut self, kind: &Kind<'_>, value: &Value<'_>, path: &Path<'_>) {
        let (name, given) = (field(path), value.kind.type_name());
        let message = format!("{name} has to be {}, but is {given}", title(kind));
        self.findings
            .error(IssueCode::Type, value.span, path, message);
    }
}

/// Returns the name of a kind in a sentence.
pub(super) const fn title(kind: &Kind<'_>) -> &'static str {
    match kind {
        Kind::Any => "anything",
        Kind::Bool(_) => "true or false",
        Kind::Integer(_) => "an integer",
        Kind::Number(_) => "a number",
        Kind::Text(_) | Kind::Choice(_) | Kind::Reference => "a string",
        Kind::List(..) => "an array",
        Kind::Object | Kind::Map(_) | Kind::Type(_) | Kind::OrReference(..) | Kind::OrNull(_) => {
            "an object"
        }
    }
}
