//! Being written.

use crate::chain::{Compiler, Middleware};

/// Being written.
#[derive(Debug)]
pub struct Cors;

impl Middleware for Cors {
    fn compile(_: &mut Compiler<'_>) -> Option<Self> {
        None
    }
}
