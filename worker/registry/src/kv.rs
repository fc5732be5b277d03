//! The KV port of the control plane over a Workers KV namespace.

use gatewright_controlplane::ports::Kv;
use gatewright_protocol::error::StoreError;
use gatewright_worker_platform::glue;
use gatewright_worker_platform::kv::KvNamespace;
use worker::Env;

/// The namespace that sets are published to.
pub(crate) struct PublishedSet<'a>(KvNamespace<'a>);

impl<'a> PublishedSet<'a> {
    pub(crate) const fn of(env: &'a Env) -> Self {
        Self(KvNamespace(env))
    }
}

impl Kv for PublishedSet<'_> {
    async fn get(&self, key: &str) -> Result<Option<String>, StoreError> {
        self.0.get(key).await
    }

    async fn put(&self, key: &str, value: &str, metadata: Option<&str>) -> Result<(), StoreError> {
        self.0.put(key, value, metadata).await
    }

    async fn delete(&self, key: &str) -> Result<(), StoreError> {
        self.0.delete(key).await
    }

    async fn list(&self, prefix: &str) -> Result<Vec<(String, Option<String>)>, StoreError> {
        self.0.list(prefix).await
    }

    async fn pause(&self, ms: u32) {
        glue::wait(ms.into()).await;
    }
}
