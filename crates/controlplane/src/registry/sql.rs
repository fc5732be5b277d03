//! The database of the Registry as a synchronous port: SQLite in a Durable Object answers at once.

use gatewright_protocol::error::StoreError;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

/// What a statement is given, and what it finds.
///
/// A number of a Durable Object is one of JavaScript: it arrives as a real one, which a column of integers
/// makes an integer again, and it is exact up to 2^53
/// (<https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/#supported-data-types>).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Nothing.
    Null,
    /// A whole number.
    Integer(i64),
    /// A text.
    Text(String),
}

impl Value {
    /// Up to here a number of JavaScript is exact: 2^53.
    const EXACT: f64 = 9_007_199_254_740_992.0;

    /// A number of JavaScript that a statement has found.
    ///
    /// # Errors
    /// If it has a fraction, or is not exact.
    pub fn whole(number: f64) -> Result<Self, StoreError> {
        if number.fract() == 0.0 && number.abs() <= Self::EXACT {
            Ok(Self::Integer(number as i64))
        } else {
            let detail = format!("{number} is no whole number up to 2^53");
            Err(StoreError::new("sqlite", detail))
        }
    }
}

/// A SQLite database with the limits of a Durable Object's, 100 parameters a statement among them
/// (<https://developers.cloudflare.com/durable-objects/platform/limits/>).
pub trait Sql: Debug {
    /// Runs one statement with as many values as it has parameters, `?` or `?1`, and answers the rows that
    /// it finds.
    ///
    /// # Errors
    /// If the statement can't be run; it has changed nothing then.
    fn query(&self, statement: &str, values: &[Value]) -> Result<Vec<Row>, StoreError>;

    /// How many bytes the database has, free pages among them.
    ///
    /// # Errors
    /// If that can't be found out.
    fn bytes(&self) -> Result<u64, StoreError>;

    /// Runs statements that take effect together, or not at all if `run` answers an error.
    ///
    /// # Errors
    /// What `run` answers, or that the transaction itself failed.
    fn transaction(
        &self,
        run: &mut dyn FnMut() -> Result<(), StoreError>,
    ) -> Result<(), StoreError>;
}

/// A row that a statement has found. Its values are taken one after the other.
#[derive(Clone, Debug)]
pub struct Row(std::vec::IntoIter<Value>);

impl From<Vec<Value>> for Row {
    fn from(values: Vec<Value>) -> Self {
        Self(values.into_iter())
    }
}

impl Iterator for Row {
    type Item = Value;

    fn next(&mut self) -> Option<Value> {
        self.0.next()
    }
}

impl Row {
    /// The next value, which is a text or nothing.
    ///
    /// # Errors
    /// If it is something else.
    pub fn maybe_text(&mut self) -> Result<Option<String>, StoreError> {
        match self.next() {
            Some(Value::Text(text)) => Ok(Some(text)),
            Some(Value::Null) => Ok(None),
            other => Err(unlike("a text", other.as_ref())),
        }
    }

    /// The next value, which is a text.
    ///
    /// # Errors
    /// If it is something else.
    pub fn text(&mut self) -> Result<String, StoreError> {
        let text = self.maybe_text()?;
        text.ok_or_else(|| unlike("a text", Some(&Value::Null)))
    }

    /// The next value, which is a number from 0 on, or nothing.
    ///
    /// # Errors
    /// If it is something else.
    pub fn maybe_number(&mut self) -> Result<Option<u64>, StoreError> {
        match self.next() {
            Some(Value::Null) => Ok(None),
            Some(Value::Integer(value)) => u64::try_from(value)
                .map(Some)
                .map_err(|_| unlike("a number from 0 on", Some(&Value::Integer(value)))),
            other => Err(unlike("a number", other.as_ref())),
        }
    }

    /// The next value, which is a number from 0 on.
    ///
    /// # Errors
    /// If it is something else.
    pub fn number(&mut self) -> Result<u64, StoreError> {
        let number = self.maybe_number()?;
        number.ok_or_else(|| unlike("a number", Some(&Value::Null)))
    }

    /// The next value, which is a text of JSON.
    ///
    /// # Errors
    /// If it is something else.
    pub fn json<T: DeserializeOwned>(&mut self) -> Result<T, StoreError> {
        serde_json::from_str(&self.text()?)
            .map_err(|error| StoreError::new("decode row", error.to_string()))
    }
}

/// What stands in a text of JSON.
///
/// # Errors
/// If a value can't be written as JSON.
pub fn json<T: Serialize + ?Sized>(value: &T) -> Result<Value, StoreError> {
    serde_json::to_string(value)
        .map(Value::Text)
        .map_err(|error| StoreError::new("encode row", error.to_string()))
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::Integer(i64::from(number))
    }
}

impl From<bool> for Value {
    fn from(is: bool) -> Self {
        Self::Integer(i64::from(is))
    }
}

/// Counters and times stay far below 2^53; what is larger is as large as can be.
impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Integer(i64::try_from(number).unwrap_or(i64::MAX))
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

fn unlike(wanted: &str, found: Option<&Value>) -> StoreError {
    // A text may be a whole document, and whose it is nobody's business.
    let found = match found {
        None => "no value",
        Some(Value::Null) => "nothing",
        Some(Value::Integer(_)) => "a number",
        Some(Value::Text(_)) => "a text",
    };
    StoreError::new("sqlite", format!("expected {wanted}, found {found}"))
}
