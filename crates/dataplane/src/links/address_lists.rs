//! Being written.

use crate::chain::{Compiler, Middleware};

/// Being written.
#[derive(Debug)]
pub struct AddressLists;

impl Middleware for AddressLists {
    fn compile(_: &mut Compiler<'_>) -> Option<Self> {
        None
    }
}
