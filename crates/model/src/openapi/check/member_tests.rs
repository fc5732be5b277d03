//! Every member of the extension, at every position: a value of its kind is accepted there, and one of another type is
//! refused with its position.

use super::*;
use crate::shape::oas::{EXTENSION, Fill, Form, Kind, Type};
use serde_json::{Value as Json, json};

/// For each format, one of these is valid.
const TEXTS: [&str; 7] = ["a", "1h", "1s", "a.b", "http://a", "a@b", "/a"];

struct Examples {
    table: Table<'static>,
    kind: DocumentKind,
    /// The number of members tried, and of those also tried with a wrong value.
    tried: usize,
    refused: usize,
}

impl Examples {
    fn of(&self, kind: &Kind<'_>) -> Json {
        match kind {
            Kind::Bool(_) => json!(false),
            Kind::Integer(_) | Kind::Number(_) => json!(1),
            Kind::Text(form) => text(*form),
            Kind::Choice(words) => json!(words.split('|').next().unwrap()),
            Kind::Any | Kind::Object => json!({}),
            Kind::Reference => json!("#/paths"),
            Kind::List(kind, _) => json!([self.of(kind)]),
            Kind::Map(kind) => json!({ "a": self.of(kind) }),
            Kind::Type(number) | Kind::OrReference(number, _) => {
                self.least(self.table.get(*number).unwrap())
            }
            Kind::OrNull(_) => Json::Null,
        }
    }

    /// Returns a minimal value of a type.
    fn least(&self, of: &Type<'_>) -> Json {
        let mut object = serde_json::Map::new();
        let first = of
            .any
            .first()
            .map(|number| self.table.get(*number).unwrap());
        let wanted = first
            .into_iter()
            .flat_map(|of| &of.members)
            .chain(&of.members);
        for member in wanted.filter(|member| member.fill == Fill::Required) {
            let own = of.members.iter().find(|own| own.name == member.name);
            object.insert(member.name.to_owned(), self.of(&own.unwrap_or(member).kind));
        }
        Json::Object(object)
    }

    fn check(&self, extension: &Json) -> Result<(), Refused> {
        let document = json!({
            "openapi": "3.0.3", "info": { "title": "a", "version": "1" }, "paths": {},
            "x-gateway-api-gateway": extension,
        });
        check(&document.to_string(), self.kind)
    }

    /// Tries the members of a type located at a pointer of the extension.
    fn visit(&mut self, number: usize, extension: &Json, pointer: &str, certain: bool) {
        for at in self.table.get(number).unwrap().any.clone() {
            self.visit(at, extension, pointer, false);
        }
        let members: Vec<(&str, Kind<'static>)> = {
            let members = &self.table.get(number).unwrap().members;
            members
                .iter()
                .map(|member| (member.name, member.kind.clone()))
                .collect()
        };
        for (name, kind) in members {
            let set = |value: Json| {
                let mut extension = extension.clone();
                extension.pointer_mut(pointer).unwrap()[name] = value;
                extension
            };
            let place = format!("{pointer}/{name}");
            // A member that only distinguishes alternatives of one type has no kind of its own.
            if kind == Kind::Any && !certain {
                continue;
            }
            let with = set(self.of(&kind));
            let answer = self.check(&with);
            // With a member of one alternative, the other required members of that alternative may be missing.
            assert!(!certain || answer.is_ok(), "{place} {with}: {answer:?}");
            self.tried += 1;
            if certain && !matches!(kind, Kind::Any) {
                let wrong = if matches!(kind, Kind::Bool(_)) {
                    json!(5)
                } else {
                    json!(true)
                };
                let refused = self.check(&set(wrong)).expect_err(&place);
                let place = format!("/x-gateway-api-gateway{place}");
                let named = refused.issues.iter().any(|issue| issue.pointer == place);
                assert!(named, "{place}: {refused:?}");
                assert!(
                    refused.message.contains(": Invalid type. Expected: "),
                    "{place}"
                );
                self.refused += 1;
            }
            let (inner, below) = below(&kind);
            if let Some(inner) = inner {
                self.visit(inner, &with, &format!("{pointer}/{name}{below}"), certain);
            }
        }
    }
}

fn text(form: Form) -> Json {
    let text = TEXTS.into_iter().find(|text| form.fits(text));
    json!(text.unwrap())
}

/// Returns the type inside a kind, and the pointer to it in the kind's example.
fn below(kind: &Kind<'_>) -> (Option<usize>, &'static str) {
    match kind {
        Kind::Type(number) => (Some(*number), ""),
        Kind::List(kind, _) => (below(kind).0, "/0"),
        Kind::Map(kind) if matches!(**kind, Kind::List(..)) => (below(kind).0, "/a/0"),
        Kind::Map(kind) => (below(kind).0, "/a"),
        _ => (None, ""),
    }
}

#[test]
fn every_member_takes_its_kind_and_refuses_another() {
    for (kind, most) in [(DocumentKind::Oas, 550), (DocumentKind::Mcp, 600)] {
        let table = oas::table(Version::V3_0, kind);
        let number = table.number(false, EXTENSION).unwrap();
        let mut examples = Examples {
            table,
            kind,
            tried: 0,
            refused: 0,
        };
        let least = examples.least(examples.table.get(number).unwrap());
        assert_eq!(
            examples.check(&least).map_err(|refused| refused.message),
            Ok(())
        );
        examples.visit(number, &least, "", true);
        let counts = (examples.tried, examples.refused);
        assert!(
            counts.0 > most && counts.1 > most - 300,
            "{kind:?} {counts:?}"
        );
    }
}
