//! Why a command failed: one line for a person.

use std::fmt::Display;

/// The result of everything here that can fail.
pub(crate) type Result<T> = std::result::Result<T, Fail>;

/// A failure. The message is one line that says what is wrong and, where it helps, what to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Fail {
    /// The command line can't be understood: exit code 2.
    Usage(String),
    /// The work failed: exit code 1.
    Error(String),
    /// The work failed and has already been reported (a test run, a table above its budget): exit code 1.
    Reported,
}

/// Creates a failure of the work.
pub(crate) fn error(message: impl Into<String>) -> Fail {
    Fail::Error(message.into())
}

/// Describes what was attempted when the operating system returns an error.
pub(crate) trait Context<T> {
    /// Puts `what` before the reason: `cannot read x: permission denied`.
    fn context(self, what: impl FnOnce() -> String) -> Result<T>;
}

impl<T, E: Display> Context<T> for std::result::Result<T, E> {
    fn context(self, what: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|reason| error(format!("{}: {reason}", what())))
    }
}
