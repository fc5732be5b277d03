//! The object of the Registry: `worker/src/objects/registry.js` and the glue below it
//! (`worker/registry/src/registry.rs`), method by method, over the real Registry.

mod handing_over;

use super::events::{Promise, all};
use super::world::{Outcome, World, place};
use gatewright_controlplane::registry::Registry;
use gatewright_controlplane::registry::alarm::{Alarm, Setting};
use gatewright_controlplane::registry::coalesce::Collector;
use gatewright_controlplane::registry::handover::{Handover, Handovers};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::{Command, decode, encode};
use gatewright_protocol::time::rfc3339;
use gatewright_testkit::sqlite::Sql as _;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

const RECORD_MS: u64 = 500;
const LATER_MS: u64 = 1000;
const TRIES_MAX: usize = 3;
const RETRY_MS: u64 = 10_000;

/// What a step of the Registry leads to.
enum Finished {
    Wants(Vec<String>),
    Done(String, Handovers),
}

/// The counters of sessions that have ended, by the names of their Ledgers.
type Ended = Rc<RefCell<BTreeMap<String, String>>>;
type Pending = (String, Promise<Outcome<String>>);

pub(super) struct Documents {
    world: Rc<World>,
    pub(super) life: u64,
    pub(super) documents: RefCell<Registry>,
    times: Cell<Alarm>,
    collector: Cell<Collector>,
    pending: RefCell<Vec<Pending>>,
    kept: RefCell<Vec<(String, u64)>>,
    is_recording: Cell<bool>,
    open: RefCell<BTreeMap<String, Vec<Handover>>>,
}

fn text(error: StoreError) -> String {
    error.to_string()
}

impl Documents {
    pub(super) fn new(world: &Rc<World>) -> Rc<Self> {
        let documents = Rc::new(Self {
            world: Rc::clone(world),
            life: world.events.begin_life(),
            documents: RefCell::new(world.registry()),
            times: Cell::default(),
            collector: Cell::default(),
            pending: RefCell::default(),
            kept: RefCell::default(),
            is_recording: Cell::new(false),
            open: RefCell::default(),
        });
        documents.set_alarm();
        documents
    }

    fn now(&self) -> u64 {
        self.world.events.now()
    }

    fn set_alarm(&self) {
        let now = self.now();
        let next = {
            let mut documents = self.documents.borrow_mut();
            let due = [
                documents.next_delivery().unwrap(),
                documents.next_end().unwrap(),
                documents.next_sweep().unwrap(),
                documents.next_count(),
                documents.next_handover(now).unwrap(),
            ];
            due.into_iter().flatten().min()
        };
        let mut times = self.times.get();
        let setting = times.set(next, now);
        self.times.set(times);
        match setting {
            Setting::Unchanged => {}
            Setting::At(at) => self.world.set_alarm("registry", Some(at)),
            Setting::NoLaterThan(at) => self.world.set_alarm_by("registry", at),
            Setting::Off => self.world.set_alarm("registry", None),
        }
    }

    fn wake_for(&self, has_handovers: bool) {
        let mut is_due = has_handovers;
        {
            let mut documents = self.documents.borrow_mut();
            is_due |= documents.has_news();
        }
        if is_due {
            self.set_alarm();
        }
        let mut documents = self.documents.borrow_mut();
        documents.take_lines();
        documents.take_news();
    }

    fn call_once(&self, message: &str) -> Outcome<Finished> {
        let (command, sent) = decode::<Command>(message).map_err(text)?;
        let reply = {
            let mut documents = self.documents.borrow_mut();
            documents.set_collecting(!self.open.borrow().is_empty());
            documents.handle(&command, sent, &rfc3339(self.now()))
        };
        let reply = reply.and_then(|(reply, text)| {
            self.wake_for(false);
            encode(&reply, &text)
        });
        self.finished(reply)
    }

    fn finished(&self, reply: Result<String, StoreError>) -> Outcome<Finished> {
        let reply = match reply {
            Ok(reply) => reply,
            Err(error) => {
                let wanted = self.documents.borrow_mut().take_wanted();
                return match wanted.is_empty() {
                    true => Err(text(error)),
                    false => Ok(Finished::Wants(wanted)),
                };
            }
        };
        let handovers = self.documents.borrow_mut().take_handovers();
        self.world.committed(&handovers);
        self.wake_for(!handovers.is_empty());
        Ok(Finished::Done(reply, handovers))
    }

    /// Carries out a command.
    pub(super) async fn call(self: Rc<Self>, message: String) -> Outcome<String> {
        let first = self.call_once(&message)?;
        self.complete(first, || self.call_once(&message)).await
    }

    async fn complete(
        self: &Rc<Self>,
        first: Finished,
        again: impl Fn() -> Outcome<Finished>,
    ) -> Outcome<String> {
        let mut finished = first;
        for tries in 0.. {
            let wanted = match finished {
                Finished::Wants(wanted) => wanted,
                Finished::Done(reply, handovers) => {
                    if handovers.is_empty() {
                        return Ok(reply);
                    }
                    let done = self.hand_over_all(handovers).await;
                    return match done {
                        Ok(()) => Ok(reply),
                        Err(error) => Err(format!("{}: {error}", super::world::STORED)),
                    };
                }
            };
            self.world.note(|| format!("wants {wanted:?}"));
            if tries == TRIES_MAX {
                break;
            }
            self.lend(wanted).await?;
            finished = again()?;
        }
        Err("Ledgers don't have their sessions as the index says".to_owned())
    }

