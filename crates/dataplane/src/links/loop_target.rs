//! Being written.

use crate::chain::{Compiler, Middleware};

/// Being written.
#[derive(Debug)]
pub struct LoopTarget;

impl Middleware for LoopTarget {
    fn compile(_: &mut Compiler<'_>) -> Option<Self> {
        None
    }
}
