//! Dashboard credentials: the list, and the page that issues one.

mod issue;
mod list;

pub use issue::NewCredential;
pub use list::Credentials;
