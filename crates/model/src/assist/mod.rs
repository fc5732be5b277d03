//! Editing help for documents: completion, explanations, quick fixes.
//!
//! All of it comes from the table of types. Offsets are bytes of the text; editors that count UTF-16 code units convert
//! with [`crate::json::LineIndex`].

mod complete;
mod cursor;
mod describe;
mod fixes;
mod foreign;
mod hover;
mod scan;

pub use complete::{Completion, CompletionKind, Ids, Place, complete};
pub use describe::{default_value, describe, first_value};
pub use fixes::{Fix, TextEdit, Way, definition_fixes, fix_all, fix_definition, fixes};
pub use foreign::{Foreign, foreign};
pub use hover::{Hover, hover};

#[cfg(test)]
mod tests;
