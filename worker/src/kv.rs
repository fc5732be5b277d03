//! The KV port over a Workers KV namespace. Values travel as text only: KV's own JSON helpers go
//! through JavaScript values, which lose number texts and turn maps into `{}`.

use crate::glue;
use gatewright_controlplane::ports::Kv;
use gatewright_protocol::error::StoreError;
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use worker::Env;

/// The namespace behind the binding `KV`. A call that is not answered in time fails.
pub(crate) struct KvNamespace<'a>(pub(crate) &'a Env);

fn failed(operation: &'static str) -> impl Fn(JsValue) -> StoreError {
    move |error| StoreError::new(operation, glue::text(&error))
}

impl Kv for KvNamespace<'_> {
    async fn get(&self, key: &str) -> Result<Option<String>, StoreError> {
        let value = glue::call_kv(self.0, "get", key).await;
        Ok(value.map_err(failed("read from KV"))?.as_string())
    }

    async fn put(&self, key: &str, value: &str, metadata: Option<&str>) -> Result<(), StoreError> {
        let put = glue::put_kv(self.0, key, value, metadata).await;
        put.map(drop).map_err(failed("write to KV"))
    }

    async fn delete(&self, key: &str) -> Result<(), StoreError> {
        let deleted = glue::call_kv(self.0, "delete", key).await;
        deleted.map(drop).map_err(failed("delete from KV"))
    }

    async fn list(&self, prefix: &str) -> Result<Vec<(String, Option<String>)>, StoreError> {
        let found = glue::list_kv(self.0, prefix).await;
        let found: Array = found
            .and_then(JsCast::dyn_into)
            .map_err(failed("list KV"))?;
        let mut texts = found.iter();
        let mut entries = Vec::new();
        while let (Some(name), Some(metadata)) = (texts.next(), texts.next()) {
            entries.push((name.as_string().unwrap_or_default(), metadata.as_string()));
        }
        Ok(entries)
    }
}
