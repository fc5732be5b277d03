//! Documents in YAML (RFC 9512, YAML 1.2.2): read as JSON text, written from it, and edited to be equivalent to a JSON
//! text while everything else keeps its bytes.
//!
//! A document means the same in both, member order and number text included, and a text that readers interpret
//! differently is refused with its position and the remedy. So
//! - plain scalars follow the core schema of YAML 1.2 (section 10.3.2): `no` and `2001-12-14` are text, and a number
//!   keeps its digits. One with a leading zero is refused, as in JSON: it is a different number in YAML 1.1, and mostly
//!   meant as text
//! - a duplicate member is refused, whatever its notation (`200` and `"200"`), and so are several documents in one
//!   text, lists or maps as keys, and tags that JSON has no type for
//! - `<<` merges as in YAML 1.1, which OpenAPI documents still use: members of the map itself take precedence
//! - with its aliases expanded, a document may be no longer than a request may be, and no more deeply nested, and
//!   checking that takes time proportional to its length
//!
//! The parser is granit-parser, whose events give the position of each node.

mod edit;
mod place;
mod read;
mod scalar;
mod tree;
mod values;
mod write;

#[cfg(test)]
mod tests;

pub use edit::{Edited, edited};
pub use read::{Yaml, read};
pub use write::written;

/// The longest YAML text, and the longest JSON text it may expand to, in bytes.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The maximum number of names and values of a text: a list of empty values has one every two bytes, and each takes a
/// hundred bytes in memory. The largest public documents have half of this.
const MAX_NODES: usize = 2 * 1024 * 1024;
