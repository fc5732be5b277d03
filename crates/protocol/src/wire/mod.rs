//! The form in which values travel between an isolate and the Registry.
//!
//! Both ends are the same code, so nothing has a name: the fields of a struct follow one another as
//! they are declared, and a variant is its number. What reads names, and members in any order,
//! would be a fifth of the worker. A [`MARK`] in front tells the forms of two releases apart, which
//! meet while one replaces the other.
//!
//! - A number is its digits and `;`. `false`, nothing and an empty list or text are `0;`.
//! - A text is its length in bytes as a number, and itself.
//! - A list is its length and its elements; something optional is a list of at most one.
//! - An enum is the number of its variant, from 0, and the variant's fields.

mod read;
#[cfg(test)]
mod tests;
mod write;

use serde::{Serialize, de::DeserializeOwned};
use std::fmt;

/// What begins every message. It changes with the types that travel, see the test below.
const MARK: &str = "gw5|";

/// Why a value can't be written or read. The reason is not kept: it would be a mistake in the code.
#[derive(Debug)]
pub struct WireError;

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no message of this release")
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

/// Reads a value behind the mark. Answers the text behind it too.
///
/// # Errors
/// If there is no value of that type.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<(T, &str), WireError> {
    let mut reader = read::Reader(text.strip_prefix(MARK).ok_or(WireError)?);
    let value = T::deserialize(&mut reader)?;
    Ok((value, reader.0))
}
