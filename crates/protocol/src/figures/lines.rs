//! What isolates and the Meter send each other: a line for each API or key, with its numbers first and the API's id,
//! which may contain spaces, last. `worker/src/objects/meter.js` is the other side.

use super::{Close, Tally};
use std::fmt::Write;

/// Appends the line of an API's sums. In reports it starts with `d` and the count of its numbers; lines that start with
/// `a`, `b` or `c` come from earlier releases, which had fewer numbers and sent no count.
pub fn api(report: &mut String, api_id: &str, tally: &mut Tally) {
    // Writing into a string can't fail.
    let _ = write!(report, "d {}", tally.columns().count().saturating_add(MORE));
    for number in tally.columns() {
        let _ = write!(report, " {number}");
    }
    let _ = writeln!(report, "{LATER} {api_id}");
}

#[cfg(not(feature = "next"))]
const MORE: usize = 0;
#[cfg(not(feature = "next"))]
const LATER: &str = "";
// One number more than this release knows.
#[cfg(feature = "next")]
const MORE: usize = 1;
#[cfg(feature = "next")]
const LATER: &str = " 7";

/// Appends the line of a key that is close to its limit.
pub fn close(report: &mut String, hash: &str, api_id: &str, close: &Close) {
    let Close {
        quota,
        remaining,
        renews_ms,
    } = close;
    let _ = writeln!(report, "k {quota} {remaining} {renews_ms} {hash} {api_id}");
}

/// A query to the Meter. The Meter first adds the report that follows the query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Span {
    /// The width of the buckets to read, in seconds: one of [`Span::GRAINS`].
    pub grain: u64,
    /// The first bucket, in Unix seconds.
    pub since: u64,
    /// The width of the points that buckets are summed up to, in seconds; 0 for no points.
    pub step: u64,
    /// The only API to read; then there are no sums per API.
    pub api_id: Option<String>,
    /// The most APIs, and the most keys close to a limit; 0 for none.
    pub most: u32,
}

impl Span {
    /// The widths of the Meter's buckets, and how long it keeps them, in seconds.
    pub const GRAINS: [(u64, u64); 2] = [(10, 3600), (300, 7 * 86_400)];

    /// Encodes the query, followed by the report of this isolate.
    #[must_use]
    pub fn ask(&self, report: &str) -> String {
        let (grain, since, step, most) = (self.grain, self.since, self.step, self.most);
        let api_id = self.api_id.as_deref().unwrap_or_default();
        format!("{grain} {since} {step} {most} {api_id}\n{report}")
    }
}

/// A line of the Meter's reply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The sums from a time on, in Unix seconds.
    Point(u64, Tally),
    /// The sums of an API.
    Api(String, Tally),
    /// A key close to its limit.
    Key {
        /// Its hash.
        hash: String,
        /// The API.
        api_id: String,
        /// The state of its quota.
        close: Close,
        /// When it was last seen, in Unix milliseconds.
        seen_ms: u64,
    },
}

/// Reads the concatenated replies of the Meters. Unknown lines are skipped. Each reply starts with an `n` line that
/// gives the count of numbers in its sums: earlier releases send none, and the next one has more numbers. A point, and
/// an API that has moved, may come from several Meters.
pub fn read(answer: &str) -> impl Iterator<Item = Found> {
    let mut numbers = Tally::default().columns().count();
    answer.lines().filter_map(move |text| {
        if let Some(count) = text.strip_prefix("n ") {
            numbers = count.parse().unwrap_or(numbers);
        }
        line(text, numbers)
    })
}

fn line(line: &str, numbers: usize) -> Option<Found> {
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
    let mut columns = tally.columns();
    for _ in 0..numbers {
        let found = number()?;
        if let Some(column) = columns.next() {
            *column = found;
        }
    }
    drop(columns);
    match kind {
        "p" => Some(Found::Point(rest.parse().ok()?, tally)),
        "a" => Some(Found::Api(rest.to_owned(), tally)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_of_a_release_with_another_number_of_numbers_is_read() {
        let mut tally = Tally::default();
        tally
            .columns()
            .zip(1..)
            .for_each(|(column, number)| *column = number);
        let own: Vec<String> = tally.columns().map(|number| number.to_string()).collect();
        let more = format!(
            "n {}\np {} 99 60\na {} 99 an api",
            own.len() + 1,
            own.join(" "),
            own.join(" ")
        );
        let api = Found::Api("an api".to_owned(), tally.clone());
        assert_eq!(
            read(&more).collect::<Vec<_>>(),
            [Found::Point(60, tally), api]
        );

        let fewer = format!("n 3\na {} 8 an api", own[..2].join(" "));
        let fewer: Vec<_> = read(&fewer).collect();
        let [Found::Api(id, tally)] = fewer.as_slice() else {
            panic!("{fewer:?}");
        };
        assert_eq!(
            (
                id.as_str(),
                tally.requests,
                tally.errors,
                tally.key_failures
            ),
            ("an api", 1, 2, 8)
        );
        assert_eq!(tally.rate_limited, 0);
    }
}
