//! One round of counters, and what follows from their answers.

use super::steps::NotedCounters;
use super::{Counted, Next, Run, Waiting, Wanted};
use crate::chain::trace::{Outcome as Ended, Phase};
use crate::counters::{Counter, Kind, Scope, State};
use crate::exchange::Entry;
use crate::failure::{Failure, Reply};
use crate::headers::AnswerEdit;
use crate::isolate::{Asked, AskedVia, Direct, Isolate};
use crate::leases::Admission;
use crate::limits;
use gatewright_protocol::ledger::{Consume, Verdict};
use std::rc::Rc;

/// How many times a session may turn out to be out of date within one request.
const ATTEMPTS: u32 = 8;

const fn asked(counter: &Counter, via: AskedVia) -> Asked<'_> {
    Asked {
        ledger: counter.ledger.as_str(),
        ask: &counter.ask,
        via,
    }
}

/// Counts without a call to the Ledger, directly or from a lease. Otherwise prepares the counter for a call and returns
/// false.
fn count_here(isolate: &dyn Isolate, counted_as: &str, counter: &mut Counter) -> bool {
    let direct = isolate.count_directly(&counter.ledger, &counter.ask);
    if let Direct::Answered(verdict) = &direct
        && counter.answered(verdict)
    {
        isolate.counted(counted_as, asked(counter, AskedVia::Direct), verdict);
        return true;
    }
    counter.asked_at = isolate.now_ms();
    counter.ask.lease = None;
    if direct != Direct::Elsewhere || !counter.is_leasable || counter.ask.peek {
        return false;
    }
    let mut leases = isolate.leases().borrow_mut();
    let admission = leases.take(&counter.ledger, &counter.ask, counted_as, counter.asked_at);
    let Some(admission) = admission else {
        counter.ask.lease = leases.ask(&counter.ledger, &counter.ask, counter.asked_at);
        return false;
    };
    let verdict = match admission {
        Admission::Leased(lease, standings) => {
            counter.lease = Some(lease);
            Verdict::Admitted(standings)
        }
        Admission::Refused(verdict) => verdict,
    };
    counter.answered(&verdict);
    isolate.counted(counted_as, asked(counter, AskedVia::Lease), &verdict);
    true
}

/// What the Ledgers' answers say about the sessions that a request was decided with.
#[derive(Default)]
struct Outdated {
    /// The revision and text of the organisation's newer session.
    organisation: Option<(u64, String)>,
    /// The revision and text of the key's newer session.
    key: Option<(u64, String)>,
    /// Whether the key's session no longer exists.
    is_key_gone: bool,
    /// Whether the session of another credential is not current.
    has_other: bool,
}

impl Outdated {
    /// Whether the request has to be authenticated again.
    const fn is_identity(&self) -> bool {
        self.key.is_some() || self.is_key_gone || self.has_other
    }
}

impl Run {
    /// Asks every pending counter that can't be answered in this isolate; `reply` is sent if none refuses.
    pub(super) fn ask_counters(&mut self, reply: Option<Reply>) -> Next {
        let peek = self.purpose == super::Purpose::Standing;
        let isolate = Rc::clone(&self.exchange.isolate);
        let pending = self.exchange.counters.iter_mut();
        let pending = pending.filter(|counter| counter.state == State::Pending);
        let asks = pending.filter_map(|counter| {
            counter.ask.peek = peek;
            let is_known = count_here(&*isolate, &self.counted_as, counter);
            (!is_known).then(|| (counter.ledger.clone(), counter.ask.clone()))
        });
        let asks: Vec<_> = asks.collect();
        if asks.is_empty() {
            return self.decided(reply);
        }
        self.waiting = Waiting::Counters(reply);
        Next::Need(Wanted::Counters(asks))
    }

    /// Applies the Ledgers' answers.
    pub(super) fn counted(&mut self, answers: Vec<Counted>, reply: Option<Reply>) -> Next {
        let Some(outdated) = self.take_answers(answers) else {
            return self.unavailable("A Ledger can't be asked");
        };
        let is_identity = outdated.is_identity();
        if outdated.organisation.is_some() || is_identity {
            self.attempts = self.attempts.saturating_add(1);
            if self.attempts > ATTEMPTS {
                return self.unavailable("A session was written again and again");
            }
        }
        if let Some((revision, text)) = outdated.organisation {
            self.learn_organisation(revision, text);
            if !is_identity {
                return self.ask_counters(reply);
            }
        }
        if outdated.has_other {
            self.outdated(
                "The session of another of its credentials is not current. Decided again",
            );
            self.forget_others();
            return self.again(true);
        }
        if let Some((revision, text)) = outdated.key {
            self.outdated(&format!(
                "Its session is another one by now, revision {revision}. Decided again"
            ));
            self.learn_key(revision, text);
            return self.again(true);
        }
        if outdated.is_key_gone {
            self.outdated("Its session is not there any more. Looked for again");
            return self.again(false);
        }
        self.decided(reply)
    }

