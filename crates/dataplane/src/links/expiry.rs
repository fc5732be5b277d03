//! Being written.

use crate::chain::{Compiler, Middleware};

/// Being written.
#[derive(Debug)]
pub struct Expiry;

impl Middleware for Expiry {
    fn compile(_: &mut Compiler<'_>) -> Option<Self> {
        None
    }
}
