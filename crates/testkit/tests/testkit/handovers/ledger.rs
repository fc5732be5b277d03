//! An object of Ledgers: `worker/src/objects/ledger.js`, method by method, over real Ledgers.

mod moving;

use super::disk::{Disk, Form};
use super::events::{Promise, all};
use super::world::{Outcome, World, place};
use gatewright_ledger::object::{Learnt, Object};
use gatewright_ledger::upkeep::{Chores, Stored};
use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// The mark in front of the state of an owner that is moving to another object.
const MOVED: &str = "moved ";

/// An owner in memory; empty once it was freed.
type Handle = Rc<RefCell<Option<Object>>>;

fn text(error: impl ToString) -> String {
    error.to_string()
}

fn on<T>(handle: &Handle, event: impl FnOnce(&mut Object) -> T) -> Outcome<T> {
    let mut object = handle.borrow_mut();
    let object = object.as_mut();
    object
        .map(event)
        .ok_or("null pointer passed to rust".to_owned())
}

fn is_elsewhere(stored: Option<&str>) -> bool {
    stored.is_none_or(|stored| stored.starts_with(MOVED))
}

/// Reads values of `LEDGER_SHARDS`.
fn counts(shards: &str) -> Vec<u32> {
    let counts = shards.split(',');
    counts.map(|count| count.parse().unwrap()).collect()
}

/// Returns a stored state without the mark of one that has moved.
fn returned(stored: Option<&str>) -> Option<&str> {
    stored.map(|stored| stored.strip_prefix(MOVED).unwrap_or(stored))
}

/// Whether a stored state has counters that an import has put there: they belong to a session, and there is none.
fn is_imported(stored: &str) -> bool {
    if is_elsewhere(Some(stored)) {
        return false;
    }
    let stored: serde_json::Value = serde_json::from_str(stored).unwrap();
    let has_session = !stored["kept"].is_null() || !stored["copy"].is_null();
    !has_session && stored["reset"].as_u64() > Some(0)
}

pub(super) struct Ledgers {
    world: Rc<World>,
    pub(super) life: u64,
    pub(super) place: String,
    owners: RefCell<BTreeMap<String, Handle>>,
    form: Cell<Option<Form>>,
    fetching: RefCell<BTreeMap<String, Promise<Outcome<Handle>>>>,
    moved: RefCell<BTreeSet<String>>,
    asking: RefCell<BTreeMap<String, Promise<Outcome<Option<Handle>>>>>,
    is_settled: Cell<bool>,
    opened: Cell<u64>,
    /// When the alarm fires, as far as this knows.
    alarm: Cell<Option<u64>>,
}

impl Ledgers {
    pub(super) fn new(world: &Rc<World>, place: &str) -> Rc<Self> {
        Rc::new(Self {
            world: Rc::clone(world),
            life: world.events.begin_life(),
            place: place.to_owned(),
            owners: RefCell::default(),
            form: Cell::new(None),
            fetching: RefCell::default(),
            moved: RefCell::default(),
            asking: RefCell::default(),
            is_settled: Cell::new(false),
            opened: Cell::new(0),
            alarm: Cell::new(None),
        })
    }

    fn now(&self) -> u64 {
        self.world.events.now()
    }

    /// Returns the form of what is stored, or else the one for this number of shards.
    fn store(&self, count: u32) -> Form {
        let (is_own, has_tables) = self.disk(|disk| (disk.own.is_some(), disk.has_tables));
        let form = match is_own || (!has_tables && count == 0) {
            true => Form::Own,
            false => Form::Rows,
        };
        let form = self.form.get().unwrap_or(form);
        self.form.set(Some(form));
        self.disk(|disk| disk.has_tables |= form == Form::Rows);
        form
    }

    fn own_store(&self) -> Form {
        self.store(self.world.shards.get())
    }

    fn disk<T>(&self, run: impl FnOnce(&mut Disk) -> T) -> T {
        let mut disks = self.world.disks.borrow_mut();
        run(disks.entry(self.place.clone()).or_default())
    }

