//! The files of the specification's application folder, which are copies of what the Registry holds.

use super::AT_ONCE;
use super::set::Set;
use crate::ports::Kv;
use crate::registry::Registry;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::snapshot::Candidate;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

/// The prefix of the files of the specification's application folder.
const FOLDER: &str = "apis/";
/// The maximum number of files that one alarm writes. An invocation may make 1,000 calls to KV
/// (<https://developers.cloudflare.com/kv/platform/limits/>).
const FILES_PER_ALARM: usize = 800;

/// Writes files that a large reload left for later. Returns whether there are still more.
///
/// # Errors
/// If KV fails; the next call finds what is missing.
pub async fn sync_files<K: Kv>(registry: &RefCell<Registry>, kv: &K) -> Result<bool, StoreError> {
    let set = registry.borrow_mut().published_set()?;
    let files = files(kv).await?;
    write_files(registry, kv, &set, &files, FILES_PER_ALARM).await
}

/// Whether a file was written by a reload.
fn is_own(files: &BTreeMap<String, Option<u64>>, name: &str) -> bool {
    files.get(name).is_some_and(Option::is_some)
}

pub(super) fn file_name(id: &str) -> String {
    format!("{FOLDER}{id}.json")
}

/// Returns the files in KV with the revision that each was written from; `None` for files that others have put there.
pub(super) async fn files<K: Kv>(kv: &K) -> Result<BTreeMap<String, Option<u64>>, StoreError> {
    let mut files = BTreeMap::new();
    for (name, metadata) in kv.list(FOLDER).await? {
        files.insert(name, metadata.and_then(|text| text.parse().ok()));
    }
    Ok(files)
}

/// Brings at most `most` files up to date. Returns whether some are left for later.
pub(super) async fn write_files<K: Kv>(
    registry: &RefCell<Registry>,
    kv: &K,
    set: &Set,
    files: &BTreeMap<String, Option<u64>>,
    most: usize,
) -> Result<bool, StoreError> {
    let stale = set.documents.iter().filter_map(|document| {
        let name = file_name(&document.id);
        let is_new = files.get(&name) != Some(&Some(document.revision));
        is_new.then_some((name, Some(document)))
    });
    let gone = set.deleted.iter().filter_map(|id| {
        let name = file_name(id);
        files.contains_key(&name).then_some((name, None))
    });
    // A file for an API that is not published yet may be somebody's own.
    let withdrawn = set.absent.iter().filter_map(|id| {
        let name = file_name(id);
        is_own(files, &name).then_some((name, None))
    });
    let mut work: Vec<_> = gone.chain(withdrawn).chain(stale).collect();
    let left = Cell::new(work.len() > most);
    work.truncate(most);
    stream::iter(work.into_iter().map(Ok))
        .try_for_each_concurrent(AT_ONCE, |(name, document)| {
            let left = &left;
            async move {
                let done = match document {
                    None => kv.delete(&name).await,
                    Some(document) => {
                        let text = document.served(&registry.borrow().rows)?;
                        let revision = document.revision.to_string();
                        kv.put(&name, &text, Some(&revision)).await
                    }
                };
                match done {
                    // A copy need not be up to date within a second.
                    Err(error) if error.is_throttled() => {
                        left.set(true);
                        Ok(())
                    }
                    done => done,
                }
            }
        })
        .await?;
    Ok(left.get())
}

/// Returns files that others have put into the folder. The specification's folder is open: its files are loaded unless
/// they conflict with what the Registry owns.
pub(super) async fn foreign<K: Kv>(
    kv: &K,
    set: &Set,
    files: &BTreeMap<String, Option<u64>>,
) -> Result<Vec<Candidate>, StoreError> {
    let mut own = std::collections::BTreeSet::new();
    own.extend(set.deleted.iter().map(|id| file_name(id)));
    own.extend(set.documents.iter().map(|document| file_name(&document.id)));
    let absent = set.absent.iter().map(|id| file_name(id));
    own.extend(absent.filter(|name| is_own(files, name)));
    let names = files
        .keys()
        .filter(|name| name.ends_with(".json") && !own.contains(*name));
    stream::iter(names)
        .map(|name| async move {
            let text = kv.get(name).await?.unwrap_or_default();
            Ok(Candidate {
                file: name.clone(),
                revision: 0,
                text,
            })
        })
        .buffered(AT_ONCE)
        .try_collect()
        .await
}
