//! The encoding of values between an isolate and the Registry.
//!
//! There are no names: the fields of a struct follow one another as declared, and a variant is its number. Code that
//! reads names, and members in any order, would be a fifth of the worker.
//!
//! - A number is its digits and `;`. `false`, nothing and an empty list or text are `0;`.
//! - A text is its length in bytes as a number, then the text itself.
//! - A list is its length and its elements; an optional value is a list of at most one.
//! - A struct is the length of its fields in bytes as a number, and its fields.
//! - An enum is the number of its variant, from 0, and the variant's fields, those of a struct as a struct.
//!
//! Two releases meet while one replaces the other, and each reads what the other writes: a struct says where it ends,
//! so fields after those that a release knows are skipped, and missing ones have their default. A type that travels
//! therefore only ever grows at its end, a struct by fields with a default and an enum by variants; `shapes.rs`
//! compares each with `messages.txt`. A variant that a release does not know is an error, so it is sent only to those
//! who have asked for it. [`MARK`] would change with the encoding itself.

mod read;
#[cfg(test)]
mod shapes;
#[cfg(test)]
mod tests;
mod write;

use crate::error::StoreError;
use serde::{Serialize, de::DeserializeOwned};
use std::fmt;

/// The prefix of every message: it names the encoding that this module describes.
const MARK: &str = "gw5|";

/// Why a value can't be written or read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireError {
    /// The text is not a value in this encoding. The reason is not kept: it would be a mistake in the code.
    Broken,
    /// Written by another release: this one doesn't know the encoding or a variant.
    Unknown,
}

impl WireError {
    const fn text(self) -> &'static str {
        match self {
            Self::Broken => "no message",
            Self::Unknown => {
                "a message that only another release can read: both are served now; deploy one of them everywhere and try again"
            }
        }
    }

    /// The failure to write a message.
    pub(crate) fn of_encoding(self) -> StoreError {
        StoreError::new("encode registry message", self.text())
    }

    /// The failure to read a message.
    pub(crate) fn of_decoding(self) -> StoreError {
        StoreError::new("decode registry message", self.text())
    }
}

impl fmt::Display for WireError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

impl std::error::Error for WireError {}

/// Writes a value after the mark.
///
/// # Errors
/// For types that this encoding lacks: floats, maps, bytes.
pub(crate) fn write<T: Serialize>(value: &T) -> Result<String, WireError> {
    let mut writer = write::Writer(MARK.to_owned());
    value.serialize(&mut writer)?;
    Ok(writer.0)
}

/// Writes the variant with this number and its value after the mark, just as [`write()`] writes the entire enum.
///
/// # Errors
/// As [`write()`].
pub(crate) fn write_variant<T: Serialize>(number: u32, value: &T) -> Result<String, WireError> {
    let mut writer = write::Writer(MARK.to_owned());
    number.serialize(&mut writer)?;
    value.serialize(&mut writer)?;
    Ok(writer.0)
}

/// Returns the number of the variant after the mark, and the text of its fields and everything after them ([`value`]).
///
/// # Errors
/// If the text is not an enum.
pub(crate) fn variant(text: &str) -> Result<(u32, &str), WireError> {
    read(text)
}

/// Reads the value after the mark, and returns the rest of the text too.
///
/// # Errors
/// If the text is not a value of that type.
pub(crate) fn read<T: DeserializeOwned>(text: &str) -> Result<(T, &str), WireError> {
    value(text.strip_prefix(MARK).ok_or(WireError::Unknown)?)
}

/// Reads a value without a mark, and returns the rest of the text too.
///
/// # Errors
/// If the text is not a value of that type.
pub(crate) fn value<T: DeserializeOwned>(text: &str) -> Result<(T, &str), WireError> {
    let mut reader = read::Reader(text);
    let value = T::deserialize(&mut reader)?;
    Ok((value, reader.0))
}