    fn owner(&self, name: &str) -> Outcome<Option<Handle>> {
        if let Some(known) = self.owners.borrow().get(name) {
            return Ok(Some(Rc::clone(known)));
        }
        if self.moved.borrow().contains(name) {
            return Err("its counts are kept elsewhere now".to_owned());
        }
        if self.fetching.borrow().contains_key(name) {
            return Ok(None);
        }
        let form = self.own_store();
        let (stored, session) = self.disk(|disk| disk.get(form, name));
        if is_elsewhere(stored.as_deref()) {
            let has_session = name.starts_with("key:") || name.starts_with("org:");
            return match self.world.shards_before().is_empty() || has_session {
                true => self.open(name, None, None).map(Some),
                false => Ok(None),
            };
        }
        let opened = self.open(name, stored.as_deref(), session.as_deref());
        opened.map(Some)
    }

    fn open(&self, name: &str, stored: Option<&str>, session: Option<&str>) -> Outcome<Handle> {
        let object = Object::new(name, (stored, session), self.now()).map_err(text)?;
        let handle = Rc::new(RefCell::new(Some(object)));
        let known = Rc::clone(&handle);
        self.owners.borrow_mut().insert(name.to_owned(), known);
        Ok(handle)
    }

    fn close(&self, name: &str, handle: &Handle) -> Outcome<()> {
        self.owners.borrow_mut().remove(name);
        let freed = handle.borrow_mut().take();
        freed
            .map(drop)
            .ok_or("null pointer passed to rust".to_owned())
    }

    /// Drops owners that are idle, as an object with many of them does.
    pub(super) fn forget_idle(&self) {
        let now = self.now();
        let owners = self.owners.borrow().clone();
        for (name, handle) in owners {
            if on(&handle, |object| object.is_idle(now)) == Ok(true) {
                self.close(&name, &handle).unwrap();
            }
        }
    }

    async fn run<T>(
        self: &Rc<Self>,
        name: &str,
        event: impl Fn(&mut Object, u64) -> Outcome<T>,
    ) -> Outcome<(Handle, T)> {
        loop {
            if let Some(handle) = self.owner(name)? {
                let done = on(&handle, |object| event(object, self.now()))??;
                return Ok((handle, done));
            }
            self.fetch(name, Vec::new()).await?;
        }
    }

    async fn change<T>(
        self: &Rc<Self>,
        name: &str,
        event: impl Fn(&mut Object, u64) -> Outcome<T>,
    ) -> Outcome<(Handle, T)> {
        let (handle, done) = self.run(name, event).await?;
        let chores = on(&handle, |object| object.chores(self.now()))?;
        self.carry_out(name, &handle, chores);
        Ok((handle, done))
    }

    pub(super) async fn consume(self: Rc<Self>, name: String, message: String) -> Outcome<String> {
        let decide = |settled: bool| {
            let (world, name, message) = (Rc::clone(&self.world), name.clone(), message.clone());
            move |object: &mut Object, now: u64| {
                let answer = object.consume(&message, settled, now).map_err(text)?;
                if let Some(answer) = &answer {
                    world.counted(&name, &message, answer);
                }
                Ok(answer)
            }
        };
        let (_, answer) = self.change(&name, decide(self.is_settled.get())).await?;
        if let Some(answer) = answer {
            return Ok(answer);
        }
        let answer = self.ask(&name, decide(true)).await?;
        answer.ok_or("no answer".to_owned())
    }

    pub(super) async fn find(self: Rc<Self>, name: String, message: String) -> Outcome<String> {
        let find = |settled: bool| move |object: &mut Object, now| Ok(object.find(settled, now));
        let (_, known) = self.run(&name, find(self.is_settled.get())).await?;
        let own = match known {
            Some(own) => own,
            None => self.ask(&name, find(true)).await?.unwrap_or_default(),
        };
        if !own.is_empty() {
            return Ok(own);
        }
        let mut ledgers = message.lines();
        let question = ledgers.next().unwrap_or_default();
        let others = ledgers.filter(|other| *other != name).map(|other| {
            let (other, message) = (other.to_owned(), format!("{question}\n{other}"));
            let called = other.clone();
            self.world
                .call_ledger(&called, move |object| object.find(other, message))
        });
        let answers = all(others.collect()).await?;
        let found = answers.into_iter().find(|answer| !answer.is_empty());
        Ok(found.unwrap_or_default())
    }

