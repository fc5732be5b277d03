//! The rules of editing a document: what is unsaved, what saving would do, and what happens if somebody else has saved
//! first. Plain values and transitions; the pages only show them.

use std::borrow::Cow;

use std::fmt;

use gatewright_model::diff::{Change, changes};
use gatewright_model::json::{laid_out, readable};
use gatewright_model::{Issue, Severity};

use crate::api::Document;

/// The initial definition of a new API: the required members, and the two switches that are needed first.
pub const TEMPLATE: &str = r#"{
  "name": "New API",
  "active": true,
  "use_keyless": true,
  "enable_batch_request_support": true,
  "proxy": {
    "listen_path": "/new-api/",
    "target_url": "https://example.com/",
    "strip_listen_path": true
  },
  "version_data": {
    "not_versioned": true,
    "versions": {
      "Default": {
        "name": "Default"
      }
    }
  }
}
"#;

/// Lines longer than this, in characters, weren't written by a person.
const ENDLESS: usize = 1_000;

fn has_endless_line(text: &str) -> bool {
    text.lines().any(|line| line.len() > ENDLESS)
}

/// Formats a text for reading if it is on one line, or on a few lines one of which is overlong, as when the gateway has
/// added something to what a script has sent. A long string in a formatted document is no reason to reformat it.
#[must_use]
pub fn as_read(text: &str) -> Cow<'_, str> {
    let count = |text: &str| text.lines().count();
    let laid_out = has_endless_line(text).then(|| laid_out(text)).flatten();
    match laid_out.filter(|laid_out| count(laid_out) > count(text).saturating_mul(2)) {
        Some(laid_out) => Cow::Owned(laid_out),
        None => readable(text),
    }
}

/// A text being edited and the stored document it is based on.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// What was stored when editing started; `None` for a document that isn't stored yet.
    pub base: Option<Document>,
    /// The current text.
    pub text: String,
    /// The initial text: the base as it is shown, or a template.
    pub shown: String,
}

impl Draft {
    /// Starts with the template.
    #[must_use]
    pub fn new() -> Self {
        Self::with(None, TEMPLATE.to_owned())
    }

    /// Starts with a stored document. If it is on one line, it is formatted, which does not count as a change.
    #[must_use]
    pub fn of(document: Document) -> Self {
        let text = document.text.clone();
        Self::with(Some(document), text)
    }

    /// Starts with an edited text of what is stored. If nothing is stored, the text is left unchanged.
    #[must_use]
    pub fn with(base: Option<Document>, text: String) -> Self {
        match base {
            None => Self {
                base: None,
                text,
                shown: TEMPLATE.to_owned(),
            },
            Some(base) => Self {
                text: as_read(&text).into_owned(),
                shown: as_read(&base.text).into_owned(),
                base: Some(base),
            },
        }
    }

    /// Whether leaving would lose changes.
    #[must_use]
    pub fn dirty(&self) -> bool {
        let stored = self
            .base
            .as_ref()
            .is_some_and(|base| base.text == self.text);
        !stored && self.text != self.shown
    }

    /// Formats the text at the user's request, which counts as a change. Returns whether it was possible.
    pub fn format(&mut self) -> bool {
        let Some(text) = laid_out(&self.text) else {
            return false;
        };
        self.text = text;
        if let Some(base) = &self.base {
            self.shown.clone_from(&base.text);
        }
        true
    }

    /// Records what was saved: nothing is unsaved any more.
    pub fn store(&mut self, base: Document) {
        self.shown.clone_from(&base.text);
        self.base = Some(base);
    }

    /// Returns the text to save: the stored one if only its formatting was changed for display.
    #[must_use]
    pub fn saves(&self) -> &str {
        match &self.base {
            Some(base) if !self.dirty() => &base.text,
            _ => &self.text,
        }
    }

