//! Queries to the Meter about failed requests, and its replies. Isolates report these requests in lines that start with
//! `f`, each with a JSON object (`worker/src/failures.js`).

/// A filter for failed requests. Times are Unix seconds; an empty text matches everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failing {
    /// The start of the time range, on a full minute.
    pub since: u64,
    /// The end of the time range, exclusive.
    pub until: u64,
    /// The API's id.
    pub api_id: String,
    /// The API's version.
    pub version: String,
    /// The lowest and the highest status.
    pub statuses: (u16, u16),
    /// The reason of the failure.
    pub reason: String,
    /// A part of the path.
    pub path: String,
    /// The hash of the key.
    pub key_hash: String,
    /// The most kinds of failures, and the most rows (one per kind and minute).
    pub most: u32,
}

impl Failing {
    /// Encodes the query: a JSON array of the values bound to the Meter's statements.
    ///
    /// # Errors
    /// Never: texts and numbers can always be written.
    pub fn ask(&self) -> serde_json::Result<String> {
        let (lowest, highest) = self.statuses;
        let wanted = (
            self.since,
            self.until,
            &self.api_id,
            &self.version,
            lowest,
            highest,
            &self.reason,
            &self.path,
            &self.key_hash,
            self.most,
        );
        serde_json::to_string(&wanted).map(|text| text + "\n")
    }
}

/// A line of the Meter's reply: a JSON object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureLine<'a> {
    /// The sum of one kind of failure.
    Sum(&'a str),
    /// One kind of failure in one minute.
    Row(&'a str),
}

/// Reads the concatenated replies of the Meters. Unknown lines are skipped.
pub fn read_failures(answer: &str) -> impl Iterator<Item = FailureLine<'_>> {
    answer
        .lines()
        .filter_map(|line| match line.split_once(' ')? {
            ("s", object) => Some(FailureLine::Sum(object)),
            ("r", object) => Some(FailureLine::Row(object)),
            _ => None,
        })
}