    pub(super) async fn keep(
        self: Rc<Self>,
        entries: Vec<[String; 3]>,
        opens: bool,
        places: String,
    ) -> Outcome<Vec<String>> {
        if opens {
            self.is_settled.set(false);
            self.opened.set(self.opened.get() + 1);
        }
        let keep = entries.into_iter().map(|[name, message, counters]| {
            let (object, places) = (Rc::clone(&self), places.clone());
            self.world.events.spawn(self.life, async move {
                if !places.is_empty() {
                    object.fetch_missing(&name, counts(&places)).await?;
                }
                let keep = |object: &mut Object, now: u64| {
                    object.keep(&message, &counters, now).map_err(text)
                };
                object.change(&name, keep).await.map(|(_, kept)| kept)
            })
        });
        let kept = all(keep.collect()).await?;
        let ms = kept.iter().map(|(_, ms)| *ms).max().unwrap_or(0);
        if ms > 0 {
            self.world.events.sleep(ms).await;
        }
        Ok(kept.into_iter().map(|(counters, _)| counters).collect())
    }

    pub(super) async fn kept(self: Rc<Self>, names: Vec<String>) -> Outcome<Vec<String>> {
        let kept = names.into_iter().map(|name| {
            let object = Rc::clone(&self);
            let task = async move { object.kept_of(&name).await };
            self.world.events.spawn(self.life, task)
        });
        all(kept.collect()).await
    }

    async fn kept_of(self: &Rc<Self>, name: &str) -> Outcome<String> {
        let kept = |object: &mut Object, _| Ok(object.kept());
        if let (_, Some(known)) = self.run(name, kept).await? {
            return Ok(known);
        }
        let settled = self.is_settled.get();
        let is_known = |object: &mut Object, now| Ok(object.find(settled, now).is_some());
        let (_, is_known) = self.run(name, is_known).await?;
        match is_known {
            true => Ok(String::new()),
            false => Ok(self.ask(name, kept).await?.unwrap_or_default()),
        }
    }

    async fn ask<T>(
        self: &Rc<Self>,
        name: &str,
        event: impl Fn(&mut Object, u64) -> Outcome<T>,
    ) -> Outcome<T> {
        loop {
            if let Some(handle) = self.ask_once(name).await?
                && self.is_known(name, &handle)
            {
                return self.change(name, event).await.map(|(_, done)| done);
            }
        }
    }

    fn ask_once(self: &Rc<Self>, name: &str) -> Promise<Outcome<Option<Handle>>> {
        if let Some(known) = self.asking.borrow().get(name) {
            return known.clone();
        }
        let asking = Promise::new();
        let (object, name) = (Rc::clone(self), name.to_owned());
        self.asking
            .borrow_mut()
            .insert(name.clone(), asking.clone());
        let answered = asking.clone();
        self.world.events.spawn(self.life, async move {
            let asked = object.ask_now(&name, &answered).await;
            if object.is_asking(&name, &answered) {
                object.asking.borrow_mut().remove(&name);
            }
            answered.resolve(asked);
        });
        asking
    }

    fn is_asking(&self, name: &str, asking: &Promise<Outcome<Option<Handle>>>) -> bool {
        let known = self.asking.borrow();
        known.get(name).is_some_and(|known| known.is(asking))
    }

    async fn ask_now(
        self: &Rc<Self>,
        name: &str,
        asking: &Promise<Outcome<Option<Handle>>>,
    ) -> Outcome<Option<Handle>> {
        let count = self.world.shards.get();
        let opened = self.opened.get();
        let question = |object: &mut Object, _| object.question(count).map_err(text);
        let (_, question) = self.run(name, question).await?;
        let reply = self
            .world
            .call_registry(move |registry| registry.call(question))
            .await?;
        if !self.is_asking(name, asking) {
            return Ok(None);
        }
        let learn = |object: &mut Object, now| object.learn(&reply, now).map_err(text);
        let (handle, learnt) = self.change(name, learn).await?;
        if learnt == Learnt::Settled && opened == self.opened.get() {
            self.is_settled.set(true);
        }
        let Learnt::Elsewhere(shards) = learnt else {
            return Ok(Some(handle));
        };
        self.close(name, &handle)?;
        let fetched = self.fetch(name, counts(&shards)).await?;
        if on(&fetched, |object| object.kept())?.is_none() {
            self.world.lost(name, &self.place);
        }
        Ok(Some(fetched))
    }

