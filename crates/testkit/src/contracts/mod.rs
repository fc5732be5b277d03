//! The guarantees that callers of a port rely on, as cases. Natively they run against the fakes of this crate
//! (`tests/contracts.rs`), on workerd against the deployed adapters (`worker/tests/contracts.test.mjs`), so a fake that
//! guarantees something other than the platform is detected.
//!
//! A case is generic over its port and returns a sentence about what is wrong. The cases of a suite share the
//! platform's storage, so each uses its own keys and ids.

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

/// Success, or a sentence about what is wrong.
pub type Outcome = Result<(), String>;

/// One guarantee of every implementation of a port.
#[derive(Debug)]
pub struct Case<P: ?Sized> {
    /// The guarantee, in words separated by `_`.
    pub name: &'static str,
    check: for<'a> fn(&'a P) -> LocalBoxFuture<'a, Outcome>,
}

impl<P: ?Sized> Case<P> {
    /// Runs the case.
    ///
    /// # Errors
    /// What is wrong.
    pub async fn check(&self, port: &P) -> Outcome {
        (self.check)(port).await
    }
}

/// Returns the names of some cases, each on a line after the name of their suite.
#[must_use]
pub fn lines<P: ?Sized>(suite: &str, cases: &[Case<P>]) -> String {
    cases
        .iter()
        .map(|case| format!("{suite} {}\n", case.name))
        .collect()
}

/// Runs the case with this name; a missing one is an error as well.
///
/// # Errors
/// What is wrong.
pub async fn check<P: ?Sized>(cases: Vec<Case<P>>, name: &str, port: &P) -> Outcome {
    match cases.into_iter().find(|case| case.name == name) {
        Some(case) => case.check(port).await,
        None => Err(format!("there is no case {name}")),
    }
}

/// Lists cases by the names of their functions.
macro_rules! cases {
    ($($case:ident),* $(,)?) => {
        vec![$($crate::contracts::Case {
            name: stringify!($case),
            check: |port| Box::pin($case(port)),
        }),*]
    };
}
use cases;

/// Fails unless both are equal.
#[expect(
    clippy::needless_pass_by_value,
    reason = "what is wanted is written where it is compared"
)]
fn ensure_eq<T: Debug + PartialEq<U>, U: Debug>(what: &str, found: T, wanted: U) -> Outcome {
    if found == wanted {
        return Ok(());
    }
    Err(format!(
        "{what}: {}, not {}",
        abbreviated(&found),
        abbreviated(&wanted)
    ))
}

/// Fails unless the condition holds.
fn ensure(what: impl Into<String>, holds: bool) -> Outcome {
    if holds { Ok(()) } else { Err(what.into()) }
}

/// Formats an unexpected error of the platform.
fn unexpected(error: impl Debug) -> String {
    format!("it failed: {}", abbreviated(&error))
}

/// Formats a value as Rust does, a long one truncated.
fn abbreviated(value: &impl Debug) -> String {
    let text = format!("{value:?}");
    match text.char_indices().nth(300) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
