//! Being written.

use crate::chain::{Compiler, Middleware};

/// Being written.
#[derive(Debug)]
pub struct ResponseHeaders;

impl Middleware for ResponseHeaders {
    fn compile(_: &mut Compiler<'_>) -> Option<Self> {
        None
    }
}