    /// Takes the answer for each pending counter; `None` if a Ledger couldn't be asked.
    fn take_answers(&mut self, answers: Vec<Counted>) -> Option<Outdated> {
        let mut outdated = Outdated::default();
        let mut is_available = true;
        let counters = self.exchange.counters.iter_mut();
        let pending = counters.filter(|counter| counter.state == State::Pending);
        let mut answers = answers.into_iter();
        for counter in pending {
            let isolate = &self.exchange.isolate;
            let mut leases = isolate.leases().borrow_mut();
            let Some(Some((verdict, text))) = answers.next() else {
                leases.failed(&counter.ledger, &counter.ask);
                is_available = false;
                continue;
            };
            let times = (counter.asked_at, isolate.now_ms());
            leases.answered(&counter.ledger, &counter.ask, &verdict, times);
            isolate.counted(&self.counted_as, asked(counter, AskedVia::Call), &verdict);
            if counter.answered(&verdict) {
                continue;
            }
            match (counter.scope, verdict) {
                (Scope::Organisation, Verdict::Stale { revision }) => {
                    outdated.organisation = Some((revision, text));
                }
                (Scope::Organisation, _) => counter.state = State::Admitted(Vec::new()),
                (Scope::Other, _) => outdated.has_other = true,
                (_, Verdict::Stale { revision }) => outdated.key = Some((revision, text)),
                _ => outdated.is_key_gone = true,
            }
        }
        is_available.then_some(outdated)
    }

    /// Ends the step that was decided with a session that is no longer valid.
    fn outdated(&mut self, words: &str) {
        self.exchange.remark(words);
        let at_counters = self.ending.is_none();
        self.end_reply(Some(Ended::Deferred));
        if at_counters {
            self.end_step("counters", Phase::Request, Ended::Passed);
        }
    }

    /// Refuses the request because nobody can say whether it may pass.
    fn unavailable(&mut self, words: &str) -> Next {
        self.end_reply(Some(Ended::Deferred));
        self.exchange.remark(words);
        self.end_step("counters", Phase::Request, Ended::Refused);
        self.refuse(usize::MAX, Reply::from(Failure::LimitsUnavailable))
    }

    /// Decides once every Ledger has answered about a valid session.
    fn decided(&mut self, reply: Option<Reply>) -> Next {
        let refusing = self.exchange.counters.iter().position(|counter| {
            matches!(counter.state, State::Refused(_)) || counter.refuses.is_some()
        });
        if let Some(index) = refusing {
            return match self.throttle(index) {
                Some(ms) => self.wait(index, ms),
                None => self.refused_by(index),
            };
        }
        if let Some(reply) = reply {
            self.note_counters(NotedCounters::Limits);
            self.end_reply(None);
            return self.finish(reply);
        }
        self.note_counters(NotedCounters::All);
        if self.purpose == super::Purpose::Serve {
            self.show_limits();
            self.raise_triggers();
            self.raise_smoothing();
        }
        self.links()
    }

    /// Refuses the request because of the counter with this index.
    fn refused_by(&mut self, index: usize) -> Next {
        let counter = self.exchange.counters.get(index);
        // Whether the refusal is that of a link, confirmed by the session's Ledger, rather than that of a limit before
        // it.
        let confirms = counter
            .is_some_and(|counter| counter.scope == Scope::Key && counter.refused_kind().is_none());
        let config = self.exchange.isolate.config();
        let now = self.exchange.isolate.now_ms();
        let refusal = counter.and_then(|counter| {
            let own = counter.reply(config.shown, config.fields, now);
            own.or_else(|| counter.refuses.clone())
        });
        let refusal = refusal.unwrap_or_else(|| Reply::from(Failure::LimitsUnavailable));
        if self.purpose == super::Purpose::Serve {
            self.raise_smoothing();
        }
        if confirms {
            self.note_counters(NotedCounters::Limits);
            self.end_reply(None);
        } else {
            self.end_reply(Some(Ended::Deferred));
            self.note_counters(NotedCounters::All);
            if let Reply::Failure(refusal) = &refusal {
                self.exchange.remark(&refusal.message);
            }
            self.end_step("counters", Phase::Request, Ended::Refused);
        }
        self.refuse(index, refusal)
    }

