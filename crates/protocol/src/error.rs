//! A platform's trouble.

/// A platform's trouble, already stripped of the platform's types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreError {
    /// What was being done; for the log only.
    pub operation: &'static str,
    /// What the platform said; for the log only.
    pub detail: String,
}

impl StoreError {
    /// Wraps a platform's message.
    pub fn new(operation: &'static str, detail: impl Into<String>) -> Self {
        Self {
            operation,
            detail: detail.into(),
        }
    }
}

impl std::fmt::Display for StoreError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.operation, self.detail)
    }
}
