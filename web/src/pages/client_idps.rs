//! Client identity providers: the list, and the pages of one of them.

mod conflict;
mod desk;
mod details;
mod edit;
mod fields;
mod list;
mod new;
mod patch;
mod review;
mod row;
mod simulator;
mod table;

pub(super) use conflict::{BothSides, Sides};
pub use edit::EditClientIdp;
pub use list::ClientIdps;
pub use new::NewClientIdp;
