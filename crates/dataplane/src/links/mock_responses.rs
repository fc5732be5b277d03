//! Being written.

use crate::chain::{Compiler, Middleware};

/// Being written.
#[derive(Debug)]
pub struct MockResponses;

impl Middleware for MockResponses {
    fn compile(_: &mut Compiler<'_>) -> Option<Self> {
        None
    }
}
