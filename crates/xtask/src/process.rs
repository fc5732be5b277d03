//! Runs other programs: silently under a step, or with their output passed through.

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read};
use std::num::NonZero;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread::{self, ScopedJoinHandle};

use crate::fail::{Context, Fail, Result, error};
use crate::paths;
use crate::signals::{self, Ending};
use crate::term::{self, Step};

/// How many lines of a failed program's output are shown.
const SHOWN_LINES: usize = 200;

/// Creates a command in the repository's top folder, without the variables that `cargo run` sets for this program:
/// build scripts would notice the change and rebuild everything.
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(paths::root()).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        let ours = name.to_str().is_some_and(|name| {
            [
                "CARGO_PKG_",
                "CARGO_MANIFEST_",
                "CARGO_BIN_",
                "CARGO_CRATE_",
                "CARGO_PRIMARY_",
            ]
            .iter()
            .any(|prefix| name.starts_with(prefix))
        });
        if ours {
            command.env_remove(name);
        }
    }
    signals::prepare(&mut command, Ending::Terminate);
    command
}

/// Creates a Cargo command.
pub(crate) fn cargo() -> Command {
    command(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Starts a program.
///
/// # Errors
/// One line that names it, also if it isn't installed.
pub(crate) fn spawn(command: &mut Command) -> Result<Child> {
    let name = command.get_program().to_string_lossy().into_owned();
    command.spawn().context(|| format!("cannot start `{name}`"))
}

/// Runs a program under a step and returns its standard output. Its output is shown only if it fails.
///
/// # Errors
/// If it can't be started or fails (after its output was shown).
pub(crate) fn run(label: &str, command: &mut Command) -> Result<String> {
    under(label, |step, output| gather(step, command, output))
}

/// Runs chains of programs under one step: the programs of a chain one after the other, and as many chains at once as
/// there are processors, for tools that use only one each. After a failure no further chain is started.
///
/// # Errors
/// As [`run`], for the first chain that fails.
pub(crate) fn run_chains(label: &str, chains: Vec<Vec<Command>>) -> Result<()> {
    let at_once = thread::available_parallelism().map_or(1, NonZero::get);
    let waiting = Mutex::new(chains.into_iter());
    let next = || locked(&waiting).next();
    under(label, |step, output| {
        let one_after_another = || -> std::result::Result<(), (Fail, Vec<String>)> {
            while let Some(mut chain) = next() {
                let mut printed = Vec::new();
                let done = chain
                    .iter_mut()
                    .try_for_each(|command| gather(step, command, &mut printed).map(drop));
                if let Err(failure) = done {
                    locked(&waiting).by_ref().for_each(drop);
                    return Err((failure, printed));
                }
            }
            Ok(())
        };
        let results: Vec<_> = thread::scope(|scope| {
            let threads: Vec<_> = (0..at_once)
                .map(|_| scope.spawn(one_after_another))
                .collect();
            threads.into_iter().map(ScopedJoinHandle::join).collect()
        });
        for result in results {
            match result {
                Ok(Ok(())) => {}
                Ok(Err((failure, printed))) => {
                    *output = printed;
                    return Err(failure);
                }
                Err(_) => return Err(error("a thread that ran programs panicked")),
            }
        }
        Ok(())
    })
}

fn locked<T>(value: &Mutex<T>) -> MutexGuard<'_, T> {
    value.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs work that collects output under a step, and shows the output if it fails.
fn under<T>(label: &str, work: impl FnOnce(&Step, &mut Vec<String>) -> Result<T>) -> Result<T> {
    let mut output = Vec::new();
    let result = term::step(label, |step| work(step, &mut output));
    if result.is_err() {
        output.retain(|line| !is_progress(line));
        let hidden = output.len().saturating_sub(SHOWN_LINES);
        if hidden > 0 {
            term::note(&format!("({hidden} earlier lines omitted)"));
        }
        output.iter().skip(hidden).for_each(|line| term::note(line));
    }
    result.map_err(|status| match status {
        crate::fail::Fail::Error(status) => error(format!("{label}: {status}")),
        other => other,
    })
}

/// Whether a line is Cargo's progress, which would bury the reason of a failure.
fn is_progress(line: &str) -> bool {
    const VERBS: [&str; 8] = [
        "Adding",
        "Blocking",
        "Checking",
        "Compiling",
        "Downloaded",
        "Downloading",
        "Locking",
        "Updating",
    ];
    // Cargo right-aligns its verbs to twelve columns.
    line.starts_with(' ')
        && line
            .split_whitespace()
            .next()
            .is_some_and(|word| VERBS.contains(&word))
}

fn gather(step: &Step, command: &mut Command, output: &mut Vec<String>) -> Result<String> {
    let mut child = spawn(command.stdout(Stdio::piped()).stderr(Stdio::piped()))?;
    let (lines, received) = mpsc::channel();
    let readers = [
        child
            .stdout
            .take()
            .map(|pipe| read_lines(pipe, true, lines.clone())),
        child
            .stderr
            .take()
            .map(|pipe| read_lines(pipe, false, lines.clone())),
    ];
    drop(lines);
    let mut answer = String::new();
    for (is_answer, line) in received {
        step.say(&line);
        if is_answer {
            answer.push_str(&line);
            answer.push('\n');
        }
        output.push(line);
    }
    for reader in readers.into_iter().flatten() {
        let _ = reader.join();
    }
    let status = child
        .wait()
        .context(|| "cannot wait for the program".to_owned())?;
    if status.success() {
        Ok(answer)
    } else {
        Err(error(status.to_string()))
    }
}

fn read_lines(
    pipe: impl Read + Send + 'static,
    tag: bool,
    lines: Sender<(bool, String)>,
) -> thread::JoinHandle<()> {
    thread::spawn(move || {
        each_line(pipe, |line| {
            let _ = lines.send((tag, line.to_owned()));
        });
    })
}

/// Calls `take` with every line of a pipe until it closes; invalid UTF-8 is replaced.
pub(crate) fn each_line(pipe: impl Read, mut take: impl FnMut(&str)) {
    let mut pipe = BufReader::new(pipe);
    let mut bytes = Vec::new();
    while pipe
        .read_until(b'\n', &mut bytes)
        .is_ok_and(|read| read > 0)
    {
        take(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']));
        bytes.clear();
    }
}

/// Runs a program with its output passed through, line by line, to standard output and to `on_line`. Returns whether it
/// succeeded.
///
/// # Errors
/// If it can't be started.
pub(crate) fn run_streaming(command: &mut Command, mut on_line: impl FnMut(&str)) -> Result<bool> {
    let mut child = spawn(command.stdout(Stdio::piped()))?;
    if let Some(pipe) = child.stdout.take() {
        each_line(pipe, |line| {
            println!("{line}");
            on_line(line);
        });
    }
    let status = child
        .wait()
        .context(|| "cannot wait for the program".to_owned())?;
    Ok(status.success())
}

/// Runs a program with inherited output and returns whether it succeeded.
///
/// # Errors
/// If it can't be started.
pub(crate) fn run_inherited(command: &mut Command) -> Result<bool> {
    let status = spawn(command)?
        .wait()
        .context(|| "cannot wait for the program".to_owned())?;
    Ok(status.success())
}

/// Returns the output of a short command, `None` if it can't be started or fails.
pub(crate) fn output_of(command: &mut Command) -> Option<String> {
    let output = command.output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    output.status.success().then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_lines_are_distinguished_from_results() {
        assert!(is_progress("   Compiling serde v1.0.229"));
        assert!(is_progress("    Checking xtask v0.1.0 (/x)"));
        assert!(!is_progress("error: could not compile `x`"));
        assert!(!is_progress("  --> crates/x/src/lib.rs:1:1"));
        assert!(!is_progress("Compiling is what it does"));
    }

    #[test]
    fn the_answer_of_a_program_is_its_standard_output() {
        let answer = run(
            "echo",
            command("sh").args(["-c", "echo a; echo b >&2; echo c"]),
        );
        assert_eq!(answer, Ok("a\nc\n".to_owned()));
    }

    #[test]
    fn chains_keep_their_order_and_none_begins_after_a_failure() {
        let folder = std::env::temp_dir().join(format!("gatewright-chains-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let does = |script: &str| {
            let mut shell = command("sh");
            shell.current_dir(&folder).args(["-ec", script]);
            shell
        };
        let each = |at: usize| vec![does(&format!("mkdir {at}")), does(&format!("rmdir {at}"))];
        assert_eq!(run_chains("all", (0..5).map(each).collect()), Ok(()));
        let broken = |_| vec![does("exit 3"), does("touch after")];
        // One per thread, so that any later chain could only start after one of them ends.
        let threads = thread::available_parallelism().map_or(1, NonZero::get);
        let mut chains: Vec<_> = (0..threads).map(broken).collect();
        chains.extend((0..40).map(|_| vec![does("echo >> begun")]));
        let failure = run_chains("some", chains);
        assert!(matches!(failure, Err(Fail::Error(text)) if text.contains("some: ")));
        assert!(!folder.join("after").exists());
        assert!(!folder.join("begun").exists());
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_program_that_is_not_there_is_named() {
        let failure = spawn(&mut command("no-such-program-here")).err();
        let Some(crate::fail::Fail::Error(message)) = failure else {
            panic!("{failure:?}")
        };
        assert!(
            message.starts_with("cannot start `no-such-program-here`"),
            "{message}"
        );
    }

    #[test]
    fn lines_are_passed_on_and_read() {
        let mut seen = Vec::new();
        let mut sh = command("sh");
        let ended_well = run_streaming(sh.args(["-c", "echo one; exit 3"]), |line| {
            seen.push(line.to_owned())
        });
        assert_eq!((ended_well, seen), (Ok(false), vec!["one".to_owned()]));
    }
}
