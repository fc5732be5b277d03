//! The shape of the data model as data: types, members, and what this runtime does with each.
//!
//! There is one table. The validator reads it, and so do the JSON Schemas, completion and hover
//! texts of the editor, the form view and the generated reference. Names and types are those of the
//! administration API's specification (5.14.0); members that other documents of this family use
//! are listed as well and marked by their support.

pub mod api;
pub mod auth;
pub mod batch;
mod check;
pub mod dashboard;
pub mod events;
pub mod features;
pub mod format;
pub mod graphql;
pub mod graphql_sources;
mod kind;
pub mod paths;
pub mod policy;
pub mod proxy;
mod root;
pub mod session;
mod suggest;
pub mod upstream;
pub mod uptime;
mod values;
pub mod versions;
mod walk;

pub(crate) use check::{check, only_parent};
pub use format::Format;
pub(crate) use kind::{
    ANY, BOOL, COUNT, DURATION, FREE, HEADER_MAP, HEADERS, INTEGER, METHOD, METHODS, NUMBER,
    PATTERN, PORT, STATUS, STATUSES, TEXT, TEXT_MAP, TEXTS, TLS_VERSION, URL,
};
pub use kind::{Bounds, Choice, Kind, Names, Tagged};
pub use root::{Root, all_types, types_of};
pub(crate) use suggest::closest;
pub use walk::{Spot, at};

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
    pub presence: Presence,
    /// Whether it means nothing by itself, because another member switches it on.
    pub detail: bool,
    /// The member beside it that switches it off by being `true`.
    pub unless: Option<&'static str>,
    /// What it keeps from whom, if it is access control. An API that asks for a protection which
    /// isn't enforced is not served, because it would stand open.
    pub protects: Option<&'static str>,
    /// Values, besides false, 0 and empty ones, that ask for nothing; texts and numbers unquoted.
    pub quiet: &'static [&'static str],
    /// The JSON text of its default, where the specification names one.
    pub default: Option<&'static str>,
    /// The heading above it and what follows, where a new group of members begins.
    pub section: Option<&'static str>,
    /// What it does, in one sentence.
    pub doc: &'static str,
}

/// Whether a member has to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It may be absent or null.
    Optional,
    /// Without it the object does nothing useful, which is a warning: the reference accepts it.
    Expected,
    /// It has to be there and not be null.
    Required,
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

impl Support {
    /// The word that stands for it in schemas and tables.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Enforced => "enforced",
            Self::Stored => "stored",
            Self::Unsupported(_) => "unsupported",
        }
    }
}

impl Type {
    /// The member of that name.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&'static Member> {
        self.members.iter().find(|member| member.name == name)
    }
}

impl Member {
    const fn new(name: &'static str, kind: Kind, support: Support, doc: &'static str) -> Self {
        Self {
            name,
            kind,
            support,
            presence: Presence::Optional,
            detail: false,
            unless: None,
            protects: None,
            quiet: &[],
            default: None,
            section: None,
            doc,
        }
    }

    /// Whether it has to be there and not be null.
    #[must_use]
    pub const fn is_required(&self) -> bool {
        matches!(self.presence, Presence::Required)
    }

    const fn required(mut self) -> Self {
        self.presence = Presence::Required;
        self
    }

    const fn expected(mut self) -> Self {
        self.presence = Presence::Expected;
        self
    }

    const fn detail(mut self) -> Self {
        self.detail = true;
        self
    }

    const fn unless(mut self, name: &'static str) -> Self {
        self.unless = Some(name);
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

    const fn section(mut self, heading: &'static str) -> Self {
        self.section = Some(heading);
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
mod tests;
