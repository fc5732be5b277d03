//! The rules of editing one definition: what is unsaved, what a save would do, what happens if
//! somebody else was faster. Plain values and transitions; the pages only show them.

use std::borrow::Cow;

use std::fmt;

use gatewright_model::diff::{Change, changes};
use gatewright_model::json::{laid_out, readable};
use gatewright_model::{Issue, Severity};

use crate::api::Document;

/// The definition a new API begins with: what is required, and the two switches people ask for first.
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

/// Longer lines than this are none that a person has written.
const ENDLESS: usize = 1_000;

fn has_endless_line(text: &str) -> bool {
    text.lines().any(|line| line.len() > ENDLESS)
}

/// The text as a person reads it: laid out if it stands on one line, or on a few of which one has no end, as
/// where the gateway has put something into what a script has sent. A long text in a document that is laid
/// out already is no reason.
#[must_use]
pub fn as_read(text: &str) -> Cow<'_, str> {
    let count = |text: &str| text.lines().count();
    let laid_out = has_endless_line(text).then(|| laid_out(text)).flatten();
    match laid_out.filter(|laid_out| count(laid_out) > count(text).saturating_mul(2)) {
        Some(laid_out) => Cow::Owned(laid_out),
        None => readable(text),
    }
}

/// A text being edited and the stored document it began from.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// What was stored when editing began; `None` for an API that isn't stored yet.
    pub base: Option<Document>,
    /// What the person has made of it.
    pub text: String,
    /// What the person began with: the base as it is shown, or a template.
    pub shown: String,
}

impl Draft {
    /// Begins with a template.
    #[must_use]
    pub fn new() -> Self {
        Self::with(None, TEMPLATE.to_owned())
    }

    /// Begins with what is stored. What stands on one line is laid out, which is no change by itself.
    #[must_use]
    pub fn of(document: Document) -> Self {
        let text = document.text.clone();
        Self::with(Some(document), text)
    }

    /// Begins with a text that somebody has made of what is stored. Where nothing is, it stays as it came.
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

    /// Whether leaving would lose something.
    #[must_use]
    pub fn dirty(&self) -> bool {
        let stored = self
            .base
            .as_ref()
            .is_some_and(|base| base.text == self.text);
        !stored && self.text != self.shown
    }

    /// Lays the text out because somebody asked for that, so that it counts as a change. Answers whether
    /// it could be done.
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

    /// What is stored became this: nothing is unsaved.
    pub fn store(&mut self, base: Document) {
        self.shown.clone_from(&base.text);
        self.base = Some(base);
    }

    /// The text that a save would store: what is stored already, if nothing was changed but how it is
    /// shown.
    #[must_use]
    pub fn saves(&self) -> &str {
        match &self.base {
            Some(base) if !self.dirty() => &base.text,
            _ => &self.text,
        }
    }

    /// Whether it is stored on one line, but shown on several.
    #[must_use]
    pub fn stored_on_one_line(&self) -> bool {
        let one = |text: &str| !text.trim_end().contains('\n') || has_endless_line(text);
        let base = self.base.as_ref();
        base.is_some_and(|base| one(&base.text)) && !one(&self.text)
    }

    /// What saving would do, given what is stored at this moment (`None`: nothing is).
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
            // Both made the same change: theirs is the base now, nothing is left to save.
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

/// What saving a draft would do.
#[derive(Clone, Debug, PartialEq)]
pub enum Review {
    /// Store it as a new API, refused if its id is in use.
    Create,
    /// Nothing differs.
    Same,
    /// Replace exactly this document.
    Update {
        /// What is stored; its ETag guards the save.
        stored: Document,
    },
    /// Somebody stored something else since editing began.
    Conflict {
        /// Where both began.
        base: Document,
        /// What they made of it.
        theirs: Document,
    },
    /// Somebody deleted it since editing began.
    Gone {
        /// What it was.
        base: Document,
    },
}

impl Review {
    /// The text that a save would replace; empty where there is none.
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

/// How many issues there are of each severity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// They refuse the document.
    pub errors: usize,
    /// The document doesn't do what it says.
    pub warnings: usize,
    /// Worth knowing.
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
    /// "2 errors, 1 warning", or that there is nothing to say.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            (self.errors, "error"),
            (self.warnings, "warning"),
            (self.notes, "note"),
        ];
        let said: Vec<String> = parts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, noun)| plural(count, noun))
            .collect();
        if said.is_empty() {
            f.write_str("No problems")
        } else {
            f.write_str(&said.join(", "))
        }
    }
}

/// The structural changes between two texts; nothing for a text that isn't JSON (the issues say so).
#[must_use]
pub fn changes_between(before: &str, after: &str) -> Vec<Change> {
    if before.is_empty() {
        Vec::new()
    } else {
        changes(before, after).unwrap_or_default()
    }
}

/// A count and its noun.
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
