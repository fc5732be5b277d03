//! How the object publishes: reloads take turns, and one that failed or was cut off is repeated by the alarm.

use super::{RETRY_MS, Registry};
use crate::kv::PublishedSet;
use gatewright_controlplane::registry::publish;
use gatewright_protocol::caller::Sender;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::Selection;
use gatewright_protocol::snapshot::Published;
use gatewright_worker_platform::glue;
use gatewright_worker_platform::time::{now, now_ms as clock};
use worker::console_error;

/// Milliseconds until the files that a large reload has left over are written.
const SOON_MS: u64 = 200;

impl Registry {
    /// Publishes everything, or returns the result of a reload that started after this call arrived ([`Coalescer`]).
    ///
    /// [`Coalescer`]: gatewright_controlplane::registry::coalesce::Coalescer
    pub(super) async fn publish_in_turn(&self, by: Sender) -> Result<Published, StoreError> {
        let call = self.reloads.borrow_mut().ask();
        let reload_lock = self.reload_lock.lock().await;
        let answered = self.reloads.borrow().answered(call);
        if let Some(ended) = answered {
            return ended;
        }
        let ended = self.publish_everything(by).await;
        drop(reload_lock);
        ended
    }

    /// Publishes a selection. Its result is not shared with other waiting calls, which want something else.
    pub(super) async fn publish_only(
        &self,
        by: Sender,
        selection: &Selection,
    ) -> Result<Published, StoreError> {
        let reload_lock = self.reload_lock.lock().await;
        self.documents.borrow_mut().reload_for(by);
        let ended = self.publish_now(Some(selection)).await;
        drop(reload_lock);
        ended
    }

    /// Completes a reload that failed or was cut off by publishing what it was meant to; does nothing if another one
    /// has completed while this one waited for its turn. Returns whether files are left.
    async fn publish_again(&self) -> Result<bool, StoreError> {
        let reload_lock = self.reload_lock.lock().await;
        let (retry, selection) = {
            let documents = self.documents.borrow();
            (documents.retry_at()?, documents.unfinished()?)
        };
        let ended = match (retry, selection) {
            (None, _) => Ok(true),
            (_, None) => self
                .publish_everything(Sender::default())
                .await
                .map(|done| done.files_left),
            (_, Some(selection)) => {
                self.documents.borrow_mut().reload_for(Sender::default());
                let done = self.publish_now(Some(&selection)).await;
                done.map(|done| done.files_left)
            }
        };
        drop(reload_lock);
        ended
    }

    /// Publishes everything, for all calls that have asked for it so far. The caller must hold the lock.
    async fn publish_everything(&self, by: Sender) -> Result<Published, StoreError> {
        self.documents.borrow_mut().reload_for(by);
        let covers = self.reloads.borrow().begin();
        let ended = self.publish_now(None).await;
        self.reloads.borrow_mut().end(covers, ended.clone());
        ended
    }

    async fn publish_now(&self, selection: Option<&Selection>) -> Result<Published, StoreError> {
        let kv = PublishedSet::of(&self.env);
        // Fires if this turn is cut off, so that a half-written reload never stays one.
        self.reload_in(Some(RETRY_MS));
        let published = publish::publish(&self.documents, &kv, selection, &now()).await;
        let published = published.inspect_err(|_| self.retry())?;
        self.reload_in(published.files_left.then_some(SOON_MS));
        self.wake();
        glue::wake_uptime(&self.env);
        Ok(published)
    }

    async fn write_files(&self) -> Result<bool, StoreError> {
        let reload_lock = self.reload_lock.lock().await;
        let left = publish::sync_files(&self.documents, &PublishedSet::of(&self.env)).await?;
        drop(reload_lock);
        Ok(left)
    }

    /// Completes a reload that was cut off, or else writes the files it has left over.
    pub(super) async fn catch_up(&self, wanted: bool) {
        if !wanted {
            return;
        }
        let retry = self.documents.borrow().retry_at();
        let left = match retry {
            Ok(Some(at)) if at > clock() => return self.retry_at(at),
            Ok(Some(_)) => self.publish_again().await,
            Ok(None) => self.write_files().await,
            Err(error) => Err(error),
        };
        match left {
            Ok(left) => self.reload_in(left.then_some(SOON_MS)),
            Err(error) => {
                console_error!("registry alarm: {error}");
                self.retry();
            }
        }
    }

    /// Schedules another attempt of a reload that has failed.
    fn retry(&self) {
        let at = self.documents.borrow().retry_at().ok().flatten();
        self.retry_at(at.unwrap_or(0).max(clock().saturating_add(RETRY_MS)));
    }

    fn retry_at(&self, at: u64) {
        self.alarm.reload_at(Some(at));
        self.set_alarm();
    }

    fn reload_in(&self, after: Option<u64>) {
        let at = after.map(|after| clock().saturating_add(after));
        self.alarm.reload_at(at);
        self.set_alarm();
    }

    /// Deletes sets that are too old to be served anywhere.
    pub(super) async fn remove_old_sets(&self) {
        let kv = PublishedSet::of(&self.env);
        // No reload may be under way; the next one waits until this portion is done.
        let _turn = self.reload_lock.lock().await;
        if let Err(error) = publish::remove_old(&self.documents, &kv, clock()).await {
            console_error!("old sets: {error}");
        }
    }
}
