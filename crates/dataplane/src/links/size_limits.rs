//! Being written.

use crate::chain::{Compiler, Middleware};

/// Being written.
#[derive(Debug)]
pub struct SizeLimits;

impl Middleware for SizeLimits {
    fn compile(_: &mut Compiler<'_>) -> Option<Self> {
        None
    }
}
