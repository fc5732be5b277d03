//! What can be done with many documents, in words.

use super::Kind;
use crate::state::draft::plural;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verb {
    /// A tag is added.
    Tag,
    /// A tag is removed.
    Untag,
    /// It is switched on.
    Activate,
    /// It is switched off.
    Deactivate,
    /// A key gets another end.
    Extend,
    /// A key gets a policy.
    AddPolicy,
    /// A key loses a policy.
    RemovePolicy,
    /// It goes into a file.
    Export,
    /// It is deleted.
    Delete,
}

/// What has to be said besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// Nothing.
    Nothing,
    /// A tag.
    Tag,
    /// The id of a policy.
    Policy,
    /// An end, see [`end`].
    End,
    /// What secrets are sealed with; it may be empty.
    Passphrase,
}

/// A day in seconds.
const DAY: i64 = 86_400;
/// The shortest passphrase that an export takes.
const PASSPHRASE: usize = 16;

impl Verb {
    /// What can be done with documents of a kind, in the order in which it is offered.
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

    /// What it is called.
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

    /// The heading of its plan for so many documents.
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

    /// What it means for those who use what is changed.
    #[must_use]
    pub const fn means(self, kind: Kind) -> &'static str {
        match (self, kind) {
            (Self::Export, Kind::Key) => {
                "Sessions as they were written, by the hash of their token: every token works on where they are imported. The tokens themselves are stored nowhere, and what has been counted is left out."
            }
            (Self::Export, _) => {
                "One file of lines that POST /gateway/import takes into an empty gateway."
            }
            (Self::Delete, Kind::Key) => {
                "Whoever uses one of these keys is refused from the next request on. They can't be brought back: their holders need new ones."
            }
            (Self::Delete, Kind::Api) => {
                "The gateway serves them until the next reload. They can be restored from their revisions."
            }
            (Self::Delete, Kind::Policy) => {
                "Keys that have them lose what they give with the next reload. They can be brought back."
            }
            (Self::Deactivate, Kind::Policy) => {
                "Keys that have one of these policies are refused from the next reload on."
            }
            (_, Kind::Key) => "It takes effect at once.",
            _ => "It takes effect with the next reload.",
        }
    }

    /// Whether it destroys something.
    #[must_use]
    pub const fn is_danger(self) -> bool {
        matches!(self, Self::Delete)
    }

    /// What has to be said besides.
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

    /// Whether what is typed is enough; if not, what is missing.
    ///
    /// # Errors
    /// A sentence.
    pub fn takes(self, input: &str, now: i64) -> Result<(), &'static str> {
        match self.asks() {
            Asks::Tag if input.trim().is_empty() => Err("Name a tag."),
            Asks::Policy if input.is_empty() => Err("Choose a policy."),
            Asks::End => match end(input, 0, now) {
                None => Err("Choose an end."),
                Some(at) if at != 0 && at <= now => {
                    Err("That is past. Revoke the keys, or deactivate their policies, instead.")
                }
                Some(_) => Ok(()),
            },
            Asks::Passphrase if !input.is_empty() && input.chars().count() < PASSPHRASE => {
                Err("A passphrase has 16 characters or more.")
            }
            _ => Ok(()),
        }
    }
}

/// The end that is meant, in Unix seconds, of a key that ends at `expires`; 0 is never. `input` is `never`, `+` with
/// days after the present end, or after now where that is past, or `@` with Unix seconds.
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
