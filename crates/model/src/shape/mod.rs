//! The shape of the data model as data: types, members, and what this runtime does with each.
//!
//! There is one table. The validator reads it, and so do the JSON Schemas, completion and hover texts of the editor,
//! the form view and the generated reference. Names and types are those of the administration API's specification
//! (5.14.0); members used by other documents of this family are listed as well and marked by their support.

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

pub(crate) use check::{check, check_type, is_significant};
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
    /// Its description, in one sentence.
    pub doc: &'static str,
    /// The member that switches the object on or off, if any.
    pub switch: Switch,
    /// Its members, in the order of the documentation.
    pub members: &'static [Member],
}

/// The member that switches an object on or off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    /// None: every member takes effect independently.
    None,
    /// This member has to be `true`; the others have no effect without it.
    On(&'static str),
    /// This member being `true` switches the others off.
    Off(&'static str),
}

/// A member of a type. It is small, because there are hundreds and most have no special properties; those that only a
/// few have are [`Note`]s.
#[derive(Debug)]
pub struct Member {
    /// Its name.
    pub name: &'static str,
    /// Its description, in one sentence.
    pub doc: &'static str,
    /// The kind of its value.
    pub kind: &'static Kind,
    /// What this runtime does with it.
    pub support: &'static Support,
    /// Its special properties.
    pub notes: &'static [Note],
}

/// Returns the description of a member or a type, or a heading; empty without the feature `docs`.
const fn doc(text: &'static str) -> &'static str {
    if cfg!(feature = "docs") { text } else { "" }
}

/// A special property of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// It must be present and not null.
    Required,
    /// Without it the object does nothing useful.
    Expected,
    /// It has no effect by itself, because another member switches it on.
    Detail,
    /// The sibling member that switches it off by being `true`.
    Unless(&'static str),
    /// The sibling member that has to be `true` for it to have an effect; a text that starts with `/` is a pointer to a
    /// member of the document.
    Needs(&'static str),
    /// It neither protects an API nor changes how requests are handled, so an API that uses it is served all the same,
    /// with a warning.
    Aside,
    /// Its text, or each text of its map, is a secret, which is masked when it is shown to others.
    Secret,
    /// It is access control; this names the protection in messages.
    Protects(&'static str),
    /// It restricts a key; this names the restriction in messages. While it isn't enforced, a key that has it is
    /// refused by the APIs concerned, because the key could do what it must not.
    Restricts(&'static str),
    /// Values, besides false, 0 and empty ones, that configure nothing; texts and numbers unquoted.
    Quiet(&'static [&'static str]),
    /// The JSON text of its default, if the specification gives one.
    Default(&'static str),
    /// The heading above it, if it starts a new group of members.
    Section(&'static str),
}

/// Whether a member must be present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// It may be absent or null.
    Optional,
    /// Without it the object does nothing useful, which is a warning: the reference accepts it.
    Expected,
    /// It must be present and not null.
    Required,
}

/// What this runtime does with a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    /// It is acted on.
    Enforced,
    /// It is stored and returned, and has no meaning for requests here: records, labels, settings of stores that this
    /// gateway doesn't have. Nobody misses an effect, so there is no warning.
    Informative,
    /// It is stored and returned, but not acted on yet.
    Stored,
    /// It is stored and returned, but can never work here, for this reason.
    Unsupported(&'static str),
}

impl Support {
    /// Returns its name in schemas and tables.
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
    /// Returns the member with this name.
    #[must_use]
    pub fn member(&self, name: &str) -> Option<&'static Member> {
        self.members.iter().find(|member| member.name == name)
    }
}

/// Methods of [`Member`], each of which returns the value of one kind of note.
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
        /// Returns the sibling member that switches it off by being `true`.
        unless: Unless -> &'static str;
        /// Returns the member without which it has no effect.
        needs: Needs -> &'static str;
        /// Returns the name of the protection, if it is access control.
        protects: Protects -> &'static str;
        /// Returns the name of the restriction, if it restricts a key.
        restricts: Restricts -> &'static str;
        /// Returns the JSON text of its default.
        default: Default -> &'static str;
        /// Returns the heading above it, if it starts a new group of members.
        section: Section -> &'static str;
        /// Returns the values, besides false, 0 and empty ones, that configure nothing.
        quiet: Quiet -> &'static [&'static str];
    }

    /// Whether it has no effect by itself, because another member switches it on.
    #[must_use]
    pub fn is_detail(&self) -> bool {
        self.notes.contains(&Note::Detail)
    }

    /// Whether an API that uses it is served even if it isn't acted on.
    #[must_use]
    pub fn is_aside(&self) -> bool {
        self.notes.contains(&Note::Aside)
    }

    /// Whether an API definition that uses it is not served: it protects or changes a request, and nothing here does
    /// that.
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

    /// Returns whether it must be present. Every other member may be absent or null.
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

    /// Whether it must be present and not null.
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

/// A flag in a line of the table.
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
        $crate::shape::Note::Section($crate::shape::doc($heading))
    };
}
use {members, note};

#[cfg(test)]
mod tests;
