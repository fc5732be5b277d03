//! The form in which values travel between an isolate and the Registry.
//!
//! Nothing has a name: the fields of a struct follow one another as they are declared, and a variant is its
//! number. What reads names, and members in any order, would be a fifth of the worker.
//!
//! - A number is its digits and `;`. `false`, nothing and an empty list or text are `0;`.
//! - A text is its length in bytes as a number, and itself.
//! - A list is its length and its elements; something optional is a list of at most one.
//! - A struct is the length of its fields in bytes as a number, and its fields.
//! - An enum is the number of its variant, from 0, and the variant's fields, those of a struct as a struct.
//!
//! Two releases meet while one replaces the other, and each reads what the other writes: a struct says where it
//! ends, so fields behind those that a release knows are left out, and where they are missing they have their
//! default. A type that travels therefore only ever grows at its end, a struct by fields with a default and an
//! enum by variants; `shapes.rs` compares each with `messages.txt`. A variant that a release does not
//! know is an error, so it is sent to nobody who has not asked for it. [`MARK`] would change with the form itself.

mod read;
#[cfg(test)]
mod shapes;
#[cfg(test)]
mod tests;
mod write;

use serde::{Serialize, de::DeserializeOwned};
use std::fmt;

/// What begins every message: the form that this module describes.
const MARK: &str = "gw5|";

/// Why a value can't be written or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireError {
    /// There is no such value in this form. The reason is not kept: it would be a mistake in the code.
    Broken,
    /// Another release has written it, and this one does not know the form or a variant.
    Unknown,
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Broken => "no message",
            Self::Unknown => {
                "a message that only another release can read: both are served now; deploy one of them everywhere and try again"
            }
        })
    }
}

impl std::error::Error for WireError {}

/// Writes a value behind the mark.
///
/// # Errors
/// For what this form has none of: floats, maps, bytes.
pub(crate) fn write<T: Serialize>(value: &T) -> Result<String, WireError> {
    let mut writer = write::Writer(MARK.to_owned());
    value.serialize(&mut writer)?;
    Ok(writer.0)
}

/// Writes the variant of this number with its value behind the mark, as [`write`] writes the whole enum.
///
/// # Errors
/// As [`write`].
pub(crate) fn write_variant<T: Serialize>(number: u32, value: &T) -> Result<String, WireError> {
    let mut writer = write::Writer(MARK.to_owned());
    number.serialize(&mut writer)?;
    value.serialize(&mut writer)?;
    Ok(writer.0)
}

/// The number of the variant behind the mark, and the text of its fields and what follows ([`value`]).
///
/// # Errors
/// If there is no enum.
pub(crate) fn variant(text: &str) -> Result<(u32, &str), WireError> {
    read(text)
}

/// Reads a value behind the mark. Answers the text behind it too.
///
/// # Errors
/// If there is no value of that type.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<(T, &str), WireError> {
    value(text.strip_prefix(MARK).ok_or(WireError::Unknown)?)
}

/// Reads a value that has no mark before it. Answers the text behind it too.
///
/// # Errors
/// If there is no value of that type.
pub(crate) fn value<T: DeserializeOwned>(text: &str) -> Result<(T, &str), WireError> {
    let mut reader = read::Reader(text);
    let value = T::deserialize(&mut reader)?;
    Ok((value, reader.0))
}
