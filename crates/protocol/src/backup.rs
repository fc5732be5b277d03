//! The Registry's commands for exports and imports: pages of the lines that make up an export, written and read by the
//! Registry. Only the Registry knows what a line contains; whoever passes lines on adds what other objects know, and
//! seals the secrets.

use serde::{Deserialize, Serialize};

/// The approximate size of the lines in one message; a longer line travels alone.
pub const PAGE_BYTES: usize = 512 * 1024;
/// The most lines in one message.
pub const PAGE_LINES: usize = 500;

/// How far an export has got.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// The kind of item being read, by its number in the Registry's order.
    pub section: u32,
    /// The id of the last item of this kind that was exported completely.
    pub id: String,
    /// The last exported revision of the next item; 0 for none.
    pub revision: u64,
}

/// A line of an export, without the line break.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// A JSON object with one member, which is itself an object.
    pub text: String,
    /// The secrets left out of the line, as a JSON object.
    pub secrets: Option<String>,
}

/// A part of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Page {
    /// The lines of this page.
    pub lines: Vec<Line>,
    /// The names of Ledgers that may hold counters for what is in the lines.
    pub ledgers: Vec<String>,
    /// How many secrets were left out of the lines.
    pub left_out: u64,
    /// The number of the newest entry of the audit trail.
    pub number: u64,
    /// Where the next page starts; `None` after the last.
    pub next: Option<Place>,
}

/// What the Registry is to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Backup {
    /// Returns the page that starts here.
    Read {
        /// Where to start.
        place: Place,
        /// Whether to include older revisions and deleted documents.
        revisions: bool,
        /// Whether to include secrets.
        secrets: bool,
    },
    /// Starts to import this export, or resumes it.
    Begin {
        /// The export's id.
        id: String,
        /// Whether only to check that the import could start.
        dry_run: bool,
    },
    /// Stores lines, all or none.
    Store {
        /// The export's id.
        id: String,
        /// Each line with its secrets, and its number in the export.
        lines: Vec<(u64, Line)>,
    },
    /// Ends the import: everything is stored.
    End {
        /// The export's id.
        id: String,
        /// The number of the newest audit trail entry of the gateway that was exported.
        number: u64,
    },
    /// Removes what an unfinished import has stored.
    GiveUp,
}

impl Backup {
    /// Whether the command stores something.
    #[must_use]
    pub const fn writes(&self) -> bool {
        !matches!(self, Self::Read { .. } | Self::Begin { dry_run: true, .. })
    }
}
