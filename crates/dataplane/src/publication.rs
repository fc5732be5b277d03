//! How an isolate loads what is published, and later sets.
//!
//! The promise: an isolate serves one complete set and never goes back to an older one, nor to an older list of
//! organisations. KV may be a minute behind at a location, misses included
//! (<https://developers.cloudflare.com/kv/concepts/how-kv-works/>): what is missing there is requested from the
//! Registry, and if that lacks it too, the previous set is served. One request of an isolate loads while the others
//! wait, each on its own timer, because the runtime doesn't let one request end another one's wait.

use crate::chain::Settings;
use crate::snapshot::Snapshot;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::snapshot::{self, Chunk, GENERATION_KEY, Generation, ORGS_KEY, Orgs};
use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::rc::Rc;

/// The port through which published data is read.
pub trait Source {
    /// The value of a key in KV at this location.
    async fn kv(&self, key: &str) -> Result<Option<String>, StoreError>;
    /// The value that KV should have for a key; `None` if it is not published.
    async fn registry(&self, key: &str) -> Result<Option<String>, StoreError>;
    /// Waits for this many milliseconds.
    async fn wait(&self, ms: u32);
    /// The current time in Unix milliseconds.
    fn now_ms(&self) -> u64;
    /// The settings for the chains of a set.
    fn settings(&self) -> Settings;
}

/// How often a request checks whether another one has loaded the set, in milliseconds.
const POLL_MS: u32 = 10;
/// A load without progress for this many milliseconds is considered dead: its request was cancelled by the client.
const STALLED_MS: u64 = 3000;

/// What an isolate knows about published data.
#[derive(Debug, Default)]
pub struct Publication {
    snapshot: RefCell<Option<Rc<Snapshot>>>,
    orgs: RefCell<Option<Known>>,
    /// When the current load last made progress.
    loading: Cell<Option<u64>>,
    /// The number of failed loads, and the last error.
    failures: RefCell<(u64, Option<StoreError>)>,
}

/// The organisations that have a session, with the version of that list.
#[derive(Debug)]
struct Known {
    version: u64,
    orgs: HashSet<String>,
    trust: Rc<str>,
}

impl Publication {
    /// The set being served, if one has been loaded.
    #[must_use]
    pub fn snapshot(&self) -> Option<Rc<Snapshot>> {
        self.snapshot.borrow().clone()
    }

    /// Whether an organisation has a session.
    #[must_use]
    pub fn has_session(&self, org: &str) -> bool {
        let known = self.orgs.borrow();
        known.as_ref().is_some_and(|known| known.orgs.contains(org))
    }

    /// The settings that tokens are checked against besides definitions, as JSON, with the version of the list they
    /// came with; empty if there are none.
    #[must_use]
    pub fn trust(&self) -> (u64, Rc<str>) {
        let known = self.orgs.borrow();
        let trust = |known: &Known| (known.version, Rc::clone(&known.trust));
        known.as_ref().map_or_else(|| (0, "".into()), trust)
    }

    /// Takes a list of organisations that have a session, unless a newer one is known.
    ///
    /// # Errors
    /// If the list is malformed.
    pub fn learn_orgs(&self, list: &str) -> Result<(), StoreError> {
        let list = Orgs::read(list)?;
        let mut known = self.orgs.borrow_mut();
        if known
            .as_ref()
            .is_none_or(|known| list.version > known.version)
        {
            let mut orgs = HashSet::new();
            orgs.extend(list.keys);
            let version = list.version;
            let trust = list.trust.into();
            *known = Some(Known {
                version,
                orgs,
                trust,
            });
        }
        Ok(())
    }

    /// Returns the set to serve. Only the first requests of an isolate wait for it.
    ///
    /// # Errors
    /// If the set can't be read.
    pub async fn ensure(&self, source: &impl Source) -> Result<Rc<Snapshot>, StoreError> {
        let failures = self.failures.borrow().0;
        loop {
            if let Some(snapshot) = self.snapshot() {
                return Ok(snapshot);
            }
            if let (count, Some(error)) = &*self.failures.borrow()
                && *count != failures
            {
                return Err(error.clone());
            }
            if self.may_load(source) {
                let loaded = self.end(self.load(source).await);
                // The previous set may have been loaded instead.
                return loaded.or_else(|error| self.snapshot().ok_or(error));
            }
            source.wait(POLL_MS).await;
        }
    }

    /// Looks for a newer set, unless a load is under way.
    ///
    /// # Errors
    /// If the set can't be read. The previous one stays in service.
    pub async fn look(&self, source: &impl Source) -> Result<(), StoreError> {
        if self.may_load(source) {
            return self.end(self.load(source).await).map(drop);
        }
        Ok(())
    }

    /// Loads a set that has just been published, or a newer one.
    ///
    /// # Errors
    /// If the set can't be read. The previous one stays in service.
    pub async fn take(
        &self,
        source: &impl Source,
        published: Generation,
    ) -> Result<Rc<Snapshot>, StoreError> {
        while !self.may_load(source) {
            source.wait(POLL_MS).await;
        }
        let taken = async {
            self.ensure_orgs(source).await?;
            self.load_set(source, &published).await
        };
        self.end(taken.await)
    }

