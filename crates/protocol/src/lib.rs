//! Messages between isolates and objects, and the published set.
//!
//! The promise: everything that two modules, two releases or two machines must read alike is defined here and nowhere
//! else: commands and replies, their encoding, the published set, the Meter's lines, hashes of tokens, names of
//! counters. Who decides their content is up to the crates above.

pub mod access;
pub mod asking;
pub mod backup;
pub mod caller;
pub mod certificates;
pub mod config;
pub mod debug;
pub mod digest;
pub mod discovery;
pub mod error;
pub mod events;
pub mod figures;
pub mod headers;
pub mod http;
pub mod ledger;
pub mod limits;
pub mod oauth;
pub mod pattern;
pub mod pseudonym;
pub mod records;
pub mod registry;
pub mod schema;
pub mod secret;
pub mod served;
pub mod sessions;
pub mod sign_in;
pub mod signal;
pub mod snapshot;
pub mod strangers;
pub mod target;
pub mod time;
pub mod token;
pub mod trouble;
pub mod variables;
mod wire;
