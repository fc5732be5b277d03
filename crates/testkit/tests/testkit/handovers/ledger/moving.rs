//! How owners move from one object to another.

use super::*;

impl Ledgers {
    pub(super) async fn fetch_missing(
        self: &Rc<Self>,
        name: &str,
        counts: Vec<u32>,
    ) -> Outcome<()> {
        let is_known = |object: &mut Object, now| Ok(object.find(false, now).is_some());
        let (_, is_known) = self.run(name, is_known).await?;
        if !is_known {
            self.fetch(name, counts).await?;
        }
        Ok(())
    }

    pub(in crate::handovers) async fn take(self: Rc<Self>, name: String) -> Outcome<String> {
        let take = |object: &mut Object, now| Ok(object.take_counters(now).unwrap_or_default());
        self.run(&name, take).await.map(|(_, taken)| taken)
    }

    pub(in crate::handovers) async fn put(
        self: Rc<Self>,
        name: String,
        counters: String,
    ) -> Outcome<()> {
        let put = |object: &mut Object, now| object.put_counters(&counters, now).map_err(text);
        self.change(&name, put).await.map(drop)
    }

    pub(super) fn fetch(self: &Rc<Self>, name: &str, counts: Vec<u32>) -> Promise<Outcome<Handle>> {
        if let Some(known) = self.fetching.borrow().get(name) {
            return known.clone();
        }
        let fetching = Promise::new();
        let (object, name) = (Rc::clone(self), name.to_owned());
        let known = fetching.clone();
        self.fetching.borrow_mut().insert(name.clone(), known);
        let done = fetching.clone();
        self.world.events.spawn(self.life, async move {
            let fetched = object.fetch_now(&name, counts).await;
            object.fetching.borrow_mut().remove(&name);
            done.resolve(fetched);
        });
        fetching
    }

    pub(super) async fn fetch_now(
        self: &Rc<Self>,
        name: &str,
        counts: Vec<u32>,
    ) -> Outcome<Handle> {
        let shards = self.world.shards.get();
        let mut others: Vec<u32> = Vec::new();
        for count in counts.into_iter().chain(self.world.shards_before()) {
            if count != shards && !others.contains(&count) {
                others.push(count);
            }
        }
        let before: Vec<(u32, String)> = others
            .into_iter()
            .map(|count| (count, place(name, count)))
            .collect();
        let give = before.iter().map(|(count, at)| {
            let (name, count) = (name.to_owned(), *count);
            let give = move |object: Rc<Self>| async move { object.give_up(&name, count) };
            self.world.call_object(at, give)
        });
        let given = all(give.collect()).await?;
        let form = self.own_store();
        self.world
            .note(|| format!("{} fetches {name}: {before:?} gave {given:?}", self.place));
        if let Some(owner) = given.iter().find(|(state, _)| !state.is_empty()) {
            let (state, session) = &self.with_imported(name, owner.clone())?;
            let known = self.owners.borrow().get(name).cloned();
            if let Some(known) = known {
                self.close(name, &known)?;
            }
            self.disk(|disk| {
                disk.put(form, name, state);
                disk.put_session(form, name, session);
            });
            self.world.events.sleep(self.world.commit_ms()).await;
            let left = before.iter().zip(&given);
            let left = left.filter(|(_, (state, _))| !state.is_empty());
            let left = left.map(|((count, at), _)| {
                let (name, count) = (name.to_owned(), *count);
                let forget = move |object: Rc<Self>| async move {
                    object
                        .world
                        .note(|| format!("{} forgets {name}", object.place));
                    if count != object.world.shards.get() {
                        let form = object.store(count);
                        object.disk(|disk| disk.drop_owner(form, &name));
                    }
                    Ok(())
                };
                self.world.call_object(at, forget)
            });
            all(left.collect()).await?;
        }
        self.owner(name)?;
        let (stored, session) = self.disk(|disk| disk.get(form, name));
        let known = self.owners.borrow().get(name).cloned();
        let object = match known {
            Some(known) => known,
            None => self.open(name, returned(stored.as_deref()), session.as_deref())?,
        };
        if given.iter().any(|(state, _)| !state.is_empty()) {
            on(&object, |object| object.find(true, self.now()))?;
        }
        Ok(object)
    }

    pub(super) fn with_imported(
        &self,
        name: &str,
        owner: (String, String),
    ) -> Outcome<(String, String)> {
        let form = self.own_store();
        let (here, _) = self.disk(|disk| disk.get(form, name));
        let here = here.filter(|here| owner.1.is_empty() && is_imported(here));
        let Some(here) = here else {
            return Ok(owner);
        };
        let now = self.now();
        let mut object = Object::new(name, (Some(&owner.0), None), now).map_err(text)?;
        object.put_counters(&here, now).map_err(text)?;
        Ok(object.give_up(now).unwrap_or_default())
    }

    pub(super) fn give_up(&self, name: &str, count: u32) -> Outcome<(String, String)> {
        if count == self.world.shards.get() {
            return Err("LEDGER_SHARDS was changed meanwhile".to_owned());
        }
        let known = self.owners.borrow().get(name).cloned();
        let form = self.store(count);
        let (stored, row) = self.disk(|disk| disk.get(form, name));
        let handle = match known {
            Some(known) => known,
            None => {
                let stored = returned(stored.as_deref());
                let object = Object::new(name, (stored, row.as_deref()), self.now());
                Rc::new(RefCell::new(Some(object.map_err(text)?)))
            }
        };
        self.moved.borrow_mut().insert(name.to_owned());
        let owner = on(&handle, |object| object.give_up(self.now()))?;
        self.close(name, &handle)?;
        let (state, session) = owner.unwrap_or_default();
        self.disk(|disk| {
            if !state.is_empty() {
                disk.put(form, name, &format!("{MOVED}{state}"));
            }
            disk.put_session(form, name, &session);
        });
        self.is_settled.set(false);
        Ok((state, session))
    }
}
