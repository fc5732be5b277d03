//! `test`: every check, in lanes that can also run alone, with one summary line at the end.

mod ahead;
mod deploy;
mod lint;
mod node;
mod rust;

use std::path::PathBuf;
use std::time::{Duration, Instant};

use self::ahead::Ahead;
use crate::counts::Counts;
use crate::fail::{Fail, Result};
use crate::term::{self, Stream, Style, paint};
use crate::{npm, paths, setup};

/// A group of checks with a runner of its own.
struct Lane {
    name: &'static str,
    about: &'static str,
    /// Installs what the lane needs; called for all lanes before the first one starts.
    needs: fn() -> Result<()>,
    /// Whether it tests what is deployed, which has to be built first.
    builds: bool,
    run: fn() -> Result<Counts>,
}

/// The lanes in order: the quickest ones that find the most run first.
const LANES: &[Lane] = &[
    Lane {
        name: "lint",
        about: "formatting, clippy for host and wasm32, layers, JavaScript syntax",
        needs: setup::for_lint,
        builds: false,
        run: lint::run,
    },
    Lane {
        name: "native",
        about: "unit, case and property tests on this machine",
        needs: || Ok(()),
        builds: false,
        run: rust::native,
    },
    Lane {
        name: "browser",
        about: "unit and case tests in headless Chromium",
        needs: setup::for_browser,
        builds: false,
        run: rust::browser,
    },
    Lane {
        name: "deploy",
        about: "wrangler deploy --dry-run",
        needs: setup::for_build,
        builds: true,
        run: deploy::run,
    },
    Lane {
        name: "e2e",
        about: "the worker on workerd, with empty data folders",
        needs: setup::for_build,
        builds: true,
        run: node::e2e,
    },
    Lane {
        name: "golden",
        about: "recorded answers of the API family, replayed against the worker",
        needs: setup::for_build,
        builds: true,
        run: node::golden,
    },
    Lane {
        name: "console",
        about: "flows and screenshots in headless Chromium",
        needs: needs_of_console,
        builds: true,
        run: node::console,
    },
];

/// The result of a lane.
struct Outcome {
    name: &'static str,
    counts: Counts,
    duration: Duration,
}

/// Returns the lanes and what they check, for the help.
pub(crate) fn list() -> impl Iterator<Item = (&'static str, &'static str)> {
    LANES.iter().map(|lane| (lane.name, lane.about))
}

/// Returns environment variables for scripts that start a runtime or a browser.
pub(crate) fn environment() -> [(&'static str, PathBuf); 2] {
    [
        ("GATEWRIGHT_ROOT", paths::root().to_path_buf()),
        ("GATEWRIGHT_WORKERD", npm::workerd()),
    ]
}

/// `cargo xtask test [lane…]`: all lanes, or those named. Every lane runs, even if an earlier one failed, and no test
/// is retried.
///
/// # Errors
/// `Usage` for an unknown lane; `Reported` if anything failed or a lane ran nothing.
pub(crate) fn run(words: &[String]) -> Result<()> {
    let lanes = chosen(words)?;
    let mut total = Counts::default();
    if let Err(failure) = lanes.iter().try_for_each(|lane| (lane.needs)()) {
        print_failure(&failure);
        total.add(Counts::one(false));
    } else {
        let _ahead = worth_building_ahead(&lanes).then(Ahead::start);
        let outcomes: Vec<_> = lanes.into_iter().map(run_lane).collect();
        table(&outcomes);
        outcomes
            .iter()
            .for_each(|outcome| total.add(outcome.counts));
    }
    println!("{total}");
    if total.failed == 0 {
        Ok(())
    } else {
        Err(Fail::Reported)
    }
}

fn chosen(words: &[String]) -> Result<Vec<&'static Lane>> {
    if words.is_empty() {
        return Ok(LANES.iter().collect());
    }
    words
        .iter()
        .map(|word| {
            LANES.iter().find(|lane| lane.name == word).ok_or_else(|| {
                let names: Vec<_> = list().map(|(name, _)| name).collect();
                Fail::Usage(format!(
                    "unknown lane `{word}`: the lanes are {}",
                    names.join(", ")
                ))
            })
        })
        .collect()
}

/// Whether a lane that needs the build comes after one that doesn't.
fn worth_building_ahead(lanes: &[&Lane]) -> bool {
    let mut later = lanes.iter().skip_while(|lane| lane.builds);
    later.any(|lane| lane.builds)
}

fn run_lane(lane: &Lane) -> Outcome {
    println!(
        "\n{}  {}",
        paint(Stream::Out, Style::Bold, lane.name),
        lane.about
    );
    let started = Instant::now();
    let result = (lane.run)();
    if let Err(failure) = &result {
        print_failure(failure);
    }
    if result.as_ref().is_ok_and(Counts::is_empty) {
        term::error(&format!("the lane {} ran no tests", lane.name));
    }
    let counts = counts_of(result);
    Outcome {
        name: lane.name,
        counts,
        duration: started.elapsed(),
    }
}

/// Counts a lane that can't run, or runs nothing, as one failure.
fn counts_of(result: Result<Counts>) -> Counts {
    let mut counts = result.unwrap_or_else(|_| Counts::one(false));
    if counts.is_empty() {
        counts.add(Counts::one(false));
    }
    counts
}

fn print_failure(failure: &Fail) {
    match failure {
        Fail::Usage(message) | Fail::Error(message) => term::error(message),
        Fail::Reported => {}
    }
}

fn table(outcomes: &[Outcome]) {
    println!(
        "\n{:8} {:>7} {:>7} {:>8}  time",
        "lane", "passed", "failed", "skipped"
    );
    for Outcome {
        name,
        counts,
        duration,
    } in outcomes
    {
        let failed = format!("{:>7}", counts.failed);
        let style = if counts.failed == 0 {
            Style::Dim
        } else {
            Style::Red
        };
        println!(
            "{name:8} {:>7} {} {:>8}  {}",
            counts.passed,
            paint(Stream::Out, style, &failed),
            counts.skipped,
            term::time(*duration)
        );
    }
    println!();
}

fn needs_of_console() -> Result<()> {
    setup::for_build()?;
    crate::programs::headless_browser().map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_chosen_by_name_and_all_without_one() {
        assert_eq!(chosen(&[]).unwrap().len(), LANES.len());
        let two = chosen(&["e2e".to_owned(), "lint".to_owned()]).unwrap();
        assert_eq!(
            two.iter().map(|lane| lane.name).collect::<Vec<_>>(),
            ["e2e", "lint"]
        );
        assert!(matches!(chosen(&["unit".to_owned()]), Err(Fail::Usage(_))));
    }

    #[test]
    fn a_build_starts_early_if_a_lane_has_to_wait_for_another_one() {
        let ahead = |words: &[&str]| {
            let words: Vec<_> = words.iter().map(|&word| word.to_owned()).collect();
            worth_building_ahead(&chosen(&words).unwrap())
        };
        assert!(ahead(&[]));
        assert!(ahead(&["lint", "e2e"]));
        assert!(!ahead(&["lint", "native"]));
        assert!(!ahead(&["e2e", "console", "lint"]));
    }

    #[test]
    fn a_lane_that_cannot_run_or_runs_nothing_has_failed() {
        assert_eq!(counts_of(Err(Fail::Reported)), Counts::one(false));
        assert_eq!(counts_of(Ok(Counts::default())), Counts::one(false));
        assert_eq!(counts_of(Ok(Counts::one(true))), Counts::one(true));
    }
}
