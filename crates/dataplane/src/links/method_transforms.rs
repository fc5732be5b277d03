//! Being written.

use crate::chain::{Compiler, Middleware};

/// Being written.
#[derive(Debug)]
pub struct MethodTransforms;

impl Middleware for MethodTransforms {
    fn compile(_: &mut Compiler<'_>) -> Option<Self> {
        None
    }
}
