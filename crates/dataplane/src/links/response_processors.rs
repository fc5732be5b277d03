//! Being written.

use crate::chain::{Compiler, Middleware};

/// Being written.
#[derive(Debug)]
pub struct ResponseProcessors;

impl Middleware for ResponseProcessors {
    fn compile(_: &mut Compiler<'_>) -> Option<Self> {
        None
    }
}
