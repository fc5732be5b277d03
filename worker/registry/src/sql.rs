//! The SQLite of a Durable Object.

use gatewright_controlplane::registry::sql::{Row, Sql, Value};
use gatewright_protocol::error::StoreError;
use gatewright_worker_platform::glue;
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use worker::Storage;

/// The database in an object's storage.
#[derive(Debug)]
pub(crate) struct ObjectSql(Storage);

impl ObjectSql {
    pub(crate) fn new(storage: Storage) -> Self {
        Self(storage)
    }
}

impl Sql for ObjectSql {
    fn query(&self, statement: &str, values: &[Value]) -> Result<Vec<Row>, StoreError> {
        let bound: Array = values.iter().map(bound).collect();
        let rows = glue::query_sql(self.0.as_raw(), statement, &bound)
            .map_err(|error| StoreError::new("sqlite", glue::text(&error)))?;
        let read = |row: JsValue| {
            let values = row.unchecked_into::<Array>().into_iter();
            let values = values.map(|value| found(&value));
            values.collect::<Result<Vec<_>, _>>().map(Row::from)
        };
        rows.iter().map(read).collect()
    }

    fn bytes(&self) -> Result<u64, StoreError> {
        let bytes = glue::database_size(self.0.as_raw())
            .map_err(|error| StoreError::new("sqlite", glue::text(&error)))?;
        Row::from(vec![Value::from_number(bytes)?]).number()
    }

    fn transaction(
        &self,
        run: &mut dyn FnMut() -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut failure = None;
        let mut body = || match run() {
            Ok(()) => true,
            Err(error) => {
                failure = Some(error);
                false
            }
        };
        let ended = glue::transaction_sync(self.0.as_raw(), &mut body);
        match (failure, ended) {
            (Some(error), _) => Err(error),
            (None, Err(error)) => Err(StoreError::new("transaction", glue::text(&error))),
            (None, Ok(())) => Ok(()),
        }
    }
}

fn bound(value: &Value) -> JsValue {
    match value {
        Value::Null => JsValue::NULL,
        Value::Integer(number) => JsValue::from_f64(*number as f64),
        Value::Text(text) => JsValue::from_str(text),
    }
}

fn found(value: &JsValue) -> Result<Value, StoreError> {
    if let Some(text) = value.as_string() {
        return Ok(Value::Text(text));
    }
    match value.as_f64() {
        Some(number) => Value::from_number(number),
        None if value.is_null() => Ok(Value::Null),
        None => Err(StoreError::new("sqlite", "found bytes")),
    }
}
