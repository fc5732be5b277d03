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

/// Returns why Workers KV refuses an entry, if it does. Metadata is stored as JSON.
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

/// How long a location caches what it has read, a miss too, in milliseconds.
const CACHED_MS: u64 = 60_000;
/// How long a key can't be written again, in milliseconds.
const WRITE_MS: u64 = 1000;

/// The clock of a namespace.
pub trait Time: std::fmt::Debug {
    /// Returns the time in Unix milliseconds.
    fn now_ms(&self) -> u64;
    /// Advances the clock.
    fn pass(&self, ms: u32);
}

/// The state that makes a namespace behave like the edge on a bad day.
#[derive(Debug)]
struct Edge {
    time: Box<dyn Time>,
    /// What each location has read of each key, and when.
    read: BTreeMap<(String, String), (u64, Option<String>)>,
    /// When each key was last written.
    written: BTreeMap<String, u64>,
}

/// A namespace shared between clones, as on one machine or, with [`MemoryKv::at_edge`], as at the edge.
#[derive(Clone, Debug, Default)]
pub struct MemoryKv {
    edge: Rc<RefCell<Option<Edge>>>,
    /// The location from which it is read.
    location: String,
    entries: Rc<RefCell<Entries>>,
    /// The operation and the key prefix that fail.
    faults: Rc<RefCell<Vec<(&'static str, String)>>>,
    /// Every operation, in order.
    calls: Rc<RefCell<Vec<String>>>,
}

impl MemoryKv {
    /// Creates a namespace that behaves like the edge at its worst: each location returns what it has read for a
    /// minute, even that a key was missing, and the second write of a key within a second is refused
    /// (<https://developers.cloudflare.com/kv/concepts/how-kv-works/>).
    #[must_use]
    pub fn at_edge(time: impl Time + 'static) -> Self {
        let edge = Edge {
            time: Box::new(time),
            read: BTreeMap::new(),
            written: BTreeMap::new(),
        };
        Self {
            edge: Rc::new(RefCell::new(Some(edge))),
            ..Self::default()
        }
    }

    /// Returns the same namespace, read at another location.
    #[must_use]
    pub fn at(&self, location: &str) -> Self {
        Self {
            location: location.to_owned(),
            ..self.clone()
        }
    }

    /// Returns what a location still has cached for a key.
    fn remembered(&self, key: &str) -> Option<Option<String>> {
        let edge = self.edge.borrow();
        let edge = edge.as_ref()?;
        let (at, value) = edge.read.get(&(self.location.clone(), key.to_owned()))?;
        let age = edge.time.now_ms().saturating_sub(*at);
        (age < CACHED_MS).then(|| value.clone())
    }

    /// Caches a key at a location.
    fn remember(&self, key: &str, value: Option<&String>) {
        if let Some(edge) = &mut *self.edge.borrow_mut() {
            let read = (edge.time.now_ms(), value.cloned());
            let of = (self.location.clone(), key.to_owned());
            edge.read.insert(of, read);
        }
    }

    /// Records a write of a key.
    fn write(&self, operation: &'static str, key: &str) -> Result<(), StoreError> {
        let mut edge = self.edge.borrow_mut();
        let Some(edge) = &mut *edge else {
            return Ok(());
        };
        let now = edge.time.now_ms();
        let last = edge.written.get(key);
        if last.is_some_and(|last| now.saturating_sub(*last) < WRITE_MS) {
            return Err(StoreError::new(operation, "429 Too Many Requests"));
        }
        edge.written.insert(key.to_owned(), now);
        Ok(())
    }

    /// Makes an operation (`get`, `put`, `delete`, `list`) fail for keys with this prefix.
    pub fn fail(&self, operation: &'static str, prefix: &str) {
        self.faults
            .borrow_mut()
            .push((operation, prefix.to_owned()));
    }

    /// Ends all faults.
    pub fn heal(&self) {
        self.faults.borrow_mut().clear();
    }

    /// Returns the operations since the last call of this function.
    #[must_use]
    pub fn take_calls(&self) -> Vec<String> {
        self.calls.take()
    }

    /// Returns all keys.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        self.entries.borrow().keys().cloned().collect()
    }

    /// Returns the value of a key, regardless of what a reader would see.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<String> {
        let entries = self.entries.borrow();
        entries.get(key).map(|(value, _)| value.clone())
    }

    /// Sets a key like another writer, without metadata.
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
        if let Some(value) = self.remembered(key) {
            return Ok(value);
        }
        let value = self.value(key);
        self.remember(key, value.as_ref());
        Ok(value)
    }

    async fn put(&self, key: &str, value: &str, metadata: Option<&str>) -> Result<(), StoreError> {
        self.begin("put", key)?;
        if let Some(reason) = refusal(key, value, metadata) {
            return Err(StoreError::new("put", reason));
        }
        self.write("put", key)?;
        let entry = (value.to_owned(), metadata.map(str::to_owned));
        self.entries.borrow_mut().insert(key.to_owned(), entry);
        Ok(())
    }

    async fn delete(&self, key: &str) -> Result<(), StoreError> {
        self.begin("delete", key)?;
        self.write("delete", key)?;
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

    async fn pause(&self, ms: u32) {
        if let Some(edge) = &*self.edge.borrow() {
            edge.time.pass(ms);
        }
    }
}
