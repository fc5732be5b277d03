//! The shape of the data model as data: types, members, and what this runtime does with each.
//!
//! There is one table. The validator reads it; schemas, completion, forms and the
//! reference documentation are to be made from it too. Names and types are those of the
//! administration API's specification (5.14.0); members that other documents of this family use
//! are listed as well and marked by their support.

pub mod api;
mod check;
pub mod features;
pub mod proxy;
mod suggest;
pub mod versions;

pub(crate) use check::check;
pub(crate) use suggest::closest;

/// A type of the data model.
#[derive(Debug)]
pub struct Type {
    /// Its name in the specification.
    pub name: &'static str,
    /// What it is, in one sentence.
    pub doc: &'static str,
    /// Which of its members turns the whole on or off, if one does.
    pub switch: Switch,
    /// Its members, in the order in which they are documented.
    pub members: &'static [Member],
}

/// Which member turns an object on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// None: every member speaks for itself.
    None,
    /// This member has to be `true`; the others mean nothing without it.
    On(&'static str),
    /// This member being `true` switches the others off.
    Off(&'static str),
}

/// A member of a type.
#[derive(Debug)]
pub struct Member {
    /// Its name.
    pub name: &'static str,
    /// What its value has to be.
    pub kind: Kind,
    /// What this runtime does with it.
    pub support: Support,
    /// Whether it has to be there. Every other member may be absent or null.
    pub required: bool,
    /// Whether it means nothing by itself, because another member switches it on.
    pub detail: bool,
    /// What it keeps from whom, if it is access control. An API that asks for a protection which
    /// isn't enforced is not served, because it would stand open.
    pub protects: Option<&'static str>,
    /// Values, besides false, 0 and empty ones, that ask for nothing; texts and numbers unquoted.
    pub quiet: &'static [&'static str],
    /// The JSON text of its default, where the specification names one.
    pub default: Option<&'static str>,
    /// What it does, in one sentence.
    pub doc: &'static str,
}

/// What a value has to be.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A text.
    Text,
    /// One of these texts.
    Enum(&'static [&'static str]),
    /// A number without a fraction that fits 64 bits.
    Integer {
        /// The smallest allowed value.
        min: i64,
    },
    /// A number.
    Number,
    /// An array of such values.
    Array(&'static Kind),
    /// An object that maps any name to such values.
    Map(&'static Kind),
    /// An object of a type of the table.
    Object(&'static Type),
    /// An object of any members.
    Free,
    /// Any value.
    Any,
}

/// What this runtime does with a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// It is acted on.
    Enforced,
    /// It is kept and given back, but not acted on yet.
    Stored,
    /// It is kept and given back, but can never work here; the sentence says why.
    Unsupported(&'static str),
}

impl Type {
    /// The member of that name.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&'static Member> {
        self.members.iter().find(|member| member.name == name)
    }
}

impl Kind {
    /// What it is called in messages.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Bool => "a boolean",
            Self::Text | Self::Enum(_) => "a string",
            Self::Integer { .. } => "an integer",
            Self::Number => "a number",
            Self::Array(_) => "an array",
            Self::Map(_) | Self::Object(_) | Self::Free => "an object",
            Self::Any => "a value",
        }
    }
}

const BOOL: Kind = Kind::Bool;
const TEXT: Kind = Kind::Text;
const INTEGER: Kind = Kind::Integer { min: i64::MIN };
const COUNT: Kind = Kind::Integer { min: 0 };
const NUMBER: Kind = Kind::Number;
const TEXTS: Kind = Kind::Array(&Kind::Text);
const TEXT_MAP: Kind = Kind::Map(&Kind::Text);
const FREE: Kind = Kind::Free;
const ANY: Kind = Kind::Any;

impl Member {
    const fn new(name: &'static str, kind: Kind, support: Support, doc: &'static str) -> Self {
        Self {
            name,
            kind,
            support,
            required: false,
            detail: false,
            protects: None,
            quiet: &[],
            default: None,
            doc,
        }
    }

    const fn required(mut self) -> Self {
        self.required = true;
        self
    }

    const fn detail(mut self) -> Self {
        self.detail = true;
        self
    }

    const fn protects(mut self, what: &'static str) -> Self {
        self.protects = Some(what);
        self
    }

    const fn quiet(mut self, values: &'static [&'static str]) -> Self {
        self.quiet = values;
        self
    }

    const fn default(mut self, json: &'static str) -> Self {
        self.default = Some(json);
        self
    }
}

/// One line per member: `"name": kind, support, flags => "doc";`
macro_rules! members {
    ($($name:literal: $kind:expr, $support:expr $(, $flag:ident $(($arg:expr))?)* => $doc:literal;)*) => {
        &[$($crate::shape::Member::new($name, $kind, $support, $doc)$(.$flag($($arg)?))*),*]
    };
}
use members;

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    fn visit(kind: &Kind, seen: &mut BTreeSet<&'static str>) {
        match kind {
            Kind::Array(inner) | Kind::Map(inner) => visit(inner, seen),
            Kind::Object(inner) => visit_type(inner, seen),
            _ => {}
        }
    }

    fn visit_type(of: &'static Type, seen: &mut BTreeSet<&'static str>) {
        if !seen.insert(of.name) {
            return;
        }
        let mut names = BTreeSet::new();
        for member in of.members {
            let place = format!("{}.{}", of.name, member.name);
            assert!(names.insert(member.name), "{place} is there twice");
            assert!(
                !member.doc.is_empty() && !member.doc.ends_with('.'),
                "{place}: one sentence, no full stop"
            );
            assert!(!member.doc.contains('\n'), "{place}");
            if let Some(json) = member.default {
                assert!(
                    crate::json::parse(json).is_ok(),
                    "{place}: the default is JSON"
                );
            }
            visit(&member.kind, seen);
        }
        if let Switch::On(name) | Switch::Off(name) = of.switch {
            assert!(
                matches!(of.member(name).unwrap().kind, Kind::Bool),
                "{}: the switch is a boolean",
                of.name
            );
        }
    }

    #[test]
    fn the_table_is_consistent() {
        let mut seen = BTreeSet::new();
        visit_type(&api::API_DEFINITION, &mut seen);
        assert!(seen.contains("VersionInfo") && seen.contains("ProxyConfig"));
    }
}
