//! How what was written gets to Ledgers.

use super::*;

impl Documents {
    pub(super) async fn hand_over_all(self: &Rc<Self>, handovers: Handovers) -> Outcome<()> {
        self.hand_over(handovers.list).await?;
        while handovers.drains && self.hand_over_rest(false).await? {}
        Ok(())
    }

    pub(super) async fn lend(self: &Rc<Self>, ledgers: Vec<String>) -> Outcome<()> {
        let lend = self
            .by_object(ledgers, |name| name)
            .into_iter()
            .map(|names| {
                let object = Rc::clone(self);
                self.world.events.spawn(self.life, async move {
                    let (called, asked) = (names[0].clone(), names.clone());
                    let answers = object
                        .world
                        .call_ledger(&called, move |ledger| ledger.kept(asked));
                    let answers = answers.await?;
                    for (name, answer) in names.iter().zip(answers) {
                        let mut documents = object.documents.borrow_mut();
                        documents.lend(name, &answer).map_err(text)?;
                    }
                    Ok(())
                })
            });
        all(lend.collect()).await.map(drop)
    }

    pub(super) async fn hand_over(self: &Rc<Self>, list: Vec<Handover>) -> Outcome<()> {
        let waiting = list
            .into_iter()
            .filter(|entry| !self.hand_over_later(entry));
        let (first, then): (Vec<_>, Vec<_>) = waiting.partition(|entry| entry.after.is_empty());
        let ended = Ended::default();
        for part in [first, then] {
            let keep = self
                .by_object(part, |entry| &entry.ledger)
                .into_iter()
                .map(|part| {
                    let (object, ended) = (Rc::clone(self), Rc::clone(&ended));
                    let task = async move { object.keep(part, ended).await };
                    self.world.events.spawn(self.life, task)
                });
            all(keep.collect()).await?;
        }
        Ok(())
    }

    pub(super) async fn keep(self: &Rc<Self>, list: Vec<Handover>, ended: Ended) -> Outcome<()> {
        let entries = list.iter().map(|entry| {
            let (object, entry) = (Rc::clone(self), entry.clone());
            let known = ended.borrow().get(&entry.after).cloned();
            self.world.events.spawn(self.life, async move {
                let counters = match known {
                    Some(known) => known,
                    None if entry.after.is_empty() => String::new(),
                    None => {
                        let after = entry.after.clone();
                        let take = |ledger: Rc<super::super::ledger::Ledgers>| ledger.take(after);
                        object.world.call_ledger(&entry.after, take).await?
                    }
                };
                Outcome::Ok([entry.ledger, entry.message, counters])
            })
        });
        let entries = entries.collect();
        let shards = self.world.shards.get();
        let opens = shards > 0 && list.iter().any(|entry| entry.is_generated);
        let entries = all(entries).await?;
        let ledger = list[0].ledger.clone();
        let places = self.documents.borrow_mut().places().map_err(text)?;
        let before = self
            .world
            .shards_before()
            .into_iter()
            .map(|it| it.to_string());
        let places = match places.is_empty() {
            true => before.collect::<Vec<_>>().join(","),
            false => places,
        };
        let keep =
            move |object: Rc<super::super::ledger::Ledgers>| object.keep(entries, opens, places);
        let counters = self.world.call_ledger(&ledger, keep).await?;
        let ends = list.iter().zip(counters);
        let ends = ends.filter(|(entry, _)| !entry.message.contains('\n'));
        let ends = ends.map(|(entry, counters)| (entry.ledger.clone(), counters));
        ended.borrow_mut().extend(ends);
        if opens {
            self.open_object(place(&ledger, shards));
        }
        let kept = list.into_iter().map(|entry| (entry.ledger, entry.revision));
        self.kept.borrow_mut().extend(kept);
        self.record_kept_soon();
        Ok(())
    }

    pub(super) fn open_object(self: &Rc<Self>, name: String) {
        if self.open.borrow().contains_key(&name) {
            return;
        }
        self.open.borrow_mut().insert(name.clone(), Vec::new());
        let object = Rc::clone(self);
        self.world.timeout(self.life, LATER_MS, move || {
            let list = object.open.borrow_mut().remove(&name).unwrap();
            if list.is_empty() {
                return;
            }
            let life = object.life;
            let world = Rc::clone(&object.world);
            world.events.spawn(life, async move {
                // Until the alarm has handed them over, the object finds them here.
                let _ = object.keep(list, Ended::default()).await;
            });
        });
    }

    pub(super) fn hand_over_later(&self, entry: &Handover) -> bool {
        let name = place(&entry.ledger, self.world.shards.get());
        let mut open = self.open.borrow_mut();
        match open.get_mut(&name).filter(|_| entry.is_generated) {
            Some(later) => {
                later.push(entry.clone());
                true
            }
            None => false,
        }
    }

    pub(super) fn record_kept_soon(self: &Rc<Self>) {
        if self.is_recording.get() || self.kept.borrow().is_empty() {
            return;
        }
        self.is_recording.set(true);
        let object = Rc::clone(self);
        self.world.timeout(self.life, RECORD_MS, move || {
            object.is_recording.set(false);
            object.record_kept();
        });
    }

    pub(super) fn record_kept(&self) {
        let kept = self.kept.take();
        if !kept.is_empty() {
            self.documents.borrow_mut().kept(&kept).unwrap();
        }
    }

    pub(super) async fn hand_over_rest(self: &Rc<Self>, is_due: bool) -> Outcome<bool> {
        self.record_kept();
        let open = {
            let mut documents = self.documents.borrow_mut();
            match is_due {
                true => documents.due_handovers(self.now()),
                false => documents.open_handovers(),
            }
        };
        let (rest, is_more) = open.map_err(text)?;
        self.hand_over(rest).await?;
        self.record_kept();
        Ok(is_more)
    }

    pub(super) async fn go_through(self: &Rc<Self>) -> Outcome<()> {
        let next = self.documents.borrow_mut().next_to_go_through();
        let Some(next) = next.map_err(text)? else {
            return Ok(());
        };
        let asks = next.iter().map(|[ledger, question]| {
            let (name, question) = (ledger.clone(), question.clone());
            let find = |object: Rc<super::super::ledger::Ledgers>| object.find(name, question);
            self.world.call_ledger(ledger, find)
        });
        all(asks.collect()).await?;
        let last = next.last().map(|[ledger, _]| ledger.as_str());
        let through = self.documents.borrow_mut().went_through(last);
        through.map_err(text)
    }

    pub(super) fn by_object<T>(&self, list: Vec<T>, name: impl Fn(&T) -> &String) -> Vec<Vec<T>> {
        let shards = self.world.shards.get();
        let mut parts: Vec<(String, Vec<T>)> = Vec::new();
        for entry in list {
            let at = place(name(&entry), shards);
            match parts.iter_mut().find(|(known, _)| *known == at) {
                Some((_, part)) => part.push(entry),
                None => parts.push((at, vec![entry])),
            }
        }
        parts.into_iter().map(|(_, part)| part).collect()
    }
}
