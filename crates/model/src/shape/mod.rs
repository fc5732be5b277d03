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
pub mod oas;
pub mod paths;
pub mod policy;
pub mod proxy;
mod root;
pub mod ruleset;
pub mod session;
mod suggest;
pub mod upstream;
pub mod uptime;
mod values;
pub mod versions;
mod walk;

pub(crate) use check::{check, check_type, says_something};
#[cfg(feature = "docs")]
pub(crate) use check::{is_container, only_parent};
pub use format::Format;
pub(crate) use kind::{
    ANY, BOOL, COUNT, DURATION, FREE, HEADER_MAP, HEADERS, INTEGER, METHOD, METHODS, NUMBER,
    PATTERN, PORT, STATUS, STATUSES, TEXT, TEXT_MAP, TEXTS, TLS_VERSION, URL, one_of, only,
};
pub use kind::{Bounds, Choice, Kind, Names, Tagged};
pub use root::{Root, all_types, types_of};
pub(crate) use suggest::closest;
pub use suggest::distance;
pub use walk::{Named, Spot, at, member_path, member_paths};

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

/// A member of a type. It is small, because there are hundreds and most have nothing special: what
/// few have is a [`Note`].
#[derive(Debug)]
pub struct Member {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub doc: &'static str,
    /// What its value has to be.
    pub kind: &'static Kind,
    /// What this runtime does with it.
    pub support: &'static Support,
    /// What else there is to say about it.
    pub notes: &'static [Note],
}

/// What a member or a type means, empty without the feature `docs`.
const fn doc(text: &'static str) -> &'static str {
    if cfg!(feature = "docs") { text } else { "" }
}

/// Something that is special about a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// It has to be there and not be null.
    Required,
    /// Without it the object does nothing useful.
    Expected,
    /// It means nothing by itself, because another member switches it on.
    Detail,
    /// The member beside it that switches it off by being `true`.
    Unless(&'static str),
    /// The member beside it without which, being `true`, it means nothing; a text that begins with
    /// `/` is a pointer to a member of the whole document.
    Needs(&'static str),
    /// It neither protects an API nor changes what a request does, so an API that asks for it is
    /// served all the same, with a warning.
    Aside,
    /// Its text, or each text of its map, is a secret: what shows it to others masks it.
    Secret,
    /// What it keeps from whom, if it is access control: the name of the protection for messages.
    Protects(&'static str),
    /// What it keeps a key from. A key that has it is refused by the APIs that this is about as long
    /// as it isn't enforced, because it could do what it must not.
    Restricts(&'static str),
    /// Values, besides false, 0 and empty ones, that ask for nothing; texts and numbers unquoted.
    Quiet(&'static [&'static str]),
    /// The JSON text of its default, where the specification names one.
    Default(&'static str),
    /// The heading above it and what follows, where a new group of members begins.
    Section(&'static str),
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
    /// It is kept and given back, and means nothing to a request here: records, labels, settings of
    /// stores that this gateway doesn't have. Nobody misses it, so nothing is said.
    Informative,
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
            Self::Informative => "informative",
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

/// A method of [`Member`] that answers what one kind of note says.
macro_rules! answers {
    ($($(#[$doc:meta])* $name:ident: $note:ident -> $type:ty;)*) => {$(
        $(#[$doc])*
        #[must_use]
        pub fn $name(&self) -> Option<$type> {
            self.notes.iter().find_map(|note| match note {
                Note::$note(value) => Some(*value),
                _ => None,
            })
        }
    )*};
}

impl Member {
    answers! {
        /// The member beside it that switches it off by being `true`.
        unless: Unless -> &'static str;
        /// The member without which it means nothing.
        needs: Needs -> &'static str;
        /// What it keeps from whom, if it is access control.
        protects: Protects -> &'static str;
        /// What it keeps a key from.
        restricts: Restricts -> &'static str;
        /// The JSON text of its default.
        default: Default -> &'static str;
        /// The heading above it, where a new group of members begins.
        section: Section -> &'static str;
        /// Values, besides false, 0 and empty ones, that ask for nothing.
        quiet: Quiet -> &'static [&'static str];
    }

    /// Whether it means nothing by itself, because another member switches it on.
    #[must_use]
    pub fn is_detail(&self) -> bool {
        self.notes.contains(&Note::Detail)
    }

    /// Whether an API is served although it asks for it and it isn't acted on.
    #[must_use]
    pub fn is_aside(&self) -> bool {
        self.notes.contains(&Note::Aside)
    }

    /// Whether an API definition that asks for it is not served: it protects or changes a request, and
    /// nothing here does that.
    #[must_use]
    pub fn is_unservable(&self) -> bool {
        let missed = matches!(*self.support, Support::Stored | Support::Unsupported(_));
        missed && !self.is_aside()
    }

    /// Whether its text, or each text of its map, is a secret.
    #[must_use]
    pub fn is_secret(&self) -> bool {
        self.notes.contains(&Note::Secret)
    }

    /// Whether it has to be there. Every other member may be absent or null.
    #[must_use]
    pub fn presence(&self) -> Presence {
        if self.notes.contains(&Note::Required) {
            Presence::Required
        } else if self.notes.contains(&Note::Expected) {
            Presence::Expected
        } else {
            Presence::Optional
        }
    }

    /// Whether it has to be there and not be null.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.presence() == Presence::Required
    }
}

/// One line per member: `"name": kind, support, flags => "doc";`
macro_rules! members {
    ($($name:literal: $kind:expr, $support:expr $(, $flag:ident $(($arg:expr))?)* => $doc:literal;)*) => {
        &[$($crate::shape::Member {
            name: $name,
            doc: $crate::shape::doc($doc),
            kind: &$kind,
            support: &$support,
            notes: &[$($crate::shape::note!($flag $(, $arg)?)),*],
        }),*]
    };
}

/// A flag of a line of the table.
macro_rules! note {
    (required) => {
        $crate::shape::Note::Required
    };
    (expected) => {
        $crate::shape::Note::Expected
    };
    (detail) => {
        $crate::shape::Note::Detail
    };
    (aside) => {
        $crate::shape::Note::Aside
    };
    (secret) => {
        $crate::shape::Note::Secret
    };
    (unless, $name:expr) => {
        $crate::shape::Note::Unless($name)
    };
    (needs, $name:expr) => {
        $crate::shape::Note::Needs($name)
    };
    (protects, $what:expr) => {
        $crate::shape::Note::Protects($what)
    };
    (restricts, $what:expr) => {
        $crate::shape::Note::Restricts($what)
    };
    (quiet, $values:expr) => {
        $crate::shape::Note::Quiet($values)
    };
    (default, $json:expr) => {
        $crate::shape::Note::Default($json)
    };
    (section, $heading:expr) => {
        $crate::shape::Note::Section($heading)
    };
}
use {members, note};

#[cfg(test)]
mod tests;
