//! Values as the JSON text in which they are stored and sent.
//!
//! The promise: an error says where a text is wrong, but not what it contains, because errors are logged and the text
//! may be a secret.

use gatewright_protocol::error::StoreError;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Writes a value as JSON.
///
/// # Errors
/// If it can't be serialised.
pub(super) fn to_json<T: Serialize + ?Sized>(
    operation: &'static str,
    value: &T,
) -> Result<String, StoreError> {
    serde_json::to_string(value).map_err(|error| fault(operation, &error))
}

/// Reads a value from JSON.
///
/// # Errors
/// If the text is something else.
pub(super) fn from_json<T: DeserializeOwned>(
    operation: &'static str,
    text: &str,
) -> Result<T, StoreError> {
    serde_json::from_str(text).map_err(|error| fault(operation, &error))
}

fn fault(operation: &'static str, error: &serde_json::Error) -> StoreError {
    let (kind, line, column) = (error.classify(), error.line(), error.column());
    let detail = format!("{kind:?} error at line {line}, column {column}");
    StoreError::new(operation, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_does_not_repeat_the_text() {
        let error = from_json::<u64>("read secret", "\"whsec_abc\"").unwrap_err();
        assert_eq!(
            error.to_string(),
            "read secret: Data error at line 1, column 11"
        );
    }
}
