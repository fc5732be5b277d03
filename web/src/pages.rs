//! What the router shows. A page owns its requests and hands plain data to the components.

pub mod apis;
pub mod audit;
pub mod batch;
pub mod client_idps;
pub mod connect;
pub mod credentials;
pub mod deletion;
pub mod documents;
pub mod editor;
mod find_api;
pub mod hooks;
pub mod import;
pub mod keys;
mod list;
pub mod missing;
pub mod needs;
pub mod notifications;
pub mod organisations;
pub mod overview;
pub mod policies;
pub mod reload;
mod revisions;
pub mod rulesets;
mod sessions;
pub mod shell;
pub mod trial;
