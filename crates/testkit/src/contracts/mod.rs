//! What every implementation of a port keeps, as cases that run against the one of the tests natively and
//! against the platform's in a worker. A case is a plain function and panics nowhere, so that a worker can
//! say which one failed.

pub mod sql;

/// Fails a case unless something holds.
fn ensure(holds: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(otherwise()) }
}