    /// Carries out a writing command, together with others that arrive now.
    pub(super) async fn write(self: Rc<Self>, message: String) -> Outcome<String> {
        let promise = Promise::new();
        self.pending.borrow_mut().push((message, promise.clone()));
        if self.pending.borrow().len() == 1 {
            self.collect();
        }
        promise.await
    }

    fn collect(self: &Rc<Self>) {
        let object = Rc::clone(self);
        self.world.timeout(self.life, 0, move || {
            let mut collector = object.collector.get();
            let waits = collector.waits(object.pending.borrow().len() as u32);
            object.collector.set(collector);
            if waits {
                object.collect();
            } else {
                let life = object.life;
                let world = Rc::clone(&object.world);
                world
                    .events
                    .spawn(life, async move { object.write_all().await });
            }
        });
    }

    async fn write_all(self: Rc<Self>) {
        let pending = self.pending.take();
        for _ in 0..TRIES_MAX {
            if let Some(answers) = self.write_once(&pending) {
                for ((_, promise), answer) in pending.into_iter().zip(answers) {
                    self.reply(promise, answer);
                }
                return;
            }
            let wanted = self.documents.borrow_mut().take_wanted();
            let is_wanted = !wanted.is_empty();
            if self.lend(wanted).await.is_err() || !is_wanted {
                break;
            }
        }
        for (message, promise) in pending {
            match self.call_once(&message) {
                Err(error) => promise.resolve(Err(error)),
                Ok(first) => {
                    let object = Rc::clone(&self);
                    self.world.events.spawn(self.life, async move {
                        let again = || object.call_once(&message);
                        promise.resolve(object.complete(first, again).await);
                    });
                }
            }
        }
    }

    fn write_once(&self, pending: &[Pending]) -> Option<Vec<Outcome<(String, Handovers)>>> {
        let commands = pending.iter().map(|(message, _)| decode(message).unwrap());
        let commands: Vec<(Command, &str)> = commands.collect();
        let mut answers = None;
        let stored = self.world.sql.transaction(&mut || {
            let mut documents = self.documents.borrow_mut();
            answers = documents.handle_all(&commands, &rfc3339(self.now()));
            let failed = || StoreError::new("write", "one of the writes has failed");
            answers.is_some().then_some(()).ok_or_else(failed)
        });
        let answers = stored.ok().and(answers)?;
        for (_, handovers) in &answers {
            self.world.committed(handovers);
        }
        self.wake_for(answers.iter().any(|(_, handovers)| !handovers.is_empty()));
        let answers = answers.into_iter().map(|(answer, handovers)| {
            let (reply, sent) = answer.map_err(text)?;
            Ok((encode(&reply, &sent).map_err(text)?, handovers))
        });
        Some(answers.collect())
    }

    fn reply(
        self: &Rc<Self>,
        promise: Promise<Outcome<String>>,
        answer: Outcome<(String, Handovers)>,
    ) {
        match answer {
            Err(error) => promise.resolve(Err(error)),
            Ok((reply, handovers)) => {
                let object = Rc::clone(self);
                self.world.events.spawn(self.life, async move {
                    let never = || Err("not again".to_owned());
                    let done = object.complete(Finished::Done(reply, handovers), never);
                    promise.resolve(done.await);
                });
            }
        }
    }

    pub(super) async fn alarm(self: Rc<Self>) -> Outcome<()> {
        if let Err(error) = self.keep_sessions().await {
            self.world.note(|| format!("alarm failed: {error}"));
            let mut times = self.times.get();
            times.pause_until(self.now() + RETRY_MS);
            self.times.set(times);
        }
        let mut times = self.times.get();
        times.rung(self.now());
        self.times.set(times);
        {
            let mut documents = self.documents.borrow_mut();
            let now = rfc3339(self.now());
            documents.sweep(&now).unwrap();
            documents.send_counts(&now).unwrap();
        }
        self.wake_for(false);
        self.set_alarm();
        Ok(())
    }

    fn remove_ended(&self) -> Outcome<Finished> {
        let removed = {
            let mut documents = self.documents.borrow_mut();
            documents.remove_ended(&rfc3339(self.now()))
        };
        self.wake_for(false);
        self.finished(removed.map(|()| String::new()))
    }

    async fn keep_sessions(self: &Rc<Self>) -> Outcome<()> {
        let moved = self.move_sessions().await;
        let removed = self.remove_all_ended().await;
        moved.and(removed)
    }

    async fn move_sessions(self: &Rc<Self>) -> Outcome<()> {
        if !self.hand_over_rest(true).await? {
            self.go_through().await?;
        }
        Ok(())
    }

    async fn remove_all_ended(self: &Rc<Self>) -> Outcome<()> {
        let first = self.remove_ended()?;
        self.complete(first, || self.remove_ended()).await?;
        Ok(())
    }
}
