//! The notifications received so far, and the state of the connection.

use std::collections::BTreeMap;

use futures_util::future::{AbortHandle, abortable};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::api::ApiError;
use crate::api::dashboard::notices::Notice;
use crate::state::task::{Task, pause};
use crate::state::{Console, effect};

/// Notifications per request.
const AT_ONCE: u64 = 100;
/// The maximum kept; the oldest are dropped.
const KEPT: usize = 2_000;
/// The pauses before each further attempt; the last one repeats.
const WAITS_MS: [i32; 5] = [500, 1_000, 2_000, 5_000, 15_000];
/// The polling interval for an edge without a stream.
const POLL_MS: i32 = 4_000;

/// Whether the list is up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Status {
    /// Nothing received yet.
    Connecting,
    /// Notifications are shown as they happen.
    Live,
    /// The edge has no stream, so it is polled.
    Polling,
    /// The stream was interrupted. The next one delivers what was missed.
    Reconnecting,
    /// Paused by the user.
    Paused,
    /// Refused by the edge.
    Stopped,
}

/// The filter; an empty text matches all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    /// The type.
    pub(super) kind: String,
    /// The id of the API.
    pub(super) about: String,
}

impl Wanted {
    fn has(&self, notice: &Notice) -> bool {
        let is_of_kind = self.kind.is_empty() || notice.kind == self.kind;
        let is_about = notice.subject == "api" && notice.about == self.about;
        is_of_kind && (self.about.is_empty() || is_about)
    }
}

/// The notifications of the page.
#[derive(Clone, Copy)]
pub(super) struct Feed {
    console: Console,
    notices: RwSignal<BTreeMap<u64, Notice>>,
    /// Everything after this number has been fetched; `None` before the first response.
    first: RwSignal<Option<u64>>,
    /// The newest number received.
    last: StoredValue<u64>,
    status: RwSignal<Status>,
    paused: RwSignal<bool>,
    failure: RwSignal<Option<ApiError>>,
    again: Trigger,
    back: Task,
}

impl Feed {
    /// Fetches the newest ones, and follows until the page is left.
    pub(super) fn open(console: Console) -> Self {
        let feed = Self {
            console,
            notices: RwSignal::new(BTreeMap::new()),
            first: RwSignal::new(None),
            last: StoredValue::new(0),
            status: RwSignal::new(Status::Connecting),
            paused: RwSignal::new(false),
            failure: RwSignal::new(None),
            again: Trigger::new(),
            back: Task::new(),
        };
        effect(move || {
            feed.again.track();
            console.session.track();
            let _ = console.link.online();
            if feed.paused.get() {
                feed.status.set(Status::Paused);
                return;
            }
            feed.failure.set(None);
            let (work, handle) = abortable(feed.run());
            on_cleanup(move || AbortHandle::abort(&handle));
            spawn_local(async move {
                let _ = work.await;
            });
        });
        feed
    }

    /// Runs until the edge refuses.
    async fn run(self) {
        self.status.set(match self.first.get_untracked() {
            None => Status::Connecting,
            Some(_) => Status::Reconnecting,
        });
        let mut attempt: usize = 0;
        loop {
            let outcome = self.attempt().await;
            let was_live = self.status.try_get_untracked() == Some(Status::Live);
            match outcome {
                Err(ApiError::Missing(_)) => {
                    self.status.try_set(Status::Polling);
                    let _ = pause(POLL_MS).await;
                    continue;
                }
                Err(error @ (ApiError::NotAuthorised | ApiError::Refused(_))) => {
                    self.status.try_set(Status::Stopped);
                    self.failure.try_set(Some(error));
                    return;
                }
                // The stream ended or was interrupted.
                _ => {}
            }
            self.status.try_set(Status::Reconnecting);
            attempt = if was_live {
                0
            } else {
                attempt.saturating_add(1)
            };
            let wait = WAITS_MS.get(attempt).or(WAITS_MS.last());
            let _ = pause(wait.copied().unwrap_or_default()).await;
        }
    }

    /// Fetches what there is, then follows the stream.
    async fn attempt(self) -> Result<(), ApiError> {
        let api = self.console.api;
        match self.first.get_untracked() {
            None => {
                let newest = api.notices(0, 1).await?.last;
                let first = newest.saturating_sub(AT_ONCE);
                self.take(api.notices_between(first, newest).await?);
                self.last
                    .try_update_value(|last| *last = (*last).max(newest));
                self.first.try_set(Some(first));
            }
            Some(_) if self.status.get_untracked() == Status::Polling => {
                let found = api.notices(self.last.get_value(), AT_ONCE).await?;
                self.take(found.notices);
            }
            Some(_) => {}
        }
        let opened = move || {
            self.status.try_set(Status::Live);
        };
        let heard = move |notice| self.take([notice]);
        api.follow(self.last.get_value(), opened, heard).await
    }

    fn take(self, notices: impl IntoIterator<Item = Notice>) {
        let mut notices = notices.into_iter().peekable();
        if notices.peek().is_none() {
            return;
        }
        self.notices.try_update(|known| {
            for notice in notices {
                let seq = notice.seq;
                self.last.update_value(|last| *last = (*last).max(seq));
                known.insert(seq, notice);
            }
            while known.len() > KEPT {
                known.pop_first();
            }
        });
    }

    /// Pauses, or resumes after the last one received.
    pub(super) fn toggle(self) {
        self.paused.update(|paused| *paused = !*paused);
    }

    /// Retries.
    pub(super) fn again(self) {
        self.again.notify();
    }

    /// Fetches those before the first one in the list.
    pub(super) fn older(self) {
        let Some(end) = self.first.get_untracked() else {
            return;
        };
        let begin = end.saturating_sub(AT_ONCE);
        self.back.run(async move {
            match self.console.api.notices_between(begin, end).await {
                Ok(found) => {
                    self.take(found);
                    self.first.try_set(Some(begin));
                }
                Err(error) => self.console.toasts.failed(&error),
            }
        });
    }

    /// Whether there are older ones than the first in the list.
    pub(super) fn has_older(self) -> bool {
        let room = self.notices.with(|notices| notices.len() < KEPT);
        room && self.first.get().is_some_and(|first| first > 0)
    }

    /// Whether the first response has arrived.
    pub(super) fn begun(self) -> bool {
        self.first.get().is_some()
    }

    /// Returns why no more will arrive.
    pub(super) fn failed(self) -> Option<ApiError> {
        self.failure.get()
    }

    /// Whether the list is up to date.
    pub(super) fn status(self) -> Status {
        self.status.get()
    }

    /// Returns the numbers of those that match, newest first.
    pub(super) fn shown(self, wanted: &Wanted) -> Vec<u64> {
        self.notices.with(|notices| {
            let found = notices.values().rev().filter(|notice| wanted.has(notice));
            found.map(|notice| notice.seq).collect()
        })
    }

    /// Returns the notification with this number.
    pub(super) fn find(self, seq: u64) -> Option<Notice> {
        self.notices
            .with_untracked(|notices| notices.get(&seq).cloned())
    }
}
