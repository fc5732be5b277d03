//! Minimal textual edits.
