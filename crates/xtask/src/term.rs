//! Terminal output: colour, progress and errors.
//!
//! Progress goes to standard error, results to standard output. Colour and the updating line appear only on a terminal,
//! and `NO_COLOR` (<https://no-color.org>) turns colour off.

use std::io::{IsTerminal, Write};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;
use std::time::{Duration, Instant};

use crate::fail::Result;

/// How often the line is redrawn on a terminal.
const REDRAW: Duration = Duration::from_millis(120);
/// When a step is announced if the output is not a terminal, and how often it then reports that it is still running.
const ANNOUNCE: Duration = Duration::from_secs(2);
const REMIND: Duration = Duration::from_secs(60);
/// Shorter steps leave no line.
pub(crate) const WORTH_A_LINE: Duration = Duration::from_secs(1);
/// The updating line is truncated here, so that it never wraps on a usual terminal.
const WIDTH: usize = 79;

/// A colour or weight.
#[derive(Clone, Copy)]
pub(crate) enum Style {
    /// Headings and names.
    Bold,
    /// Less important text.
    Dim,
    /// Success.
    Green,
    /// Failure.
    Red,
}

/// An output stream.
#[derive(Clone, Copy)]
pub(crate) enum Stream {
    /// Standard output: results.
    Out,
    /// Standard error: progress and errors.
    Err,
}

impl Stream {
    fn is_terminal(self) -> bool {
        match self {
            Self::Out => std::io::stdout().is_terminal(),
            Self::Err => std::io::stderr().is_terminal(),
        }
    }
}

fn colours() -> bool {
    static COLOURS: OnceLock<bool> = OnceLock::new();
    *COLOURS.get_or_init(|| {
        std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
            && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
    })
}

/// Returns the text in a style, plain if colour isn't wanted.
pub(crate) fn paint(stream: Stream, style: Style, text: &str) -> String {
    if !colours() || !stream.is_terminal() {
        return text.to_owned();
    }
    let code = match style {
        Style::Bold => "1",
        Style::Dim => "2",
        Style::Green => "32",
        Style::Red => "31",
    };
    format!("\u{1b}[{code}m{text}\u{1b}[0m")
}

/// Prints one line to standard error. A closed standard error is no reason to stop.
pub(crate) fn note(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Prints the last line of a command that failed.
pub(crate) fn error(message: &str) {
    note(&format!(
        "{} {message}",
        paint(Stream::Err, Style::Red, "error:")
    ));
}

/// Prints the line of a quick check that passed.
pub(crate) fn passed(name: &str) {
    note(&format!("{} {name}", paint(Stream::Err, Style::Green, "✓")));
}

/// Formats a duration: `0.4 s`, `12.3 s`, `2 min 05 s`.
pub(crate) fn time(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    match (seconds.checked_div(60), seconds.checked_rem(60)) {
        (Some(minutes), Some(rest)) if minutes > 0 => format!("{minutes} min {rest:02} s"),
        _ => format!("{:.1} s", elapsed.as_secs_f64()),
    }
}

/// A step in progress that may take a while.
#[derive(Clone, Default)]
pub(crate) struct Step {
    latest: Arc<Mutex<String>>,
}

impl Step {
    /// Shows the latest line of the running tool, without the timestamp that some tools print before it.
    pub(crate) fn say(&self, line: &str) {
        let line = line.trim();
        let is_time = |word: &str| {
            word.starts_with(|first: char| first.is_ascii_digit()) && word.ends_with('Z')
        };
        let line = match line.split_once(' ') {
            Some((word, rest)) if is_time(word) => rest.trim(),
            _ => line,
        };
        if let Ok(mut latest) = self.latest.lock() {
            line.clone_into(&mut latest);
        }
    }

    fn latest(&self) -> String {
        self.latest
            .lock()
            .map(|line| line.clone())
            .unwrap_or_default()
    }
}

/// Runs `work` under a label: an updating line on a terminal; elsewhere one line when it starts to take long and one
/// when it ends. Quick steps stay silent.
pub(crate) fn step<T>(label: &str, work: impl FnOnce(&Step) -> Result<T>) -> Result<T> {
    let step = Step::default();
    let begun = Instant::now();
    let (running, ended) = mpsc::channel::<()>();
    let ticker = thread::spawn({
        let (label, step) = (label.to_owned(), step.clone());
        move || tick(&label, &step, begun, &ended)
    });
    let result = work(&step);
    drop(running);
    // The ticker can't panic; its line must be gone before the next one is printed.
    let _ = ticker.join();
    let elapsed = begun.elapsed();
    match &result {
        Ok(_) if elapsed < WORTH_A_LINE => {}
        Ok(_) => closing(Style::Green, "✓", label, elapsed),
        Err(_) => closing(Style::Red, "✗", label, elapsed),
    }
    result
}

fn closing(style: Style, mark: &str, label: &str, elapsed: Duration) {
    let took = paint(Stream::Err, Style::Dim, &time(elapsed));
    note(&format!(
        "{} {label}  {took}",
        paint(Stream::Err, style, mark)
    ));
}

fn tick(label: &str, step: &Step, begun: Instant, ended: &Receiver<()>) {
    let live = Stream::Err.is_terminal();
    let mut pause = if live { REDRAW } else { ANNOUNCE };
    let mut announced = false;
    let mut frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
        .iter()
        .cycle();
    while ended.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
        let elapsed = time(begun.elapsed());
        if live {
            let frame = frames.next().copied().unwrap_or(' ');
            let line = format!("{frame} {label}  {elapsed}  {}", step.latest());
            let cut: String = line.chars().take(WIDTH).collect();
            let _ = write!(std::io::stderr(), "\r\u{1b}[2K{cut}");
        } else if announced {
            note(&format!("… {label}  {elapsed} so far"));
        } else {
            note(&format!("… {label}"));
            (announced, pause) = (true, REMIND);
        }
    }
    if live {
        let _ = write!(std::io::stderr(), "\r\u{1b}[2K");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_well() {
        assert_eq!(time(Duration::from_millis(420)), "0.4 s");
        assert_eq!(time(Duration::from_millis(59_940)), "59.9 s");
        assert_eq!(time(Duration::from_secs(125)), "2 min 05 s");
    }

    #[test]
    fn the_newest_line_is_shown_without_its_time() {
        let step = Step::default();
        step.say("2026-11-20T06:55:01.499308Z  INFO starting build");
        assert_eq!(step.latest(), "INFO starting build");
        step.say("  Compiling serde v1.0.229");
        assert_eq!(step.latest(), "Compiling serde v1.0.229");
    }

    #[test]
    fn a_step_hands_its_result_on() {
        assert_eq!(step("quick", |_| Ok(7)), Ok(7));
    }
}
