//! The running workerd processes: started, waited for, watched, ended. One that only serves requests and ends by itself
//! is restarted: it has no counts that the process with the objects doesn't know.

use std::path::Path;
use std::process::ExitStatus;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::example::Example;
use super::layout::Layout;
use super::log::Log;
use super::options::Options;
use crate::fail::{Context, Fail, Result, error};
use crate::ready::reachable;
use crate::secrets::Variables;
use crate::{process, ready, signals, term};

/// The timeout of the first answers.
const START: Duration = Duration::from_secs(30);
/// How often readiness is polled.
const POLL: Duration = Duration::from_millis(20);
/// How long requests in flight may take to finish after the first signal. A second signal ends them at once.
const GRACE: Duration = Duration::from_secs(3);
/// A process that ended within this time of its start is restarted only after as long.
const MIN_RUNTIME: Duration = Duration::from_secs(1);

/// What can happen while the processes run.
enum Event {
    /// A user or the system asked us to end.
    Stop,
    /// The process with this number has ended.
    Gone(usize, std::io::Result<ExitStatus>),
}

/// The result of waiting for the first answers.
enum Start {
    Ready,
    Happened(Event),
    TooLate,
}

/// A running process.
struct Running {
    process: u32,
    log: Log,
    since: Instant,
}

/// All running processes.
struct Processes<'a> {
    layout: &'a Layout<'a>,
    running: Vec<Option<Running>>,
    sender: Sender<Event>,
    events: Receiver<Event>,
}

/// Runs workerd until a signal arrives.
///
/// # Errors
/// If it can't be started, doesn't answer in time, or ends by itself.
pub(super) fn run(options: &Options, data: &Path, variables: &Variables) -> Result<()> {
    signals::block_ending_signals();
    let layout = Layout::new(options, data, variables)?;
    let mut processes = Processes::start(&layout)?;
    match term::step("start workerd", |_| Ok(processes.wait_until_ready(options)))? {
        Start::Ready => {
            processes.open_logs();
            let (_, console) = options.urls();
            let link = layout.code().map(|code| code.link(&console));
            super::announce(options, data, variables, link.as_deref());
            if let Some(link) = link.filter(|_| options.open) {
                super::connect::open(&link);
            }
            let example = options.example.then(|| Example::start(options, variables));
            let example = example.transpose()?;
            let ended = processes.watch();
            drop(example);
            ended
        }
        Start::Happened(Event::Stop) => processes.end(),
        Start::Happened(Event::Gone(number, status)) => {
            let failure = processes.failure(number, "did not start", status);
            processes.kill();
            Err(failure)
        }
        Start::TooLate => {
            let lines = processes.running.iter().flatten();
            let line = lines.map(|running| running.log.useful_line()).next();
            processes.kill();
            Err(error(format!(
                "no answer after {}: {}",
                term::time(START),
                line.unwrap_or_default()
            )))
        }
    }
}

impl<'a> Processes<'a> {
    fn start(layout: &'a Layout<'a>) -> Result<Self> {
        let (sender, events) = mpsc::channel();
        let stops = sender.clone();
        thread::spawn(move || {
            loop {
                signals::wait();
                if stops.send(Event::Stop).is_err() {
                    return;
                }
            }
        });
        let mut processes = Self {
            layout,
            running: Vec::new(),
            sender,
            events,
        };
        for number in 0..layout.len() {
            match processes.spawn(number) {
                Ok(running) => processes.running.push(Some(running)),
                Err(failure) => {
                    processes.kill();
                    return Err(failure);
                }
            }
        }
        Ok(processes)
    }

    fn spawn(&self, number: usize) -> Result<Running> {
        let mut child = process::spawn(&mut self.layout.command(number)?)?;
        let (log, process) = (Log::follow(&mut child), child.id());
        let gone = self.sender.clone();
        thread::spawn(move || {
            let _ = gone.send(Event::Gone(number, child.wait()));
        });
        Ok(Running {
            process,
            log,
            since: Instant::now(),
        })
    }

