//! The running workerd: started, waited for, watched, ended.

use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use super::log::Log;
use super::options::Options;
use crate::fail::{Context, Result, error};
use crate::ready::reachable;
use crate::secrets::Variables;
use crate::signals::{self, Ending};
use crate::{build, npm, paths, process, ready, term};

/// How long the first answers may take.
const START: Duration = Duration::from_secs(30);
/// How often they are asked for.
const POLL: Duration = Duration::from_millis(20);
/// How long requests in flight may take to finish after the first signal. A second one ends at once.
const GRACE: Duration = Duration::from_secs(3);

/// What can happen while it runs.
enum Event {
    /// A person or the system asked us to end.
    Stop,
    /// workerd is gone.
    Gone(std::io::Result<ExitStatus>),
}

/// How waiting for the first answers ended.
enum Start {
    Ready,
    Happened(Event),
    TooLate,
}

/// Runs workerd until a signal arrives.
///
/// # Errors
/// If it can't be started, doesn't answer in time, or ends by itself.
pub(super) fn run(options: &Options, data: &Path, variables: &Variables) -> Result<()> {
    signals::hold();
    let mut child = process::spawn(&mut command(options, data, variables))?;
    let log = Log::follow(&mut child);
    let process = child.id();
    let events = watch(child);
    match term::step("start workerd", |_| Ok(wait_until_ready(options, &events)))? {
        Start::Ready => {
            log.open();
            super::announce(options, data, variables);
            match events.recv().context(|| "lost workerd".to_owned())? {
                Event::Stop => end(process, &events),
                Event::Gone(status) => Err(log.failure("workerd ended by itself", status)),
            }
        }
        Start::Happened(Event::Stop) => end(process, &events),
        Start::Happened(Event::Gone(status)) => Err(log.failure("workerd did not start", status)),
        Start::TooLate => {
            signals::kill(process);
            Err(error(format!(
                "no answer after {}: {}",
                term::time(START),
                log.useful_line()
            )))
        }
    }
}

fn command(options: &Options, data: &Path, variables: &Variables) -> Command {
    let mut command = process::command(npm::workerd());
    let mapping = |name: &str, path: &Path| format!("{name}={}", path.display());
    command.arg("serve").arg(paths::at("worker/workerd.capnp"));
    for (name, (host, port, _)) in ["gateway", "console"].iter().zip(options.listeners()) {
        command
            .arg("--socket-addr")
            .arg(format!("{name}={}", ready::authority(host, port)));
    }
    for directory in [
        mapping("registry-disk", &data.join("registry")),
        mapping("kv-disk", &data.join("kv")),
        mapping("assets-disk", &paths::at(build::ASSETS)),
    ] {
        command.arg("--directory-path").arg(directory);
    }
    // The environment goes before the file, except for the secrets, which were chosen already, and the
    // host names, which are added to ours.
    for (name, value) in &variables.values {
        if std::env::var_os(name).is_none_or(|value| value.is_empty()) {
            command.env(name, value);
        }
    }
    let named = |name: &str| variables.value(name).or_else(|| std::env::var(name).ok());
    for (name, port) in [
        ("GATEWAY_HOST", options.port),
        ("CONSOLE_HOST", options.console_port),
    ] {
        command.env(name, options.hosts(port, named(name).as_deref()));
    }
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    // A Ctrl-C on the terminal reaches us alone; workerd is then asked to finish what it has begun.
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    signals::prepare(&mut command, Ending::Forced);
    command
}

fn watch(mut child: Child) -> Receiver<Event> {
    let (events, happened) = mpsc::channel();
    let stops = events.clone();
    thread::spawn(move || {
        loop {
            signals::wait();
            if stops.send(Event::Stop).is_err() {
                return;
            }
        }
    });
    thread::spawn(move || {
        let _ = events.send(Event::Gone(child.wait()));
    });
    happened
}

fn wait_until_ready(options: &Options, events: &Receiver<Event>) -> Start {
    let host = reachable(&options.host);
    let begun = Instant::now();
    let answers = || {
        ready::status(host, options.port, "/ready") == Some(200)
            && ready::status(host, options.console_port, "/console/") == Some(200)
    };
    while begun.elapsed() < START {
        if answers() {
            return Start::Ready;
        }
        if let Ok(event) = events.recv_timeout(POLL) {
            return Start::Happened(event);
        }
    }
    Start::TooLate
}

/// Ends workerd: first by asking, then by force.
fn end(process: u32, events: &Receiver<Event>) -> Result<()> {
    signals::terminate(process);
    match events.recv_timeout(GRACE) {
        Ok(Event::Gone(_)) => return Ok(()),
        Ok(Event::Stop) | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {}
    }
    signals::kill(process);
    events
        .recv_timeout(GRACE)
        .map(drop)
        .context(|| "workerd does not end".to_owned())
}
