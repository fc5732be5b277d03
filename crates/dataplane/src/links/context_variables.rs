//! Being written.

use crate::chain::{Compiler, Middleware};

/// Being written.
#[derive(Debug)]
pub struct ContextVariables;

impl Middleware for ContextVariables {
    fn compile(_: &mut Compiler<'_>) -> Option<Self> {
        None
    }
}