    /// Whether the stored text is on one line, but shown on several.
    #[must_use]
    pub fn stored_on_one_line(&self) -> bool {
        let one = |text: &str| !text.trim_end().contains('\n') || has_endless_line(text);
        let base = self.base.as_ref();
        base.is_some_and(|base| one(&base.text)) && !one(&self.text)
    }

    /// Returns what saving would do, given what is stored right now (`None` for nothing).
    #[must_use]
    pub fn review(&self, stored: Option<Document>) -> Review {
        match (&self.base, stored) {
            (None, _) => Review::Create,
            (Some(base), None) => Review::Gone { base: base.clone() },
            (Some(base), Some(stored)) if base.etag == stored.etag || base.text == stored.text => {
                if stored.text == self.text {
                    Review::Same
                } else {
                    Review::Update { stored }
                }
            }
            // Both made the same change: it is the new base, and nothing is left to save.
            (Some(_), Some(stored)) if stored.text == self.text => Review::Update { stored },
            (Some(base), Some(stored)) => Review::Conflict {
                base: base.clone(),
                theirs: stored,
            },
        }
    }
}

impl Default for Draft {
    fn default() -> Self {
        Self::new()
    }
}

/// The effect of saving a draft.
#[derive(Clone, Debug, PartialEq)]
pub enum Review {
    /// Stores it as a new document; refused if its id is in use.
    Create,
    /// Nothing to save.
    Same,
    /// Replaces exactly this document.
    Update {
        /// The stored document; its entity tag guards the save.
        stored: Document,
    },
    /// Somebody else has stored a change since editing started.
    Conflict {
        /// The common base.
        base: Document,
        /// The stored document with the other change.
        theirs: Document,
    },
    /// Somebody has deleted it since editing started.
    Gone {
        /// The document as it was.
        base: Document,
    },
}

impl Review {
    /// Returns the text that saving would replace; empty if there is none.
    #[must_use]
    pub fn before(&self) -> &str {
        match self {
            Self::Create | Self::Same => "",
            Self::Update { stored } => &stored.text,
            Self::Conflict { theirs, .. } => &theirs.text,
            Self::Gone { base } => &base.text,
        }
    }
}

/// The number of issues by severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Issues because of which the document is refused.
    pub errors: usize,
    /// Issues because of which the document doesn't do what it says.
    pub warnings: usize,
    /// Issues worth knowing.
    pub notes: usize,
}

impl Tally {
    /// Counts the issues.
    #[must_use]
    pub fn of(issues: &[Issue]) -> Self {
        let count = |severity| {
            issues
                .iter()
                .filter(|issue| issue.severity == severity)
                .count()
        };
        Self {
            errors: count(Severity::Error),
            warnings: count(Severity::Warning),
            notes: count(Severity::Info),
        }
    }
}

impl fmt::Display for Tally {
    /// "2 errors, 1 warning", or that there are none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (self.errors, "error"),
            (self.warnings, "warning"),
            (self.notes, "note"),
        ];
        let listed: Vec<String> = parts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, noun)| plural(count, noun))
            .collect();
        if listed.is_empty() {
            f.write_str("No problems")
        } else {
            f.write_str(&listed.join(", "))
        }
    }
}

/// Returns the structural changes between two texts; none if one isn't JSON (the issues say so).
#[must_use]
pub fn changes_between(before: &str, after: &str) -> Vec<Change> {
    if before.is_empty() {
        Vec::new()
    } else {
        changes(before, after).unwrap_or_default()
    }
}

/// Formats a count with its noun, in the plural if needed.
#[must_use]
pub fn plural(count: usize, noun: &str) -> String {
    // "policies", but "keys".
    let stem = noun
        .strip_suffix('y')
        .filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u']));
    match (count, stem) {
        (1, _) => format!("1 {noun}"),
        (_, Some(stem)) => format!("{count} {stem}ies"),
        (_, None) => format!("{count} {noun}s"),
    }
}
