//! The output of workerd: held back until it answers, so that a failed start is one line, and passed on to standard
//! error afterwards.

use std::process::{Child, ExitStatus};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use crate::fail::{Fail, error};
use crate::{paths, process, term};

/// How many lines of a start are kept; later ones don't explain why it failed.
const KEPT_LINES: usize = 1000;
/// The maximum length of a line that is shown.
const MAX_LINE: usize = 300;

#[derive(Default)]
struct Held {
    open: bool,
    lines: Vec<String>,
}

/// The output of one workerd.
pub(super) struct Log {
    held: Arc<Mutex<Held>>,
    readers: Vec<JoinHandle<()>>,
}

impl Log {
    /// Reads both pipes of the process.
    pub(super) fn follow(child: &mut Child) -> Self {
        let held = Arc::<Mutex<Held>>::default();
        let reader = |pipe: Box<dyn std::io::Read + Send>| {
            let held = Arc::clone(&held);
            thread::spawn(move || process::each_line(pipe, |line| take(&held, line)))
        };
        let out = child.stdout.take().map(|pipe| reader(Box::new(pipe)));
        let err = child.stderr.take().map(|pipe| reader(Box::new(pipe)));
        Self {
            held,
            readers: out.into_iter().chain(err).collect(),
        }
    }

    /// Passes lines on from now on, starting with those that were held back.
    pub(super) fn open(&self) {
        if let Ok(mut held) = self.held.lock() {
            held.open = true;
            held.lines.drain(..).for_each(|line| term::note(&line));
        }
    }

    /// Returns why workerd ended: its own message, and where the full output is.
    pub(super) fn failure(self, what: &str, status: std::io::Result<ExitStatus>) -> Fail {
        let status = status.map_or_else(|reason| reason.to_string(), |status| status.to_string());
        for reader in self.readers {
            let _ = reader.join();
        }
        let lines = self
            .held
            .lock()
            .map(|held| held.lines.clone())
            .unwrap_or_default();
        let reason = useful_line(&lines);
        let log_file = write_log(&lines).unwrap_or_default();
        error(format!(
            "{what} ({status}){}{reason}{log_file}",
            if reason.is_empty() { "" } else { ": " }
        ))
    }

    /// Returns the line that best explains why nothing answers.
    pub(super) fn useful_line(&self) -> String {
        let lines = self
            .held
            .lock()
            .map(|held| held.lines.clone())
            .unwrap_or_default();
        let line = useful_line(&lines);
        if line.is_empty() {
            "workerd printed nothing".to_owned()
        } else {
            line
        }
    }
}

fn take(held: &Mutex<Held>, line: &str) {
    let Ok(mut held) = held.lock() else { return };
    if is_noise(line) {
        return;
    }
    if held.open {
        term::note(line);
    } else if held.lines.len() < KEPT_LINES {
        held.lines.push(line.to_owned());
    }
}

/// Whether workerd marks a line as of no use to operators, such as that an alarm was set again while it ran.
fn is_noise(line: &str) -> bool {
    line.contains(": warning: NOSENTRY ")
}

/// Writes what didn't fit into the message to a file and returns where it is.
fn write_log(lines: &[String]) -> Option<String> {
    if lines.len() < 2 {
        return None;
    }
    let file = paths::scratch().ok()?.join("workerd.log");
    std::fs::write(&file, lines.join("\n")).ok()?;
    Some(format!(" (full output: {})", paths::shown(&file)))
}

/// Returns the line that explains the failure: the first that mentions an error or an exception, else the first that
/// isn't part of a stack trace.
fn useful_line(lines: &[String]) -> String {
    let telling = |line: &&String| {
        let line = line.to_ascii_lowercase();
        line.contains("error") || line.contains("exception") || line.contains("fatal")
    };
    let plain = |line: &&String| !line.trim().is_empty() && !line.starts_with("stack:");
    let line = lines
        .iter()
        .find(telling)
        .or_else(|| lines.iter().find(plain));
    line.map(|line| line.trim().chars().take(MAX_LINE).collect())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_for_the_developers_of_workerd_are_not_shown() {
        let line =
            "workerd/io/actor-sqlite.c++:1054: warning: NOSENTRY SQLite alarm handler canceled";
        let held = Mutex::default();
        take(&held, line);
        take(&held, "workerd/server/server.c++: warning: x");
        let held = held.into_inner().unwrap();
        assert_eq!(held.lines, ["workerd/server/server.c++: warning: x"]);
    }

    #[test]
    fn the_line_with_the_error_is_chosen() {
        let line = |lines: &[&str]| {
            useful_line(
                &lines
                    .iter()
                    .map(|&line| line.to_owned())
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(
            line(&["warming up", "Uncaught Error: x", "  at y"]),
            "Uncaught Error: x"
        );
        assert_eq!(line(&["stack: 1 2 3", "", "bad flag"]), "bad flag");
        assert_eq!(line(&[]), "");
    }
}
