//! What the Registry's alarm does, and when it is due.

use super::Memory;
use gatewright_controlplane::config::WebhookConfig;
use gatewright_controlplane::ports::Platform as _;
use gatewright_controlplane::registry::deliveries::pump;
use gatewright_controlplane::registry::publish;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::registry::Selection;
use gatewright_protocol::time::millis;

impl Memory {
    /// Updates KV as the Registry's alarm does.
    ///
    /// # Errors
    /// If KV or the rows fail.
    pub async fn keep_up(&self) -> Result<(), StoreError> {
        publish::write_orgs(&self.registry, &self.kv, self.clock.at_ms()).await?;
        publish::remove_old(&self.registry, &self.kv, self.clock.at_ms()).await
    }

    /// Returns when earlier sets may be deleted from KV, in Unix milliseconds.
    #[must_use]
    pub fn sets_due_at(&self) -> Option<u64> {
        self.registry.borrow_mut().sets_due().unwrap()
    }

    /// Returns when organisations have to be written to KV, in Unix milliseconds.
    #[must_use]
    pub fn orgs_due_at(&self) -> Option<u64> {
        self.registry.borrow_mut().orgs_due().unwrap()
    }

    /// Whether the last reload was interrupted.
    #[must_use]
    pub fn is_unfinished(&self) -> bool {
        self.retry_at().is_some()
    }

    /// Returns what an interrupted reload is to publish; `None` for everything.
    #[must_use]
    pub fn unfinished(&self) -> Option<Selection> {
        self.registry.borrow().unfinished().unwrap()
    }

    /// Returns when an interrupted reload is retried, in Unix milliseconds.
    #[must_use]
    pub fn retry_at(&self) -> Option<u64> {
        self.registry.borrow().retry_at().unwrap()
    }

    /// Delivers what is due, as the alarm does. Returns when the next delivery is due, in Unix milliseconds.
    ///
    /// # Errors
    /// As for the run.
    pub async fn deliver(&self) -> Result<Option<u64>, StoreError> {
        let clock = || millis(&self.now()).unwrap();
        let tell = |line: &str| self.log.borrow_mut().push(line.to_owned());
        let config = WebhookConfig::default();
        pump::run(&self.registry, self, &clock, &config, &tell).await?;
        self.registry.borrow_mut().next_delivery()
    }

    /// Deletes expired keys, as the alarm does.
    ///
    /// # Errors
    /// As for the Registry.
    pub fn delete_expired_keys(&self) -> Result<(), StoreError> {
        self.lending(|registry| registry.remove_ended(&self.now()))?;
        let lines = self.registry.borrow_mut().take_lines();
        self.log.borrow_mut().extend(lines);
        Ok(())
    }

    /// Returns when the next key expires, in Unix milliseconds.
    #[must_use]
    pub fn next_end(&self) -> Option<u64> {
        self.registry.borrow_mut().next_end().unwrap()
    }

    /// Reports the events counted in a past second, as the alarm does.
    ///
    /// # Errors
    /// If the Registry fails.
    pub fn send_counts(&self) -> Result<(), StoreError> {
        self.registry.borrow_mut().send_counts(&self.now())
    }

    /// Runs one step of a sweep, as the alarm does. Returns when the next one is due, in Unix milliseconds.
    ///
    /// # Errors
    /// As for the Registry.
    pub fn sweep(&self) -> Result<Option<u64>, StoreError> {
        let mut registry = self.registry.borrow_mut();
        registry.sweep(&self.now())?;
        self.log.borrow_mut().extend(registry.take_lines());
        registry.next_sweep()
    }
}
