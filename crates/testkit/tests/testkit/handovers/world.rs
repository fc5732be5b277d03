//! The world: the objects, what they have stored, and the calls between them, which are late, lost, or interrupted by the
//! end of an object or of all of them.

use super::disk::Disk;
use super::events::{Loop, Promise};
use super::ledger::Ledgers;
use super::oracle::Oracle;
use super::registry::Documents;
use gatewright_controlplane::config::LifetimeConfig;
use gatewright_controlplane::registry::Registry;
use gatewright_controlplane::registry::handover::Handovers;
use gatewright_protocol::asking;
use gatewright_protocol::ledger::{Consume, Verdict};
use gatewright_protocol::registry::decode;
use gatewright_testkit::sqlite::Sqlite;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::future::Future;
use std::rc::Rc;

pub(super) const START: u64 = 1_767_225_600_000;
/// Part of the message about a write that is stored, but not kept by its Ledger.
pub(super) const STORED: &str = "stored, and not kept by its Ledger yet";

/// The result of a call, or why it failed.
pub(super) type Outcome<T> = Result<T, String>;

/// What happens in a world. Times are milliseconds; 0 for never.
#[derive(Clone, Debug, Default)]
pub(super) struct Plan {
    pub(super) seed: u64,
    pub(super) operations: u64,
    /// The maximum time between two operations.
    pub(super) gap: u64,
    /// The maximum latency of a message.
    pub(super) delay: u64,
    /// One in this many messages is lost.
    pub(super) lost: u64,
    /// The mean time between two ends of some object.
    pub(super) crashes: u64,
    /// The mean time between two deployments.
    pub(super) deployments: u64,
    /// The values of `LEDGER_SHARDS` to choose from.
    pub(super) shards: Vec<u32>,
    /// Whether `LEDGER_SHARDS_BEFORE` is set.
    pub(super) names_before: bool,
    /// One in this many operations comes some minutes later.
    pub(super) pauses: u64,
    /// After how many seconds every key ends; 0 for never.
    pub(super) lifetime: i64,
}

/// An alarm of an object, in its storage.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AlarmClock {
    pub(super) at: Option<u64>,
    set: u64,
    running: Option<u64>,
    pub(super) rings: u64,
}

pub(super) struct World {
    pub(super) plan: Plan,
    pub(super) events: Loop,
    pub(super) shards: Cell<u32>,
    before: RefCell<Vec<u32>>,
    pub(super) sql: Sqlite,
    documents: RefCell<Option<Rc<Documents>>>,
    ledgers: RefCell<BTreeMap<String, Rc<Ledgers>>>,
    pub(super) disks: RefCell<BTreeMap<String, Disk>>,
    pub(super) alarms: RefCell<BTreeMap<String, AlarmClock>>,
    pub(super) oracle: RefCell<Oracle>,
    /// The life of everything outside of objects, until the next deployment.
    pub(super) edge: Cell<u64>,
    /// A life that never ends, for what the platform does.
    platform: u64,
    /// Whether nothing fails any more.
    pub(super) is_calm: Cell<bool>,
    pub(super) trace: RefCell<Option<Vec<String>>>,
}

/// Returns the name of the object that an owner lives in (`worker/src/places.js`).
pub(super) fn place(owner: &str, count: u32) -> String {
    if count == 0 {
        return owner.to_owned();
    }
    let hash = owner.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    format!("shard:{count}:{}", hash % count)
}

/// Returns the revision in an answer that has a session.
pub(super) fn revision(answer: &str) -> Option<u64> {
    let found = asking::found(answer).unwrap();
    found.map(|(found, _)| found.revision)
}

