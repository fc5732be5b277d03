//! Workers KV. Values cross only as text: KV's own JSON helpers go through JavaScript values, which lose the text of
//! numbers and turn maps into `{}`. A call that doesn't complete in time fails.

use crate::glue;
use gatewright_protocol::error::StoreError;
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use worker::Env;

/// The namespace behind the binding `KV`.
#[derive(Clone, Copy, Debug)]
pub struct KvNamespace<'a>(pub &'a Env);

fn failed(operation: &'static str) -> impl Fn(JsValue) -> StoreError {
    move |error| StoreError::new(operation, glue::text(&error))
}

impl KvNamespace<'_> {
    /// Reads a key's value, if it has one.
    ///
    /// # Errors
    /// If KV does not respond.
    pub async fn get(&self, key: &str) -> Result<Option<String>, StoreError> {
        let value = glue::call_kv(self.0, "get", key).await;
        Ok(value.map_err(failed("read from KV"))?.as_string())
    }

    /// Writes a key, with metadata that [`Self::list`] returns.
    ///
    /// # Errors
    /// If KV does not respond.
    pub async fn put(
        &self,
        key: &str,
        value: &str,
        metadata: Option<&str>,
    ) -> Result<(), StoreError> {
        let put = glue::put_kv(self.0, key, value, metadata).await;
        put.map(drop).map_err(failed("write to KV"))
    }

    /// Deletes a key.
    ///
    /// # Errors
    /// If KV does not respond.
    pub async fn delete(&self, key: &str) -> Result<(), StoreError> {
        let deleted = glue::call_kv(self.0, "delete", key).await;
        deleted.map(drop).map_err(failed("delete from KV"))
    }

    /// Lists all keys that start with `prefix`, each with its metadata.
    ///
    /// # Errors
    /// If KV does not respond.
    pub async fn list(&self, prefix: &str) -> Result<Vec<(String, Option<String>)>, StoreError> {
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
