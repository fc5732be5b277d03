//! Counts tests by parsing the output of the test runners.

use std::fmt;

/// Tests that passed, failed and were skipped.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Tests that passed.
    pub(crate) passed: u64,
    /// Tests that failed, or could not run.
    pub(crate) failed: u64,
    /// Tests that the runner knows but did not run.
    pub(crate) skipped: u64,
}

impl Counts {
    /// Creates the count of one check that has no runner of its own.
    pub(crate) fn one(passed: bool) -> Self {
        Self {
            passed: u64::from(passed),
            failed: u64::from(!passed),
            skipped: 0,
        }
    }

    /// Adds another run's counts.
    pub(crate) fn add(&mut self, other: Self) {
        self.passed = self.passed.saturating_add(other.passed);
        self.failed = self.failed.saturating_add(other.failed);
        self.skipped = self.skipped.saturating_add(other.skipped);
    }

    /// Whether nothing ran at all.
    pub(crate) fn is_empty(&self) -> bool {
        self.passed == 0 && self.failed == 0
    }

    /// Returns the counts of a runner that ended with `success`. A runner that fails without reporting a failed test (a
    /// compile error, a crash) counts as one failure.
    pub(crate) fn settled(mut self, success: bool) -> Self {
        if !success && self.failed == 0 {
            self.failed = 1;
        }
        self
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            passed,
            failed,
            skipped,
        } = self;
        write!(out, "{passed} passed, {failed} failed, {skipped} skipped")
    }
}

/// Parses the last line of libtest and of wasm-bindgen-test: `test result: ok. 3 passed; 0 failed; 1 ignored; 0
/// measured; …`.
pub(crate) fn of_libtest(line: &str) -> Option<Counts> {
    let plain = without_colour(line);
    let (_, numbers) = plain
        .trim()
        .strip_prefix("test result: ")?
        .split_once(". ")?;
    let mut counts = Counts::default();
    for part in numbers.split(';') {
        let mut words = part.split_whitespace();
        let (Some(number), Some(what)) = (words.next(), words.next()) else {
            continue;
        };
        let Ok(number) = number.parse() else { continue };
        match what {
            "passed" => counts.passed = number,
            "failed" => counts.failed = number,
            "ignored" => counts.skipped = number,
            _ => {}
        }
    }
    Some(counts)
}

/// Parses the last lines of the TAP output of `node --test` (`# pass 3`, `# cancelled 0`, …). A cancelled test counts
/// as failed, a `todo` as skipped. `None` if they are missing, as in a truncated file.
pub(crate) fn of_tap(text: &str) -> Option<Counts> {
    let number = |what: &str| {
        text.lines().rev().find_map(|line| {
            line.strip_prefix("# ")?
                .strip_prefix(what)?
                .strip_prefix(' ')?
                .trim()
                .parse::<u64>()
                .ok()
        })
    };
    Some(Counts {
        passed: number("pass")?,
        failed: number("fail")?.saturating_add(number("cancelled").unwrap_or(0)),
        skipped: number("skipped")?.saturating_add(number("todo").unwrap_or(0)),
    })
}

/// Removes ANSI colour sequences (`ESC [ … m`) from a line.
fn without_colour(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        if char == '\u{1b}' {
            // Consumes the sequence up to and including its final letter.
            let _ = chars.find(char::is_ascii_alphabetic);
        } else {
            plain.push(char);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(passed: u64, failed: u64, skipped: u64) -> Counts {
        Counts {
            passed,
            failed,
            skipped,
        }
    }

    #[test]
    fn libtest_lines_are_read() {
        let ok = "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.02s";
        assert_eq!(of_libtest(ok), Some(counts(12, 0, 1)));
        let bad = "test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out";
        assert_eq!(of_libtest(bad), Some(counts(1, 2, 0)));
        let browser =
            "test result: ok. 5 passed; 0 failed; 0 ignored; 0 filtered out; finished in 0.3s";
        assert_eq!(of_libtest(browser), Some(counts(5, 0, 0)));
    }

    #[test]
    fn colour_does_not_hide_a_result() {
        let line = "test result: \u{1b}[32mok\u{1b}[m. 2 passed; 0 failed; 0 ignored";
        assert_eq!(of_libtest(line), Some(counts(2, 0, 0)));
    }

    #[test]
    fn other_lines_are_no_result() {
        for line in [
            "",
            "test counts::tests::x ... ok",
            "running 3 tests",
            "test result: ",
        ] {
            assert_eq!(of_libtest(line), None, "{line}");
        }
    }

    #[test]
    fn the_last_summary_of_a_tap_file_counts() {
        let text = "TAP version 13\n# Subtest: x\n# pass 9\nok 1 - x\n1..4\n# tests 4\n# suites 0\n\
                    # pass 1\n# fail 1\n# cancelled 1\n# skipped 1\n# todo 0\n# duration_ms 12.5\n";
        assert_eq!(of_tap(text), Some(counts(1, 2, 1)));
    }

    #[test]
    fn a_tap_file_that_was_cut_off_has_no_counts() {
        assert_eq!(of_tap("TAP version 13\nok 1 - x\n"), None);
    }

    #[test]
    fn a_runner_that_dies_is_one_failure() {
        assert_eq!(counts(3, 0, 0).settled(false), counts(3, 1, 0));
        assert_eq!(counts(3, 2, 0).settled(false), counts(3, 2, 0));
        assert_eq!(counts(3, 0, 0).settled(true), counts(3, 0, 0));
    }

    #[test]
    fn the_closing_line_has_its_agreed_form() {
        assert_eq!(
            counts(10, 2, 3).to_string(),
            "10 passed, 2 failed, 3 skipped"
        );
    }
}
