//! Driver entries in the trace of a debugged request.

use super::Run;
use crate::chain::Link;
use crate::chain::trace::{Outcome as Ended, Phase};
use crate::counters::Counter;

/// Which counters a step describes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NotedCounters {
    /// All that were asked, for the step that asks them.
    All,
    /// Those with limits. Another link has ended the request and states the reason.
    Limits,
}

impl Run {
    pub(super) fn end(&mut self, link: &Link, outcome: Ended) {
        self.end_step(link.name(), Phase::Request, outcome);
    }

    pub(super) fn end_step(&mut self, name: &'static str, phase: Phase, outcome: Ended) {
        let exchange = &mut self.exchange;
        if let Some(trace) = &mut exchange.trace {
            trace.end(name, phase, outcome, exchange.isolate.now_ms());
        }
    }

    /// Ends the step of the link that answered, with its own outcome or, if something else took precedence, with
    /// `instead`.
    pub(super) fn end_reply(&mut self, instead: Option<Ended>) {
        if let Some((name, outcome)) = self.ending.take() {
            self.end_step(name, Phase::Request, instead.unwrap_or(outcome));
        }
    }

    /// Adds the standing of the counters to the trace.
    pub(super) fn note_counters(&mut self, noted: NotedCounters) {
        if self.exchange.trace.is_none() {
            return;
        }
        let now = self.exchange.isolate.now_ms();
        let counters = self.exchange.counters.iter();
        let is_noted =
            |counter: &&Counter| noted == NotedCounters::All || !counter.ask.counts.is_empty();
        let counters = counters.filter(is_noted);
        let words: Vec<String> = counters.map(|counter| counter.describe(now)).collect();
        for words in words.into_iter().filter(|words| !words.is_empty()) {
            self.exchange.note(|| words);
        }
    }
}
