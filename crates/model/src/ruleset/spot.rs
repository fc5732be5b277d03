//! Finds what the table says about the parts of a ruleset, whose rules and bases are in maps and lists that the table
//! can't describe.

use std::borrow::Cow;

use crate::json::Value;
use crate::json::pointer::push_token;
use crate::shape::ruleset::{RULE, RULESET_DEFINITION, THEN};
use crate::shape::{Kind, Spot, Type};

/// A part of a ruleset.
#[derive(Clone, Copy)]
enum Part {
    Definition,
    /// `extends`, a list of it, or a pair of a base and a mode.
    Bases,
    Rules,
    Rule,
    /// `then`, or a list of it.
    Then,
    /// A value described by the table.
    Spot(Spot),
}

impl Part {
    /// Returns the part one token further.
    fn step(self, token: &str, value: Option<&Value<'_>>) -> Option<Self> {
        let inner = |of: &'static Type| object(of).step(token, |_| None).map(Self::Spot);
        match (self, token) {
            (Self::Definition, "extends") => Some(Self::Bases),
            (Self::Definition, "rules") => Some(Self::Rules),
            (Self::Definition, _) => inner(&RULESET_DEFINITION),
            (Self::Bases, _) if value.is_some_and(is_object) => Self::Definition.step(token, value),
            (Self::Bases, _) => Some(Self::Bases),
            (Self::Rules, _) => Some(Self::Rule),
            (Self::Rule, "then") => Some(Self::Then),
            (Self::Rule, _) => inner(&RULE),
            (Self::Then, _) if value.is_none_or(is_object) => inner(&THEN),
            (Self::Then, _) => Some(Self::Then),
            (Self::Spot(spot), _) => spot.step(token, |_| None).map(Self::Spot),
        }
    }
}

const fn object(of: &'static Type) -> Spot {
    Spot {
        kind: Kind::Object(of),
        member: None,
        owner: None,
    }
}

fn is_object(value: &Value<'_>) -> bool {
    matches!(value.kind, crate::json::Kind::Object(_))
}

/// Finds what the table says about the part that the tokens of a pointer lead to.
pub(crate) fn spot(definition: &Value<'_>, tokens: &[Cow<'_, str>]) -> Option<Spot> {
    let mut value = Some(definition);
    let mut part = Part::Definition;
    for token in tokens {
        part = part.step(token, value)?;
        let mut pointer = String::new();
        push_token(&mut pointer, token);
        value = value.and_then(|value| value.pointer(&pointer));
    }
    Some(match part {
        Part::Definition => object(&RULESET_DEFINITION),
        Part::Bases if value.is_some_and(is_object) => object(&RULESET_DEFINITION),
        Part::Rule => object(&RULE),
        Part::Then => object(&THEN),
        Part::Spot(spot) => spot,
        Part::Bases | Part::Rules => Spot {
            kind: Kind::Any,
            member: None,
            owner: None,
        },
    })
}
