//! What a value has to be: JSON types, and what the values of a type are restricted to.

use super::{Format, Type};
use crate::issue::Severity;
use crate::json::Value;

/// What a value has to be.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// A text.
    Text,
    /// A text written in a certain way. The empty text always passes: it says nothing.
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
    /// An object whose type the member beside it names.
    Tagged(&'static Tagged),
    /// An object of any members.
    Free,
    /// Any value.
    Any,
}

/// An object whose type depends on a text beside it. The reference keeps such objects without
/// looking at them, so what is wrong inside is a warning.
#[derive(Debug)]
pub struct Tagged {
    /// The member beside it that names the type.
    pub by: &'static str,
    /// Values of that member and the types they stand for; any other value allows anything.
    pub types: &'static [(&'static str, &'static Type)],
}

impl Tagged {
    /// The type that the text of `parent` names.
    #[must_use]
    pub fn of(&self, parent: &Value<'_>) -> Option<&'static Type> {
        self.named(parent.str(self.by)?)
    }

    /// The type a text stands for.
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
    /// How bad a value outside is: an error where the reference refuses it, else a warning.
    pub severity: Severity,
}

impl Bounds {
    /// Everything that fits 64 bits.
    pub const ALL: Self = Self::new(i64::MIN, i64::MAX, Severity::Error);

    const COUNT: Self = Self::new(0, i64::MAX, Severity::Error);
    const STATUS: Self = Self::new(100, 599, Severity::Warning);
    const PORT: Self = Self::new(0, 65535, Severity::Warning);
    const TLS_VERSION: Self = Self::new(0, 65535, Severity::Error);

    const fn new(min: i64, max: i64, severity: Severity) -> Self {
        Self { min, max, severity }
    }

    /// Whether a number lies inside.
    #[must_use]
    pub const fn contains(&self, number: i64) -> bool {
        self.min <= number && number <= self.max
    }
}

/// A list of texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The texts, most usual first.
    pub values: &'static [&'static str],
    /// How bad another text is: an error where the reference refuses it, else a warning.
    pub severity: Severity,
}

/// What the names of a map have to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Names {
    /// Any names.
    Any,
    /// These names; another one is warned about.
    Known(&'static [&'static str]),
    /// Names written in a certain way; another one is warned about.
    Format(Format),
}

/// One of these texts; another one is a warning, because the reference takes it.
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
    /// What it is called in messages.
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

    /// The type of the objects it holds, directly or inside arrays and maps.
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
/// A status of an answer, or 0 for the usual one (RFC 9110 section 15).
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
