//! The KV port over a Workers KV namespace. Values travel as text only: KV's own JSON helpers go
//! through JavaScript values, which lose number texts and turn maps into `{}`.

use crate::glue;
use futures_util::future::{Either, select};
use gatewright_engine::error::StoreError;
use gatewright_engine::ports::Kv;
use std::pin::pin;
use std::time::Duration;
use worker::kv::{KvError, KvStore};
use worker::{Delay, Env};

/// The binding's name.
const BINDING: &str = "KV";
/// How long a call may take. KV answers within milliseconds where it has the key, and within a
/// second or two where it has to fetch it.
const PATIENCE: Duration = Duration::from_secs(15);

/// A Workers KV namespace.
pub(crate) struct KvNamespace(KvStore);

impl KvNamespace {
    /// Opens the binding.
    ///
    /// # Errors
    /// If the worker is deployed without it.
    pub(crate) fn open(env: &Env) -> Result<Self, StoreError> {
        env.kv(BINDING)
            .map(Self)
            .map_err(|error| StoreError::new("open KV", error.to_string()))
    }
}

fn failed(operation: &'static str) -> impl Fn(KvError) -> StoreError {
    move |error| {
        let detail = match error {
            KvError::JavaScript(error) => glue::text(&error),
            other => other.to_string(),
        };
        StoreError::new(operation, detail)
    }
}

/// Waits for a call to KV no longer than [`PATIENCE`]: one that never answers would hold up every
/// reload after it.
async fn answer<T>(
    operation: &'static str,
    call: impl Future<Output = Result<T, KvError>>,
) -> Result<T, StoreError> {
    let call = pin!(call);
    match select(call, Delay::from(PATIENCE)).await {
        Either::Left((answer, _)) => answer.map_err(failed(operation)),
        Either::Right(_) => Err(StoreError::new(operation, "no answer in time")),
    }
}

impl Kv for KvNamespace {
    async fn get(&self, key: &str) -> Result<Option<String>, StoreError> {
        answer("read from KV", self.0.get(key).text()).await
    }

    async fn put(&self, key: &str, value: &str, metadata: Option<&str>) -> Result<(), StoreError> {
        const OPERATION: &str = "write to KV";
        let mut put = self.0.put(key, value).map_err(failed(OPERATION))?;
        if let Some(metadata) = metadata {
            put = put.metadata(metadata).map_err(failed(OPERATION))?;
        }
        answer(OPERATION, put.execute()).await
    }

    async fn delete(&self, key: &str) -> Result<(), StoreError> {
        answer("delete from KV", self.0.delete(key)).await
    }

    async fn list(&self, prefix: &str) -> Result<Vec<(String, Option<String>)>, StoreError> {
        let mut entries = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let mut list = self.0.list().prefix(prefix.to_owned());
            if let Some(cursor) = cursor {
                list = list.cursor(cursor);
            }
            let page = answer("list KV", list.execute()).await?;
            entries.extend(page.keys.into_iter().map(|key| {
                let metadata = key
                    .metadata
                    .and_then(|value| value.as_str().map(str::to_owned));
                (key.name, metadata)
            }));
            cursor = page.cursor.filter(|_| !page.list_complete);
            if cursor.is_none() {
                return Ok(entries);
            }
        }
    }
}
