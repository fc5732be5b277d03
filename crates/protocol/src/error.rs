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

    /// True if KV refused a write because it had just taken one of the same key: status 429, which stands
    /// in its text (<https://developers.cloudflare.com/kv/platform/limits/>).
    #[must_use]
    pub fn is_throttled(&self) -> bool {
        self.detail.contains("429")
    }
}

impl std::fmt::Display for StoreError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.operation, self.detail)
    }
}
