//! Writes the chunks of a set to KV.

use super::file_name;
use super::missing::chunk_part;
use super::names::Names;
use super::set::Set;
use super::uptime::may_have_tests;
use crate::ports::Kv;
use crate::registry::Registry;
use crate::registry::rows::parts;
use gatewright_protocol::error::StoreError;
use gatewright_protocol::snapshot::{self, Candidate, Chunks, Outcome};
use std::cell::RefCell;

/// The approximate size of an API in an isolate's memory in bytes, apart from its definition's text, measured with ten
/// thousand small ones.
const API_BYTES: usize = 3500;

/// Writes the chunks of one set.
struct Writer<'a, K> {
    registry: &'a RefCell<Registry>,
    kv: &'a K,
    generation: u64,
    /// The names of the chunks written so far.
    names: Vec<String>,
    /// The chunks that are in KV already.
    known: &'a Names,
    bytes: usize,
}

impl<K: Kv> Writer<'_, K> {
    /// Writes a chunk; `apis` is the number of APIs in the set so far.
    async fn put(&mut self, text: &str, apis: usize) -> Result<(), StoreError> {
        self.bytes = self.bytes.saturating_add(text.len());
        let most = self.registry.borrow().set_bytes;
        if apis.saturating_mul(API_BYTES).saturating_add(self.bytes) > most {
            let detail = format!(
                "the set takes more than the {} MB of an isolate that PUBLISHED_SET_MAX_MB allows: switch \
                 APIs off, or take what they don't need out of them",
                most / 1_000_000
            );
            return Err(StoreError::new("publish", detail));
        }
        // Stored here first: where KV does not have it, isolates ask the Registry.
        let part = chunk_part(self.names.len());
        let pieces = parts(self.generation, &part, text);
        self.registry.borrow().rows.commit(&pieces)?;
        let name = snapshot::name(text);
        if !self.known.has(&name) && !self.names.contains(&name) {
            self.kv.put(&snapshot::named_key(&name), text, None).await?;
        }
        self.names.push(name);
        Ok(())
    }
}

/// Writes the chunks of a set that KV does not have yet. Returns the names of its chunks, the outcome for each
/// document, and which APIs may have uptime tests, for [`super::uptime::test_parts`].
pub(super) async fn write<K: Kv>(
    registry: &RefCell<Registry>,
    kv: &K,
    set: &Set,
    foreign: Vec<Candidate>,
) -> Result<(Vec<String>, Outcome, String), StoreError> {
    let known = Names::load(&registry.borrow().rows)?;
    let allowed = registry.borrow().allowed.clone();
    let mut chunks = Chunks::allowing(allowed);
    let mut writer = Writer {
        registry,
        kv,
        generation: set.generation,
        names: Vec::new(),
        known: &known,
        bytes: 0,
    };
    let mut tests = String::new();
    for document in set.documents.iter().filter(|document| document.is_active) {
        let (id, revision) = (&document.id, document.revision);
        let candidate = Candidate {
            file: file_name(id),
            revision,
            text: document.with_tools(&registry.borrow())?,
        };
        let before = chunks.count();
        if let Some(chunk) = chunks.add(&candidate) {
            writer.put(&chunk, chunks.count()).await?;
        }
        if chunks.count() > before && may_have_tests(&candidate.text) {
            tests.push_str(&format!("{id} {revision}\n"));
        }
    }
    for candidate in foreign {
        if let Some(chunk) = chunks.add(&candidate) {
            writer.put(&chunk, chunks.count()).await?;
        }
    }
    for chunk in Chunks::policies(&set.policies) {
        writer.put(&chunk, chunks.count()).await?;
    }
    let count = chunks.count();
    let (last, outcome) = chunks.finish();
    writer.put(&last, count).await?;
    Ok((writer.names, outcome, tests))
}
