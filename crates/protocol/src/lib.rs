//! What travels between isolates and objects, and what is published.
//!
//! The promise: everything that two modules, two releases or two machines have to read alike stands
//! here and nowhere else: commands and answers, the form they travel in, the published set, the lines
//! of the Meter, hashes of tokens, names of counters. Who decides what stands in the crates above.

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