    /// Claims the load, unless another one is making progress.
    fn may_load(&self, source: &impl Source) -> bool {
        let now = source.now_ms();
        let is_alive = |at| now.saturating_sub(at) < STALLED_MS;
        let may = !self.loading.get().is_some_and(is_alive);
        if may {
            self.loading.set(Some(now));
        }
        may
    }

    /// Records that the load makes progress.
    fn note_progress(&self, source: &impl Source) {
        self.loading.set(Some(source.now_ms()));
    }

    fn end<T>(&self, ended: Result<T, StoreError>) -> Result<T, StoreError> {
        self.loading.set(None);
        ended.inspect_err(|error| {
            let mut failures = self.failures.borrow_mut();
            failures.0 = failures.0.saturating_add(1);
            failures.1 = Some(error.clone());
        })
    }

    async fn load(&self, source: &impl Source) -> Result<Rc<Snapshot>, StoreError> {
        self.load_orgs(source).await?;
        self.note_progress(source);
        let here = match source.kv(GENERATION_KEY).await {
            Ok(Some(text)) => Generation::read(&text).map(Some),
            missing => missing.map(|_| None),
        };
        let published = match (here, self.snapshot()) {
            (Ok(Some(published)), _) => published,
            (Ok(None), Some(loaded)) => return Ok(loaded),
            (Err(error), Some(_)) => return Err(error),
            (_, None) => self.newest(source).await?,
        };
        self.load_set(source, &published).await
    }

    /// The latest generation, according to the Registry.
    async fn newest(&self, source: &impl Source) -> Result<Generation, StoreError> {
        let text = source.registry(GENERATION_KEY).await?;
        text.map_or_else(|| Ok(Generation::default()), |text| Generation::read(&text))
    }

    /// Loads the list of organisations that have a session.
    async fn load_orgs(&self, source: &impl Source) -> Result<(), StoreError> {
        // This location's list may be outdated or missing; then the known one stays.
        if let Ok(Some(list)) = source.kv(ORGS_KEY).await {
            let _ = self.learn_orgs(&list);
        }
        self.ensure_orgs(source).await
    }

    /// Ensures that a list is known: without one an isolate would let everything pass, so it doesn't start serving.
    async fn ensure_orgs(&self, source: &impl Source) -> Result<(), StoreError> {
        if self.orgs.borrow().is_some() {
            return Ok(());
        }
        self.note_progress(source);
        let list = source.registry(ORGS_KEY).await?;
        let list = list.ok_or_else(|| StoreError::new("read organisations", "nobody has a list"));
        self.learn_orgs(&list?)
    }

    /// Loads a set or, if it is unavailable, another one that is newer than what is loaded.
    async fn load_set(
        &self,
        source: &impl Source,
        wanted: &Generation,
    ) -> Result<Rc<Snapshot>, StoreError> {
        let error = match self.try_set(source, wanted).await {
            Ok(snapshot) => return Ok(snapshot),
            Err(error) => error,
        };
        // The generation that KV names here may be so old that its set is gone.
        let newest = self.newest(source).await.unwrap_or_else(|_| wanted.clone());
        let mut others = Vec::new();
        if newest.generation != wanted.generation {
            others.extend([newest.clone(), newest.set_before()]);
        }
        others.push(wanted.clone().set_before());
        for other in others {
            let is_newer = self
                .snapshot()
                .is_none_or(|loaded| loaded.generation < other.generation);
            if other.generation > 0 && is_newer && self.try_set(source, &other).await.is_ok() {
                break;
            }
        }
        match self.snapshot() {
            // A caller waiting for exactly this set must learn that it is not served.
            Some(loaded) if loaded.generation > wanted.generation => Ok(loaded),
            _ => Err(error),
        }
    }

    /// Loads a set and puts it into service, unless a newer one already is.
    async fn try_set(
        &self,
        source: &impl Source,
        wanted: &Generation,
    ) -> Result<Rc<Snapshot>, StoreError> {
        let is_served = |loaded: &Rc<Snapshot>| loaded.generation >= wanted.generation;
        if let Some(loaded) = self.snapshot().filter(is_served) {
            return Ok(loaded);
        }
        let mut snapshot = Snapshot::empty(wanted.generation, source.settings());
        // One by one: each chunk's text is held in memory while it is parsed.
        for chunk in 0..wanted.chunks {
            self.note_progress(source);
            if let Ok(Some(text)) = source.kv(&wanted.key(chunk)).await
                && let Ok(chunk) = Chunk::read(&text)
            {
                snapshot.take(chunk)?;
                continue;
            }
            let key = snapshot::key(wanted.generation, chunk);
            let text = source.registry(&key).await?;
            let missing = || StoreError::new("read snapshot", format!("{key} is missing"));
            snapshot.take(Chunk::read(&text.ok_or_else(missing)?)?)?;
        }
        // A slow load of an older set must not replace a newer one.
        if let Some(loaded) = self.snapshot().filter(is_served) {
            return Ok(loaded);
        }
        let snapshot = Rc::new(snapshot);
        self.snapshot.replace(Some(Rc::clone(&snapshot)));
        Ok(snapshot)
    }
}
