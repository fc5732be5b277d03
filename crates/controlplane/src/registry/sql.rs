//! The Registry's database as a synchronous port: SQLite in a Durable Object responds synchronously.

use super::encoding::{from_json, to_json};
use gatewright_protocol::error::StoreError;
use gatewright_protocol::schema::{FOUND, MAKE, REACHED, refusal};
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fmt::Debug;

/// A parameter of a statement, or a value it finds.
///
/// A number in a Durable Object is a JavaScript number: it is sent as a floating-point number, which an integer column
/// turns back into an integer, and it is exact up to 2^53
/// (<https://developers.cloudflare.com/durable-objects/api/sqlite-storage-api/#supported-data-types>).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// SQL's `NULL`.
    Null,
    /// A whole number.
    Integer(i64),
    /// A text.
    Text(String),
}

impl Value {
    /// The limit up to which a JavaScript number is an exact integer: 2^53.
    const EXACT: f64 = 9_007_199_254_740_992.0;

    /// Converts a JavaScript number that a statement has found.
    ///
    /// # Errors
    /// If it has a fraction, or is not exact.
    pub fn from_number(number: f64) -> Result<Self, StoreError> {
        if number.fract() == 0.0 && number.abs() <= Self::EXACT {
            Ok(Self::Integer(number as i64))
        } else {
            let detail = format!("{number} is no whole number up to 2^53");
            Err(StoreError::new("sqlite", detail))
        }
    }
}

/// A SQLite database with the limits of a Durable Object's, such as 100 parameters per statement
/// (<https://developers.cloudflare.com/durable-objects/platform/limits/>).
pub trait Sql: Debug {
    /// Runs one statement with one value for each of its parameters, `?` or `?1`, and returns the rows it finds.
    ///
    /// # Errors
    /// If the statement can't be run; then it has changed nothing.
    fn query(&self, statement: &str, values: &[Value]) -> Result<Vec<Row>, StoreError>;

    /// Returns the size of the database in bytes, free pages included.
    ///
    /// # Errors
    /// If it can't be determined.
    fn bytes(&self) -> Result<u64, StoreError>;

    /// Runs statements that take effect together, or not at all if `run` returns an error.
    ///
    /// # Errors
    /// The error of `run`, or that of the transaction itself.
    fn transaction(
        &self,
        run: &mut dyn FnMut() -> Result<(), StoreError>,
    ) -> Result<(), StoreError>;
}

/// Migrates the tables of a database to this release, all steps together or none. Step n, a list of lists of statements,
/// migrates version n - 1 to version n.
///
/// # Errors
/// If the tables belong to a later release, which changes nothing, or a step fails.
pub(crate) fn migrate(sql: &dyn Sql, steps: &[&[&[&str]]]) -> Result<(), StoreError> {
    sql.query(MAKE, &[])?;
    let found = sql.query(FOUND, &[])?.into_iter().next();
    let found = found.map_or(Ok(0), |mut row| row.number())?;
    let known = u64::try_from(steps.len()).unwrap_or(u64::MAX);
    if found > known {
        return Err(StoreError::new("open database", refusal(found, known)));
    }
    if found == known {
        return Ok(());
    }
    sql.transaction(&mut || {
        for (version, step) in (1_u64..).zip(steps).filter(|(version, _)| *version > found) {
            for statement in step.iter().copied().flatten() {
                sql.query(statement, &[])?;
            }
            sql.query(REACHED, &[version.into()])?;
        }
        Ok(())
    })
}

/// A row that a statement has found. Its values are read one after the other.
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
    /// Returns the next value, a text or `NULL`.
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

    /// Returns the next value, a text.
    ///
    /// # Errors
    /// If it is something else.
    pub fn text(&mut self) -> Result<String, StoreError> {
        let text = self.maybe_text()?;
        text.ok_or_else(|| unlike("a text", Some(&Value::Null)))
    }

    /// Returns the next value, a non-negative integer or `NULL`.
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

    /// Returns the next value, a non-negative integer.
    ///
    /// # Errors
    /// If it is something else.
    pub fn number(&mut self) -> Result<u64, StoreError> {
        let number = self.maybe_number()?;
        number.ok_or_else(|| unlike("a number", Some(&Value::Null)))
    }

    /// Returns the next value, parsed from JSON text.
    ///
    /// # Errors
    /// If it is something else.
    pub fn json<T: DeserializeOwned>(&mut self) -> Result<T, StoreError> {
        from_json("decode row", &self.text()?)
    }
}

/// Serialises a value as JSON text.
///
/// # Errors
/// If it can't be serialised.
pub fn json<T: Serialize + ?Sized>(value: &T) -> Result<Value, StoreError> {
    to_json("encode row", value).map(Value::Text)
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

/// Counters and times stay far below 2^53; anything larger saturates.
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
    // A text may be an entire document, whose content must not appear in a log.
    let found = match found {
        None => "no value",
        Some(Value::Null) => "nothing",
        Some(Value::Integer(_)) => "a number",
        Some(Value::Text(_)) => "a text",
    };
    StoreError::new("sqlite", format!("expected {wanted}, found {found}"))
}
