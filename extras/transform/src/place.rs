//! Positions of errors in a text.

use crate::marshal;
use crate::value::{Value, single};

/// An error in a template and its position: line and column from 1, the column in UTF-16 units, as in issues.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Broken {
    pub why: String,
    line: usize,
    column: usize,
}

impl Broken {
    /// Creates an error at this many bytes before the end of a text.
    pub(crate) fn new(why: String, text: &str, left: usize) -> Self {
        let at = text.len().saturating_sub(left);
        let before = text.get(..at).unwrap_or_default();
        let begun = before.rsplit('\n').next().unwrap_or_default();
        Self {
            why,
            line: before.matches('\n').count().saturating_add(1),
            column: begun.encode_utf16().count().saturating_add(1),
        }
    }

    /// Returns the report: the error and its position.
    pub(crate) fn report(&self) -> String {
        let number = |number: usize| Value::Int(i64::try_from(number).unwrap_or(i64::MAX));
        let mut report = single("broken", Value::str(&self.why));
        report.insert("line".into(), number(self.line));
        report.insert("column".into(), number(self.column));
        marshal::json(&Value::map(report), false, None)
    }
}
