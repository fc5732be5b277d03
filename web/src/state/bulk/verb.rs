//! The bulk actions and their texts.

use super::Kind;
use crate::state::draft::plural;

/// A bulk action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// Adds a tag.
    Tag,
    /// Removes a tag.
    Untag,
    /// Activates it.
    Activate,
    /// Deactivates it.
    Deactivate,
    /// Changes when a key expires.
    Extend,
    /// Adds a policy to a key.
    AddPolicy,
    /// Removes a policy from a key.
    RemovePolicy,
    /// Exports it to a file.
    Export,
    /// Deletes it.
    Delete,
}

/// What the user has to enter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// Nothing.
    Nothing,
    /// A tag.
    Tag,
    /// The id of a policy.
    Policy,
    /// A time of expiry, see [`end`].
    End,
    /// The passphrase that seals secrets; it may be empty.
    Passphrase,
}

/// A day in seconds.
const DAY: i64 = 86_400;
/// The minimum length of an export's passphrase.
const PASSPHRASE: usize = 16;

impl Verb {
    /// Returns the actions for a kind of documents, in the order in which they are offered.
    #[must_use]
    pub const fn of(kind: Kind) -> &'static [Self] {
        match kind {
            Kind::Api => &[
                Self::Tag,
                Self::Untag,
                Self::Activate,
                Self::Deactivate,
                Self::Export,
                Self::Delete,
            ],
            Kind::Key => &[
                Self::Extend,
                Self::AddPolicy,
                Self::RemovePolicy,
                Self::Export,
                Self::Delete,
            ],
            Kind::Policy => &[Self::Activate, Self::Deactivate, Self::Export, Self::Delete],
        }
    }

    /// Returns its label.
    #[must_use]
    pub const fn label(self, kind: Kind) -> &'static str {
        match (self, kind) {
            (Self::Tag, _) => "Add a tag",
            (Self::Untag, _) => "Remove a tag",
            (Self::Activate, _) => "Activate",
            (Self::Deactivate, _) => "Deactivate",
            (Self::Extend, _) => "Extend",
            (Self::AddPolicy, _) => "Add a policy",
            (Self::RemovePolicy, _) => "Remove a policy",
            (Self::Export, _) => "Export",
            (Self::Delete, Kind::Key) => "Revoke",
            (Self::Delete, _) => "Delete",
        }
    }

    /// Returns the heading of its plan for a number of documents.
    #[must_use]
    pub fn title(self, kind: Kind, count: usize) -> String {
        let many = plural(count, kind.noun());
        match self {
            Self::Tag => format!("Add a tag to {many}"),
            Self::Untag => format!("Remove a tag from {many}"),
            Self::AddPolicy => format!("Add a policy to {many}"),
            Self::RemovePolicy => format!("Remove a policy from {many}"),
            _ => format!("{} {many}", self.label(kind)),
        }
    }

    /// Explains the consequences for those who use the documents.
    #[must_use]
    pub const fn means(self, kind: Kind) -> &'static str {
        match (self, kind) {
            (Self::Export, Kind::Key) => {
                "Sessions as they were written, by the hash of their token: every token keeps working where they are imported. The tokens themselves are not stored, and counters are left out."
            }
            (Self::Export, _) => {
                "One file of lines, which POST /gateway/import reads into an empty gateway."
            }
            (Self::Delete, Kind::Key) => {
                "Requests with these keys are refused from now on. Revoked keys can't be restored: their holders need new ones."
            }
            (Self::Delete, Kind::Api) => {
                "Those that are served now stay so until the next reload. They can be restored from their revisions."
            }
            (Self::Delete, Kind::Policy) => {
                "Keys that have them lose what they give with the next reload. They can be restored from their revisions."
            }
            (Self::Deactivate, Kind::Policy) => {
                "Keys that have one of these policies are refused from the next reload on."
            }
            (_, Kind::Key) => "It takes effect at once.",
            _ => "It takes effect with the next reload.",
        }
    }

    /// Whether it is destructive.
    #[must_use]
    pub const fn is_danger(self) -> bool {
        matches!(self, Self::Delete)
    }

    /// Returns what the user has to enter.
    #[must_use]
    pub const fn asks(self) -> Asks {
        match self {
            Self::Tag | Self::Untag => Asks::Tag,
            Self::AddPolicy | Self::RemovePolicy => Asks::Policy,
            Self::Extend => Asks::End,
            Self::Export => Asks::Passphrase,
            Self::Activate | Self::Deactivate | Self::Delete => Asks::Nothing,
        }
    }

    /// Checks the input.
    ///
    /// # Errors
    /// A sentence that says what is missing.
    pub fn takes(self, input: &str, now: i64) -> Result<(), &'static str> {
        match self.asks() {
            Asks::Tag if input.trim().is_empty() => Err("Enter a tag."),
            Asks::Policy if input.is_empty() => Err("Choose a policy."),
            Asks::End => match end(input, 0, now) {
                None => Err("Choose an expiry."),
                Some(at) if at != 0 && at <= now => Err(
                    "That is in the past. Revoke the keys, or deactivate their policies, instead.",
                ),
                Some(_) => Ok(()),
            },
            Asks::Passphrase if !input.is_empty() && input.chars().count() < PASSPHRASE => {
                Err("A passphrase needs 16 characters or more.")
            }
            _ => Ok(()),
        }
    }
}

/// Returns the new time of expiry in Unix seconds, 0 for never, of a key that ends at `expires`. `input` is `never`,
/// `+` with a number of days after the present end (or after now, if that is past), or `@` with Unix seconds.
#[must_use]
pub fn end(input: &str, expires: i64, now: i64) -> Option<i64> {
    if input == "never" {
        return Some(0);
    }
    if let Some(at) = input.strip_prefix('@') {
        return at.parse().ok().filter(|at| *at > 0);
    }
    let days: i64 = input.strip_prefix('+')?.parse().ok()?;
    Some(expires.max(now).saturating_add(days.saturating_mul(DAY)))
}
