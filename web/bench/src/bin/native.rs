//! The same functions, run natively: `native <folder>` reads the inputs that the benchmark wrote there and prints a
//! JSON object of measurements in milliseconds.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a command line program: what it prints is its answer"
)]

use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};
use std::{env, fs, io};

use gatewright_bench::{difference, merged, validate};

/// How long a function is called to warm up, and how long it is then measured.
const WARM: Duration = Duration::from_millis(400);
const TIME: Duration = Duration::from_millis(2000);

fn main() -> ExitCode {
    let Some(folder) = env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("native <folder>: the folder with the inputs is missing");
        return ExitCode::from(2);
    };
    match measure(&folder) {
        Ok(json) => {
            println!("{json}");
            ExitCode::SUCCESS
        }
        Err(reason) => {
            eprintln!("{}: {reason}", folder.display());
            ExitCode::FAILURE
        }
    }
}

fn measure(folder: &Path) -> io::Result<String> {
    let read = |name: &str| fs::read(folder.join(name));
    let [small, large, problems] = [
        read("small.json")?,
        read("large.json")?,
        read("problems.json")?,
    ];
    let [provider, patch, changed] = [
        read("provider.json")?,
        read("patch.json")?,
        read("changed.json")?,
    ];
    let check = |text: &[u8]| median(|| validate("api_definition", black_box(text)));
    let found = [
        ("small", check(&small)),
        ("large", check(&large)),
        ("problems", check(&problems)),
        (
            "merge",
            median(|| merged(black_box(&provider), black_box(&patch))),
        ),
        (
            "diff",
            median(|| difference(black_box(&provider), black_box(&changed))),
        ),
    ];
    let members = found.map(|(name, took)| format!("\"{name}\":{}", took.as_secs_f64() * 1000.0));
    Ok(format!("{{{}}}", members.join(",")))
}

/// Returns the median duration of a call.
fn median(call: impl Fn() -> String) -> Duration {
    let mut found = Vec::new();
    let begun = Instant::now();
    while begun.elapsed() < TIME {
        let start = Instant::now();
        black_box(call());
        if begun.elapsed() > WARM {
            found.push(start.elapsed());
        }
    }
    found.sort_unstable();
    found.get(found.len() / 2).copied().unwrap_or_default()
}
