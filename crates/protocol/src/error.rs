//! An error of the platform.

/// Part of the message about a write that is stored, but not handed over to its Ledger yet (`objects/registry.js`).
pub const STORED: &str = "stored, and not kept by its Ledger yet";

/// An error of the platform, stripped of the platform's types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreError {
    /// The operation that failed; for the log only.
    pub operation: &'static str,
    /// The platform's message; for the log only.
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

    /// Whether the write is stored all the same, and takes effect later.
    #[must_use]
    pub fn is_stored(&self) -> bool {
        self.detail.contains(STORED)
    }

    /// Whether KV refused a write because the same key had just been written: status 429, which is part of its message
    /// (<https://developers.cloudflare.com/kv/platform/limits/>).
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
