//! The kinds of values: JSON types with restrictions on their values.

use super::{Format, Type};
use crate::issue::Severity;
use crate::json::Value;

/// The kind of a value.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A text.
    Text,
    /// A text in a given format. The empty text always passes: it means nothing.
    Format(Format),
    /// One of a list of texts.
    Enum(&'static Choice),
    /// A number without a fraction that fits 64 bits.
    Integer(&'static Bounds),
    /// A number.
    Number,
    /// A number of seconds, or a text such as `1h30m`.
    Duration,
    /// An array of such values.
    Array(&'static Kind),
    /// An object that maps names to such values.
    Map(&'static Names, &'static Kind),
    /// An object of a type of the table.
    Object(&'static Type),
    /// An object whose type is selected by a sibling member.
    Tagged(&'static Tagged),
    /// An object with any members.
    Free,
    /// Any value.
    Any,
}

/// An object whose type depends on the text of a sibling member. The reference stores such objects unchecked, so
/// problems inside are warnings.
#[derive(Debug)]
pub struct Tagged {
    /// The sibling member that selects the type.
    pub by: &'static str,
    /// Values of that member with the types they select; any other value allows anything.
    pub types: &'static [(&'static str, &'static Type)],
}

impl Tagged {
    /// Returns the type selected by the text in `parent`.
    #[must_use]
    pub fn of(&self, parent: &Value<'_>) -> Option<&'static Type> {
        self.named(parent.str(self.by)?)
    }

    /// Returns the type selected by a text.
    #[must_use]
    pub fn named(&self, tag: &str) -> Option<&'static Type> {
        let named = self.types.iter().find(|(value, _)| *value == tag);
        named.map(|(_, of)| *of)
    }
}

/// The range of an integer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// The smallest allowed value.
    pub min: i64,
    /// The largest allowed value.
    pub max: i64,
    /// The severity of a value outside: an error if the reference refuses it, else a warning.
    pub severity: Severity,
}

impl Bounds {
    /// All integers of 64 bits.
    pub const ALL: Self = Self::new(i64::MIN, i64::MAX, Severity::Error);

    const COUNT: Self = Self::new(0, i64::MAX, Severity::Error);
    const STATUS: Self = Self::new(100, 599, Severity::Warning);
    const PORT: Self = Self::new(0, 65535, Severity::Warning);
    const TLS_VERSION: Self = Self::new(0, 65535, Severity::Error);

    const fn new(min: i64, max: i64, severity: Severity) -> Self {
        Self { min, max, severity }
    }

    /// Whether a number is in the range.
    #[must_use]
    pub const fn contains(&self, number: i64) -> bool {
        self.min <= number && number <= self.max
    }
}

/// A list of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The texts, most common first.
    pub values: &'static [&'static str],
    /// The severity of another text: an error if the reference refuses it, else a warning.
    pub severity: Severity,
}

/// The allowed keys of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// Any keys.
    Any,
    /// These keys; others cause a warning.
    Known(&'static [&'static str]),
    /// Keys in a given format; others cause a warning.
    Format(Format),
}

/// One of these texts; another one is a warning, because the reference accepts it.
macro_rules! one_of {
    ($($text:literal),* $(,)?) => {
        $crate::shape::Kind::Enum(&$crate::shape::Choice {
            values: &[$($text),*],
            severity: $crate::issue::Severity::Warning,
        })
    };
}
pub(crate) use one_of;

/// One of these texts and no other.
macro_rules! only {
    ($($text:literal),* $(,)?) => {
        $crate::shape::Kind::Enum(&$crate::shape::Choice {
            values: &[$($text),*],
            severity: $crate::issue::Severity::Error,
        })
    };
}
pub(crate) use only;

impl Kind {
    /// Returns its name in messages.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Bool => "a boolean",
            Self::Text | Self::Format(_) | Self::Enum(_) => "a string",
            Self::Integer(_) => "an integer",
            Self::Number => "a number",
            Self::Duration => "a number of seconds or a string",
            Self::Array(_) => "an array",
            Self::Map(..) | Self::Object(_) | Self::Tagged(_) | Self::Free => "an object",
            Self::Any => "a value",
        }
    }

    /// Returns the type of the objects it holds, directly or inside arrays and maps.
    #[must_use]
    pub const fn object(&self) -> Option<&'static Type> {
        match self {
            Self::Object(of) => Some(of),
            Self::Array(inner) | Self::Map(_, inner) => inner.object(),
            _ => None,
        }
    }
}

pub(crate) const BOOL: Kind = Kind::Bool;
pub(crate) const TEXT: Kind = Kind::Text;
pub(crate) const INTEGER: Kind = Kind::Integer(&Bounds::ALL);
pub(crate) const COUNT: Kind = Kind::Integer(&Bounds::COUNT);
/// A response status, or 0 for the default (RFC 9110 section 15).
pub(crate) const STATUS: Kind = Kind::Integer(&Bounds::STATUS);
pub(crate) const PORT: Kind = Kind::Integer(&Bounds::PORT);
pub(crate) const TLS_VERSION: Kind = Kind::Integer(&Bounds::TLS_VERSION);
pub(crate) const NUMBER: Kind = Kind::Number;
pub(crate) const DURATION: Kind = Kind::Duration;
pub(crate) const TEXTS: Kind = Kind::Array(&Kind::Text);
pub(crate) const TEXT_MAP: Kind = Kind::Map(&Names::Any, &Kind::Text);
pub(crate) const STATUSES: Kind = Kind::Array(&STATUS);
pub(crate) const URL: Kind = Kind::Format(Format::Url);
pub(crate) const PATTERN: Kind = Kind::Format(Format::Pattern);
pub(crate) const METHOD: Kind = Kind::Format(Format::Method);
pub(crate) const METHODS: Kind = Kind::Array(&METHOD);
pub(crate) const HEADER: Kind = Kind::Format(Format::Header);
pub(crate) const HEADERS: Kind = Kind::Array(&HEADER);
pub(crate) const HEADER_MAP: Kind = Kind::Map(&Names::Format(Format::Header), &Kind::Text);
pub(crate) const FREE: Kind = Kind::Free;
pub(crate) const ANY: Kind = Kind::Any;
