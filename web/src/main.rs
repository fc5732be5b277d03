//! The Gatewright console.
fn main() {}