impl World {
    pub(super) fn new(plan: Plan, is_traced: bool) -> Rc<Self> {
        let events = Loop::new(plan.seed, START);
        let shards = events.dice.pick(&plan.shards).unwrap();
        let (edge, platform) = (events.begin_life(), events.begin_life());
        Rc::new(Self {
            plan,
            events,
            shards: Cell::new(shards),
            before: RefCell::default(),
            sql: Sqlite::default(),
            documents: RefCell::default(),
            ledgers: RefCell::default(),
            disks: RefCell::default(),
            alarms: RefCell::default(),
            oracle: RefCell::default(),
            edge: Cell::new(edge),
            platform,
            is_calm: Cell::new(false),
            trace: RefCell::new(is_traced.then(Vec::new)),
        })
    }

    pub(super) fn note(&self, line: impl FnOnce() -> String) {
        if let Some(trace) = &mut *self.trace.borrow_mut() {
            trace.push(format!("{:>9} {}", self.events.now() - START, line()));
        }
    }

    /// Reports a violation of what is promised.
    pub(super) fn fail(&self, what: String) {
        self.note(|| format!("FAULT {what}"));
        self.oracle.borrow_mut().faults.push(what);
    }

    /// Creates a Registry over what is stored.
    pub(super) fn registry(&self) -> Registry {
        let forced = (self.plan.lifetime > 0).then_some(self.plan.lifetime);
        let lifetimes = LifetimeConfig {
            forced,
            ..LifetimeConfig::default()
        };
        Registry::new(self.sql.clone(), "default")
            .with_shards(self.shards.get())
            .with_lifetimes(lifetimes)
    }

    /// Returns the earlier values of `LEDGER_SHARDS` that the variable names.
    pub(super) fn shards_before(&self) -> Vec<u32> {
        let now = self.shards.get();
        let before = self.before.borrow();
        before.iter().copied().filter(|it| *it != now).collect()
    }

    /// Returns how long a commit takes.
    pub(super) fn commit_ms(&self) -> u64 {
        1 + self.events.dice.below(self.plan.delay / 4 + 1)
    }

    /// Does something later, if that life still goes on.
    pub(super) fn timeout(self: &Rc<Self>, life: u64, ms: u64, event: impl FnOnce() + 'static) {
        let world = Rc::clone(self);
        self.events.after(ms, move || {
            if world.events.is_alive(life) {
                event();
            }
        });
    }

    fn is_lost(&self) -> bool {
        !self.is_calm.get() && self.events.dice.once_in(self.plan.lost)
    }

    fn latency(&self) -> u64 {
        self.events.dice.below(self.plan.delay + 1)
    }

