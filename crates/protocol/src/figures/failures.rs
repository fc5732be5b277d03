//! What the Meter is asked about requests that have failed, and what it answers. Isolates report them as lines that
//! begin with `f`, each with an object of JSON (`worker/src/failures.js`).

/// Which failed requests are asked for. Times are Unix seconds; an empty text stands for all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failing {
    /// From this time on: the beginning of a minute.
    pub since: u64,
    /// Before this time.
    pub until: u64,
    /// The API's id.
    pub api_id: String,
    /// Its version.
    pub version: String,
    /// The lowest status and the highest one.
    pub statuses: (u16, u16),
    /// The reason.
    pub reason: String,
    /// A part of the path.
    pub path: String,
    /// The hash of the key.
    pub key_hash: String,
    /// How many kinds there are at most, and how many rows of a kind and a minute.
    pub most: u32,
}

impl Failing {
    /// The question: a list of what the statements of the Meter are bound to.
    ///
    /// # Errors
    /// None: texts and numbers can be written.
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

/// A line of the Meter's answer: an object of JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureLine<'a> {
    /// A kind of failures, summed up.
    Sum(&'a str),
    /// A kind of failures in a minute.
    Row(&'a str),
}

/// Reads the answers of the Meters, one behind the other. Lines that are none are left out.
pub fn read_failures(answer: &str) -> impl Iterator<Item = FailureLine<'_>> {
    answer
        .lines()
        .filter_map(|line| match line.split_once(' ')? {
            ("s", object) => Some(FailureLine::Sum(object)),
            ("r", object) => Some(FailureLine::Row(object)),
            _ => None,
        })
}
