//! What travels between isolates and the Meter: a line for each API or key, its numbers first and the
//! API's id, which may have spaces, last. `worker/src/objects/meter.js` is the other side.

use super::{Close, Tally};
use std::fmt::Write;

/// The line of an API's sums. In reports it begins with `c`; with `a` and `b` it was written by releases before
/// this one, which have fewer numbers.
pub fn api(report: &mut String, api_id: &str, tally: &mut Tally) {
    report.push('c');
    for number in tally.columns() {
        // Writing into a string can't fail.
        let _ = write!(report, " {number}");
    }
    let _ = writeln!(report, " {api_id}");
}

/// The line of a key close to its limit.
pub fn close(report: &mut String, hash: &str, api_id: &str, close: &Close) {
    let Close {
        quota,
        remaining,
        renews_ms,
    } = close;
    let _ = writeln!(report, "k {quota} {remaining} {renews_ms} {hash} {api_id}");
}

/// What the Meter is asked for. It adds what it finds behind the question first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The width of the buckets it reads, in seconds: one of [`Span::GRAINS`].
    pub grain: u64,
    /// Buckets from this one on, Unix seconds.
    pub since: u64,
    /// The width of the points that it sums them up to, in seconds; 0 for no points.
    pub step: u64,
    /// Only this API; then there are no sums of each.
    pub api_id: Option<String>,
    /// How many APIs, and how many keys close to a limit; 0 for none.
    pub most: u32,
}

impl Span {
    /// The widths of the Meter's buckets, with how long it keeps them, in seconds.
    pub const GRAINS: [(u64, u64); 2] = [(10, 3600), (300, 7 * 86_400)];

    /// The question, with the report of this isolate behind it.
    #[must_use]
    pub fn ask(&self, report: &str) -> String {
        let (grain, since, step, most) = (self.grain, self.since, self.step, self.most);
        let api_id = self.api_id.as_deref().unwrap_or_default();
        format!("{grain} {since} {step} {most} {api_id}\n{report}")
    }
}

/// A line of the Meter's answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The sums from a time on, Unix seconds.
    Point(u64, Tally),
    /// The sums of an API.
    Api(String, Tally),
    /// A key close to its limit.
    Key {
        /// Its hash.
        hash: String,
        /// The API.
        api_id: String,
        /// Its quota.
        close: Close,
        /// When it was seen, Unix milliseconds.
        seen_ms: u64,
    },
}

/// Reads the Meter's answer. Lines that are none are left out.
pub fn read(answer: &str) -> impl Iterator<Item = Found> {
    answer.lines().filter_map(line)
}

fn line(line: &str) -> Option<Found> {
    let (kind, mut rest) = line.split_once(' ')?;
    let mut number = || {
        let (number, behind) = rest.split_once(' ')?;
        rest = behind;
        number.parse::<u64>().ok()
    };
    if kind == "k" {
        let seen_ms = number()?;
        let close = Close {
            quota: number()?,
            remaining: number()?,
            renews_ms: number()?,
        };
        let (hash, api_id) = rest.split_once(' ')?;
        return Some(Found::Key {
            hash: hash.to_owned(),
            api_id: api_id.to_owned(),
            close,
            seen_ms,
        });
    }
    let mut tally = Tally::default();
    for column in tally.columns() {
        *column = number()?;
    }
    match kind {
        "p" => Some(Found::Point(rest.parse().ok()?, tally)),
        _ => Some(Found::Api(rest.to_owned(), tally)),
    }
}