    /// Calls an object, which starts if it has to.
    fn call<O: 'static, T: Clone + 'static, F: Future<Output = Outcome<T>> + 'static>(
        self: &Rc<Self>,
        object: impl FnOnce(&Rc<Self>) -> (u64, O) + 'static,
        run: impl FnOnce(O) -> F + 'static,
    ) -> Promise<Outcome<T>> {
        let promise = Promise::new();
        let (world, done) = (Rc::clone(self), promise.clone());
        let resolve = move |world: &Rc<Self>, done: Promise<Outcome<T>>, outcome: Outcome<T>| {
            let ms = world.latency();
            world.events.after(ms, move || done.resolve(outcome));
        };
        if self.is_lost() {
            resolve(self, promise.clone(), Err("not delivered".to_owned()));
            return promise;
        }
        let edge = self.edge.get();
        self.events.after(self.latency(), move || {
            // What was sent before a deployment does not arrive after it.
            if edge != world.edge.get() {
                return;
            }
            let (life, object) = object(&world);
            let (gone, at) = (done.clone(), Rc::clone(&world));
            let ended = move || resolve(&at, gone, Err("the object has ended".to_owned()));
            let number = world.events.at_end(life, ended);
            let running = world.events.spawn(life, run(object));
            let (platform, at) = (world.platform, Rc::clone(&world));
            world.events.spawn(platform, async move {
                let outcome = running.await;
                at.events.call_off(life, number);
                match at.is_lost() {
                    true => resolve(&at, done, Err("no answer".to_owned())),
                    false => resolve(&at, done, outcome),
                }
            });
        });
        promise
    }

    /// Calls the object in which a Ledger lives now.
    pub(super) fn call_ledger<T: Clone + 'static, F: Future<Output = Outcome<T>> + 'static>(
        self: &Rc<Self>,
        ledger: &str,
        run: impl FnOnce(Rc<Ledgers>) -> F + 'static,
    ) -> Promise<Outcome<T>> {
        self.call_object(&place(ledger, self.shards.get()), run)
    }

    /// Calls an object of Ledgers.
    pub(super) fn call_object<T: Clone + 'static, F: Future<Output = Outcome<T>> + 'static>(
        self: &Rc<Self>,
        at: &str,
        run: impl FnOnce(Rc<Ledgers>) -> F + 'static,
    ) -> Promise<Outcome<T>> {
        let at = at.to_owned();
        self.call(move |world| world.ledgers_at(&at), run)
    }

    pub(super) fn call_registry<T: Clone + 'static, F: Future<Output = Outcome<T>> + 'static>(
        self: &Rc<Self>,
        run: impl FnOnce(Rc<Documents>) -> F + 'static,
    ) -> Promise<Outcome<T>> {
        self.call(Self::documents, run)
    }

    pub(super) fn documents(self: &Rc<Self>) -> (u64, Rc<Documents>) {
        let known = self.documents.borrow().clone();
        let documents = match known {
            Some(known) => known,
            None => Documents::new(self),
        };
        self.documents.replace(Some(Rc::clone(&documents)));
        (documents.life, documents)
    }

    pub(super) fn ledgers_at(self: &Rc<Self>, at: &str) -> (u64, Rc<Ledgers>) {
        let mut ledgers = self.ledgers.borrow_mut();
        let known = ledgers.entry(at.to_owned());
        let known = known.or_insert_with(|| Ledgers::new(self, at));
        (known.life, Rc::clone(known))
    }

    /// Returns the objects of Ledgers that are in memory.
    pub(super) fn running(&self) -> Vec<Rc<Ledgers>> {
        self.ledgers.borrow().values().cloned().collect()
    }

    fn alarm<T>(&self, of: &str, run: impl FnOnce(&mut AlarmClock) -> T) -> T {
        run(self.alarms.borrow_mut().entry(of.to_owned()).or_default())
    }

    pub(super) fn set_alarm(self: &Rc<Self>, of: &str, at: Option<u64>) {
        let set = self.alarm(of, |alarm| {
            alarm.at = at;
            alarm.set += 1;
            alarm.set
        });
        if let Some(at) = at {
            self.ring_at(of, set, at);
        }
    }

    pub(super) fn set_alarm_by(self: &Rc<Self>, of: &str, at: u64) {
        let known = self.alarm(of, |alarm| {
            alarm.at.filter(|_| alarm.running != Some(alarm.set))
        });
        if known.is_none_or(|known| known > at) {
            self.set_alarm(of, Some(at));
        }
    }

    fn ring_at(self: &Rc<Self>, of: &str, set: u64, at: u64) {
        let (world, of) = (Rc::clone(self), of.to_owned());
        let ms = at.saturating_sub(self.events.now()) + self.latency();
        self.events.after(ms, move || world.ring(&of, set));
    }

    fn ring(self: &Rc<Self>, of: &str, set: u64) {
        let rings = self.alarm(of, |alarm| {
            let rings = alarm.set == set && alarm.at.is_some() && alarm.running.is_none();
            if rings {
                alarm.running = Some(set);
                alarm.rings += 1;
            }
            rings
        });
        if !rings {
            return;
        }
        self.note(|| format!("alarm of {of}"));
        let (world, name) = (Rc::clone(self), of.to_owned());
        let finish = move |is_ok: bool| world.rung(&name, set, is_ok);
        let failed = finish.clone();
        let (life, running) = if of == "registry" {
            let (life, documents) = self.documents();
            (life, self.events.spawn(life, documents.alarm()))
        } else {
            let (life, ledgers) = self.ledgers_at(of);
            (life, self.events.spawn(life, ledgers.alarm()))
        };
        let number = self.events.at_end(life, move || failed(false));
        let world = Rc::clone(self);
        self.events.spawn(self.platform, async move {
            let done = running.await;
            world.events.call_off(life, number);
            finish(done.is_ok());
        });
    }

    /// An alarm that has failed fires again, and so does one that was set meanwhile.
    fn rung(self: &Rc<Self>, of: &str, set: u64, is_ok: bool) {
        let now = self.events.now();
        let next = self.alarm(of, |alarm| {
            alarm.running = None;
            match alarm.at {
                Some(_) if alarm.set == set && is_ok => {
                    alarm.at = None;
                    None
                }
                Some(at) if alarm.set == set => Some((set, at.max(now + 2000))),
                at => at.map(|at| (alarm.set, at)),
            }
        });
        if let Some((set, at)) = next {
            self.ring_at(of, set, at);
        }
    }

    /// Ends one object.
    pub(super) fn crash(self: &Rc<Self>) {
        let running = self.running();
        let at = self.events.dice.below(running.len() as u64 + 2) as usize;
        match running.get(at) {
            Some(object) => {
                self.note(|| format!("crash of {}", object.place));
                self.ledgers.borrow_mut().remove(&object.place);
                self.oracle.borrow_mut().crashes += 1;
                self.events.end_life(object.life);
            }
            None => {
                let documents = self.documents.take();
                self.note(|| "crash of the Registry".to_owned());
                if let Some(documents) = documents {
                    self.events.end_life(documents.life);
                }
            }
        }
    }

    /// Ends everything, and starts it with another number of objects.
    pub(super) fn deploy(self: &Rc<Self>, shards: u32) {
        self.note(|| format!("deployment with {shards} after {}", self.shards.get()));
        let before = self.shards.replace(shards);
        if before != shards && self.plan.names_before {
            let mut known = self.before.borrow_mut();
            known.retain(|it| *it != before);
            known.insert(0, before);
        }
        self.oracle.borrow_mut().crashes += 1;
        self.events.end_life(self.edge.get());
        let running = std::mem::take(&mut *self.ledgers.borrow_mut());
        for object in running.into_values() {
            self.events.end_life(object.life);
        }
        if let Some(documents) = self.documents.take() {
            self.events.end_life(documents.life);
        }
        self.edge.set(self.events.begin_life());
    }

    /// Notes what the Registry has stored.
    pub(super) fn committed(&self, handovers: &Handovers) {
        self.note(|| {
            let list = handovers.list.iter().map(|it| {
                let end = if it.message.contains('\n') {
                    ""
                } else {
                    " ends"
                };
                format!("{}@{}{end}", it.ledger, it.revision)
            });
            let list: Vec<String> = list.collect();
            format!(
                "stored {} {}",
                list.join(", "),
                if handovers.drains { "and more" } else { "" }
            )
        });
        self.oracle.borrow_mut().committed(handovers, &self.sql);
    }

    /// Checks what a Ledger has decided.
    pub(super) fn counted(&self, name: &str, message: &str, answer: &str) {
        let (ask, _) = decode::<Consume>(message).unwrap();
        let (verdict, _) = decode::<Verdict>(answer).unwrap();
        let wrong = self.oracle.borrow_mut().counted(name, &ask, &verdict);
        if let Some(wrong) = wrong {
            self.fail(wrong);
        }
    }

    /// A session that the Registry lists is kept in none of the objects that it names. While things fail, it may have
    /// ended meanwhile.
    pub(super) fn lost(&self, name: &str, place: &str) {
        self.note(|| format!("{place} finds {name} nowhere"));
        if self.is_calm.get() {
            self.fail(format!("{name} is kept nowhere"));
        }
    }
}
