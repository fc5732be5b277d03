//! Workers KV in memory.

use gatewright_controlplane::ports::Kv;
use gatewright_protocol::error::StoreError;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Values with their metadata, by key.
type Entries = BTreeMap<String, (String, Option<String>)>;

/// The limits of Workers KV in bytes (<https://developers.cloudflare.com/kv/platform/limits/>).
const KEY_MAX: usize = 512;
const VALUE_MAX: usize = 25 * 1024 * 1024;
const METADATA_MAX: usize = 1024;

/// Why Workers KV takes no such entry, if it doesn't. Metadata is stored as JSON.
fn refusal(key: &str, value: &str, metadata: Option<&str>) -> Option<&'static str> {
    if matches!(key, "" | "." | "..") || key.len() > KEY_MAX {
        return Some("the key is not allowed");
    }
    if value.len() > VALUE_MAX {
        return Some("the value is too large");
    }
    let metadata = serde_json::json!(metadata).to_string();
    (metadata.len() > METADATA_MAX).then_some("the metadata is too long")
}

/// A namespace that a clone shares.
#[derive(Clone, Debug, Default)]
pub struct MemoryKv {
    entries: Rc<RefCell<Entries>>,
    /// Operation and beginning of the key that fail.
    faults: Rc<RefCell<Vec<(&'static str, String)>>>,
    /// Every operation in its order.
    calls: Rc<RefCell<Vec<String>>>,
}

impl MemoryKv {
    /// Makes an operation (`get`, `put`, `delete`, `list`) fail for keys that begin so.
    pub fn fail(&self, operation: &'static str, prefix: &str) {
        self.faults
            .borrow_mut()
            .push((operation, prefix.to_owned()));
    }

    /// Ends all faults.
    pub fn heal(&self) {
        self.faults.borrow_mut().clear();
    }

    /// The operations since the last call of this.
    #[must_use]
    pub fn take_calls(&self) -> Vec<String> {
        self.calls.take()
    }

    /// All keys.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        self.entries.borrow().keys().cloned().collect()
    }

    /// The value of a key, whatever a reader would see.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<String> {
        let entries = self.entries.borrow();
        entries.get(key).map(|(value, _)| value.clone())
    }

    /// Sets a key as somebody else would, without metadata.
    pub fn set(&self, key: &str, value: &str) {
        self.entries
            .borrow_mut()
            .insert(key.to_owned(), (value.to_owned(), None));
    }

    fn begin(&self, operation: &'static str, key: &str) -> Result<(), StoreError> {
        self.calls.borrow_mut().push(format!("{operation} {key}"));
        let faults = self.faults.borrow();
        let fails = faults
            .iter()
            .any(|(wrong, prefix)| *wrong == operation && key.starts_with(prefix));
        if fails {
            Err(StoreError::new(operation, "fault"))
        } else {
            Ok(())
        }
    }
}

impl Kv for MemoryKv {
    async fn get(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.begin("get", key)?;
        Ok(self
            .entries
            .borrow()
            .get(key)
            .map(|(value, _)| value.clone()))
    }

    async fn put(&self, key: &str, value: &str, metadata: Option<&str>) -> Result<(), StoreError> {
        self.begin("put", key)?;
        if let Some(reason) = refusal(key, value, metadata) {
            return Err(StoreError::new("put", reason));
        }
        let entry = (value.to_owned(), metadata.map(str::to_owned));
        self.entries.borrow_mut().insert(key.to_owned(), entry);
        Ok(())
    }

    async fn delete(&self, key: &str) -> Result<(), StoreError> {
        self.begin("delete", key)?;
        self.entries.borrow_mut().remove(key);
        Ok(())
    }

    async fn list(&self, prefix: &str) -> Result<Vec<(String, Option<String>)>, StoreError> {
        self.begin("list", prefix)?;
        let entries = self.entries.borrow();
        let found = entries.iter().filter(|(key, _)| key.starts_with(prefix));
        Ok(found
            .map(|(key, (_, metadata))| (key.clone(), metadata.clone()))
            .collect())
    }
}