    fn carry_out(self: &Rc<Self>, name: &str, handle: &Handle, chores: Chores) {
        if chores.is_empty() {
            return;
        }
        let form = self.own_store();
        if let Some(ms) = chores.wake_after {
            let (object, name, handle) = (Rc::clone(self), name.to_owned(), Rc::clone(handle));
            self.world
                .timeout(self.life, ms, move || object.wake(&name, &handle));
        }
        let deletes = chores.store == Some(Stored::Nothing);
        if let Some(session) = &chores.session {
            self.disk(|disk| disk.put_session(form, name, session));
        }
        if let Some(Stored::Text(state)) = &chores.store {
            self.disk(|disk| disk.put(form, name, state));
            let number = on(handle, |object| object.stored_number()).unwrap_or(0);
            if number > 0 {
                let (object, name, handle) = (Rc::clone(self), name.to_owned(), Rc::clone(handle));
                self.world
                    .timeout(self.life, self.world.commit_ms(), move || {
                        if object.is_known(&name, &handle) {
                            let now = object.now();
                            let _ = on(&handle, |object| object.confirm(number, now));
                        }
                    });
            }
        }
        if deletes {
            self.disk(|disk| disk.drop_owner(form, name));
        } else if let Some(at) = chores.alarm_at {
            let next = self.disk(|disk| disk.wake(form, name, at));
            let is_early = form == Form::Rows && self.alarm.get().is_some_and(|known| known <= at);
            if !is_early {
                self.alarm.set(Some(next.unwrap_or(u64::MAX)));
                if next.is_some() {
                    self.world.set_alarm(&self.place, next);
                }
            }
        }
    }

    fn is_known(&self, name: &str, handle: &Handle) -> bool {
        let owners = self.owners.borrow();
        owners
            .get(name)
            .is_some_and(|known| Rc::ptr_eq(known, handle))
    }

    fn wake(self: &Rc<Self>, name: &str, handle: &Handle) {
        if self.is_known(name, handle)
            && let Ok(chores) = on(handle, |object| object.woken(self.now()))
        {
            self.carry_out(name, handle, chores);
        }
    }

    pub(super) async fn alarm(self: Rc<Self>) -> Outcome<()> {
        let now = self.now();
        let form = self.own_store();
        let due = match form {
            Form::Own => vec![String::new()],
            Form::Rows => self.disk(|disk| disk.take_due(now)),
        };
        for name in due {
            let known = match form {
                Form::Own => self.owners.borrow().values().next().cloned(),
                Form::Rows => self.owners.borrow().get(&name).cloned(),
            };
            let (state, session) = self.disk(|disk| disk.get(form, &name));
            let looked = match &known {
                Some(known) => Rc::clone(known),
                None => {
                    let state = returned(state.as_deref());
                    let object = Object::new(&name, (state, session.as_deref()), now);
                    Rc::new(RefCell::new(Some(object.map_err(text)?)))
                }
            };
            let chores = on(&looked, |object| object.rung(now))?;
            self.carry_out(&name, &looked, chores);
        }
        if form == Form::Rows {
            let next = self.disk(|disk| disk.next());
            self.alarm.set(Some(next.unwrap_or(u64::MAX)));
            if next.is_some() {
                self.world.set_alarm(&self.place, next);
            }
        }
        Ok(())
    }

    /// Returns the sessions that are known here: what is stored, and what is in memory.
    pub(super) fn sessions(&self) -> Vec<(String, Option<u64>)> {
        let owners = self.owners.borrow();
        let known = owners.iter().map(|(name, handle)| {
            let kept = on(handle, |object| object.kept()).unwrap_or_default();
            (
                name.clone(),
                kept.and_then(|kept| super::world::revision(&kept)),
            )
        });
        known.collect()
    }
}
