//! The module of the object that owns the documents: adapters between the platform and the control plane's Registry. No
//! rule lives here: `gatewright-controlplane` decides what is stored, published and delivered.
//!
//! `objects/registry.js` instantiates it where the object lives. An isolate that administers has another module, and
//! one that only serves needs neither.

mod alarm;
#[cfg(feature = "contracts")]
pub mod contracts;
mod kv;
mod openapi;
mod registry;
mod sql;
mod stream;
mod uptime;
