//! The lines of an export as texts: one JSON object with one member, whose name is the kind of the object below it.

use gatewright_model::json::{self, Value, quote};
use gatewright_model::mask::{self, MASK};
use gatewright_model::shape::Root;

/// A line that is being written.
pub(super) struct Writing(String);

impl Writing {
    /// Starts a line about an item of this kind.
    pub(super) fn of(kind: &str) -> Self {
        Self(format!("{{\"{kind}\":{{"))
    }

    /// Adds a member with a value in JSON.
    pub(super) fn json(mut self, name: &str, value: &str) -> Self {
        if !self.0.ends_with('{') {
            self.0.push(',');
        }
        for part in ["\"", name, "\":", value] {
            self.0.push_str(part);
        }
        self
    }

    pub(super) fn text(self, name: &str, value: &str) -> Self {
        self.json(name, &quote(value))
    }

    /// Adds a member that only some items have.
    pub(super) fn also(self, name: &str, value: Option<&String>) -> Self {
        match value {
            Some(value) => self.text(name, value),
            None => self,
        }
    }

    pub(super) fn number(self, name: &str, value: u64) -> Self {
        self.json(name, &value.to_string())
    }

    /// Returns the complete line.
    pub(super) fn end(self) -> String {
        self.0 + "}}"
    }
}

/// Splits a document into its text without secrets, and the secrets as JSON in order. Each secret is replaced by a mask
/// that marks it for [`joined`], or, if secrets are left out, by an empty text.
pub(super) fn parted(root: Root, text: &str, left_out: bool) -> (String, Vec<String>) {
    let mut secrets = Vec::new();
    let masked = mask::replaced(root, text, &mut |secret| {
        secrets.push(secret.to_owned());
        if left_out { "\"\"" } else { MASK }.to_owned()
    });
    // What is stored is JSON; anything else could not be restored as a document.
    (masked.unwrap_or_default(), secrets)
}

/// Builds the object of a line's secrets that is sealed: those of its text, and those that sign a webhook's calls.
pub(super) fn secrets(texts: &[String], hook: Option<&str>) -> Option<String> {
    if texts.is_empty() && hook.is_none() {
        return None;
    }
    let hook = hook.unwrap_or("null");
    Some(format!(
        "{{\"texts\":[{}],\"hook\":{hook}}}",
        texts.join(",")
    ))
}

/// Puts the secrets of a document back in place of their masks: an earlier release may have known fewer secrets, and
/// exported the others in clear. `None` if they are not those of this document.
pub(crate) fn joined(root: Root, text: &str, secrets: &str) -> Option<String> {
    let value = json::parse(secrets).ok()?;
    let texts = value.get("texts").map(Value::items).unwrap_or_default();
    let mut texts = texts.iter().map(|value| value.span.of(secrets));
    let mut missing = false;
    let joined = mask::replaced(root, text, &mut |mask| {
        if mask != MASK {
            return mask.to_owned();
        }
        let secret = texts.next();
        missing |= secret.is_none();
        secret.unwrap_or(MASK).to_owned()
    });
    joined.ok().filter(|_| !missing && texts.next().is_none())
}

/// Returns the private key of a certificate.
pub(super) fn private(secrets: &str) -> Option<String> {
    let value = json::parse(secrets).ok()?;
    let key = value.get("texts")?.items().first()?.as_str()?.to_owned();
    Some(key)
}

/// Returns the only text of a line whose secrets are not part of a document.
pub(super) fn only(secrets: &str) -> Option<String> {
    let value = json::parse(secrets).ok()?;
    let text = value.get("texts")?.items().first()?;
    Some(text.span.of(secrets).to_owned())
}

/// Returns the signing secrets of a webhook, as JSON.
pub(super) fn hook(secrets: &str) -> Option<String> {
    let value = json::parse(secrets).ok()?;
    let hook = value
        .get("hook")
        .filter(|hook| !hook.members().is_empty())?;
    Some(hook.span.of(secrets).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_that_an_earlier_release_exported_in_clear_stay() {
        let root = Root::Session;
        let text = r#"{"hmac_string":"•••","jwt_data":{"secret":"clear"}}"#;
        let joined = |texts: &str| joined(root, text, &format!(r#"{{"texts":[{texts}]}}"#));
        let expected = text.replace("•••", "sealed");
        assert_eq!(joined(r#""sealed""#), Some(expected));
        assert_eq!(joined(""), None);
        assert_eq!(joined(r#""sealed","more""#), None);
    }
}
