//! The lines of an export as texts: one JSON object with one member, which says what the object below it is.

use gatewright_model::json::{self, Value, quote};
use gatewright_model::mask::{self, MASK};
use gatewright_model::shape::Root;

/// A line that is being written.
pub(super) struct Writing(String);

impl Writing {
    /// A line about a thing of this kind.
    pub(super) fn of(kind: &str) -> Self {
        Self(format!("{{\"{kind}\":{{"))
    }

    /// One more member.
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

    pub(super) fn number(self, name: &str, value: u64) -> Self {
        self.json(name, &value.to_string())
    }

    /// The whole line.
    pub(super) fn end(self) -> String {
        self.0 + "}}"
    }
}

/// A document without its secrets, and these as JSON in their order. In their place stands what they are found
/// again by, or where they are left out an empty text.
pub(super) fn parted(root: Root, text: &str, left_out: bool) -> (String, Vec<String>) {
    let mut secrets = Vec::new();
    let masked = mask::replaced(root, text, &mut |secret| {
        secrets.push(secret.to_owned());
        if left_out { "\"\"" } else { MASK }.to_owned()
    });
    // What is stored is JSON; anything else is no document that could be brought back.
    (masked.unwrap_or_default(), secrets)
}

/// The secrets of a line as the object that is sealed: those of its text, and those that sign a webhook's calls.
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

/// A document with its secrets where they were. `None` if they are not those of this document.
pub(crate) fn joined(root: Root, text: &str, secrets: &str) -> Option<String> {
    let value = json::parse(secrets).ok()?;
    let texts = value.get("texts").map(Value::items).unwrap_or_default();
    let mut texts = texts.iter().map(|value| value.span.of(secrets));
    let mut missing = false;
    let joined = mask::replaced(root, text, &mut |mask| match texts.next() {
        Some(secret) => secret.to_owned(),
        None => {
            missing = true;
            mask.to_owned()
        }
    });
    joined.ok().filter(|_| !missing && texts.next().is_none())
}

/// The private key of a certificate.
pub(super) fn private(secrets: &str) -> Option<String> {
    let value = json::parse(secrets).ok()?;
    let key = value.get("texts")?.items().first()?.as_str()?.to_owned();
    Some(key)
}

/// The one text of a line whose secrets are no texts of a document.
pub(super) fn only(secrets: &str) -> Option<String> {
    let value = json::parse(secrets).ok()?;
    let text = value.get("texts")?.items().first()?;
    Some(text.span.of(secrets).to_owned())
}

/// What signs the calls of a webhook, as JSON.
pub(super) fn hook(secrets: &str) -> Option<String> {
    let value = json::parse(secrets).ok()?;
    let hook = value
        .get("hook")
        .filter(|hook| !hook.members().is_empty())?;
    Some(hook.span.of(secrets).to_owned())
}
