//! The KV port over a Workers KV namespace. Values travel as text only: KV's own JSON helpers go
//! through JavaScript values, which lose number texts and turn maps into `{}`.

use gatewright_engine::error::StoreError;
use gatewright_engine::ports::Kv;
use worker::Env;
use worker::kv::{KvError, KvStore};

/// The binding's name.
const BINDING: &str = "KV";

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
    move |error| StoreError::new(operation, error.to_string())
}

impl Kv for KvNamespace {
    async fn get(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.0.get(key).text().await.map_err(failed("read from KV"))
    }

    async fn put(&self, key: &str, value: &str, metadata: Option<&str>) -> Result<(), StoreError> {
        let failed = failed("write to KV");
        let mut put = self.0.put(key, value).map_err(&failed)?;
        if let Some(metadata) = metadata {
            put = put.metadata(metadata).map_err(&failed)?;
        }
        put.execute().await.map_err(failed)
    }

    async fn delete(&self, key: &str) -> Result<(), StoreError> {
        self.0.delete(key).await.map_err(failed("delete from KV"))
    }

    async fn list(&self, prefix: &str) -> Result<Vec<(String, Option<String>)>, StoreError> {
        let mut entries = Vec::new();
        let mut cursor: Option<String> = None;
        loop {
            let mut list = self.0.list().prefix(prefix.to_owned());
            if let Some(cursor) = cursor {
                list = list.cursor(cursor);
            }
            let page = list.execute().await.map_err(failed("list KV"))?;
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
