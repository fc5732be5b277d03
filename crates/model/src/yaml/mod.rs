//! Documents in YAML (RFC 9512, YAML 1.2.2): read as JSON text, written from it, and edited to say what a JSON text
//! says while everything else keeps its bytes.
//!
//! The promise: what a document says is the same in both, member order and number text included, and a text that
//! readers disagree about is refused with its place and the remedy. So
//! - plain scalars are what the core schema of YAML 1.2 says (section 10.3.2): `no` and `2001-12-14` are text, and a
//!   number keeps its digits. One with a leading zero is refused, as in JSON: it is another one in YAML 1.1, and
//!   mostly meant as text
//! - a member that stands twice is refused, whatever its notation (`200` and `"200"`), and so are several documents
//!   in one text, members named by a list or a map, and tags that JSON has no type for
//! - `<<` merges as in YAML 1.1, which OpenAPI documents go on using: what stands in the map itself counts
//! - with its aliases written out a document is as long as one may be that is sent, and nests no deeper, and what it
//!   takes to know that grows with its length alone
//!
//! The parser is granit-parser, whose events say where each node stands.

mod edit;
mod place;
mod read;
mod scalar;
mod tree;
mod values;
mod write;

#[cfg(test)]
mod tests;

pub use edit::{Held, held};
pub use read::{Yaml, read};
pub use write::written;

/// The longest text, and the longest JSON text that one may stand for, in bytes.
pub const MAX_BYTES: usize = 16 * 1024 * 1024;

/// The most names and values that a text may have: a list of nothing has one every two bytes, and each takes a
/// hundred in memory. The largest public documents have half of them.
const MAX_NODES: usize = 2 * 1024 * 1024;