    fn open_logs(&self) {
        self.running
            .iter()
            .flatten()
            .for_each(|running| running.log.open());
    }

    fn wait_until_ready(&self, options: &Options) -> Start {
        let host = reachable(&options.host);
        let begun = Instant::now();
        let each = || (1..self.layout.len()).all(|number| self.answers(number));
        let answers = || {
            each()
                && ready::status(host, options.port, "/ready") == Some(200)
                && ready::status(host, options.console_port, "/console/") == Some(200)
        };
        while begun.elapsed() < START {
            if answers() {
                return Start::Ready;
            }
            if let Ok(event) = self.events.recv_timeout(POLL) {
                return Start::Happened(event);
            }
        }
        Start::TooLate
    }

    fn answers(&self, number: usize) -> bool {
        let socket = self.layout.socket(number);
        socket.is_none_or(|socket| ready::status_at(&socket, "/ready") == Some(200))
    }

    /// Watches the processes until a signal arrives, or the one with the objects ends.
    fn watch(mut self) -> Result<()> {
        loop {
            let event = self.events.recv();
            match event.context(|| "lost track of workerd".to_owned())? {
                Event::Stop => return self.end(),
                Event::Gone(0, status) => {
                    let failure = self.failure(0, "ended by itself", status);
                    self.kill();
                    return Err(failure);
                }
                Event::Gone(number, status) => {
                    let name = self.layout.name(number);
                    let status =
                        status.map_or_else(|reason| reason.to_string(), |it| it.to_string());
                    term::note(&format!("{name} ended by itself ({status}): started again"));
                    if let Some(stop) = self.restart(number)? {
                        return stop;
                    }
                }
            }
        }
    }

    /// Restarts a process, a little later if it has just been started. `Some` if a signal arrived in the meantime.
    fn restart(&mut self, number: usize) -> Result<Option<Result<()>>> {
        let before = self.running.get_mut(number).and_then(Option::take);
        let lived = before.map_or(MIN_RUNTIME, |running| running.since.elapsed());
        if lived < MIN_RUNTIME
            && let Ok(event) = self.events.recv_timeout(MIN_RUNTIME)
        {
            match event {
                Event::Stop => return Ok(Some(self.end_now())),
                Event::Gone(..) => {
                    // Handled after this one has restarted.
                    let _ = self.sender.send(event);
                }
            }
        }
        let running = self.spawn(number)?;
        running.log.open();
        if let Some(place) = self.running.get_mut(number) {
            *place = Some(running);
        }
        Ok(None)
    }

    fn failure(&mut self, number: usize, what: &str, status: std::io::Result<ExitStatus>) -> Fail {
        let what = format!("{} {what}", self.layout.name(number));
        match self.running.get_mut(number).and_then(Option::take) {
            Some(running) => running.log.failure(&what, status),
            None => error(what),
        }
    }

    fn kill(&self) {
        let running = self.running.iter().flatten();
        running.for_each(|running| signals::kill(running.process));
    }

    /// Ends all processes: first by request, then by force. The one with the objects ends last, so that requests in
    /// flight in the others are still answered.
    fn end(mut self) -> Result<()> {
        self.end_now()
    }

    fn end_now(&mut self) -> Result<()> {
        let begun = Instant::now();
        for first in [1, 0] {
            let asked = self.running.iter().skip(first).flatten();
            asked.for_each(|running| signals::terminate(running.process));
            while self.running.iter().skip(first).any(Option::is_some) {
                let left = GRACE.saturating_sub(begun.elapsed());
                match self.events.recv_timeout(left) {
                    Ok(Event::Gone(number, _)) => self.forget(number),
                    Ok(Event::Stop)
                    | Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => break,
                }
            }
        }
        self.kill();
        while self.running.iter().any(Option::is_some) {
            let event = self.events.recv_timeout(GRACE);
            if let Event::Gone(number, _) = event.context(|| "workerd does not end".to_owned())? {
                self.forget(number);
            }
        }
        Ok(())
    }

    fn forget(&mut self, number: usize) {
        if let Some(place) = self.running.get_mut(number) {
            *place = None;
        }
    }
}
