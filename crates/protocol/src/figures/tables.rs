//! How the Meter keeps what it is told: `worker/src/objects/meter.js` gets this once, at start.

use super::{BOUNDS_MS, Span};

/// The columns of sums, in the order in which lines have them; behind these come those that count
/// latencies up to a bound.
const COLUMNS: [&str; 8] = [
    "requests",
    "errors",
    "key_failures",
    "rate_limited",
    "quota_exceeded",
    "refused",
    "answered",
    "latency_ms",
];
/// How many keys close to their limit are kept.
const KEYS_MAX: u32 = 1000;
/// How often old rows are looked for, in milliseconds.
const TRIM_MS: u32 = 60_000;

/// Lines of words with spaces between: the columns; widths of the buckets, each with how long it is kept,
/// in seconds; how many keys are kept, and how often old rows are looked for.
#[must_use]
pub fn tables() -> String {
    let bounds = BOUNDS_MS.iter().map(|bound| format!("within_{bound}"));
    let columns: Vec<String> = COLUMNS
        .iter()
        .map(|column| (*column).to_owned())
        .chain(bounds)
        .chain(["within_more".to_owned()])
        .collect();
    let grains = Span::GRAINS.map(|(width, kept)| format!("{width} {kept}"));
    format!(
        "{}\n{}\n{KEYS_MAX} {TRIM_MS}",
        columns.join(" "),
        grains.join(" ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::Tally;

    #[test]
    fn the_meter_has_a_column_for_each_number_of_a_line() {
        let tables = tables();
        let lines: Vec<Vec<&str>> = tables
            .lines()
            .map(|line| line.split(' ').collect())
            .collect();
        assert_eq!(lines[0].len(), Tally::default().columns().count());
        assert_eq!(&lines[0][7..10], ["latency_ms", "within_1", "within_2"]);
        assert_eq!(lines[0].last(), Some(&"within_more"));
        assert_eq!(lines[1], ["10", "3600", "300", "604800"]);
        assert_eq!(lines[2], ["1000", "60000"]);
    }
}
