//! In-memory ports and case files.
