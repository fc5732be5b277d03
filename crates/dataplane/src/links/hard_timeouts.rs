//! Being written.

use crate::chain::{Compiler, Middleware};

/// Being written.
#[derive(Debug)]
pub struct HardTimeouts;

impl Middleware for HardTimeouts {
    fn compile(_: &mut Compiler<'_>) -> Option<Self> {
        None
    }
}
