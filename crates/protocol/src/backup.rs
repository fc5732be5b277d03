//! The Registry's commands of an export and of an import: pages of the lines that an export consists of, which the
//! Registry writes and reads. What stands in a line is its business alone; who hands lines on adds what other
//! objects know, and seals what is secret.

use serde::{Deserialize, Serialize};

/// About so many bytes of lines travel in one message; a line that is longer travels alone.
pub const PAGE_BYTES: usize = 512 * 1024;
/// At most so many lines travel in one message.
pub const PAGE_LINES: usize = 500;

/// How far an export has come.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The kind of what is read now, by its number in the Registry's order.
    pub section: u32,
    /// The id of the last of this kind that is complete.
    pub id: String,
    /// The last revision of the next one that is done; 0 for none.
    pub revision: u64,
}

/// A line of an export, without the line break.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// An object with one member, which is an object itself.
    pub text: String,
    /// The secrets that the line has not, as a JSON object.
    pub secrets: Option<String>,
}

/// A part of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// The lines.
    pub lines: Vec<Line>,
    /// The names of Ledgers that may count for what is in the lines.
    pub ledgers: Vec<String>,
    /// How many secrets were left out of the lines.
    pub left_out: u64,
    /// The number of the newest entry of the audit trail.
    pub number: u64,
    /// Where the next page begins; none behind the last.
    pub next: Option<Place>,
}

/// What is wanted of the Registry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Backup {
    /// The page that begins here, older revisions too, and with secrets instead of without.
    Read {
        /// The place.
        place: Place,
        /// Whether older revisions and deleted documents are wanted.
        revisions: bool,
        /// Whether secrets are wanted.
        secrets: bool,
    },
    /// Begins to import this export, or goes on with it.
    Begin {
        /// The export's id.
        id: String,
        /// Only looks whether it could.
        dry_run: bool,
    },
    /// Stores lines, all or none.
    Store {
        /// The export's id.
        id: String,
        /// The number of each line in the export, and the line with its secrets.
        lines: Vec<(u64, Line)>,
    },
    /// Everything is stored.
    End {
        /// The export's id.
        id: String,
        /// The number of the newest entry of the trail that it comes from.
        number: u64,
    },
    /// Removes what an import that did not end has stored.
    GiveUp,
}

impl Backup {
    /// True if it stores something.
    #[must_use]
    pub const fn writes(&self) -> bool {
        !matches!(self, Self::Read { .. } | Self::Begin { dry_run: true, .. })
    }
}
