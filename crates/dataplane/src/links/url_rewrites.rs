//! Being written.

use crate::chain::{Compiler, Middleware};

/// Being written.
#[derive(Debug)]
pub struct UrlRewrites;

impl Middleware for UrlRewrites {
    fn compile(_: &mut Compiler<'_>) -> Option<Self> {
        None
    }
}
