//! Requests: what isolates remember of a token, and what they ask its Ledger.

use super::*;

impl Clients {
    /// Makes a request with a token, and checks what it is decided with.
    pub(in crate::handovers) fn request(self: &Rc<Self>, id: String) -> Promise<()> {
        let it = Rc::clone(self);
        let isolate = self.below(ISOLATES) as usize;
        self.spawn(async move {
            let begun = it.world.events.now();
            let floor = it.world.oracle.borrow().floor(&name(&id));
            let found = it.decide(isolate, &id).await?;
            let now = it.world.events.now();
            let wrong = {
                let mut oracle = it.world.oracle.borrow_mut();
                oracle.requested(&name(&id), found, (floor, begun), now)
            };
            it.world.note(|| {
                format!(
                    "request {id}@{floor} began {}: {found:?}",
                    begun - super::super::world::START
                )
            });
            if let Some(wrong) = wrong {
                it.world.fail(wrong);
            }
            Ok(())
        })
    }

    pub(super) fn isolate<T>(&self, number: usize, run: impl FnOnce(&mut Isolate) -> T) -> T {
        let mut isolates = self.isolates.borrow_mut();
        let isolate = &mut isolates[number];
        if isolate.edge != self.world.edge.get() {
            *isolate = Isolate {
                edge: self.world.edge.get(),
                ..Isolate::default()
            };
        }
        run(isolate)
    }

    /// Returns the revision that a request is decided with, as an isolate finds it; `None` for an unknown token.
    pub(super) async fn decide(&self, number: usize, id: &str) -> Outcome<Option<u64>> {
        let now = self.world.events.now();
        let crashes = self.world.oracle.borrow().crashes;
        let is_stranger = |it: &mut Isolate| {
            let known = it.strangers.get(id);
            known.is_some_and(|(until, before)| *until > now && *before == crashes)
        };
        if self.isolate(number, is_stranger) {
            return Ok(None);
        }
        let mut known = self.isolate(number, |isolate| isolate.sessions.get(id).copied());
        for _ in 0..10 {
            let revision = match known {
                Some(revision) => revision,
                None => match self.find(id).await? {
                    Some(revision) => revision,
                    None => {
                        let until = now + REMEMBERED_MS;
                        self.isolate(number, |it| {
                            it.strangers.insert(id.to_owned(), (until, crashes))
                        });
                        return Ok(None);
                    }
                },
            };
            let verdict = self.consume(id, revision).await?;
            let mut oracle = self.world.oracle.borrow_mut();
            match verdict {
                Verdict::Stale { revision } => known = Some(revision),
                Verdict::Unknown => {
                    oracle.requests[2] += 1;
                    self.isolate(number, |isolate| isolate.sessions.remove(id));
                    return Ok(None);
                }
                verdict => {
                    let is_refused = matches!(verdict, Verdict::Refused { .. });
                    oracle.requests[usize::from(is_refused)] += 1;
                    self.isolate(number, |it| it.sessions.insert(id.to_owned(), revision));
                    return Ok(Some(revision));
                }
            }
        }
        Err("too many revisions".to_owned())
    }

    pub(super) async fn find(&self, id: &str) -> Outcome<Option<u64>> {
        let mut ids = vec![id.to_owned()];
        if self.below(3) == 0 {
            ids.push(format!("{id}-other"));
        }
        let [ledger, message] = asking::lookup(&SessionAsk::meet(ids)).unwrap();
        let called = ledger.clone();
        let find = self
            .world
            .call_ledger(&ledger, |object| object.find(called, message));
        Ok(super::super::world::revision(&find.await?))
    }

    pub(super) async fn consume(&self, id: &str, revision: u64) -> Outcome<Verdict> {
        let ask = Consume {
            revision: Some(revision),
            counts: vec![Count {
                name: "quota".to_owned(),
                limit: Limit::Quota(QuotaLimit {
                    max: QUOTA,
                    window_ms: WINDOW_MS,
                }),
                smoothing: None,
            }],
            show: vec![0],
            ..Consume::default()
        };
        let (ledger, message) = (name(id), encode(&ask, "").unwrap());
        let called = ledger.clone();
        let consume = self
            .world
            .call_ledger(&ledger, |object| object.consume(called, message));
        let answer = consume.await?;
        Ok(decode(&answer).unwrap().0)
    }
}
