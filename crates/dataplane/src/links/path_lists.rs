//! Being written.

use crate::chain::{Compiler, Middleware};

/// Being written.
#[derive(Debug)]
pub struct PathLists;

impl Middleware for PathLists {
    fn compile(_: &mut Compiler<'_>) -> Option<Self> {
        None
    }
}
