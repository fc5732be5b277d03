//! What the users of a port rely on, as cases. Natively they run against the fakes of this crate
//! (`tests/contracts.rs`), on workerd against the adapters that are deployed (`worker/tests/contracts.test.mjs`),
//! so that a fake which keeps something else than the platform does is found.
//!
//! A case is generic over its port and answers a sentence about what it found wrong. Cases of a suite share
//! what the platform keeps, so each has keys and ids of its own.

pub mod dispatch;
pub mod edge;
pub mod egress;
pub mod isolate;
pub mod kv;
pub mod platform;
pub mod servers;
pub mod sql;

use futures_util::future::LocalBoxFuture;
use std::fmt::Debug;

/// Nothing, or what is wrong as a sentence.
pub type Outcome = Result<(), String>;

/// One thing that holds for every implementation of a port.
#[derive(Debug)]
pub struct Case<P: ?Sized> {
    /// What holds, in words with `_` between them.
    pub name: &'static str,
    check: for<'a> fn(&'a P) -> LocalBoxFuture<'a, Outcome>,
}

impl<P: ?Sized> Case<P> {
    /// Checks it.
    ///
    /// # Errors
    /// What is wrong.
    pub async fn check(&self, port: &P) -> Outcome {
        (self.check)(port).await
    }
}

/// The names of some cases, each on a line behind the name of their suite.
#[must_use]
pub fn lines<P: ?Sized>(suite: &str, cases: &[Case<P>]) -> String {
    cases
        .iter()
        .map(|case| format!("{suite} {}\n", case.name))
        .collect()
}

/// Checks the case of this name; a missing one is wrong as well.
///
/// # Errors
/// What is wrong.
pub async fn check<P: ?Sized>(cases: Vec<Case<P>>, name: &str, port: &P) -> Outcome {
    match cases.into_iter().find(|case| case.name == name) {
        Some(case) => case.check(port).await,
        None => Err(format!("there is no case {name}")),
    }
}

/// Cases by the names of their functions.
macro_rules! cases {
    ($($case:ident),* $(,)?) => {
        vec![$($crate::contracts::Case {
            name: stringify!($case),
            check: |port| Box::pin($case(port)),
        }),*]
    };
}
use cases;

/// Wrong unless both are the same.
#[expect(
    clippy::needless_pass_by_value,
    reason = "what is wanted is written where it is compared"
)]
fn same<T: Debug + PartialEq<U>, U: Debug>(what: &str, found: T, wanted: U) -> Outcome {
    if found == wanted {
        return Ok(());
    }
    Err(format!("{what}: {}, not {}", shown(&found), shown(&wanted)))
}

/// Wrong unless it holds.
fn holds(what: impl Into<String>, holds: bool) -> Outcome {
    if holds { Ok(()) } else { Err(what.into()) }
}

/// A trouble of the platform where none should be.
fn trouble(error: impl Debug) -> String {
    format!("it failed: {}", shown(&error))
}

/// A value as Rust writes it; of a long one its beginning.
fn shown(value: &impl Debug) -> String {
    let text = format!("{value:?}");
    match text.char_indices().nth(300) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