    /// Answers with a refusal; counters after the refusing one take back what they counted.
    fn refuse(&mut self, index: usize, refusal: Reply) -> Next {
        let passed = match index {
            // No counter has admitted the request: a Ledger that is out of reach must not cost the client its other
            // limits.
            usize::MAX => 0,
            index => index.saturating_add(1),
        };
        let returned = self.give_back(self.exchange.counters.iter().skip(passed));
        if returned.is_empty() {
            return self.finish(refusal);
        }
        self.waiting = Waiting::GivenBack(Some(refusal));
        Next::Need(Wanted::Counters(returned))
    }

    /// Takes back counts within the isolate where possible; returns those that need a call.
    pub(super) fn give_back<'a>(
        &self,
        counters: impl Iterator<Item = &'a Counter>,
    ) -> Vec<(String, Consume)> {
        let isolate = &self.exchange.isolate;
        let asks = counters.filter_map(|counter| {
            if let Some(lease) = counter.lease {
                isolate
                    .leases()
                    .borrow_mut()
                    .give_back(&counter.ledger, lease);
            }
            let (ledger, ask) = counter.give_back()?;
            let direct = isolate.count_directly(&ledger, &ask);
            (!matches!(direct, Direct::Answered(_))).then_some((ledger, ask))
        });
        asks.collect()
    }

    /// How long to wait before a request over its rate is retried, in milliseconds; `None` if it isn't (reference 2.1).
    fn throttle(&self, index: usize) -> Option<u64> {
        let counter = self.exchange.counters.get(index)?;
        let of_key = matches!(counter.scope, Scope::Key | Scope::Pattern);
        let is_rate = counter.refused_kind() == Some(Kind::Rate);
        if !of_key || !is_rate || self.purpose != super::Purpose::Serve {
            return None;
        }
        let session = self.exchange.session().ok()?;
        let limit = session.applied(&self.exchange.api.definition.api_id).limit;
        let tries = limit.is_throttled() && self.retries < limit.throttle_retry_limit;
        let micros = u64::try_from(limit.throttle_interval.micros()).ok()?;
        tries.then_some(micros / 1000)
    }

    fn wait(&mut self, index: usize, ms: u64) -> Next {
        self.retries = self.retries.saturating_add(1);
        // Later counters that refused may have room by then too; those that have counted are not asked again.
        for counter in self.exchange.counters.iter_mut().skip(index) {
            if matches!(counter.state, State::Refused(_)) {
                counter.state = State::Pending;
            }
        }
        let retries = self.retries;
        self.exchange
            .note(|| format!("Over its rate: waited {ms} ms, try {retries} (throttle_interval)"));
        self.waiting = Waiting::Throttle;
        Next::Need(Wanted::Time { ms })
    }

    /// Sets `X-RateLimit-*` and `RateLimit` on the upstream's answer (reference 3.4).
    fn show_limits(&mut self) {
        let exchange = &mut self.exchange;
        if exchange.request.entry == (Entry::Loop { counts: false }) {
            // Nothing is counted here: the outer chain has already set the limit headers.
            return;
        }
        let config = exchange.isolate.config();
        let now = exchange.isolate.now_ms();
        let of_key = exchange
            .counters
            .iter()
            .rev()
            .find_map(|counter| match &counter.state {
                State::Admitted(standings)
                    if matches!(counter.scope, Scope::Key | Scope::Pattern) =>
                {
                    Some((&counter.ask.counts, standings))
                }
                _ => None,
            });
        let Some((counts, standings)) = of_key else {
            return;
        };
        let mut headers = limits::headers(config.shown, counts, standings, now);
        let has_quota = counts.iter().any(|count| Kind::of(count) == Kind::Quota);
        if !has_quota
            && config.shown == limits::Shown::Quotas
            && let Ok(session) = exchange.session()
        {
            let limit = session.applied(&exchange.api.definition.api_id).limit;
            headers = limits::uncounted_quota(limit, exchange.api.limits.ignores_quotas);
        }
        if config.fields {
            headers.extend(limits::fields(counts, standings, now));
        }
        for (name, value) in headers {
            exchange.edit_limits(AnswerEdit::Set(name.to_owned(), value));
        }
    }
}
