//! What becomes of a request: router, chain, links.
pub mod chain;
pub mod exchange;
pub mod failure;
pub mod headers;
pub mod links;
pub mod loops;
pub mod path;
pub mod rules;
#[cfg(test)]
mod testing;
pub mod variables;
pub mod versions;
